//! One thread's measured life. The hot loop is `drive`: nothing below it allocates, locks, prints or reads an
//! option; `tests/it/no_allocation.rs` holds it to that.
//!
//! When the clock is read: once before each I/O is handed over, and once after each return from the kernel,
//! for all completions found then. See `docs/measurement.md` for what that means for the latency.

use crate::RunError;
use crate::address::Steps;
use crate::backend::{Backend, Completion, Io};
use crate::buffer::Buffers;
use crate::clock::Clock;
use crate::live::Live;
use crate::schedule::Schedule;
use crate::tally::{Found, Moved, ThreadTally};
use model::{Bytes, Failure, Nanos, OnError, Operation, Plan, PlannedTarget};
use std::sync::Arc;

/// How long the drain waits for a device that answers nothing at all.
const DRAIN_SILENCE: Nanos = Nanos::seconds(10);
/// How long the drain waits in all, for a device that is slow but answers.
pub(crate) const DRAIN_MAX: Nanos = Nanos::seconds(30);
/// How long it waits in all when somebody wants the end.
const DRAIN_HALTED_MAX: Nanos = Nanos::seconds(1);
/// Where I/Os complete slower than this, each is handed over at once: a system call an I/O is then little
/// beside the device, which can begin on the first of a batch while the last is still being made. Where they
/// complete faster, a batch is handed over whole. On a virtual disk at depth 32 (13 µs an I/O) handing over at
/// once gives 8 to 12 % more; on the page cache (0.5 µs an I/O) batches give 25 % more.
const HAND_OVER_ABOVE: Nanos = Nanos::micros(5);
/// Nothing was transferred: the target ends before the offset.
const ENODATA: i32 = 61;

/// Everything that one thread works with. Made before the start, owned by the thread alone.
pub(crate) struct Work<C> {
    pub(crate) clock: C,
    pub(crate) schedule: Arc<Schedule>,
    live: Arc<Live>,
    steps: Steps,
    pub(crate) buffers: Buffers,
    tally: ThreadTally,
    flights: Box<[Flight]>,  // by slot
    free: Vec<u32>,          // slots not in flight; capacity depth
    landed: Vec<Completion>, // capacity depth
    pace: Nanos,             // from one completion to the next, smoothed
    block: u32,
    target: u32,
    on_error: OnError,
    failure: Option<Failure>,
}

/// One slot's I/O.
#[derive(Clone, Copy)]
struct Flight {
    issued: Nanos,
    offset: u64,
    operation: Operation,
}

/// What a thread leaves behind.
pub(crate) struct Done {
    pub(crate) tally: ThreadTally,
    pub(crate) failure: Option<Failure>,
    /// I/Os that the device never answered.
    pub(crate) abandoned: u32,
    /// When the last completion was found.
    pub(crate) drained: Nanos,
}

/// Which thread of the plan this is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// Over the whole plan.
    pub(crate) thread: u32,
    /// Which of the plan's targets.
    pub(crate) target: u32,
    /// Among the threads of that target.
    pub(crate) index: u32,
    /// What it writes is drawn from this.
    pub(crate) content_seed: u64,
}

/// All places of a plan, in the order of their threads. `salt` differs from run to run: what is written must too, or a
/// device that folds equal blocks would see old friends.
pub(crate) fn places(plan: &Plan, salt: u64) -> Vec<Place> {
    let each = plan
        .targets
        .iter()
        .zip(0u32..)
        .flat_map(|(target, number)| (0..target.threads).map(move |index| (number, index)));
    each.zip(0u32..)
        .map(|((target, index), thread)| Place {
            thread,
            target,
            index,
            content_seed: plan.seed ^ salt.rotate_left(17) ^ (u64::from(thread) << 48),
        })
        .collect()
}

impl<C: Clock> Work<C> {
    /// Allocates everything that the thread will need.
    pub(crate) fn new(
        plan: &Plan,
        place: Place,
        clock: C,
        schedule: Arc<Schedule>,
        live: Arc<Live>,
    ) -> Result<Self, RunError> {
        let target: &PlannedTarget = &plan.targets[place.target as usize];
        let depth = target.workload.queue_depth.0;
        let idle = Flight {
            issued: Nanos(0),
            offset: 0,
            operation: Operation::Read,
        };
        Ok(Work {
            clock,
            schedule,
            live,
            steps: Steps::new(target, plan.seed, place.index, place.thread),
            buffers: Buffers::new(target, place.content_seed)?,
            tally: ThreadTally::new(plan),
            flights: vec![idle; depth as usize].into(),
            free: (0..depth).rev().collect(),
            landed: Vec::with_capacity(depth as usize),
            pace: HAND_OVER_ABOVE.plus(Nanos(1)), // one by one, until it is known better
            block: u32::try_from(target.workload.block.0).expect("at most 1 GiB"),
            target: place.target,
            on_error: plan.on_error,
            failure: None,
        })
    }

