//! One thread's counters on one target: all sized before the start, plain integers, owned by the thread alone.

use crate::heat::{self, HeatRows};
use crate::schedule::Schedule;
use model::{
    Bytes, ErrorCount, Interval, LatencyHeat, LatencyHistogram, LatencySpread, LifetimeCount,
    Nanos, Operation, Plan, Tally, ThreadRecord,
};

/// Different errnos that one operation can keep apart; further kinds are counted as the last.
const ERROR_KINDS: usize = 16;
/// Operations, for arrays by `Operation::index`.
const OPERATIONS: usize = Operation::ALL.len();

/// What one thread has counted so far on one target, by operation. An I/O that counts updates the open step and the
/// histogram and nothing else: all totals follow from closed steps.
#[derive(Debug)]
pub(crate) struct ThreadTally {
    measured: [Counts; OPERATIONS],
    response: Option<Box<[LatencyHistogram; OPERATIONS]>>, // where a rate is asked
    lifetime: [LifetimeCount; OPERATIONS],                 // but for the counts of the open steps
    step: usize,                                           // of the time series, which is open
    interval_ns: u64,
    closed_within: (Nanos, Nanos), // smallest and largest latency of all closed steps
}

#[derive(Debug)]
struct Counts {
    open: Step,
    short_ios: u64,
    latency: LatencyHistogram,
    errors: Vec<ErrorCount>, // capacity ERROR_KINDS, never grown
    steps: Vec<Step>,
    heat: HeatRows, // but for what came in the open step
}

/// One step of the time series, as it is counted: plain numbers in one cache line, because each I/O updates them.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Step {
    ios: u64,
    bytes: u64,
    latency_sum: Nanos,
    latency_max: Nanos,
    latency_min: Nanos, // MAX without I/Os
    latency_squares_ns2: u128,
}

impl Step {
    const EMPTY: Step = Step {
        ios: 0,
        bytes: 0,
        latency_sum: Nanos(0),
        latency_max: Nanos(0),
        latency_min: Nanos::MAX,
        latency_squares_ns2: 0,
    };

    #[inline]
    fn count(&mut self, bytes: u64, latency: Nanos) {
        let ns = u128::from(latency.0);
        self.ios += 1;
        self.bytes += bytes;
        self.latency_sum = self.latency_sum.plus(latency);
        self.latency_max = self.latency_max.max(latency);
        self.latency_min = self.latency_min.min(latency);
        // One multiplication and two additions; 128 bits suffice for those of 2^43 I/Os of 73 minutes each.
        self.latency_squares_ns2 = self.latency_squares_ns2.wrapping_add(ns * ns);
    }
}

impl From<Step> for Interval {
    fn from(step: Step) -> Self {
        Interval {
            ios: step.ios,
            bytes: Bytes(step.bytes),
            latency_sum: step.latency_sum,
            latency_max: step.latency_max,
            latency_spread: (step.ios > 0).then_some(LatencySpread {
                min: step.latency_min,
                squares_ns2: step.latency_squares_ns2,
            }),
        }
    }
}

/// The moment at which a batch of completions was found, and what follows from it for all of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BatchTime {
    pub(crate) at: Nanos,
    /// The step of the time series; `None` when the batch does not count.
    step: Option<usize>,
    /// What follows stays so until then, unless the end of counting is brought nearer.
    until: Nanos,
}

impl BatchTime {
    /// Before the first batch.
    pub(crate) const NEVER: BatchTime = BatchTime {
        at: Nanos(0),
        step: None,
        until: Nanos(0),
    };

    /// What a later batch, found at `at`, counts for.
    #[inline]
    pub(crate) fn next(self, at: Nanos, schedule: &Schedule, interval_ns: u64) -> Self {
        if at < self.until && at < schedule.measured_to() {
            return BatchTime { at, ..self };
        }
        BatchTime::look_up(at, schedule, interval_ns)
    }

    /// Whether the batch counts.
    #[inline]
    pub(crate) fn counts(&self) -> bool {
        self.step.is_some()
    }

    /// The same from nothing, with a division: once a step.
    #[cold]
    fn look_up(at: Nanos, schedule: &Schedule, interval_ns: u64) -> Self {
        let from = schedule.measured_from();
        if !schedule.counts(at) {
            let (step, until) = (None, from);
            return BatchTime { at, step, until };
        }
        let number = at.minus(from).0 / interval_ns;
        BatchTime {
            at,
            step: Some(number as usize),
            until: from.plus(Nanos((number + 1).saturating_mul(interval_ns))),
        }
    }
}

