//! What a worker keeps where I/Os start at moments of their own: those moments, that of each slot, and what was waiting
//! at the edges of the measured phase.
//!
//! A moment is never skipped: what could not start in time starts as soon as a slot is free, and its lateness is in its
//! response time. Deliberately absent: the loop itself.

use crate::arrivals::Moments;
use crate::backend::Slot;
use crate::dependent::{BoardSeat, Dependent};
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
    /// Where I/Os wait for one another.
    dependent: Option<Dependent>,
}

/// A closed loop over the I/Os of a trace: the moment of each is a think time after a completion.
struct Closed {
    think: Nanos,
    moments: VecDeque<Nanos>, // of the free slots, in the order of time
}

impl Open {
    /// `None` for a plan without a rate; `feed` is that of a plan of a trace, `seat` where its I/Os wait for one another.
    pub(crate) fn new(
        plan: &Plan,
        place: &ThreadPlan,
        feed: Option<Feed>,
        seat: Option<BoardSeat>,
    ) -> Option<Self> {
        let think = think(plan).filter(|_| feed.is_some());
        let mut moments = match think {
            Some(_) => Moments::set_one_by_one(),
            None => Moments::of(plan, place.thread)?,
        };
        let closed = think.map(|think| Closed {
            think,
            moments: VecDeque::from(vec![Nanos(0); place.slots as usize]),
        });
        let trace = feed.map(|mut feed| {
            let dependent = seat.map(|seat| Dependent::new(place.slots, seat, &mut feed));
            let trace = Trace {
                feed,
                late: LatencyHistogram::new(),
                dependent,
            };
            if closed.is_none() {
                moments.set_next(trace.next());
            }
            Box::new(trace)
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
        let trace = self.trace.as_ref()?;
        match &trace.dependent {
            None => trace.feed.peek().copied(),
            Some(dependent) => Some(dependent.peek()?.1),
        }
    }

    /// The next I/O of a trace, where it transfers no data and so needs no slot.
    #[inline]
    pub(crate) fn call(&self) -> Option<RecordedIo> {
        self.recorded().filter(|io| !io.operation.transfers())
    }

    /// That call is submitted at `now`; returns its number.
    pub(crate) fn take_call(&mut self, now: Nanos) -> u64 {
        let intended = self.moments.next();
        let Some(trace) = &mut self.trace else {
            return 0;
        };
        let number = trace.take();
        match &self.closed {
            None => {
                trace.late.record(now.minus(intended));
                self.moments.set_next(trace.next());
            }
            Some(closed) => self.moments.set_next(closed.next(&trace.feed)),
        }
        number
    }

    /// The call of this number is complete.
    pub(crate) fn called(&mut self, number: u64, now: Nanos) {
        if let Some(trace) = &mut self.trace
            && trace.complete(number, now)
        {
            self.moments.set_next(trace.next());
        }
    }

    /// Whether I/Os of a trace wait for one another.
    pub(crate) fn is_dependent(&self) -> bool {
        self.trace
            .as_deref()
            .is_some_and(|trace| trace.dependent.is_some())
    }

    /// Takes in what other threads did for which I/Os of this one waited.
    #[inline]
    pub(crate) fn check_others(&mut self) {
        if let Some(trace) = &mut self.trace
            && let Some(dependent) = &mut trace.dependent
            && dependent.waits_for_others(&trace.feed)
        {
            dependent.check_others(&mut trace.feed);
            self.moments.set_next(trace.next());
        }
    }

    /// Whether I/Os wait for other threads.
    #[inline]
    pub(crate) fn waits_for_others(&self) -> bool {
        let waits = |trace: &Trace| {
            (trace.dependent.as_ref()).is_some_and(|its| its.waits_for_others(&trace.feed))
        };
        self.trace.as_deref().is_some_and(waits)
    }

    /// Whether other threads did what they wait for.
    pub(crate) fn is_called(&self) -> bool {
        let called = |trace: &Trace| {
            (trace.dependent.as_ref()).is_some_and(|its| its.is_called(&trace.feed))
        };
        self.trace.as_deref().is_some_and(called)
    }

    /// Whether all I/Os of a trace were taken.
    #[inline]
    pub(crate) fn has_ended(&self) -> bool {
        let ended = |trace: &Trace| match &trace.dependent {
            None => trace.feed.peek().is_none(),
            Some(dependent) => dependent.has_ended(&trace.feed),
        };
        self.trace.as_deref().is_some_and(ended)
    }

    /// The I/O of this slot was submitted at `now`; the next of a trace is the one behind it.
    #[inline]
    pub(crate) fn advance(&mut self, slot: Slot, now: Nanos) {
        if let Some(trace) = &mut self.trace {
            trace.late.record(now.minus(self.intended[slot as usize]));
            let number = trace.take();
            if let Some(dependent) = &mut trace.dependent {
                dependent.put(slot, number);
            }
            let next = match &mut self.closed {
                None => trace.next(),
                Some(closed) => {
                    closed.moments.pop_front();
                    closed.next(&trace.feed)
                }
            };
            self.moments.set_next(next);
        }
    }

    /// A slot is free again since `now`; in a closed loop its next I/O follows after the think time, and what depends on its
    /// last may start.
    #[inline]
    pub(crate) fn free(&mut self, slot: Slot, now: Nanos) {
        if let Some(closed) = &mut self.closed {
            closed.moments.push_back(now.plus(closed.think)); // never more than slots
            let next = |trace: &Trace| closed.next(&trace.feed);
            let next = self.trace.as_deref().map_or(Nanos::MAX, next);
            self.moments.set_next(next);
        } else if let Some(trace) = &mut self.trace
            && let Some(dependent) = &trace.dependent
        {
            let number = dependent.in_slot(slot);
            trace.complete(number, now);
            self.moments.set_next(trace.next());
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
        let count = RecordedCount {
            late,
            reader_late,
            calls: Vec::new(),
        };
        ((!self.is_closed()).then_some(count), broken)
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

impl Closed {
    /// The moment of the next I/O, if there is one.
    fn next(&self, feed: &Feed) -> Nanos {
        let first = self.moments.front().copied();
        first
            .filter(|_| feed.peek().is_some())
            .unwrap_or(Nanos::MAX)
    }
}

impl Trace {
    /// The moment of the next I/O.
    fn next(&self) -> Nanos {
        match &self.dependent {
            None => self.feed.peek().map_or(Nanos::MAX, |io| io.at),
            Some(dependent) => dependent.peek().map_or(Nanos::MAX, |(moment, _)| moment),
        }
    }

    /// Takes the next I/O; returns its number, where I/Os wait for one another.
    fn take(&mut self) -> u64 {
        match &mut self.dependent {
            None => {
                self.feed.take();
                0
            }
            Some(dependent) => dependent.take(),
        }
    }

    /// An I/O is complete; whether others may have waited for it.
    fn complete(&mut self, number: u64, now: Nanos) -> bool {
        let Trace {
            feed, dependent, ..
        } = self;
        if let Some(dependent) = dependent {
            dependent.complete(number, now, feed);
        }
        dependent.is_some()
    }
}

/// The think time of a plan whose trace is a closed loop.
fn think(plan: &Plan) -> Option<Nanos> {
    match &plan.targets.first()?.workload.access {
        Access::Recorded(recorded) => recorded.think,
        _ => None,
    }
}
