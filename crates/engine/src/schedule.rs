//! When counting starts and ends: planned moments on the run's clock, which a stop can only bring nearer.
//!
//! Every worker decides by its own stamps, so whether an I/O counts depends on when its completion was found
//! and on nothing else; no thread needs a signal that a phase has begun.

use crate::meeting::Level;
use model::{Nanos, PhaseTimes, Phases};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// The moments, counted from the start of the warm-up.
#[derive(Debug)]
pub(crate) struct Schedule {
    measured_from: u64,
    measured_to: AtomicU64, // only ever lowered
    end: AtomicU64,         // only ever lowered
    halted: AtomicBool,     // the end was requested, with any I/Os in flight
    spent: AtomicU32,       // threads that have done all that they were to do
    level: Option<Level>,   // where threads meet after a deadline
}

impl Schedule {
    pub(crate) fn new(phases: &Phases) -> Self {
        let measured_from = phases.warmup.0;
        let measured_to = phases.warmup.plus(phases.measured).0;
        Schedule {
            measured_from,
            measured_to: AtomicU64::new(measured_to),
            end: AtomicU64::new(phases.total().0),
            halted: AtomicBool::new(false),
            spent: AtomicU32::new(0),
            level: None,
        }
    }

    /// The same with a place to meet after a deadline.
    pub(crate) fn levelled(self, level: Option<Level>) -> Self {
        Schedule { level, ..self }
    }

    /// Where threads meet after a deadline.
    pub(crate) fn level(&self) -> Option<&Level> {
        self.level.as_ref()
    }

    /// Ends the measured phase and everything after it at `now`, if that is sooner than planned.
    pub(crate) fn shorten(&self, now: Nanos) {
        self.measured_to.fetch_min(now.0, Ordering::Relaxed);
        self.end.fetch_min(now.0, Ordering::Relaxed);
    }

    /// The same, and what is in flight is not waited for long.
    pub(crate) fn halt(&self, now: Nanos) {
        self.shorten(now);
        self.halted.store(true, Ordering::Relaxed);
    }

    /// One of so many threads has done all that it was to do; the last of them ends everything, just after `now`, so that
    /// what it found then counts.
    pub(crate) fn finish_thread(&self, now: Nanos, threads: u32) {
        if self.spent.fetch_add(1, Ordering::AcqRel) + 1 == threads {
            self.halt(now.plus(Nanos(1)));
        }
    }

    /// Returns whether the end was requested, so that what is in flight is not waited for long.
    pub(crate) fn is_halted(&self) -> bool {
        self.halted.load(Ordering::Relaxed)
    }

    /// Whether a completion found at `now` counts.
    #[inline]
    pub(crate) fn counts(&self, now: Nanos) -> bool {
        now.0 >= self.measured_from && now.0 < self.measured_to.load(Ordering::Relaxed)
    }

    /// Whether nothing new is to be issued any more.
    #[inline]
    pub(crate) fn is_over(&self, now: Nanos) -> bool {
        now.0 >= self.end.load(Ordering::Relaxed)
    }

    /// When counting starts.
    pub(crate) fn measured_from(&self) -> Nanos {
        Nanos(self.measured_from)
    }

    /// When counting ends, as things stand.
    pub(crate) fn measured_to(&self) -> Nanos {
        Nanos(self.measured_to.load(Ordering::Relaxed))
    }

    /// When issuing ends, as things stand.
    pub(crate) fn end(&self) -> Nanos {
        Nanos(self.end.load(Ordering::Relaxed))
    }

    /// The times of the record. A run stopped in its warm-up has counted for no time at all.
    pub(crate) fn times(&self, drained: Nanos) -> PhaseTimes {
        let measured_to = self.measured_to();
        PhaseTimes {
            measured_from: self.measured_from().min(measured_to),
            measured_to,
            drained,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule() -> Schedule {
        Schedule::new(&Phases {
            warmup: Nanos(10),
            measured: Nanos(100),
            cooldown: Nanos(5),
        })
    }

    #[test]
    fn edges_belong_to_the_later_phase() {
        let schedule = schedule();
        for (now, counts) in [(9, false), (10, true), (109, true), (110, false)] {
            assert_eq!(schedule.counts(Nanos(now)), counts, "{now}");
        }
        assert!(!schedule.is_over(Nanos(114)) && schedule.is_over(Nanos(115)));
    }

    #[test]
    fn a_stop_brings_the_end_nearer_and_never_farther() {
        let schedule = schedule();
        schedule.halt(Nanos(50));
        schedule.halt(Nanos(70));
        assert_eq!(schedule.times(Nanos(51)).measured(), Nanos(40));
        assert!(schedule.is_over(Nanos(50)));
    }

    #[test]
    fn the_last_thread_that_is_done_ends_it_all() {
        let schedule = schedule();
        schedule.finish_thread(Nanos(40), 2);
        assert!(!schedule.is_over(Nanos(60)));
        schedule.finish_thread(Nanos(60), 2);
        assert!(schedule.counts(Nanos(60)) && schedule.is_over(Nanos(61)));
    }

    #[test]
    fn a_stop_in_the_warm_up_counts_nothing() {
        let schedule = schedule();
        schedule.halt(Nanos(4));
        assert_eq!(schedule.times(Nanos(5)).measured(), Nanos(0));
    }
}
