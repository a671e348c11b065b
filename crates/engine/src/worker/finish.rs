//! The end of a thread's work: what is still in flight is taken in, and what was counted is left behind.
//!
//! Left out: what is told of it, which is put together in `timespan`.

use super::settle::{settle, try_again};
use super::work::Work;
use crate::RunError;
use crate::backend::Backend;
use crate::clock::Clock;
use crate::mix::Mix;
use crate::tally::ThreadTally;
use crate::target::OpenTarget;
use model::{Account, Failure, Nanos, WorkerRecord};

/// How long the drain waits for a device that answers nothing at all.
const DRAIN_SILENCE: Nanos = Nanos::seconds(10);
/// How long the drain waits in all, for a device that is slow but answers.
pub(crate) const DRAIN_MAX: Nanos = Nanos::seconds(30);
/// How long it waits in all when somebody wants the end.
const DRAIN_HALTED_MAX: Nanos = Nanos::seconds(1);

/// What a thread leaves behind.
pub(crate) struct Done {
    pub(crate) seats: Vec<SeatDone>,
    pub(crate) failure: Option<Failure>,
    /// When the last completion was found.
    pub(crate) drained: Nanos,
    /// What it says of itself.
    pub(crate) worker: WorkerRecord,
}

/// What it leaves behind of one target.
pub(crate) struct SeatDone {
    pub(crate) target: u32,
    pub(crate) tally: ThreadTally,
    /// I/Os that the device never answered.
    pub(crate) abandoned: u32,
}

/// Takes in what is in flight without issuing more. What the device does not answer in time is left behind with its
/// memory, its file and its ring, because it may still answer one day.
pub(crate) fn finish<B: Backend, C: Clock>(
    mut work: Work<C>,
    mut backend: B,
    targets: Vec<OpenTarget>,
) -> Result<Done, RunError> {
    let drained = match drain(&mut work, &mut backend) {
        Ok(drained) => drained,
        Err(error) => {
            backend.abandon();
            work.buffers.abandon();
            targets.into_iter().for_each(OpenTarget::abandon);
            return Err(error);
        }
    };
    let mut answered = vec![false; work.flights.len()];
    work.free
        .iter()
        .for_each(|slot| answered[slot as usize] = true);
    let lost = |seat: usize| {
        let open = work.flights.iter().zip(&answered);
        open.filter(|(flight, answered)| usize::from(flight.seat) == seat && !**answered)
            .count()
    };
    let abandoned: Vec<u32> = (0..work.lanes.len())
        .map(|seat| lost(seat) as u32)
        .collect();
    if abandoned.iter().any(|&count| count > 0) {
        backend.abandon();
        work.buffers.abandon();
        targets.into_iter().for_each(OpenTarget::abandon);
    } else {
        drop(backend); // before the memory that it has registered
    }
    let mixes = work.lanes.iter().filter_map(|lane| lane.mix.as_deref());
    let lines = mixes.flat_map(Mix::counts).copied().collect();
    let seats = work
        .lanes
        .into_iter()
        .zip(abandoned)
        .map(|(lane, abandoned)| SeatDone {
            target: lane.target,
            tally: lane.tally,
            abandoned,
        });
    Ok(Done {
        seats: seats.collect(),
        failure: work.failure,
        drained,
        worker: WorkerRecord {
            thread: work.thread,
            backlog: work.open.map(|open| open.backlog(&work.schedule)),
            account: Some(Account {
                cpu: work.cpu,
                delayed: work.delayed,
                again: work.again,
                ..work.book.close()
            }),
            lines,
        },
    })
}

/// Takes in what is in flight, within the limits above; returns when the last of it was found.
fn drain<B: Backend, C: Clock>(work: &mut Work<C>, backend: &mut B) -> Result<Nanos, RunError> {
    let began = work.clock.now();
    let mut last_answer = began;
    let mut now = began;
    while work.in_flight() > 0 {
        let limit = if work.schedule.is_halted() {
            DRAIN_HALTED_MAX
        } else {
            DRAIN_MAX
        };
        if now.minus(began) >= limit || now.minus(last_answer) >= DRAIN_SILENCE {
            break;
        }
        backend.reap(&work.clock, Nanos::MAX, &mut work.landed)?;
        now = work.clock.now();
        if !work.landed.is_empty() {
            last_answer = now;
            settle::<C, false, false>(work, now); // nothing counts any more
            try_again(work, backend)?;
        }
    }
    Ok(last_answer)
}
