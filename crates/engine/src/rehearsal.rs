//! A run on the null backend with a clock that nobody waits for: exact, at once, the same every time.
//!
//! The same loop, the same counting, no thread and no kernel. Tests hold accounts to the last I/O with it, and
//! whoever wants to know what a simulated device would give can ask it.

use crate::RunError;
use crate::backend::{Backend, Null, Setup};
use crate::clock::FakeClock;
use crate::live::Live;
use crate::schedule::Schedule;
use crate::target::OpenTarget;
use crate::timespan::{Job, thread_record};
use crate::worker::{self, Place, Work, drive, finish};
use model::{
    ClockRecord, CounterWindow, EngineRecord, Failure, Location, Nanos, Outcome, RunRecord,
    ThreadRecord,
};
use std::sync::Arc;

/// Runs a plan of null targets on a fake clock each reading of which takes `step`. Threads go one after the
/// other, each from time zero; a failure that ends the run ends it also for those that come later.
///
/// # Errors
/// A target is not null, or memory for the buffers was refused.
pub fn rehearse(job: Job, step: Nanos) -> Result<RunRecord, RunError> {
    let schedule = Arc::new(Schedule::new(&job.plan.phases));
    let mut threads = Vec::new();
    let mut failure = None;
    let mut drained = Nanos(0);
    for place in worker::places(&job.plan, job.started_utc.0) {
        let (thread, its_failure, its_drained) = rehearse_one(&job, place, &schedule, step)?;
        threads.push(thread);
        failure = failure.or(its_failure);
        drained = drained.max(its_drained);
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
            ..EngineRecord::default()
        },
        phases: schedule.times(drained),
        threads,
        window: CounterWindow::default(),
        lifetime: CounterWindow::default(),
        outcome: failure.map_or(Outcome::Complete, Outcome::Failed),
    })
}

fn rehearse_one(
    job: &Job,
    place: Place,
    schedule: &Arc<Schedule>,
    step: Nanos,
) -> Result<(ThreadRecord, Option<Failure>, Nanos), RunError> {
    let target = &job.plan.targets[place.target as usize];
    let Location::Null(behaviour) = target.location else {
        return Err(RunError::Unavailable {
            engine: "null",
            reason: "a rehearsal moves no bytes, so it has no file or device".to_owned(),
            remedy: "rehearse null targets only",
        });
    };
    let open = OpenTarget::open(target)?;
    let live = Arc::new(Live::default());
    let mut work = Work::new(
        &job.plan,
        place,
        FakeClock::new(step),
        Arc::clone(schedule),
        live,
    )?;
    let depth = target.workload.queue_depth.0;
    let setup = Setup {
        descriptor: open.descriptor(),
        depth,
        buffers: &work.buffers,
    };
    let mut backend = Null::open(&setup, behaviour);
    debug_assert!(
        backend.used().notes.is_empty(),
        "nothing of the kernel's is used"
    );
    drive(&mut work, &mut backend)?;
    let done = finish(work, backend, open)?;
    let measured = schedule.times(done.drained).measured();
    let (failure, drained) = (done.failure.clone(), done.drained);
    Ok((
        thread_record(place.thread, place.target, done, measured),
        failure,
        drained,
    ))
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
                error_every: 0,
            }),
            base: Bytes(0),
            length: Bytes::mib(64),
            create: None,
            cache: CacheMode::Unbuffered,
            write_through: false,
            exclusive: false,
            threads: 1,
            workload: Workload {
                block: Bytes::kib(4),
                queue_depth: QueueDepth(1),
                write: Ratio::NONE,
                access: Access::Random,
            },
            alignment: Bytes(512),
            prove_ours: false,
            identity: None,
        }
    }
}
