//! `fathom ior`, and the program under the name `ior`: IOR's command line and scripts, and its table, JSON or CSV.
//!
//! Standard output has the results alone. Deliberately absent: what any option means and how results are printed (`tools`).

mod schedule;
mod session;

use super::dialect::{Line, text_of};
use crate::environment::Environment;
use crate::failure::Ending;
use crate::output;
use model::CommandError;
use std::path::Path;
use tools::ior::{self, Action, SCRIPT_MAX};

/// Does what the line asks for.
pub(crate) fn ior(line: &Line, environment: &Environment) -> Result<Ending, CommandError> {
    let args = line.texts().map_err(CommandError::refused)?;
    let read = |path: &str| read_file(Path::new(path));
    let request = ior::parse(&args, &ior::Environment { read: &read })?;
    match request.action {
        Action::Usage => {
            output::print_usage(&ior::usage(line.program))?;
            Ok(Ending::Good)
        }
        Action::Run => session::run(&request, &args, &line.echo, environment),
    }
}

/// One byte more than is taken, so that a file that is too large is reported.
fn read_file(path: &Path) -> Result<String, String> {
    let text = text_of(path, SCRIPT_MAX + 1)?;
    match text.len() as u64 > SCRIPT_MAX {
        true => Err(format!(
            "it is longer than {SCRIPT_MAX} bytes, so it is no script of IOR"
        )),
        false => Ok(text),
    }
}
