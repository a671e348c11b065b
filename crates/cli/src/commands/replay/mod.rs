//! `fathom replay`: the I/Os of a trace on a target, at their times.
//!
//! Read in this order: the flow (here), `request` (trace and options → a request that can be checked). The run itself, its
//! result and its storing are those of `fathom run`. Omitted: reading traces (`traces`), issuing I/Os (`engine`).

mod request;

use super::run::{Kept, Measurement, measure};
use super::trace::Pace;
use crate::args::{self, ReplayArgs};
use crate::environment::Environment;
use crate::failure::Ending;
use crate::run_context::RunContext;
use crate::subcommand::{Group, Subcommand, parsed};
use crate::{output, signals};
use analysis::say;
use engine::{Recording, Stop};
use model::plan::{RecordedAccess, RecordedTiming};
use model::trace::TraceRecord;
use model::{Access, CommandError, Profile, RunRecord, Target};
use request::{Request, Scanned};
use session::Admission;
use std::path::{Path, PathBuf};
use traces::trace::FileRounds;

/// The row of `fathom replay`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<ReplayArgs>(
    "replay",
    Group::Measure,
    "Issue the I/Os of a trace at their times, each with its lateness and its response time",
    |words, environment| replay(&parsed(words)?, environment),
);

/// Reads the trace once to place its I/Os, then replays it.
pub(crate) fn replay(args: &ReplayArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let known = args.known.read()?;
    let request = Request::read(args)?;
    let ground = RunContext::find(&args.keep, args.consent.consent(), environment)?;
    let stop = Stop::new();
    signals::listen(&stop)?;
    let mut pace = Pace::new(&stop, environment);
    let scanned = Scanned::read(&request, &mut pace)?;
    if stop.asked() {
        return Err(CommandError::failed(
            "interrupted before the measurement began",
        ));
    }
    let gate = ground.gate();
    let (profile, recording) = scanned.place(&request, &gate)?;
    let checked = gate.check(&profile)?;
    let text = description(&profile);
    if args.replay.dry_run {
        output::print(format!("{text}\n").as_bytes())?;
        return Ok(Ending::Good);
    }
    output::tell(&text);
    let measurement = Measurement {
        ground: &ground,
        gate: &gate,
        profile: &profile,
        checked,
        recording: Some(recording),
        kept: Kept {
            trace: args.kept.keep_trace.as_deref(),
            ..Kept::default()
        },
        evidence: None,
        known: &known,
        notes: args.known.notes(),
        keep: &args.keep,
        live: args.live,
        output: args.output,
    };
    measure(measurement, &stop, environment)
}

/// What a request of another tool replays: the profile with the I/Os of a trace, and the trace; instead of it, `merged` files if
/// there are any.
///
/// # Errors
/// A trace that cannot be read, or a target without room.
pub(crate) fn of_tool(
    trace_and_target: [&Path; 2],
    merged: Vec<(PathBuf, FileRounds)>,
    options: &[String],
    gate: &Admission<'_>,
    environment: &Environment,
) -> Result<(Profile, Recording), CommandError> {
    let args = args::replay(trace_and_target, options)?;
    let mut request = Request::read(&args)?;
    if !merged.is_empty() {
        request.merge(merged)?;
    }
    let stop = Stop::new();
    signals::listen(&stop)?;
    let mut pace = Pace::new(&stop, environment);
    let scanned = Scanned::read(&request, &mut pace)?;
    match stop.asked() {
        true => Err(CommandError::failed(
            "interrupted before the measurement began",
        )),
        false => scanned.place(&request, gate),
    }
}

/// Gives `take` the I/Os that a stored replay issued, at the times at which they were to start, until it returns false.
///
/// # Errors
/// A trace that cannot be read or is another one now.
pub(crate) fn issued(
    args: &ReplayArgs,
    record: &RunRecord,
    take: &mut dyn FnMut(&TraceRecord) -> bool,
) -> Result<(), CommandError> {
    request::again(&Request::read(args)?, record, take)
}

/// Returns what the I/Os wait for, if not only for their times.
fn waiting(recorded: &RecordedAccess) -> Option<String> {
    let found = match recorded.issue.timing {
        RecordedTiming::Recorded | RecordedTiming::Flushes => return None,
        RecordedTiming::Fast => return Some("timing fast: no times are kept".to_owned()),
        RecordedTiming::Dependent(found) => found,
    };
    let ios = recorded.ios + recorded.issue.flushes + recorded.issue.discards;
    Some(format!(
        "timing dependent: {} wait for a completion, in chains of at most {}; the gaps alone take {}",
        say::percent(found.ios as f64 / ios.max(1) as f64),
        say::counted(found.chain, "I/O"),
        say::time(found.least.0 as f64)
    ))
}

/// Returns what is replayed, and what of the trace is not.
pub(super) fn description(profile: &Profile) -> String {
    let span = &profile.timespans[0];
    let access = span.targets.first().map(|target| &target.workload.access);
    let Some(Access::Recorded(recorded)) = access else {
        return String::new();
    };
    let issue = &recorded.issue;
    let also = [(issue.flushes, "flush"), (issue.discards, "discard")];
    let also = also.iter().filter(|(number, _)| *number > 0);
    let mut what = vec![say::counted(recorded.ios, "I/O")];
    what.extend(also.map(|(number, of)| say::counted(*number, of)));
    if recorded.think.is_some() {
        // A closed loop has no end of its own, so its I/Os are not counted.
        let in_flight =
            |target: &Target| u64::from(target.workload.queue_depth.0) * u64::from(target.threads);
        let all = span.targets.iter().map(in_flight).sum();
        what = vec![format!("{} in flight", say::counted(all, "I/O"))];
    }
    let over = say::time(recorded.duration.0 as f64);
    let mut parts = vec![format!(
        "{}: {} over {over}",
        recorded.trace,
        what.join(", ")
    )];
    for target in &span.targets {
        if let Access::Recorded(its) = &target.workload.access {
            let overlap = its.overlap_ppm.filter(|&ppm| ppm > 0).map(|ppm| {
                let share = say::percent(f64::from(ppm) / 1e6);
                format!(" ({share} of the used regions share their place)")
            });
            parts.push(format!("fit {}{}", its.fit, overlap.unwrap_or_default()));
        }
    }
    if recorded.speed_ppm != traces::SPEED_ONE {
        let speed = recorded.speed_ppm as f64 / 1e6;
        parts.push(format!(
            "speed {}: gaps change, as more users would not change them",
            say::digits(speed)
        ));
    }
    if recorded.unit > recorded.granularity {
        parts.push(format!(
            "offsets and lengths are rounded outwards to {}",
            recorded.unit
        ));
    }
    parts.extend(waiting(recorded));
    let omitted = recorded.omitted;
    for (count, one, several) in [
        (omitted.reads, "read", "reads"),
        (omitted.writes, "write", "writes"),
        (omitted.flushes, "flush", "flushes"),
        (omitted.discards, "discard", "discards"),
        (
            omitted.unmapped,
            "I/O of other devices",
            "I/Os of other devices",
        ),
    ] {
        if count > 0 {
            let what = if count == 1 { one } else { several };
            parts.push(format!("{count} {what} omitted"));
        }
    }
    parts.join("; ")
}
