//! What one thread did to one target, by operation: counts, errors, latencies, time series.

use super::histogram::LatencyHistogram;
use crate::plan::Operation;
use crate::units::{Bytes, Nanos};
use serde::{Deserialize, Serialize};

/// All that one thread did to one target. A thread serves one target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadRecord {
    /// Number over the whole plan, targets in order.
    pub thread: u32,
    /// Which of the plan's targets.
    pub target: u32,
    /// Counted in the measured phase, by operation: a completion counts when it is found in that phase.
    pub measured: [Tally; Operation::ALL.len()],
    /// Counted from the first submission to the last completion, all phases and the drain, by operation.
    pub lifetime: [LifetimeCount; Operation::ALL.len()],
    /// In flight when the drain gave up: the device never answered. // usually 0
    pub abandoned: u32,
}

/// The counts of one operation in the measured phase.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Completed without error.
    pub ios: u64,
    /// Transferred by them.
    pub bytes: Bytes,
    /// Of `ios`, how many moved fewer bytes than asked.
    pub short_ios: u64,
    /// Failed, by errno; not part of `ios`.
    pub errors: Vec<ErrorCount>,
    /// From submission to the completion found, of each of `ios`.
    pub latency: LatencyHistogram,
    /// Steps of the plan's interval from the start of the measured phase.
    pub intervals: Vec<Interval>,
}

/// How often one errno came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorCount {
    /// As the kernel numbers it.
    pub errno: i32,
    /// How often.
    pub count: u64,
}

/// One step of the time series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interval {
    /// Completed in this step.
    pub ios: u64,
    /// Transferred by them.
    pub bytes: Bytes,
    /// Sum of their latencies.
    pub latency_sum: Nanos,
    /// Largest of their latencies. // 0 without I/Os
    pub latency_max: Nanos,
}

/// The counts of one operation over the whole life of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LifetimeCount {
    /// Completed, failed ones included.
    pub ios: u64,
    /// Transferred.
    pub bytes: Bytes,
}

impl Tally {
    /// Failures of all kinds.
    pub fn errors_total(&self) -> u64 {
        self.errors.iter().map(|error| error.count).sum()
    }

    /// Adds everything that `other` counted, step by step.
    pub fn merge(&mut self, other: &Tally) {
        self.ios += other.ios;
        self.bytes.0 += other.bytes.0;
        self.short_ios += other.short_ios;
        for error in &other.errors {
            match self
                .errors
                .iter_mut()
                .find(|mine| mine.errno == error.errno)
            {
                Some(mine) => mine.count += error.count,
                None => self.errors.push(*error),
            }
        }
        self.latency.merge(&other.latency);
        if self.intervals.len() < other.intervals.len() {
            self.intervals
                .resize(other.intervals.len(), Interval::default());
        }
        for (mine, theirs) in self.intervals.iter_mut().zip(&other.intervals) {
            mine.ios += theirs.ios;
            mine.bytes.0 += theirs.bytes.0;
            mine.latency_sum = mine.latency_sum.plus(theirs.latency_sum);
            mine.latency_max = mine.latency_max.max(theirs.latency_max);
        }
    }
}
