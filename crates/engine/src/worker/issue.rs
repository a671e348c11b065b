//! The first half of a turn: what goes into each free slot, and when it is stamped.
//!
//! Omitted: how it is submitted, which is the backend's, and what comes of it (`settle`).

use super::work::{Flight, Work};
use crate::RunError;
use crate::address::Step;
use crate::backend::{Backend, Io};
use crate::buffer::{Memory, Write};
use crate::clock::Clock;
use crate::mix::Turn;
use crate::open_loop::Open;
use crate::target_state::Draw;
use model::{Bytes, Nanos, Operation};

/// Submits one I/O for each free slot whose target may have one; in an open loop, for each whose moment has come.
/// Returns when the first of those that had to wait is due, `MAX` when none had to; and the last reading of the clock,
/// which was `now` before.
#[inline]
pub(super) fn issue<B: Backend, C: Clock, const PLAIN: bool, const OPEN: bool>(
    work: &mut Work<C>,
    backend: &mut B,
    mut now: Nanos,
) -> Result<(Nanos, Nanos), RunError> {
    let mut due = Nanos::MAX;
    let batch = if PLAIN { None } else { work.config.batch };
    let at_once = batch.is_none() && work.pace.is_slow();
    let mut staged = 0;
    for _ in 0..work.slots.free.len() {
        if !PLAIN && work.side.is_sync_due() {
            break;
        }
        if OPEN && let Some(later) = work.too_early(now) {
            return Ok((later, now));
        }
        if OPEN && !PLAIN && work.side.calls.is_some() && work.make_call(now) {
            if work.is_spent(now) {
                return Ok((now, now)); // the last of all: nothing is waited for
            }
            continue;
        }
        let slot = work.slots.free.take();
        let seat = if PLAIN { 0 } else { seat_of(work, slot) };
        if !PLAIN && let Some(moment) = holds_until(work, seat, now) {
            due = due.min(moment);
            work.slots.free.put(slot);
            if moment < Nanos::MAX {
                work.draw.repeat(seat);
            }
            continue;
        }
        let next = draw::<C, PLAIN, OPEN>(work, seat, slot, now);
        now = work.clock.now();
        if !PLAIN {
            charge(work, seat, slot, &next.chosen, now);
        }
        if OPEN && let Some(open) = &mut work.open {
            open.start(slot);
            if !PLAIN {
                open.advance(slot, now);
            }
        }
        let Chosen { step, length, .. } = next.chosen;
        let Step { operation, offset } = step;
        work.slots.flights[slot as usize] = Flight {
            issued: now,
            offset,
            length,
            operation,
            seat,
        };
        if !PLAIN {
            work.log(slot);
        }
        backend.push(Io {
            operation,
            offset,
            memory: next.memory.start,
            length,
            area: next.memory.area,
            seat,
            slot,
            issued: now,
        })?;
        if B::ONE_AT_A_TIME {
            break;
        }
        staged += 1;
        if at_once || batch == Some(staged) {
            backend.hand_over()?;
            staged = 0;
        }
    }
    Ok((due, now))
}

/// The moment before which a target gets nothing more; `MAX` where it has had all that it was to get.
#[inline]
pub(super) fn holds_until<C: Clock>(work: &Work<C>, seat: u16, now: Nanos) -> Option<Nanos> {
    let lane = &work.lanes[usize::from(seat)];
    if lane.is_spent(now) {
        return Some(Nanos::MAX);
    }
    if now < lane.active.start {
        return Some(lane.active.start);
    }
    let meter = &work.lanes[work.draw.metered(seat)].pacer;
    meter.holds_until(&work.clock)
}

/// What goes into a slot.
struct Next {
    chosen: Chosen,
    memory: Memory,
}

/// Its place, operation and length.
pub(super) struct Chosen {
    pub(super) step: Step,
    pub(super) length: u32,
    /// Of a mixed workload.
    turn: Option<Turn>,
}

/// Chooses the place, the operation and the memory.
#[inline(always)] // a call an I/O shows
fn draw<C, const PLAIN: bool, const OPEN: bool>(
    work: &mut Work<C>,
    seat: u16,
    slot: u32,
    now: Nanos,
) -> Next {
    let chosen = choose::<C, PLAIN, OPEN>(work, seat, slot);
    let memory = match chosen.step.operation {
        Operation::Read => work.buffers.for_read(slot),
        Operation::Write => {
            let write = Write {
                offset: Bytes(chosen.step.offset),
                length: chosen.length as usize,
                issued: now,
            };
            let seat = usize::from(seat);
            work.buffers.for_write(seat, slot, write, &mut work.rng)
        }
    };
    Next { chosen, memory }
}

/// Chooses the place and the operation.
#[inline(always)] // as above
pub(super) fn choose<C, const PLAIN: bool, const OPEN: bool>(
    work: &mut Work<C>,
    seat: u16,
    slot: u32,
) -> Chosen {
    let lane = &mut work.lanes[usize::from(seat)];
    let turn = if PLAIN { None } else { lane.turn() };
    let recorded = if OPEN && !PLAIN {
        work.open.as_ref().and_then(Open::recorded)
    } else {
        None
    };
    let (step, length) = if PLAIN {
        (lane.route.next(&mut work.rng, slot), lane.block)
    } else if let Some(io) = recorded {
        (io.step(), io.length as u32) // at most 1 GiB and a unit
    } else if let Some(turn) = turn {
        (turn.step, turn.length)
    } else {
        (lane.step(&mut work.rng, slot), lane.block)
    };
    if !PLAIN && let Some(passes) = &mut work.side.passes {
        passes.before(usize::from(seat), u64::from(length));
    }
    Chosen { step, length, turn }
}

/// Puts what is about to be issued on its target's account.
#[inline]
pub(super) fn charge<C>(work: &mut Work<C>, seat: u16, slot: u32, next: &Chosen, issued: Nanos) {
    let length = u64::from(next.length);
    work.lanes[work.draw.metered(seat)]
        .pacer
        .charge(issued, length);
    let lane = &mut work.lanes[usize::from(seat)];
    if let Some(syncs) = &mut work.side.syncs
        && next.step.operation == Operation::Write
    {
        syncs.wrote(usize::from(seat));
    }
    if lane.left < u64::MAX {
        lane.left = lane.left.saturating_sub(length);
    }
    if let Some(turn) = next.turn {
        work.slots.lines[slot as usize] = turn.line;
        if turn.pause.0 > 0 {
            lane.pacer.hold(issued.plus(turn.pause));
        }
    }
}

/// The target of a slot: its own, the next in turn, or drawn as DISKSPD draws it.
#[inline]
pub(super) fn seat_of<C>(work: &mut Work<C>, slot: u32) -> u16 {
    match &mut work.draw {
        Draw::InTurn { next, seats } => {
            let seat = *next;
            *next = if seat + 1 == *seats { 0 } else { seat + 1 };
            seat
        }
        Draw::Bound => work.slots.flights[slot as usize].seat,
        Draw::Weights {
            ends, alike: true, ..
        } => (work.rng.low() % ends.len() as u32) as u16,
        Draw::Weights { ends, total, .. } => {
            let drawn = work.rng.low() % *total;
            let place = ends.iter().position(|&end| drawn < end);
            place.expect("the last share ends with the total") as u16
        }
    }
}
