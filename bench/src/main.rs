//! Holds fathom against other programs and against bare loops, in interleaved runs on this machine.
//!
//! `cargo xtask bench` builds fathom for release and starts this. Everything is a child process, so that each pays
//! for its own start, threads and memory. Ratios are meant, not rates: other work on the machine meets all in turn.
//! Deliberately absent: any rule on how fast something has to be; a person reads the table. What a test can hold,
//! the count of instructions, stands with the tests of `cli`.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this program talks to the person at the terminal"
)]

mod bare;
mod child;
mod contender;
mod error;
mod gap;
mod loops;
mod memory;
mod options;
mod overhead;
mod place;
mod rounds;
mod start;
mod table;

use error::BenchError;
use options::{Options, Section};
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let told = match words.first().map(String::as_str) {
        Some(bare::WORD) => bare::main(&words[1..]),
        _ => Options::read(&words).and_then(|options| compare(&options)),
    };
    match told {
        Ok(()) => ExitCode::SUCCESS,
        Err(error @ BenchError::Usage(_)) => {
            eprintln!("bench: {error}\n{}", options::USAGE);
            ExitCode::from(2)
        }
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn compare(options: &Options) -> Result<(), BenchError> {
    let shop = place::Shop::open(options)?;
    for section in &options.sections {
        let lines = match section {
            Section::Overhead => overhead::run(&shop, options),
            Section::Loops => loops::run(&shop, options),
            Section::Start => start::run(&shop, options),
            Section::Gap => gap::run(&shop, options),
            Section::Memory => memory::run(&shop, options),
        }?;
        for line in lines {
            println!("{}", line.trim_end());
        }
        println!();
    }
    Ok(())
}
