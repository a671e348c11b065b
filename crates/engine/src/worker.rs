//! One thread's measured life, on one target or on all targets of a pool. The hot loop is `drive`: nothing below it
//! allocates, locks, prints or reads an option; `tests/it/no_allocation.rs` checks that.
//!
//! When the clock is read: once before each I/O is submitted, and once after each return from the kernel,
//! for all completions found then. See `docs/measurement.md` for what that means for the latency.
//!
//! Here is the order of a turn. What goes into a slot is in `issue`, what comes of it in `settle`, the end in `finish`;
//! `work` has what all of them work with.

mod calls;
mod finish;
mod fsync;
mod issue;
mod passes;
mod settle;
mod verified;
mod work;

pub(crate) use calls::Calls;
pub(crate) use finish::{DRAIN_MAX, Done, Lent, SeatDone, finish};
pub(crate) use fsync::Syncs;
pub(crate) use passes::Passes;
pub(crate) use verified::power_cut;
pub(crate) use work::Work;

use crate::RunError;
use crate::backend::{Backend, REAP_AT_MOST};
use crate::clock::Clock;
use crate::loop_profile::Turn;
use issue::issue;
use model::Nanos;
use settle::{settle, try_again};

/// Runs from the start of the warm-up until the schedule is over, then takes in what is still in flight.
pub(crate) fn drive<B: Backend, C: Clock>(
    work: &mut Work<C>,
    backend: &mut B,
) -> Result<(), RunError> {
    match (work.open.is_some(), work.is_plain()) {
        (true, true) => take_turns::<B, C, true, true>(work, backend),
        (true, false) => take_turns::<B, C, false, true>(work, backend), // a mix: pools and paces have no rate
        (false, true) => take_turns::<B, C, true, false>(work, backend),
        (false, false) => take_turns::<B, C, false, false>(work, backend),
    }
}

/// The loop. `PLAIN` is the value of [`Work::is_plain`] and `OPEN` whether I/Os start at moments of their own, both
/// known to the compiler.
#[inline(never)] // each loop has the registers to itself
fn take_turns<B: Backend, C: Clock, const PLAIN: bool, const OPEN: bool>(
    work: &mut Work<C>,
    backend: &mut B,
) -> Result<(), RunError> {
    let mut now = begin(work);
    let mut paced = now;
    while !work.config.schedule.is_over(now) {
        let turn = start_turn::<B, C, PLAIN, OPEN>(work, backend, now)?;
        now = end_turn::<B, C, PLAIN, OPEN>(work, backend, &turn, &mut paced)?;
        if !PLAIN && work.is_spent(now) {
            if work.goes_on(now) {
                now = work.clock.now();
                continue;
            }
            now = work.sync(now, Syncs::call_at_end);
            work.config.schedule.finish_thread(now, work.config.threads);
            break;
        }
        if !PLAIN && work.is_sync_due() {
            now = work.sync(now, Syncs::call_due);
        }
    }
    work.account.book.end(now);
    work.answer_last(now);
    Ok(())
}

/// The first turn begins at the moment that is returned.
pub(crate) fn begin<C: Clock>(work: &mut Work<C>) -> Nanos {
    let now = work.clock.now();
    work.account.book.begin(now);
    now
}

/// A turn whose I/Os are submitted.
pub(crate) struct Underway {
    began: Nanos,
    issued_at: Nanos,
    free: usize,
    left: usize,
    /// When the first of the I/Os that had to wait is due; `MAX` when none had to.
    pub(crate) due: Nanos,
}

/// The first half of a turn: submits what may be.
#[inline(always)] // a call a turn shows
fn start_turn<B: Backend, C: Clock, const PLAIN: bool, const OPEN: bool>(
    work: &mut Work<C>,
    backend: &mut B,
    now: Nanos,
) -> Result<Underway, RunError> {
    let free = work.slots.free.len();
    let (due, issued_at) = match !PLAIN && work.side.verify.is_some() {
        true => verified::issue::<B, C, OPEN>(work, backend, now)?,
        false => issue::<B, C, PLAIN, OPEN>(work, backend, now)?,
    };
    Ok(Underway {
        began: now,
        issued_at,
        free,
        left: work.slots.free.len(),
        due,
    })
}

