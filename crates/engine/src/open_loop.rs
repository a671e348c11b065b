//! What a worker keeps where I/Os start at moments of their own: those moments, that of each slot, and what was waiting
//! at the edges of the measured phase.
//!
//! A moment is never skipped: what could not start in time starts as soon as a slot is free, and its lateness is in its
//! response time. Deliberately absent: the loop itself.

use crate::arrivals::Moments;
use crate::backend::Slot;
use crate::recorded::{Feed, RecordedIo};
use crate::schedule::Schedule;
use crate::thread_plan::ThreadPlan;
use model::record::RecordedCount;
use model::{Backlog, LatencyHistogram, Nanos, Plan, Waiting};

/// One thread's open loop.
pub(crate) struct Open {
    moments: Moments,
    intended: Box<[Nanos]>, // by slot
    from: Option<Waiting>,
    to: Option<Waiting>,
    trace: Option<Box<Trace>>,
}

/// The I/Os of a trace, and how late they were.
struct Trace {
    feed: Feed,
    late: LatencyHistogram,
}

impl Open {
    /// `None` for a plan without a rate; `feed` is that of a plan of a trace.
    pub(crate) fn new(plan: &Plan, place: &ThreadPlan, feed: Option<Feed>) -> Option<Self> {
        let mut moments = Moments::of(plan, place.thread)?;
        let trace = feed.map(|feed| {
            moments.set_next(feed.peek().map_or(Nanos::MAX, |io| io.at));
            let late = LatencyHistogram::new();
            Box::new(Trace { feed, late })
        });
        Some(Open {
            moments,
            intended: vec![Nanos(0); place.slots as usize].into(),
            from: None,
            to: None,
            trace,
        })
    }

    /// Whether the I/Os are those of a trace.
    pub(crate) fn is_recorded(&self) -> bool {
        self.trace.is_some()
    }

    /// The next I/O of a trace.
    #[inline]
    pub(crate) fn recorded(&self) -> Option<RecordedIo> {
        self.trace.as_ref()?.feed.peek().copied()
    }

    /// Whether all I/Os of a trace were taken.
    #[inline]
    pub(crate) fn has_ended(&self) -> bool {
        let ended = |trace: &Trace| trace.feed.peek().is_none();
        self.trace.as_deref().is_some_and(ended)
    }

    /// The I/O of this slot was submitted at `now`; the next of a trace is the one behind it.
    #[inline]
    pub(crate) fn advance(&mut self, slot: Slot, now: Nanos) {
        if let Some(trace) = &mut self.trace {
            trace.late.record(now.minus(self.intended[slot as usize]));
            trace.feed.take();
            let next = trace.feed.peek().map_or(Nanos::MAX, |io| io.at);
            self.moments.set_next(next);
        }
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

    /// How the times of a trace were kept, and why its reading ended early, if it did.
    pub(crate) fn close_trace(&mut self) -> (Option<RecordedCount>, Option<String>) {
        let Some(trace) = self.trace.take() else {
            return (None, None);
        };
        let (reader_late, broken) = trace.feed.close();
        let late = trace.late;
        (Some(RecordedCount { late, reader_late }), broken)
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
