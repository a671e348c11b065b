//! The two halves of a turn where what is read is compared with what was written.
//!
//! A write whose place has another write in flight waits in its slot: it is not drawn again, so that offsets stay a
//! function of seed and thread. Reads never wait. A run without verification comes here only at its end and where an I/O
//! failed. Omitted: the comparison (`verify`).

use super::issue::{Chosen, charge, choose, holds_until, seat_of};
use super::work::{Flight, Slots, Work};
use crate::RunError;
use crate::backend::{Backend, Completion, Io};
use crate::buffer::{Extent, Memory};
use crate::clock::Clock;
use crate::target_state::Draw;
use crate::verify::ThreadReadBack;
use model::{Nanos, Operation};

/// How soon a thread tries again that has nothing in flight but waits for the writes of others.
const TRY_AGAIN_AFTER: Nanos = Nanos::micros(10);

/// Submits what was deferred and may go now, then one I/O for each free slot as [`super::issue::issue`] does.
pub(super) fn issue<B: Backend, C: Clock, const OPEN: bool>(
    work: &mut Work<C>,
    backend: &mut B,
    mut now: Nanos,
) -> Result<(Nanos, Nanos), RunError> {
    let mut due = Nanos::MAX;
    let mut submitted = resume(work, backend, &mut now)?;
    submitted |= read_back(work, backend, submitted, &mut now)?;
    for _ in 0..work.slots.free.len() {
        let full = B::ONE_AT_A_TIME && submitted;
        if full || work.side.is_sync_due() {
            break;
        }
        if OPEN && let Some(later) = work.too_early(now) {
            due = due.min(later);
            break;
        }
        let slot = work.slots.free.take();
        let seat = seat_of(work, slot);
        if let Some(moment) = holds_until(work, seat, now) {
            due = due.min(moment);
            work.slots.free.put(slot);
            if moment < Nanos::MAX {
                work.draw.repeat(seat);
            }
            continue;
        }
        let next = choose::<C, false, OPEN>(work, seat, slot);
        charge(work, seat, slot, &next, now);
        if OPEN && let Some(open) = &mut work.open {
            open.start(slot);
            open.advance(slot, now);
        }
        let Chosen { step, length, .. } = next;
        work.slots.flights[slot as usize] = Flight {
            issued: now,
            offset: step.offset,
            length,
            operation: step.operation,
            seat,
        };
        let is_soon = match &mut work.side.verify {
            Some(verify) if !B::ONE_AT_A_TIME && step.operation == Operation::Read => {
                verify.read_soon(seat, step.offset, slot)
            }
            _ => false,
        };
        if !is_soon {
            submitted |= submit(work, backend, slot, false, &mut now)?;
        }
    }
    submit_reads(work, backend, &mut now)?;
    if work.slots.free.len() > 0
        && let Some(read_back) = read_back_of(work)
    {
        due = due.min(read_back.next());
    }
    if work.only_defers() {
        due = due.min(now.plus(TRY_AGAIN_AFTER));
    }
    Ok((due, now))
}

/// Submits the reads of this turn. They are drawn before, so that none waits for the map.
fn submit_reads<B: Backend, C: Clock>(
    work: &mut Work<C>,
    backend: &mut B,
    now: &mut Nanos,
) -> Result<(), RunError> {
    let mut reads = match &mut work.side.verify {
        Some(verify) => std::mem::take(&mut verify.reads),
        None => return Ok(()),
    };
    for &slot in &reads {
        submit(work, backend, slot, false, now)?;
    }
    reads.clear();
    if let Some(verify) = &mut work.side.verify {
        verify.reads = reads; // with its memory
    }
    Ok(())
}

/// Submits those of the deferred I/Os that may go now. Whether any did.
fn resume<B: Backend, C: Clock>(
    work: &mut Work<C>,
    backend: &mut B,
    now: &mut Nanos,
) -> Result<bool, RunError> {
    let mut submitted = false;
    let waiting = work
        .side
        .verify
        .as_ref()
        .map_or(0, |verify| verify.deferred.len());
    for _ in 0..waiting {
        if B::ONE_AT_A_TIME && submitted {
            break;
        }
        let deferred = work
            .side
            .verify
            .as_mut()
            .and_then(|verify| verify.deferred.pop_front());
        if let Some(slot) = deferred {
            submitted |= submit(work, backend, slot, true, now)?;
        }
    }
    Ok(submitted)
}

/// The writes of the thread that are read again, where any are.
fn read_back_of<C>(work: &mut Work<C>) -> Option<&mut ThreadReadBack> {
    work.side.verify.as_mut()?.read_back.as_mut()
}

/// Reads again what is due, in slots that are free: a slot of the target that was written, where slots are bound to one.
/// Whether any was submitted; `before`, whether an I/O already was in this turn.
fn read_back<B: Backend, C: Clock>(
    work: &mut Work<C>,
    backend: &mut B,
    before: bool,
    now: &mut Nanos,
) -> Result<bool, RunError> {
    let mut submitted = false;
    for _ in 0..work.slots.free.len() {
        let full = B::ONE_AT_A_TIME && (before || submitted);
        if full || work.side.is_sync_due() {
            break;
        }
        let Some(due) = read_back_of(work).and_then(|read_back| read_back.due(*now)) else {
            break;
        };
        let slot = work.slots.free.take();
        let flight = &mut work.slots.flights[slot as usize];
        if matches!(work.draw, Draw::Bound) && flight.seat != due.seat {
            work.slots.free.put(slot);
            continue;
        }
        *flight = Flight {
            issued: *now,
            offset: due.offset,
            length: due.length,
            operation: Operation::Read,
            seat: due.seat,
        };
        if let Some(read_back) = read_back_of(work) {
            read_back.begin(slot);
        }
        submitted |= submit(work, backend, slot, false, now)?;
    }
    Ok(submitted)
}