/// The second half: waits, and counts what was found. Returns when that was.
#[inline(always)] // as above
fn end_turn<B: Backend, C: Clock, const PLAIN: bool, const OPEN: bool>(
    work: &mut Work<C>,
    backend: &mut B,
    turn: &Underway,
    paced: &mut Nanos,
) -> Result<Nanos, RunError> {
    match !PLAIN && work.only_defers() {
        true => work.clock.sleep_until(turn.due),
        false if PLAIN => wait::<B, C, PLAIN, OPEN>(work, backend, turn.due, Nanos::MAX)?,
        false => {
            let check = work.next_check(turn.issued_at);
            wait::<B, C, PLAIN, OPEN>(work, backend, turn.due, check)?;
        }
    }
    let now = work.clock.now();
    if !PLAIN && work.side.calls.is_some() {
        work.take_answers(now);
    }
    if OPEN
        && !PLAIN
        && let Some(open) = &mut work.open
    {
        open.check_others();
    }
    if work.account.book.is_due() {
        work.account.book.look(Turn {
            began: turn.began,
            issued_at: turn.issued_at,
            found_at: now,
            issued: turn.free - turn.left,
            found: work.slots.landed.len(),
            full: turn.left == 0,
        });
    }
    if !OPEN || !work.slots.landed.is_empty() {
        work.pace.learn(now.minus(*paced), work.slots.landed.len());
        *paced = now;
    }
    if !PLAIN && work.side.verify.is_some() {
        verified::compare(work, now);
    }
    if settle::<C, PLAIN, OPEN>(work, now) {
        try_again(work, backend)?;
    }
    if now >= work.shown.at {
        work.tell(now);
    }
    Ok(now)
}

/// The halves of a turn one by one, for a thread that does not wait itself but takes turns with others.
impl<C: Clock> Work<C> {
    /// See [`start_turn`].
    pub(crate) fn start<B: Backend>(
        &mut self,
        backend: &mut B,
        now: Nanos,
    ) -> Result<Underway, RunError> {
        match (self.open.is_some(), self.is_plain()) {
            (true, true) => start_turn::<B, C, true, true>(self, backend, now),
            (true, false) => start_turn::<B, C, false, true>(self, backend, now),
            (false, true) => start_turn::<B, C, true, false>(self, backend, now),
            (false, false) => start_turn::<B, C, false, false>(self, backend, now),
        }
    }

    /// See [`end_turn`].
    pub(crate) fn end<B: Backend>(
        &mut self,
        backend: &mut B,
        turn: &Underway,
        paced: &mut Nanos,
    ) -> Result<Nanos, RunError> {
        match (self.open.is_some(), self.is_plain()) {
            (true, true) => end_turn::<B, C, true, true>(self, backend, turn, paced),
            (true, false) => end_turn::<B, C, false, true>(self, backend, turn, paced),
            (false, true) => end_turn::<B, C, true, false>(self, backend, turn, paced),
            (false, false) => end_turn::<B, C, false, false>(self, backend, turn, paced),
        }
    }

    /// Whether it has done its amount, or all I/Os of its trace; the last thread for which this is so ends the run.
    pub(crate) fn finishes(&mut self, now: Nanos) -> bool {
        let spent = !self.is_plain() && self.is_spent(now);
        if spent {
            self.config.schedule.finish_thread(now, self.config.threads);
        }
        spent
    }

    /// Nothing is issued any more from then on.
    pub(crate) fn close(&mut self, now: Nanos) {
        self.account.book.end(now);
    }
}

/// Waits for completions until `due`; where nothing is in flight, sleeps until then. Never spins for a pace. In an open
/// loop it does, because the system wakes a thread late and that would stand in the response times as if the target had
/// been slow: it waits until a little before, and then looks again and again. At `check` it returns, too, and never spins for
/// it: what it would take of the processor, the target or a call may need.
#[inline(always)] // as below
fn wait<B: Backend, C: Clock, const PLAIN: bool, const OPEN: bool>(
    work: &mut Work<C>,
    backend: &mut B,
    due: Nanos,
    check: Nanos,
) -> Result<(), RunError> {
    if work.in_flight() > 0 {
        let early = if OPEN && due < Nanos::MAX {
            C::SLACK
        } else {
            Nanos(0)
        };
        let due = due.minus(early);
        let until = if PLAIN { due } else { due.min(check) };
        return backend.reap(&work.clock, until, &mut work.slots.landed);
    }
    let bound = work
        .clock
        .now()
        .plus(REAP_AT_MOST)
        .min(work.config.schedule.end());
    let due = due.min(bound);
    if !PLAIN && check < due {
        work.clock.sleep_until(check);
    } else if OPEN {
        work.clock.wait_until(due);
    } else {
        work.clock.sleep_until(due);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
