//! `fathom xdd`, and the program under the name `xdd`: xdd's command line, and its lines of each target and pass.
//!
//! Omitted: what any option means and how results are printed (`tools`).

mod passes;
mod session;

use super::dialect::Line;
use crate::environment::Environment;
use crate::failure::Ending;
use crate::output;
use model::CommandError;
use std::ffi::OsString;
use tools::xdd;

/// The command line, if it is xdd's.
pub(crate) fn line_of(all: &[OsString]) -> Option<Line> {
    Line::of(all, "xdd", "fathom xdd")
}

/// Does what the line asks for.
pub(crate) fn xdd(line: &Line, environment: &Environment) -> Result<Ending, CommandError> {
    let args = line.texts().map_err(CommandError::refused)?;
    match xdd::read(&args).map_err(CommandError::refused_for)? {
        Some(request) => session::run(&request, &args, environment),
        None => {
            output::print_usage(&xdd::usage(line.program))?;
            Ok(Ending::Good)
        }
    }
}