    fn in_flight(&self) -> usize {
        self.flights.len() - self.free.len()
    }
}

/// Runs from the start of the warm-up until the schedule is over, then takes in what is still in flight.
pub(crate) fn drive<B: Backend, C: Clock>(
    work: &mut Work<C>,
    backend: &mut B,
) -> Result<(), RunError> {
    let mut now = work.clock.now();
    while !work.schedule.is_over(now) {
        issue(work, backend)?;
        backend.reap(&work.clock, &mut work.landed)?;
        let before = std::mem::replace(&mut now, work.clock.now());
        keep_pace(work, now.minus(before));
        settle(work, now);
        let (ios, bytes) = work.tally.so_far();
        work.live.publish(ios, bytes);
    }
    Ok(())
}

/// Hands over one I/O for each free slot.
#[inline]
fn issue<B: Backend, C: Clock>(work: &mut Work<C>, backend: &mut B) -> Result<(), RunError> {
    while let Some(slot) = work.free.pop() {
        let step = work.steps.next();
        let memory = match step.operation {
            Operation::Read => work.buffers.for_read(slot),
            Operation::Write => work.buffers.for_write(slot, Bytes(step.offset)),
        };
        let issued = work.clock.now();
        work.flights[slot as usize] = Flight {
            issued,
            offset: step.offset,
            operation: step.operation,
        };
        let (operation, offset, length) = (step.operation, step.offset, work.block);
        backend.push(Io {
            operation,
            offset,
            memory,
            length,
            slot,
            issued,
        })?;
        if work.pace > HAND_OVER_ABOVE {
            backend.hand_over()?;
        }
    }
    Ok(())
}

/// Learns how fast completions come: a running mean over about eight turns of the loop.
#[inline]
fn keep_pace<C: Clock>(work: &mut Work<C>, turn: Nanos) {
    let completions = work.landed.len().max(1) as u64;
    work.pace = Nanos(work.pace.0 - work.pace.0 / 8 + turn.0 / completions / 8);
}

/// Counts what was found at `now` and frees its slots.
#[inline]
fn settle<C: Clock>(work: &mut Work<C>, now: Nanos) {
    let found = work.tally.found(now, &work.schedule);
    for at in 0..work.landed.len() {
        let Completion { slot, result } = work.landed[at];
        let flight = work.flights[slot as usize];
        match u32::try_from(result) {
            Ok(bytes) if bytes > 0 => {
                let moved = Moved {
                    bytes: u64::from(bytes),
                    short: bytes < work.block,
                };
                work.tally
                    .success(found, flight.operation, flight.issued, moved);
            }
            Ok(_) => fail(work, found, flight, ENODATA),
            Err(_) => fail(work, found, flight, -result),
        }
        work.free.push(slot);
    }
    work.landed.clear();
}

/// Counts a failure; where the plan says so, it ends the run for all threads.
#[cold]
fn fail<C: Clock>(work: &mut Work<C>, found: Found, flight: Flight, errno: i32) {
    work.tally.failure(found, flight.operation, errno);
    if work.on_error == OnError::Stop && work.failure.is_none() {
        work.schedule.halt(found.at);
        work.failure = Some(Failure {
            operation: flight.operation,
            target: work.target,
            offset: Bytes(flight.offset),
            length: Bytes(u64::from(work.block)),
            errno,
            message: crate::error::errno_text(&std::io::Error::from_raw_os_error(errno)),
        });
    }
}

/// Takes in what is in flight without issuing more. What the device does not answer in time is left behind with its
/// memory, its file and its ring, because it may still answer one day.
pub(crate) fn finish<B: Backend, C: Clock>(
    mut work: Work<C>,
    mut backend: B,
    target: crate::target::OpenTarget,
) -> Result<Done, RunError> {
    let drained = match drain(&mut work, &mut backend) {
        Ok(drained) => drained,
        Err(error) => {
            backend.abandon();
            work.buffers.abandon();
            target.abandon();
            return Err(error);
        }
    };
    let abandoned = u32::try_from(work.in_flight()).expect("at most the depth");
    if abandoned > 0 {
        backend.abandon();
        work.buffers.abandon();
        target.abandon();
    } else {
        drop(backend); // before the memory that it has registered
    }
    Ok(Done {
        tally: work.tally,
        failure: work.failure,
        abandoned,
        drained,
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
        backend.reap(&work.clock, &mut work.landed)?;
        now = work.clock.now();
        if !work.landed.is_empty() {
            last_answer = now;
            settle(work, now);
        }
    }
    Ok(last_answer)
}
