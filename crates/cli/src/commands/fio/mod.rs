//! `fathom fio`, and the program under the name `fio`: fio's job files and command line, and its JSON.
//!
//! Standard output has the results alone; all other messages go to standard error. Deliberately absent: what
//! any option means (`dialects`), and any number or layout (`views`).

mod pages;
mod session;

use self::session::Asked;
use super::VERSION;
use super::dialect::{Line, text_of};
use super::hosts::{Together, Way, read_line, together};
use crate::args::{HostsArgs, KeepArgs};
use crate::commands::run::stored::KIND;
use crate::environment::{self, Environment};
use crate::failure::Ending;
use crate::output;
use crate::subcommand::Subcommand;
use host::Root;
use model::CommandError;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use tools::fio::{self, Action, FILE_MAX, Request};

/// The row of `fathom fio`.
pub(crate) static COMMAND: Subcommand = Subcommand::dialect(
    "fio",
    "Run job files and command lines of fio 3 and print its JSON; `fathom fio --help` \
     lists its options",
    fio,
)
.often()
.with_ranks();

/// Does what the line asks for.
pub(crate) fn fio(line: &Line, environment: &Environment) -> Result<Ending, CommandError> {
    let mut args = line.texts().map_err(CommandError::refused)?;
    let (hosts, way) = read_line(&mut args, environment)?;
    let host = host::host_record(&Root::live());
    let read = |path: &str| read_file(Path::new(path));
    let surroundings = fio::Environment {
        read: &read,
        variable: &environment::variable,
        processors: host.cpus.len().max(1) as u32,
        mib_memory: host.ram.0 >> 20,
        drawn_seed: RandomState::new().hash_one(std::process::id()),
    };
    let request = fio::parse(&args, &surroundings).map_err(refused);
    let mut environment = environment.clone();
    environment.quiet = &line.program == "fio";
    let environment = &environment;
    let asked = |request| Asked {
        request,
        args: &args,
        environment,
    };
    let runs = |request: &Result<Request, CommandError>| {
        request
            .as_ref()
            .map_or(true, |request| request.action == Action::Run)
    };
    match (way, &request) {
        (Some(way), request) if runs(request) => {
            let own = request.as_ref().map(|request| &request.extra.own);
            let keep = own.map_or_else(|_| KeepArgs::default(), KeepArgs::of_tool);
            let all = Together {
                options: fio::option,
                repeats: true,
                ..Together::new(&hosts, &keep, &KIND)
            };
            // Rank 0 reports what is wrong when all others can hear that it ends.
            together(&all, &way, environment, &|member| match request {
                Ok(request) => session::of_ranks(&asked(request), member),
                Err(error) => Err(error.clone()),
            })
        }
        (Some(Way::Launched(launch)), _) if launch.rank > 0 => Ok(Ending::Good),
        (_, Err(error)) => Err(error.clone()),
        (_, Ok(request)) => match request.action {
            Action::Usage => {
                let usage = fio::usage(&line.program) + HostsArgs::OF_TOOL;
                output::print_usage(&usage)?;
                Ok(Ending::Good)
            }
            Action::Version => {
                output::print(fio::version(VERSION).as_bytes())?;
                Ok(Ending::Good)
            }
            Action::CommandHelp => help(fio::command_help(request.extra.subject())),
            Action::EngineHelp => help(fio::engine_help(request.extra.subject())),
            Action::ParseOnly => session::explain(request, environment),
            Action::Run => session::alone(&asked(request)),
        },
    }
}

/// Prints help on a subject, or why there is none.
fn help(text: Result<String, String>) -> Result<Ending, CommandError> {
    let text = text.map_err(|why| CommandError::refused_for(vec![why]))?;
    output::print(text.as_bytes())?;
    Ok(Ending::Good)
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