impl ThreadTally {
    pub(crate) fn new(plan: &Plan, steps_a_row: usize) -> Self {
        let steps = heat::steps(plan);
        let counts = || Counts {
            open: Step::EMPTY,
            short_ios: 0,
            latency: LatencyHistogram::new(),
            errors: Vec::with_capacity(ERROR_KINDS),
            steps: vec![Step::EMPTY; steps],
            heat: HeatRows::new(steps, steps_a_row),
        };
        ThreadTally {
            measured: [counts(), counts()],
            response: plan
                .arrivals
                .map(|_| Box::new([LatencyHistogram::new(), LatencyHistogram::new()])),
            lifetime: [LifetimeCount::default(); OPERATIONS],
            step: 0,
            interval_ns: plan.interval.0,
            closed_within: (Nanos::MAX, Nanos(0)),
        }
    }

    /// Counts one completed I/O.
    #[inline(always)] // the loop is compiled for several shapes; a call an I/O would cost a tenth of it
    pub(crate) fn success(
        &mut self,
        found: BatchTime,
        operation: Operation,
        issued: Nanos,
        moved: Transferred,
    ) {
        let Some(step) = found.step else {
            let lifetime = &mut self.lifetime[operation.index()];
            lifetime.ios += 1;
            lifetime.bytes.0 += moved.bytes;
            return;
        };
        if step != self.step {
            self.open(step);
        }
        let latency = found.at.minus(issued);
        let counts = &mut self.measured[operation.index()];
        counts.open.count(moved.bytes, latency);
        counts.short_ios += u64::from(moved.short);
        counts.latency.record_bucket(latency);
    }

    /// Counts the response time of an I/O that was counted as a success: from the moment at which it was to start.
    #[inline]
    pub(crate) fn respond(&mut self, found: BatchTime, operation: Operation, intended: Nanos) {
        if found.step.is_some()
            && let Some(response) = &mut self.response
        {
            response[operation.index()].record(found.at.minus(intended));
        }
    }

    /// Closes the open step and opens another, with its counts.
    #[cold]
    fn open(&mut self, step: usize) {
        self.close();
        self.step = step;
        for (counts, lifetime) in self.measured.iter_mut().zip(&mut self.lifetime) {
            counts.open = std::mem::replace(&mut counts.steps[step], Step::EMPTY);
            lifetime.ios -= counts.open.ios;
            lifetime.bytes.0 -= counts.open.bytes;
        }
    }

    /// Moves the counts of the open step to their places.
    fn close(&mut self) {
        for (counts, lifetime) in self.measured.iter_mut().zip(&mut self.lifetime) {
            if counts.open.ios > 0 {
                let closed = std::mem::replace(&mut counts.open, Step::EMPTY);
                let (least, most) = (closed.latency_min, closed.latency_max);
                counts.heat.look(self.step, &counts.latency, least..=most);
                let (min, max) = self.closed_within;
                self.closed_within = (min.min(least), max.max(most));
                lifetime.ios += closed.ios;
                lifetime.bytes.0 += closed.bytes;
                counts.steps[self.step] = closed;
            }
        }
    }

    /// Counts one failed I/O.
    pub(crate) fn failure(&mut self, found: BatchTime, operation: Operation, errno: i32) {
        self.lifetime[operation.index()].ios += 1;
        if found.step.is_none() {
            return;
        }
        let errors = &mut self.measured[operation.index()].errors;
        let known = errors.iter().position(|error| error.errno == errno);
        match known.or_else(|| (errors.len() == ERROR_KINDS).then_some(ERROR_KINDS - 1)) {
            Some(place) => errors[place].count += 1,
            None => errors.push(ErrorCount { errno, count: 1 }),
        }
    }

    /// Completed and transferred so far, in all phases.
    pub(crate) fn so_far(&self) -> (u64, u64) {
        let [read, write] = &self.lifetime;
        let [reads, writes] = &self.measured;
        (
            read.ios + write.ios + reads.open.ios + writes.open.ios,
            read.bytes.0 + write.bytes.0 + reads.open.bytes + writes.open.bytes,
        )
    }

    /// The longest latency that was measured.
    pub(crate) fn longest(&self) -> Nanos {
        let open = self.measured.iter().map(|counts| counts.open.latency_max);
        open.fold(self.closed_within.1, Nanos::max)
    }

    /// The 99th percentile of reads and writes together, as far as they were measured.
    pub(crate) fn p99(&self) -> Option<Nanos> {
        let [reads, writes] = &self.measured;
        let open = self.measured.iter().map(|counts| &counts.open);
        let (min, max) = open.fold(self.closed_within, |(min, max), step| {
            (min.min(step.latency_min), max.max(step.latency_max))
        });
        LatencyHistogram::exceeded_by_one_in(100, &[&reads.latency, &writes.latency], min..=max)
    }

