//! Compares fathom with other programs and against bare loops, in interleaved runs on this machine.
//!
//! `cargo xtask bench` builds fathom for release and starts this. Everything is a child process, so that each pays
//! for its own start, threads and memory. Ratios are meant, not rates: other work on the machine meets all in turn.
//! Deliberately absent: any rule on how fast something has to be; a person reads the table. What a test can check,
//! the count of instructions, is with the tests of `cli`.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this program talks to the person at the terminal"
)]

mod analysis;
mod bare;
mod child;
mod contender;
mod error;
mod files;
mod gap;
mod limit;
mod looped;
mod loops;
mod low_depth;
mod memory;
mod options;
mod overhead;
mod page;
mod place;
mod quick;
mod rounds;
mod start;
mod stored;
mod survey;
mod table;
mod verify;
mod writes;

use error::BenchError;
use options::{Options, Section};
use place::Shop;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let reported = match words.first().map(String::as_str) {
        Some(bare::WORD) => bare::main(&words[1..]),
        _ => Options::read(&words).and_then(|options| compare(&options)),
    };
    match reported {
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
    let mut shop = None; // opened for the first section that runs programs
    for section in &options.sections {
        let lines = match section {
            Section::Analysis => analysis::run(options),
            Section::Page => page::run(opened(&mut shop, options)?, options)?,
            Section::Overhead => overhead::run(opened(&mut shop, options)?, options)?,
            Section::Loops => loops::run(opened(&mut shop, options)?, options)?,
            Section::LowDepth => low_depth::run(opened(&mut shop, options)?, options)?,
            Section::Start => start::run(opened(&mut shop, options)?, options)?,
            Section::Gap => gap::run(opened(&mut shop, options)?, options)?,
            Section::Memory => memory::run(opened(&mut shop, options)?, options)?,
            Section::Quick => quick::run(opened(&mut shop, options)?, options)?,
            Section::Files => files::run(opened(&mut shop, options)?, options)?,
            Section::Store => stored::run(opened(&mut shop, options)?, options)?,
            Section::Survey => survey::run(opened(&mut shop, options)?, options)?,
            Section::Writes => writes::run(opened(&mut shop, options)?, options)?,
            Section::Verify => verify::run(opened(&mut shop, options)?, options)?,
        };
        tell(&lines);
    }
    Ok(())
}

fn opened<'a>(shop: &'a mut Option<Shop>, options: &Options) -> Result<&'a Shop, BenchError> {
    if shop.is_none() {
        *shop = Some(Shop::open(options)?);
    }
    Ok(shop.as_ref().expect("opened above"))
}

fn tell(lines: &[String]) {
    for line in lines {
        println!("{}", line.trim_end());
    }
    println!();
}
