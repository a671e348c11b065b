//! `fathom mdtest`, and the program under the name `mdtest`: mdtest's command line, and its tables of rates and times.
//!
//! Read in this order: the request (here), `session` (what is checked, done, stored and printed), `phases` (one iteration, alone or
//! with other ranks). Omitted: what an option means and how results are printed (`tools`).

mod phases;
mod session;

use self::session::Asked;
use super::dialect::Line;
use super::hosts::{Together, Way, together};
use crate::args::{HostsArgs, KeepArgs};
use crate::environment::Environment;
use crate::failure::Ending;
use crate::run_context::RunContext;
use crate::{output, signals};
use engine::Stop;
use model::CommandError;
use store::SessionKind;
use tools::mdtest;

/// Does what the line asks for.
pub(crate) fn mdtest(line: &Line, environment: &Environment) -> Result<Ending, CommandError> {
    let args = line.texts().map_err(CommandError::refused)?;
    let launch = environment.launch;
    let is_first = launch.is_none_or(|launch| launch.rank == 0);
    let request = match mdtest::read(&args, launch.map_or(1, |launch| launch.size)) {
        Ok(Some(request)) => request,
        Ok(None) if is_first => {
            output::print_usage(&mdtest::usage(line.program))?;
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
    match launch {
        Some(_) if request.output.dry_run && !is_first => Ok(Ending::Good),
        Some(launch) if !request.output.dry_run => {
            let hosts = HostsArgs::default();
            let keep = KeepArgs::of_tool(&request.output.own);
            let together_with = Together::new(&hosts, &keep, SessionKind::Files);
            together(
                &together_with,
                &Way::Launched(launch),
                environment,
                &|member| session::run(&asked, member.ground, member.stop, Some(member.hosts)),
            )
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
