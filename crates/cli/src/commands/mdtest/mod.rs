//! `fathom mdtest`, and the program under the name `mdtest`: mdtest's command line, and its tables of rates and times.
//!
//! Read in this order: the request (here), `session` (what is checked, done, stored and printed), `phases` (one iteration, alone or
//! with other ranks). Omitted: what an option means and how results are printed (`tools`).

mod phases;
mod session;

use self::session::Asked;
use super::dialect::Line;
use super::hosts::{Together, Way, read_line_of_tasks, together};
use crate::args::{HostsArgs, KeepArgs};
use crate::environment::Environment;
use crate::failure::Ending;
use crate::kinds::separate;
use crate::run_context::RunContext;
use crate::subcommand::Subcommand;
use crate::{output, signals};
use engine::Stop;
use model::CommandError;
use tools::mdtest;

/// The row of `fathom mdtest`.
pub(crate) static COMMAND: Subcommand = Subcommand::dialect(
    "mdtest",
    "Run a command line of mdtest 4 and print its tables of rates and times; `fathom \
     mdtest --help` lists its options",
    mdtest,
)
.with_ranks();

/// Does what the line asks for.
pub(crate) fn mdtest(line: &Line, environment: &Environment) -> Result<Ending, CommandError> {
    let mut args = line.texts().map_err(CommandError::refused)?;
    let (hosts, way) = read_line_of_tasks(&mut args, environment)?;
    let is_first = way.as_ref().is_none_or(Way::is_first);
    let request = match mdtest::read(&args, way.as_ref().map_or(1, Way::size)) {
        Ok(Some(request)) => request,
        Ok(None) if is_first => {
            output::print_usage(&(mdtest::usage(&line.program) + HostsArgs::OF_TASKS))?;
            return Ok(Ending::Good);
        }
        Ok(None) => return Ok(Ending::Good),
        Err(problems) if is_first => return Err(CommandError::refused_for(problems)),
        // Rank 0 reports them: a launcher ends all ranks when the first one fails.
        Err(_) => return Ok(Ending::Good),
    };
    let asked = Asked {
        request: &request,
        args: &args,
        echo: &line.echo,
        environment,
    };
    match way {
        Some(_) if request.output.dry_run && !is_first => Ok(Ending::Good),
        Some(way) if !request.output.dry_run => {
            let keep = KeepArgs::of_tool(&request.output.own);
            let together_with = Together::new(&hosts, &keep, &separate::FILES);
            together(&together_with, &way, environment, &|member| {
                session::run(&asked, member.ground, member.stop, Some(member.hosts))
            })
        }
        _ => {
            let ground = RunContext::of_tool(&request.output.own, environment)?;
            let stop = Stop::new();
            if !request.output.dry_run {
                signals::listen(&stop)?;
            }
            session::run(&asked, &ground, &stop, None)
        }
    }
}
