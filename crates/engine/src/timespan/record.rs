//! What the workers leave behind, and what the control plane saw itself, put together to a record.
//!
//! Deliberately absent: anything that goes on while the workers work.

use super::Job;
use super::workers::Returned;
use crate::backend::Used;
use crate::clock::WallClock;
use crate::heat;
use crate::schedule::Schedule;
use crate::worker::SeatDone;
use model::{
    CounterWindow, EngineRecord, Failure, LatencyHeat, Nanos, Outcome, RunRecord, Sample, Series,
    ThreadRecord,
};

/// The I/O engine, as far as the workers can determine it.
pub(super) fn engine_record(
    backend: &str,
    clock: &WallClock,
    mut notes: Vec<String>,
    used: Used,
    returned: &[Returned],
) -> EngineRecord {
    notes.extend(used.notes);
    let lost = returned
        .iter()
        .filter(|thread| thread.done.is_none())
        .count();
    if lost > 0 {
        notes.push(format!("{lost} threads were left behind in a system call that never came back; what they counted is not here"));
    }
    EngineRecord {
        backend: backend.to_owned(),
        features: used
            .features
            .iter()
            .map(|&feature| feature.to_owned())
            .collect(),
        notes,
        clock: clock.record(),
        workers: returned
            .iter()
            .filter_map(|thread| Some(thread.done.as_ref()?.worker.clone()))
            .collect(),
        ..EngineRecord::default() // their observers add the rest
    }
}

/// What the control plane saw itself.
pub(super) struct Seen {
    pub(super) window: CounterWindow,
    pub(super) lifetime: CounterWindow,
    pub(super) samples: Vec<Sample>,
    pub(super) stopped: bool,
    /// Another program truncated a target.
    pub(super) truncated: Option<Failure>,
}

/// The record, with how it ended.
pub(super) fn assemble(
    job: Job,
    schedule: &Schedule,
    engine: EngineRecord,
    returned: Vec<Returned>,
    seen: Seen,
) -> RunRecord {
    let drained = returned
        .iter()
        .filter_map(|r| r.done.as_ref())
        .map(|done| done.drained)
        .max();
    let phases = schedule.times(drained.unwrap_or_else(|| schedule.end()));
    let failed = || {
        let mut failures = returned.iter().map(|thread| &thread.done);
        failures.find_map(|done| done.as_ref()?.failure.clone())
    };
    let failure = seen.truncated.or_else(failed); // I/Os fail because a file was truncated
    let cut_short = phases.measured() < job.plan.phases.measured;
    let outcome = match failure {
        Some(failure) => Outcome::Failed(failure),
        None if seen.stopped && cut_short => Outcome::Interrupted,
        // What a thread counted that never came back is missing.
        None if returned.iter().any(|thread| thread.done.is_none()) => Outcome::Interrupted,
        None => Outcome::Complete,
    };
    let measured = phases.measured();
    let (mut threads, mut heat) = (Vec::new(), Vec::new());
    for (record, parts) in returned
        .into_iter()
        .flat_map(|thread| records(thread, measured))
    {
        threads.push(record);
        heat::gather(&mut heat, parts);
    }
    RunRecord {
        tool_version: job.tool_version,
        command: job.command,
        started_utc: job.started_utc,
        plan: job.plan,
        host: job.host,
        targets: job.targets,
        engine,
        phases,
        threads,
        window: seen.window,
        lifetime: seen.lifetime,
        series: Series {
            heat,
            samples: seen.samples,
        },
        outcome,
    }
}

/// One record for each target of a thread. Of a thread that never came back, all that it may have had in flight.
fn records(returned: Returned, measured: Nanos) -> Vec<(ThreadRecord, Vec<LatencyHeat>)> {
    let Returned { place, done } = returned;
    let thread = place.thread;
    match done {
        Some(done) => {
            let seats = done.seats.into_iter();
            seats
                .map(|seat| seat_record(thread, seat, measured))
                .collect()
        }
        None => place
            .seats
            .iter()
            .zip(0u32..)
            .map(|(seat, number)| {
                let record = ThreadRecord {
                    thread,
                    target: seat.target,
                    measured: Default::default(),
                    lifetime: Default::default(),
                    abandoned: if place.draws && number > 0 {
                        0
                    } else {
                        seat.slots
                    },
                };
                (record, Vec::new())
            })
            .collect(),
    }
}

/// What one thread did to one target, in the record's form.
pub(crate) fn seat_record(
    thread: u32,
    seat: SeatDone,
    measured: Nanos,
) -> (ThreadRecord, Vec<LatencyHeat>) {
    let (record, heat) = seat.tally.into_record(thread, seat.target, measured);
    let abandoned = seat.abandoned;
    (
        ThreadRecord {
            abandoned,
            ..record
        },
        heat,
    )
}
