//! What a worker keeps where I/Os start at moments of their own: those moments, that of each slot, and what was waiting
//! at the edges of the measured phase.
//!
//! A moment is never skipped: what could not start in time starts as soon as a slot is free, and its lateness is in its
//! response time. Deliberately absent: the loop itself.

use crate::arrivals::Moments;
use crate::backend::Slot;
use crate::schedule::Schedule;
use crate::thread_plan::ThreadPlan;
use model::{Backlog, Nanos, Plan, Waiting};

/// One thread's open loop.
pub(crate) struct Open {
    moments: Moments,
    intended: Box<[Nanos]>, // by slot
    from: Option<Waiting>,
    to: Option<Waiting>,
}

impl Open {
    /// `None` for a plan without a rate.
    pub(crate) fn new(plan: &Plan, place: &ThreadPlan) -> Option<Self> {
        Some(Open {
            moments: Moments::of(plan, place.thread)?,
            intended: vec![Nanos(0); place.slots as usize].into(),
            from: None,
            to: None,
        })
    }

    /// The moment of the next I/O.
    #[inline]
    pub(crate) fn next(&self) -> Nanos {
        self.moments.next()
    }

    /// The next I/O goes to this slot.
    #[inline]
    pub(crate) fn start(&mut self, slot: Slot) {
        self.intended[slot as usize] = self.moments.take();
    }

    /// When the I/O of a slot was to start.
    #[inline]
    pub(crate) fn intended(&self, slot: Slot) -> Nanos {
        self.intended[slot as usize]
    }

    /// Counts what waits, once for each edge that is due; returns the next edge.
    pub(crate) fn look(&mut self, now: Nanos, schedule: &Schedule) -> Nanos {
        let (from, to) = (schedule.measured_from(), schedule.measured_to());
        let moments = &self.moments;
        if now >= from {
            self.from.get_or_insert_with(|| moments.waiting_at(from));
        }
        if now >= to {
            self.to.get_or_insert_with(|| moments.waiting_at(to));
        }
        [from, to]
            .into_iter()
            .find(|&edge| edge > now)
            .unwrap_or(Nanos::MAX)
    }

    /// What waited at both edges. A run that was stopped in its warm-up has both at its end.
    pub(crate) fn backlog(mut self, schedule: &Schedule) -> Backlog {
        self.look(schedule.measured_to(), schedule);
        Backlog {
            from: self.from.unwrap_or_default(),
            to: self.to.unwrap_or_default(),
        }
    }
}
