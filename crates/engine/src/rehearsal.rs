//! A run on the null backend in simulated time: exact, at once, the same every time.
//!
//! The same loop, the same counting, no thread and no kernel. Tests check counts to the last I/O with it, and
//! callers can ask what a simulated device would give.

use crate::RunError;
use crate::backend::{Backend, Null, Setup};
use crate::clock::FakeClock;
use crate::heat;
use crate::observer::Live;
use crate::schedule::Schedule;
use crate::target::open_all;
use crate::target_state::Shared;
use crate::thread_plan::{ThreadPlan, places};
use crate::timespan::{Job, seat_record};
use crate::worker::{Lent, Work, drive, finish};
use model::{
    ClockRecord, CounterWindow, EngineRecord, Failure, LatencyHeat, Nanos, Outcome, RunRecord,
    Series, ThreadRecord, WorkerRecord,
};
use std::sync::Arc;

/// Runs a plan of null targets on a fake clock each reading of which takes `step`. Threads go one after the
/// other, each from time zero; a failure that ends the run ends it also for those that come later.
///
/// # Errors
/// A target is not null, or memory for the buffers was refused.
pub fn rehearse(job: Job, step: Nanos) -> Result<RunRecord, RunError> {
    let schedule = Arc::new(Schedule::new(&job.plan.phases));
    let (mut threads, mut workers, mut heat) = (Vec::new(), Vec::new(), Vec::new());
    let mut failure = None;
    let mut drained = Nanos(0);
    let shared = Shared::new(&job.plan, &schedule, &job.pins)?;
    let shared = shared.replaying(job.recording.as_ref(), false);
    for place in places(&job.plan, job.started_utc.0) {
        let (records, done) = rehearse_one(&shared, &place, step)?;
        for (record, parts) in records {
            threads.push(record);
            heat::gather(&mut heat, parts);
        }
        workers.push(done.worker);
        failure = failure.or(done.failure);
        drained = drained.max(done.drained);
    }
    Ok(RunRecord {
        tool_version: job.tool_version,
        command: job.command,
        started_utc: job.started_utc,
        plan: job.plan,
        host: job.host,
        targets: job.targets,
        engine: EngineRecord {
            backend: "null".to_owned(),
            clock: ClockRecord {
                source: "fake".to_owned(),
                cost: step,
                drift: Nanos(0),
            },
            workers,
            ..EngineRecord::default()
        },
        phases: schedule.times(drained),
        threads,
        window: CounterWindow::default(),
        lifetime: CounterWindow::default(),
        series: Series {
            heat,
            samples: Vec::new(),
        },
        outcome: failure.map_or(Outcome::Complete, Outcome::Failed),
    })
}

/// What a thread did to one target, and how its latencies were spread over time.
type Counted = (ThreadRecord, Vec<LatencyHeat>);

/// What a rehearsed thread leaves behind, but for its counts.
struct Left {
    worker: WorkerRecord,
    failure: Option<Failure>,
    drained: Nanos,
}

fn rehearse_one(
    shared: &Shared,
    place: &ThreadPlan,
    step: Nanos,
) -> Result<(Vec<Counted>, Left), RunError> {
    let plan = &shared.plan;
    let (targets, aims) = open_all(plan, place, &shared.pins, false)?;
    let mut work = Work::new(
        shared,
        place,
        FakeClock::new(step),
        Arc::new(Live::default()),
    )?;
    let setup = Setup {
        aims: &aims,
        targets: place
            .seats
            .iter()
            .map(|seat| &plan.targets[seat.target as usize])
            .collect(),
        depth: place.slots,
        buffers: &work.buffers,
        polling: model::Polling::default(),
        queueing: model::Queueing::default(),
    };
    let mut backend = Null::open(&setup)?;
    debug_assert!(
        backend.used().notes.is_empty(),
        "nothing of the kernel's is used"
    );
    drive(&mut work, &mut backend)?;
    let done = finish(Lent::new(work, backend, targets))?;
    let measured = shared.schedule.times(done.drained).measured();
    let records = done
        .seats
        .into_iter()
        .map(|seat| seat_record(place.thread, seat, measured));
    let left = Left {
        worker: done.worker,
        failure: done.failure,
        drained: done.drained,
    };
    Ok((records.collect(), left))
}

#[cfg(test)]
pub(crate) mod tests {
    use model::*;

    /// A null target of 64 MiB, 4 KiB random reads at depth 1.
    pub(crate) fn planned() -> PlannedTarget {
        PlannedTarget {
            location: Location::Null(NullBehaviour {
                size: Bytes::mib(64),
                delay: Nanos(0),
                ..NullBehaviour::default()
            }),
            base: Bytes(0),
            length: Bytes::mib(64),
            create: None,
            allocation: model::Allocation::default(),
            fsync: model::Fsync::default(),
            drop_cache: false,
            drop_cache_every: None,
            cache: CacheMode::Unbuffered,
            write_through: false,
            exclusive: false,
            mapped: None,
            engine: None,
            content: WriteContent::Marked,
            pacing: Pacing::Free,
            bounds: Bounds::default(),
            zones: None,
            active: Active::default(),
            priority: Priority::Normal,
            hint: Hint::None,
            large_pages: false,
            weight: 1,
            pool_threads: Vec::new(),
            verify: model::Verify::default(),
            threads: 1,
            amount: None,
            workload: Workload {
                block: Bytes::kib(4),
                queue_depth: QueueDepth(1),
                write: Ratio::NONE,
                access: Access::Random,
            },
            alignment: Bytes(512),
            prove_ours: false,
            namespace: None,
            identity: None,
        }
    }

    /// A plan over these targets, past the check: it is written down and read back.
    pub(crate) fn plan(targets: &[PlannedTarget]) -> Plan {
        let phases = Phases {
            warmup: Nanos(0),
            measured: Nanos::seconds(1),
            cooldown: Nanos(0),
        };
        serde_json::from_value(serde_json::json!({
            "phases": phases, "interval": Nanos::millis(100), "seed": 0, "engine": EngineChoice::Null,
            "on_error": OnError::Stop, "targets": targets, "checked": null,
        }))
        .unwrap()
    }
}
