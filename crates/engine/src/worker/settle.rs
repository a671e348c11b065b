//! The second half of a turn: what each completion counts for, and what a failure means.
//!
//! Omitted: how completions are found, which is the backend's, and how they are counted (`tally`).

use super::verified;
use super::work::Work;
use crate::RunError;
use crate::backend::{Backend, Completion, Io};
use crate::buffer::Write;
use crate::clock::Clock;
use crate::system::errors::{AGAIN, NO_DATA};
use crate::tally::Transferred;
use model::{Bytes, Failure, Nanos, OnError, Operation};

/// Counts what was found at `now` and frees its slots; what [`try_again`] takes stays in flight. Whether there may be such.
#[inline(always)] // at depth 1 a call a turn shows
pub(super) fn settle<C: Clock, const PLAIN: bool, const OPEN: bool>(
    work: &mut Work<C>,
    now: Nanos,
) -> bool {
    let found = work
        .account
        .found
        .next(now, &work.config.schedule, work.config.interval_ns);
    work.account.found = found;
    let mut some_failed = false;
    let (flights, lanes) = (&work.slots.flights, &mut work.lanes);
    for &Completion { slot, result } in &work.slots.landed {
        let flight = &flights[slot as usize];
        let seat = if PLAIN { 0 } else { flight.seat };
        let lane = &mut lanes[usize::from(seat)];
        if result > 0 {
            let bytes = u64::from(result.unsigned_abs());
            if !PLAIN
                && found.counts()
                && let Some(mix) = &mut lane.mix
            {
                let line = work.slots.lines[slot as usize];
                mix.count(line, flight.operation, bytes, now.minus(flight.issued));
            }
            let moved = Transferred {
                bytes,
                short: result.unsigned_abs() < flight.length,
            };
            lane.tally
                .success(found, flight.operation, flight.issued, moved);
            if OPEN && let Some(open) = &mut work.open {
                let intended = open.intended(slot);
                lane.tally.respond(found, flight.operation, intended);
                open.free(slot, now);
            }
            work.slots.free.put(slot);
        } else {
            some_failed = true;
        }
    }
    if some_failed {
        fail(work);
    }
    work.slots.landed.clear();
    some_failed
}

/// Counts the failures among what was found. What was not done for want of room is put aside, once for each I/O.
#[cold]
fn fail<C: Clock>(work: &mut Work<C>) {
    for at in 0..work.slots.landed.len() {
        let Completion { slot, result } = work.slots.landed[at];
        let stamp = work.slots.flights[slot as usize].issued;
        if result == -AGAIN && work.slots.again_at[slot as usize] != stamp {
            work.slots.again_at[slot as usize] = stamp;
            work.slots.refused.push(slot);
        } else if result <= 0 {
            fail_one(work, slot, if result == 0 { NO_DATA } else { -result });
        }
    }
}

/// Submits again what was put aside, in a way that waits for room; its time runs on. Where the backend has no such way
/// it has failed.
///
/// A kernel may take an I/O on condition that no thread waits for it, delay it for a limit, and give it back when
/// there is no room at the moment at which it continues, where no thread is left that could wait. Source:
/// <https://github.com/axboe/liburing/issues/766> and 1269.
#[cold]
pub(super) fn try_again<B: Backend, C: Clock>(
    work: &mut Work<C>,
    backend: &mut B,
) -> Result<(), RunError> {
    while let Some(slot) = work.slots.refused.pop() {
        let flight = work.slots.flights[slot as usize];
        let memory = match flight.operation {
            Operation::Read => work.buffers.for_read(slot),
            Operation::Write if work.side.verify.is_some() => verified::again(work, slot),
            Operation::Write => {
                let write = Write {
                    offset: Bytes(flight.offset),
                    length: flight.length as usize,
                    issued: flight.issued,
                };
                let seat = usize::from(flight.seat);
                work.buffers.for_write(seat, slot, write, &mut work.rng)
            }
        };
        let taken = backend.push_waiting(Io {
            operation: flight.operation,
            offset: flight.offset,
            memory: memory.start,
            length: flight.length,
            area: memory.area,
            seat: flight.seat,
            slot,
            issued: flight.issued,
        })?;
        match taken {
            true => work.account.again += 1,
            false => fail_one(work, slot, AGAIN),
        }
    }
    Ok(())
}

/// Counts a failure and frees its slot; if the plan requires it, it ends the run for all threads.
fn fail_one<C: Clock>(work: &mut Work<C>, slot: u32, errno: i32) {
    let (found, flight) = (work.account.found, work.slots.flights[slot as usize]);
    work.slots.free.put(slot);
    if let Some(open) = &mut work.open {
        open.free(slot, found.at);
    }
    verified::fail(work, slot);
    let lane = &mut work.lanes[usize::from(flight.seat)];
    lane.tally.failure(found, flight.operation, errno);
    if work.config.on_error == OnError::Stop && work.account.failure.is_none() {
        work.config.schedule.halt(found.at);
        work.account.failure = Some(Failure {
            operation: flight.operation,
            target: lane.target,
            offset: Bytes(flight.offset),
            length: Bytes(u64::from(flight.length)),
            errno,
            message: model::errno_text(&std::io::Error::from_raw_os_error(errno)),
        });
    }
}
