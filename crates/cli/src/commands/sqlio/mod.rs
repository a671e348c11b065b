//! `fathom sqlio`, and the program under the name `sqlio`: SQLIO's command line and output.
//!
//! Exit codes are fathom's own, and 0 where results were printed, also after Ctrl-C. Standard output is SQLIO's; all
//! other messages go to standard error, among them latencies in microseconds. `session` runs the line. Deliberately
//! absent: what any switch means (`dialects`), and any number or layout (`views`).

mod session;

use super::dialect::{Line, text_of};
use crate::environment::Environment;
use crate::failure::Ending;
use crate::output;
use crate::subcommand::Subcommand;
use model::CommandError;
use session::Asked;
use std::path::Path;
use tools::sqlio::{self, Action, PARAMS_MAX, Request};

/// The row of `fathom sqlio`.
pub(crate) static COMMAND: Subcommand = Subcommand::dialect(
    "sqlio",
    "Run a command line of SQLIO 1.5 with its parameter file and print its output; `fathom sqlio -?` lists its switches",
    sqlio,
);

/// Does what the line asks for.
pub(crate) fn sqlio(line: &Line, environment: &Environment) -> Result<Ending, CommandError> {
    let args = line.texts().map_err(CommandError::refused)?;
    if args == ["--help"] {
        return usage(line);
    }
    // One byte more than the dialect takes, so that it reports the error.
    let read = |path: &str| text_of(Path::new(path), PARAMS_MAX + 1);
    let Request {
        action,
        notes,
        extra,
    } = sqlio::parse(&args, &sqlio::Environment { read: &read })?;
    match action {
        Action::Usage => usage(line),
        Action::Run(profile) => {
            let asked = Asked {
                profile: &profile,
                extra: &extra,
                notes: &notes,
                args: &args,
            };
            session::run(&asked, environment)
        }
    }
}

fn usage(line: &Line) -> Result<Ending, CommandError> {
    output::print_usage(&sqlio::usage(&line.program))?;
    Ok(Ending::Good)
}
