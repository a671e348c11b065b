//! A sweep on many hosts: rank 0 has the matrix, every rank checks each cell before the first one runs, and each cell begins
//! on all ranks together.

use super::site::Site;
use super::{Ground, Read, measure};
use crate::args::SweepArgs;
use crate::commands::hosts::{Member, Together, Way, refuse_alone, refuse_confirmations, together};
use crate::environment::Environment;
use crate::failure::Ending;
use crate::output;
use model::CommandError;
use session::Step;

/// Sweeps on all hosts, keeps every cell, prints the table.
pub(super) fn sweep(
    args: &SweepArgs,
    way: &Way,
    environment: &Environment,
) -> Result<Ending, CommandError> {
    let request = Together::new(&args.hosts, &args.keep, &super::shown::KIND);
    together(&request, way, environment, &|member| {
        lead(args, member, environment)
    })
}

fn lead(
    args: &SweepArgs,
    member: &Member<'_>,
    environment: &Environment,
) -> Result<Ending, CommandError> {
    refuse_confirmations(&args.consent.consent())?;
    refuse_alone(&[("--live", args.live)])?;
    let mut read = Read::of(args, environment)?;
    if read.asked.repeats_targets {
        return Err(CommandError::refused(
            "--from-diskspd: a line of DISKSPD has no ranks; hint: specify the work by the options of fathom run",
        ));
    }
    read.asked
        .share(member.hosts.size(), &member.hosts.layout());
    let mut site = Site::default();
    for cell in &read.asked.cells {
        let step = Step::new(String::new(), cell.timespan.clone());
        site.take(member.hosts.check_request(&step, member.gate)?);
    }
    output::tell(&format!(
        "ranks   {}; targets below are those of rank 0",
        member.hosts.size()
    ));
    let on = Ground {
        args,
        context: member.ground,
        gate: member.gate,
        hosts: Some(member.hosts),
        environment,
    };
    measure(read, site, &on, || {
        Ok((member.stop.clone(), member.interrupt.clone()))
    })
}