/// Submits what a slot is to do, or defers it; `again` where it was deferred before. Whether it was submitted.
fn submit<B: Backend, C: Clock>(
    work: &mut Work<C>,
    backend: &mut B,
    slot: u32,
    again: bool,
    now: &mut Nanos,
) -> Result<bool, RunError> {
    let flight = work.slots.flights[slot as usize];
    let io = extent(&flight, slot);
    let Some(verify) = &mut work.side.verify else {
        return Ok(false);
    };
    let memory = match flight.operation {
        Operation::Read => {
            verify.begin_read(io);
            work.buffers.for_read(slot)
        }
        Operation::Write if verify.begin_write(io, again) => {
            *now = work.clock.now();
            sealed(work, slot, *now)
        }
        Operation::Write => {
            verify.deferred.push_back(slot);
            return Ok(false);
        }
    };
    *now = work.clock.now();
    work.slots.flights[slot as usize].issued = *now;
    work.log(slot);
    backend.push(Io {
        operation: flight.operation,
        offset: flight.offset,
        memory: memory.start,
        length: flight.length,
        area: memory.area,
        seat: flight.seat,
        slot,
        issued: *now,
    })?;
    if work.pace.is_slow() {
        backend.hand_over()?; // as where nothing is compared
    }
    Ok(true)
}

/// The data of a slot's write, with the versions that were just computed.
fn sealed<C>(work: &mut Work<C>, slot: u32, issued: Nanos) -> Memory {
    let io = extent(&work.slots.flights[slot as usize], slot);
    let versions = work
        .side
        .verify
        .as_ref()
        .map_or(&[][..], |verify| &verify.versions);
    let (buffers, rng) = (&mut work.buffers, &mut work.rng);
    buffers.for_versions(io, issued, versions, rng)
}

/// The data of a write that was given back undone and is submitted again.
#[cold]
pub(super) fn again<C>(work: &mut Work<C>, slot: u32) -> Memory {
    let flight = work.slots.flights[slot as usize];
    if let Some(verify) = &mut work.side.verify {
        verify.resume_write(extent(&flight, slot));
    }
    sealed(work, slot, flight.issued)
}

/// Compares what was found at `now`, before it is counted. What failed is left to [`fail`].
pub(super) fn compare<C: Clock>(work: &mut Work<C>, now: Nanos) {
    let Some(verify) = &mut work.side.verify else {
        return;
    };
    for &Completion { slot, result } in &work.slots.landed {
        let flight = &work.slots.flights[slot as usize];
        let io = extent(flight, slot);
        let bytes = u64::from(result.unsigned_abs());
        match flight.operation {
            _ if result <= 0 => {}
            Operation::Write => verify.end_write(io, bytes, now),
            Operation::Read => {
                let data = work.buffers.read_data(slot, bytes as usize);
                verify.end_read(io, data, now);
            }
        }
    }
    if verify.stops() {
        work.config.schedule.halt(now);
    }
    if verify.read_back.is_some() {
        set_apart(work, now);
    }
}

/// Takes what was read again from what was found, so that no rate has it. A read that failed or was short stays, and counts
/// as a failure.
fn set_apart<C>(work: &mut Work<C>, now: Nanos) {
    let counts = work.config.schedule.counts(now);
    let Some(read_back) = work
        .side
        .verify
        .as_mut()
        .and_then(|verify| verify.read_back.as_mut())
    else {
        return;
    };
    let Slots {
        flights,
        free,
        landed,
        ..
    } = &mut work.slots;
    landed.retain_mut(|Completion { slot, result }| {
        if !read_back.is_reading(*slot) {
            read_back.count();
            return true;
        }
        if *result <= 0 {
            return true; // perhaps it is submitted again
        }
        let flight = &flights[*slot as usize];
        if result.unsigned_abs() < flight.length {
            *result = 0;
            return true;
        }
        read_back.completed(extent(flight, *slot), now.minus(flight.issued), counts);
        read_back.end(*slot);
        free.put(*slot);
        false
    });
}

/// A failed write leaves its place uncertain.
pub(super) fn fail<C>(work: &mut Work<C>, slot: u32) {
    let flight = &work.slots.flights[slot as usize];
    if let Some(read_back) = work
        .side
        .verify
        .as_mut()
        .and_then(|verify| verify.read_back.as_mut())
    {
        read_back.end(slot);
    }
    if let Some(verify) = &work.side.verify
        && flight.operation == Operation::Write
    {
        verify.fail_write(extent(flight, slot));
    }
}

/// The power of its devices is cut: nothing is compared, flushed or journaled any more.
pub(crate) fn power_cut<C>(work: &mut Work<C>) {
    drop_deferred(work);
    if let Some(verify) = work.side.verify.take() {
        verify.close();
    }
    work.side.syncs = None;
}

/// Frees the slots of what was deferred: nothing is issued any more.
pub(super) fn drop_deferred<C>(work: &mut Work<C>) {
    if let Some(verify) = &mut work.side.verify {
        for slot in verify.deferred.drain(..) {
            work.slots.free.put(slot);
        }
    }
}

fn extent(flight: &Flight, slot: u32) -> Extent {
    Extent {
        seat: flight.seat,
        slot,
        offset: flight.offset,
        length: u64::from(flight.length),
    }
}
