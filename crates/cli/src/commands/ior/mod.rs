//! `fathom ior`, and the program under the name `ior`: IOR's command line and scripts, and its table, JSON or CSV.
//!
//! Where a launcher started several processes each of them is a task. Standard output has the results alone. Deliberately absent: what any option means and how results are printed (`tools`).

mod removal;
mod schedule;
mod session;

use self::session::Asked;
use super::dialect::{Line, text_of};
use super::hosts::{Together, Way, read_line_of_tasks, together};
use crate::args::{HostsArgs, KeepArgs};
use crate::commands::run::stored::KIND;
use crate::environment::Environment;
use crate::failure::Ending;
use crate::output;
use crate::subcommand::Subcommand;
use model::CommandError;
use std::path::Path;
use tools::ior::{self, Action, SCRIPT_MAX};

/// The row of `fathom ior`.
pub(crate) static COMMAND: Subcommand = Subcommand::dialect(
    "ior",
    "Run a command line or script of IOR 3 and 4 and print its table or JSON; `fathom ior \
     --help` lists its options",
    ior,
)
.with_ranks();

/// Does what the line asks for.
pub(crate) fn ior(line: &Line, environment: &Environment) -> Result<Ending, CommandError> {
    let mut args = line.texts().map_err(CommandError::refused)?;
    let (hosts, way) = read_line_of_tasks(&mut args, environment)?;
    let read = |path: &str| read_file(Path::new(path));
    let surroundings = ior::Environment {
        read: &read,
        ranks: way.as_ref().map_or(1, Way::size),
    };
    let is_first = way.as_ref().is_none_or(Way::is_first);
    let request = match ior::parse(&args, &surroundings) {
        Ok(request) => request,
        Err(refusal) if is_first => return Err(refusal.into()),
        // Rank 0 reports it: a launcher ends all ranks when the first one fails.
        Err(_) => return Ok(Ending::Good),
    };
    let asked = Asked {
        request: &request,
        args: &args,
        echo: &line.echo,
        environment,
    };
    let dry_run = request.tests.iter().any(|test| test.actions.dry_run > 0);
    match way {
        _ if request.action == Action::Usage && is_first => {
            output::print_usage(&(ior::usage(&line.program) + HostsArgs::OF_TASKS))?;
            Ok(Ending::Good)
        }
        Some(way) if request.action == Action::Run && !dry_run => {
            let keep = KeepArgs::of_tool(&request.own);
            let all = Together {
                options: ior::option,
                shares: true,
                perform: removal::perform,
                ..Together::new(&hosts, &keep, &KIND)
            };
            together(&all, &way, environment, &|member| {
                session::of_ranks(&asked, member)
            })
        }
        _ if is_first => session::alone(&asked),
        _ => Ok(Ending::Good),
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