    /// A copy of what was counted so far, in the record's form; latencies over time are omitted.
    pub(crate) fn snapshot(&self, thread: u32, target: u32, measured: Nanos) -> ThreadRecord {
        let reached = measured.0.div_ceil(self.interval_ns) as usize;
        let tally = |counts: &Counts| {
            let mut steps = counts.steps[..reached.min(counts.steps.len())].to_vec();
            if let Some(open) = steps.get_mut(self.step).filter(|_| counts.open.ios > 0) {
                *open = counts.open.clone();
            }
            let latency = closed(counts.latency.clone(), &steps);
            let intervals: Vec<Interval> = steps.into_iter().map(Interval::from).collect();
            Tally {
                ios: latency.count(),
                bytes: Bytes(intervals.iter().map(|step| step.bytes.0).sum()),
                short_ios: counts.short_ios,
                errors: counts.errors.clone(),
                latency,
                response: None,
                intervals,
            }
        };
        ThreadRecord {
            thread,
            target,
            measured: [tally(&self.measured[0]), tally(&self.measured[1])],
            lifetime: self.lifetime,
            abandoned: 0,
        }
    }

    /// What one thread did to one target, in the record's form, and how its latencies were spread over time. A run that
    /// was stopped keeps only the steps that it reached, and the one in which the completion that stopped it was found.
    pub(crate) fn into_record(
        mut self,
        thread: u32,
        target: u32,
        measured: Nanos,
    ) -> (ThreadRecord, Vec<LatencyHeat>) {
        self.close();
        let steps = measured.0.div_ceil(self.interval_ns) as usize;
        let mut responses = self.response.map(|both| both.into_iter());
        let (mut operations, mut heat) = (Operation::ALL.into_iter(), Vec::new());
        let measured = self.measured.map(|counts| {
            let operation = operations.next().expect("one for each");
            let latency = closed(counts.latency, &counts.steps);
            let counted = counts.steps.iter().rposition(|step| step.ios > 0);
            let used = steps.max(counted.map_or(0, |last| last + 1));
            let rows = counts.heat;
            heat.extend(rows.into_record(target, operation, self.interval_ns, used));
            let kept = counts.steps.into_iter().take(used);
            let intervals: Vec<Interval> = kept.map(Interval::from).collect();
            Tally {
                ios: latency.count(),
                bytes: Bytes(intervals.iter().map(|step| step.bytes.0).sum()),
                short_ios: counts.short_ios,
                errors: counts.errors,
                latency,
                response: responses.as_mut().and_then(Iterator::next),
                intervals,
            }
        });
        let record = ThreadRecord {
            thread,
            target,
            measured,
            lifetime: self.lifetime,
            abandoned: 0,
        };
        (record, heat)
    }
}

/// The histogram with its totals, which the steps have kept.
fn closed(latency: LatencyHistogram, steps: &[Step]) -> LatencyHistogram {
    let sum_ns = steps
        .iter()
        .map(|step| u128::from(step.latency_sum.0))
        .sum();
    let min = steps.iter().map(|step| step.latency_min).min();
    let max = steps.iter().map(|step| step.latency_max).max();
    latency.with_totals(sum_ns, min.unwrap_or(Nanos::MAX), max.unwrap_or(Nanos(0)))
}

/// What one completed I/O transferred.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transferred {
    pub(crate) bytes: u64,
    /// Fewer than asked.
    pub(crate) short: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Phases;

    #[test]
    fn a_batch_counts_for_the_step_in_which_it_was_found() {
        let schedule = Schedule::new(&Phases {
            warmup: Nanos(10),
            measured: Nanos(100),
            cooldown: Nanos(10),
        });
        let mut found = BatchTime::NEVER;
        let mut step_at = |at| {
            found = found.next(Nanos(at), &schedule, 40);
            (found.at.0, found.step)
        };
        for (at, step) in [(0, None), (9, None), (10, Some(0)), (49, Some(0))] {
            assert_eq!(step_at(at), (at, step));
        }
        assert_eq!(step_at(50), (50, Some(1)));
        assert_eq!(step_at(69), (69, Some(1)));
        schedule.halt(Nanos(70)); // in the middle of a step
        assert_eq!(step_at(70), (70, None));
    }

    /// The law between the form that is counted in and the one that is kept.
    #[test]
    fn a_step_counts_what_an_interval_records() {
        let (mut step, mut interval) = (Step::EMPTY, Interval::default());
        assert_eq!(Interval::from(step.clone()), interval);
        for ns in [300, 0, 70_000, 1 << 42, 300] {
            step.count(4096, Nanos(ns));
            interval.record(Bytes(4096), Nanos(ns));
            assert_eq!(Interval::from(step.clone()), interval);
        }
    }

    #[test]
    fn a_step_fills_one_cache_line() {
        assert_eq!((size_of::<Step>(), align_of::<Step>()), (64, 64));
    }
}
