//! `fathom fio`, and the program under the name `fio`: fio's job files and command line, and its JSON.
//!
//! Standard output has the results alone; all other messages go to standard error. Deliberately absent: what
//! any option means (`dialects`), and any number or layout (`views`).

mod pages;
mod session;

use super::VERSION;
use super::dialect::{Line, text_of};
use crate::environment::{self, Environment};
use crate::failure::Ending;
use crate::output;
use host::Root;
use model::CommandError;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use tools::fio::{self, Action, FILE_MAX};

/// Does what the line asks for.
pub(crate) fn fio(line: &Line, environment: &Environment) -> Result<Ending, CommandError> {
    let args = line.texts().map_err(CommandError::refused)?;
    let host = host::host_record(&Root::live());
    let read = |path: &str| read_file(Path::new(path));
    let surroundings = fio::Environment {
        read: &read,
        variable: &environment::variable,
        processors: host.cpus.len().max(1) as u32,
        mib_memory: host.ram.0 >> 20,
        drawn_seed: RandomState::new().hash_one(std::process::id()),
    };
    let request = fio::parse(&args, &surroundings).map_err(refused)?;
    match request.action {
        Action::Usage => {
            output::print_usage(&fio::usage(line.program))?;
            Ok(Ending::Good)
        }
        Action::Version => {
            output::print(fio::version(VERSION).as_bytes())?;
            Ok(Ending::Good)
        }
        Action::ParseOnly => session::explain(&request, environment),
        Action::Run => session::run(&request, &args, line.program == "fio", environment),
    }
}

/// One byte more than is taken, so that a file that is too large is reported.
fn read_file(path: &Path) -> Result<String, String> {
    let text = text_of(path, FILE_MAX + 1)?;
    match text.len() as u64 > FILE_MAX {
        true => Err(format!(
            "it is longer than {FILE_MAX} bytes, so it is no job file"
        )),
        false => Ok(text),
    }
}

/// A message a problem.
#[allow(clippy::needless_pass_by_value, reason = "the end of an error")]
fn refused(refusal: fio::Refusal) -> CommandError {
    CommandError::refused_for(refusal.messages())
}
