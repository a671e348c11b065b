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
use model::{Access, Backlog, LatencyHistogram, Nanos, Plan, Waiting};
use std::collections::VecDeque;

/// One thread's open loop.
pub(crate) struct Open {
    moments: Moments,
    intended: Box<[Nanos]>, // by slot
    from: Option<Waiting>,
    to: Option<Waiting>,
    trace: Option<Box<Trace>>,
    closed: Option<Closed>,
}

/// The I/Os of a trace, and how late they were.
struct Trace {
    feed: Feed,
    late: LatencyHistogram,
}

/// A closed loop over the I/Os of a trace: the moment of each is a think time after a completion.
struct Closed {
    think: Nanos,
    moments: VecDeque<Nanos>, // of the free slots, in the order of time
}

impl Open {
    /// `None` for a plan without a rate; `feed` is that of a plan of a trace.
    pub(crate) fn new(plan: &Plan, place: &ThreadPlan, feed: Option<Feed>) -> Option<Self> {
        let think = think(plan).filter(|_| feed.is_some());
        let mut moments = match think {
            Some(_) => Moments::set_one_by_one(),
            None => Moments::of(plan, place.thread)?,
        };
        let closed = think.map(|think| Closed {
            think,
            moments: VecDeque::from(vec![Nanos(0); place.slots as usize]),
        });
        let trace = feed.map(|feed| {
            if closed.is_none() {
                moments.set_next(feed.peek().map_or(Nanos::MAX, |io| io.at));
            }
            let late = LatencyHistogram::new();
            Box::new(Trace { feed, late })
        });
        Some(Open {
            moments,
            intended: vec![Nanos(0); place.slots as usize].into(),
            from: None,
            to: None,
            trace,
            closed,
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
            let next = match &mut self.closed {
                None => trace.feed.peek().map_or(Nanos::MAX, |io| io.at),
                Some(closed) => {
                    closed.moments.pop_front();
                    closed.moments.front().copied().unwrap_or(Nanos::MAX)
                }
            };
            self.moments.set_next(next);
        }
    }

    /// A slot is free again since `now`; in a closed loop its next I/O follows after the think time.
    #[inline]
    pub(crate) fn free(&mut self, now: Nanos) {
        if let Some(closed) = &mut self.closed {
            closed.moments.push_back(now.plus(closed.think)); // never more than slots
            self.moments.set_next(closed.moments[0]);
        }
    }

    /// Whether I/Os wait for completions, so that their moments are no arrivals.
    #[inline]
    pub(crate) fn is_closed(&self) -> bool {
        self.closed.is_some()
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
        let count = (!self.is_closed()).then_some(RecordedCount { late, reader_late });
        (count, broken)
    }

    /// What waited at both edges; in a closed loop nothing does. A run that was stopped in its warm-up has both at its
    /// end.
    pub(crate) fn backlog(mut self, schedule: &Schedule) -> Option<Backlog> {
        self.look(schedule.measured_to(), schedule);
        (!self.is_closed()).then(|| Backlog {
            from: self.from.unwrap_or_default(),
            to: self.to.unwrap_or_default(),
        })
    }
}

/// The think time of a plan whose trace is a closed loop.
fn think(plan: &Plan) -> Option<Nanos> {
    match &plan.targets.first()?.workload.access {
        Access::Recorded(recorded) => recorded.think,
        _ => None,
    }
}
