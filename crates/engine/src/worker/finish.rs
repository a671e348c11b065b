//! The end of a thread's work: what is still in flight is taken in, and what was counted is left behind.
//!
//! Omitted: what is informed of it, which is put together in `timespan`.

use super::calls::Calls;
use super::fsync::Syncs;
use super::settle::{settle, try_again};
use super::verified;
use super::work::Work;
use crate::RunError;
use crate::backend::Backend;
use crate::clock::Clock;
use crate::mix::Mix;
use crate::tally::ThreadTally;
use crate::target::OpenTarget;
use model::record::RecordedCount;
use model::{Account, Bytes, Failure, Nanos, Operation, WorkerRecord};
use std::mem::ManuallyDrop;

/// How long the drain waits for a device that answers nothing at all.
const DRAIN_SILENCE: Nanos = Nanos::seconds(10);
/// How long the drain waits in all, for a device that is slow but answers.
pub(crate) const DRAIN_MAX: Nanos = Nanos::seconds(30);
/// How long it waits in all after the end was requested.
const DRAIN_HALTED_MAX: Nanos = Nanos::seconds(1);

/// What a thread leaves behind.
pub(crate) struct Done {
    pub(crate) seats: Vec<SeatDone>,
    pub(crate) failure: Option<Failure>,
    /// When the last completion was found.
    pub(crate) drained: Nanos,
    /// Its own counts and times.
    pub(crate) worker: WorkerRecord,
}

/// What it leaves behind of one target.
pub(crate) struct SeatDone {
    pub(crate) target: u32,
    pub(crate) tally: ThreadTally,
    /// I/Os that the device never answered.
    pub(crate) abandoned: u32,
}

/// What the kernel may use as long as an I/O is in flight: the memory, the ring and the descriptors of one thread. Only
/// [`finish`] and [`Lent::unused`] free it, after the last completion or before the first I/O. Any other end of the
/// thread, a panic included, leaks it, because the kernel may still write to that memory.
pub(crate) struct Lent<B, C> {
    pub(crate) work: ManuallyDrop<Work<C>>,
    pub(crate) backend: ManuallyDrop<B>,
    targets: ManuallyDrop<Vec<OpenTarget>>,
}

impl<B, C> Lent<B, C> {
    pub(crate) fn new(work: Work<C>, backend: B, targets: Vec<OpenTarget>) -> Self {
        Lent {
            work: ManuallyDrop::new(work),
            backend: ManuallyDrop::new(backend),
            targets: ManuallyDrop::new(targets),
        }
    }

    /// Frees all of it. Nothing was submitted.
    pub(crate) fn unused(self) {
        drop(ManuallyDrop::into_inner(self.backend)); // before the memory that it has registered
        drop(ManuallyDrop::into_inner(self.work));
        drop(ManuallyDrop::into_inner(self.targets));
    }
}

/// Takes in what is in flight without issuing more. What the device does not answer in time is left behind with its
/// memory, its file and its ring, because it may still answer one day.
pub(crate) fn finish<B: Backend, C: Clock>(mut lent: Lent<B, C>) -> Result<Done, RunError> {
    let mut drained = drain(&mut lent.work, &mut *lent.backend)?;
    if !lent.work.is_waiting() {
        drained = lent.work.sync(drained, Syncs::call_at_end);
    }
    let abandoned = unanswered(&lent.work);
    let Lent {
        work,
        backend,
        targets,
    } = lent;
    let mut work = ManuallyDrop::into_inner(work);
    let (recorded, broken) = match &mut work.open {
        Some(open) => open.close_trace(),
        None => (None, None),
    };
    let recorded = with_calls(recorded, work.side.calls.take());
    let unread = broken.map(|why| unread(&why, &work));
    let buffers = ManuallyDrop::new(work.buffers);
    // Its descriptors are those of the targets, which are closed by the last.
    let syncs = work
        .side
        .syncs
        .map_or_else(Vec::new, |syncs| syncs.counts());
    let mut closed = None;
    if abandoned.iter().all(|&count| count == 0) {
        drop(ManuallyDrop::into_inner(backend)); // before the memory that it has registered
        drop(ManuallyDrop::into_inner(buffers));
        let from = work.clock.now();
        drop(ManuallyDrop::into_inner(targets));
        closed = work.account.opened.map(|_| work.clock.now().minus(from));
    }
    if let Some(verify) = work.side.verify {
        verify.close();
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
        failure: work.account.failure.or(unread),
        drained,
        worker: WorkerRecord {
            thread: work.config.thread,
            opened: work.account.opened,
            closed,
            backlog: (work.open).and_then(|open| open.backlog(&work.config.schedule)),
            account: Some(Account {
                cpu: work.account.cpu,
                delayed: work.account.delayed,
                again: work.account.again,
                ..work.account.book.close()
            }),
            lines,
            syncs,
            recorded,
        },
    })
}

/// Adds what was counted of flushes and discards.
fn with_calls(recorded: Option<RecordedCount>, calls: Option<Box<Calls>>) -> Option<RecordedCount> {
    let calls = calls.map_or_else(Vec::new, |calls| calls.close());
    match recorded {
        None if calls.is_empty() => None,
        count => Some(RecordedCount {
            calls,
            ..count.unwrap_or_default()
        }),
    }
}

/// The failure of a trace that could not be read to its end.
fn unread<C: Clock>(why: &str, work: &Work<C>) -> Failure {
    Failure {
        operation: Operation::Read,
        target: work.lanes.first().map_or(0, |lane| lane.target),
        offset: Bytes(0),
        length: Bytes(0),
        errno: 0,
        message: format!("the trace cannot be read to its end: {why}"),
    }
}

/// I/Os that the device has not answered, by seat.
fn unanswered<C: Clock>(work: &Work<C>) -> Vec<u32> {
    let mut answered = vec![false; work.slots.flights.len()];
    work.slots
        .free
        .iter()
        .for_each(|slot| answered[slot as usize] = true);
    let lost = |seat: usize| {
        let open = work.slots.flights.iter().zip(&answered);
        open.filter(|(flight, answered)| usize::from(flight.seat) == seat && !**answered)
            .count()
    };
    (0..work.lanes.len())
        .map(|seat| lost(seat) as u32)
        .collect()
}

/// Takes in what is in flight, within the limits above; returns when the last of it was found.
fn drain<B: Backend, C: Clock>(work: &mut Work<C>, backend: &mut B) -> Result<Nanos, RunError> {
    verified::drop_deferred(work);
    let began = work.clock.now();
    let mut last_answer = began;
    let mut now = began;
    while work.in_flight() > 0 {
        let limit = if work.config.schedule.is_halted() {
            DRAIN_HALTED_MAX
        } else {
            DRAIN_MAX
        };
        if now.minus(began) >= limit || now.minus(last_answer) >= DRAIN_SILENCE {
            break;
        }
        backend.reap(&work.clock, Nanos::MAX, &mut work.slots.landed)?;
        now = work.clock.now();
        if !work.slots.landed.is_empty() {
            last_answer = now;
            verified::compare(work, now);
            settle::<C, false, false>(work, now); // nothing counts any more
            try_again(work, backend)?;
        }
    }
    Ok(last_answer)
}
