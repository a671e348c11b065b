//! `cargo xtask attack`: reads the options of a campaign and runs it.

#![allow(clippy::print_stderr, reason = "this program reports to the terminal")]

mod options;

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let options = match options::read(&words) {
        Ok(options) => options,
        Err(problem) => {
            eprintln!("attack: {problem}\n{}", options::USAGE);
            return ExitCode::from(2);
        }
    };
    match attack::campaign(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("attack: {error}");
            ExitCode::FAILURE
        }
    }
}
