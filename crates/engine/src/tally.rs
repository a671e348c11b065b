//! One thread's counters: all sized before the start, plain integers, owned by the thread alone.

use crate::schedule::Schedule;
use model::{
    Bytes, ErrorCount, Interval, LatencyHistogram, LifetimeCount, Nanos, Operation, Plan, Tally,
};

/// Different errnos that one operation can keep apart; further kinds are counted as the last.
const ERROR_KINDS: usize = 16;
/// Operations, for arrays by `Operation::index`.
const OPERATIONS: usize = Operation::ALL.len();

/// What one thread has counted so far, by operation.
#[derive(Debug)]
pub(crate) struct ThreadTally {
    measured: [Counts; OPERATIONS],
    lifetime: [LifetimeCount; OPERATIONS],
    interval_ns: u64,
}

#[derive(Debug)]
struct Counts {
    ios: u64,
    bytes: u64,
    short_ios: u64,
    errors: Vec<ErrorCount>, // capacity ERROR_KINDS, never grown
    latency: LatencyHistogram,
    intervals: Vec<Interval>,
}

/// The moment at which a batch of completions was found, and what follows from it for all of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) at: Nanos,
    /// The step of the time series; `None` when the batch does not count.
    step: Option<usize>,
}

impl ThreadTally {
    pub(crate) fn new(plan: &Plan) -> Self {
        let steps = plan.phases.measured.0.div_ceil(plan.interval.0) as usize;
        let counts = || Counts {
            ios: 0,
            bytes: 0,
            short_ios: 0,
            errors: Vec::with_capacity(ERROR_KINDS),
            latency: LatencyHistogram::new(),
            intervals: vec![Interval::default(); steps],
        };
        ThreadTally {
            measured: [counts(), counts()],
            lifetime: [LifetimeCount::default(); OPERATIONS],
            interval_ns: plan.interval.0,
        }
    }

    /// What a batch found at `at` counts for.
    #[inline]
    pub(crate) fn found(&self, at: Nanos, schedule: &Schedule) -> Found {
        let since = at.minus(schedule.measured_from()).0;
        Found {
            at,
            step: schedule
                .counts(at)
                .then(|| (since / self.interval_ns) as usize),
        }
    }

    /// Counts one completed I/O.
    #[inline]
    pub(crate) fn success(
        &mut self,
        found: Found,
        operation: Operation,
        issued: Nanos,
        moved: Moved,
    ) {
        let lifetime = &mut self.lifetime[operation.index()];
        lifetime.ios += 1;
        lifetime.bytes.0 += moved.bytes;
        let Some(step) = found.step else { return };
        let latency = found.at.minus(issued);
        let counts = &mut self.measured[operation.index()];
        counts.ios += 1;
        counts.bytes += moved.bytes;
        counts.short_ios += u64::from(moved.short);
        counts.latency.record(latency);
        let interval = &mut counts.intervals[step];
        interval.ios += 1;
        interval.bytes.0 += moved.bytes;
        interval.latency_sum = interval.latency_sum.plus(latency);
        interval.latency_max = interval.latency_max.max(latency);
    }

    /// Counts one failed I/O.
    pub(crate) fn failure(&mut self, found: Found, operation: Operation, errno: i32) {
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
    #[inline]
    pub(crate) fn so_far(&self) -> (u64, u64) {
        let [read, write] = &self.lifetime;
        (read.ios + write.ios, read.bytes.0 + write.bytes.0)
    }

    /// The record's form. A run that was stopped keeps only the steps that it reached, and the one in which
    /// the completion that stopped it was found.
    pub(crate) fn into_record(
        self,
        measured: Nanos,
    ) -> ([Tally; OPERATIONS], [LifetimeCount; OPERATIONS]) {
        let steps = measured.0.div_ceil(self.interval_ns) as usize;
        let tallies = self.measured.map(|counts| {
            let mut intervals = counts.intervals;
            let used = intervals
                .iter()
                .rposition(|step| step.ios > 0)
                .map_or(0, |last| last + 1);
            intervals.truncate(steps.max(used));
            Tally {
                ios: counts.ios,
                bytes: Bytes(counts.bytes),
                short_ios: counts.short_ios,
                errors: counts.errors,
                latency: counts.latency,
                intervals,
            }
        });
        (tallies, self.lifetime)
    }
}

/// What one completed I/O transferred.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moved {
    pub(crate) bytes: u64,
    /// Fewer than asked.
    pub(crate) short: bool,
}
