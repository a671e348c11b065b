//! What one thread did to one target, by operation: counts, errors, latencies, time series.

use super::histogram::LatencyHistogram;
use crate::plan::Operation;
use crate::units::{Bytes, Nanos};
use serde::{Deserialize, Serialize};

/// All that one thread did to one target. A thread of a pool has a record for each of its targets.
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
    /// From submission to the completion found, of each of `ios`: the service time.
    pub latency: LatencyHistogram,
    /// From the moment at which it was to start to the completion found, of each of `ios`: the response time. Only where
    /// a rate was asked.
    pub response: Option<LatencyHistogram>,
    /// Steps of the plan's interval from the start of the measured phase.
    pub intervals: Vec<Interval>,
}

/// What several tallies counted together, in numbers alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Completed without error.
    pub ios: u64,
    /// Transferred by them.
    pub bytes: Bytes,
    /// Failed; not part of `ios`.
    pub errors: u64,
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
    /// How far their latencies lie apart: none without I/Os, and in records kept before it was counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_spread: Option<LatencySpread>,
}

/// What smallest latency and standard deviation of a step follow from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatencySpread {
    /// Smallest latency.
    pub min: Nanos,
    /// Sum of the squared latencies, in ns², exact: 2^43 I/Os of 73 minutes each fit.
    pub squares_ns2: u128,
}

/// The counts of one operation over the whole life of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LifetimeCount {
    /// Completed, failed ones included.
    pub ios: u64,
    /// Transferred.
    pub bytes: Bytes,
}

impl LifetimeCount {
    /// Returns the sum of both, at most the largest number.
    #[must_use]
    pub fn plus(self, other: LifetimeCount) -> LifetimeCount {
        LifetimeCount {
            ios: self.ios.saturating_add(other.ios),
            bytes: Bytes(self.bytes.0.saturating_add(other.bytes.0)),
        }
    }
}

impl Tally {
    /// Failures of all kinds.
    pub fn errors_total(&self) -> u64 {
        let counts = self.errors.iter().map(|error| error.count);
        counts.fold(0, u64::saturating_add)
    }

    /// Adds everything that `other` counted, step by step; counts stop at the largest number.
    pub fn merge(&mut self, other: &Tally) {
        self.ios = self.ios.saturating_add(other.ios);
        self.bytes.0 = self.bytes.0.saturating_add(other.bytes.0);
        self.short_ios = self.short_ios.saturating_add(other.short_ios);
        for error in &other.errors {
            match self
                .errors
                .iter_mut()
                .find(|mine| mine.errno == error.errno)
            {
                Some(mine) => mine.count = mine.count.saturating_add(error.count),
                None => self.errors.push(*error),
            }
        }
        self.latency.merge(&other.latency);
        match (&mut self.response, &other.response) {
            (Some(mine), Some(theirs)) => mine.merge(theirs),
            (None, Some(theirs)) if self.ios == other.ios => self.response = Some(theirs.clone()),
            (Some(_), None) if other.ios > 0 => self.response = None,
            _ => {}
        }
        if self.intervals.len() < other.intervals.len() {
            self.intervals
                .resize(other.intervals.len(), Interval::default());
        }
        for (mine, theirs) in self.intervals.iter_mut().zip(&other.intervals) {
            mine.merge(theirs);
        }
    }
}

impl Interval {
    /// Counts one I/O.
    pub fn record(&mut self, bytes: Bytes, latency: Nanos) {
        let spread = LatencySpread::of(latency);
        self.latency_spread = match self.ios {
            0 => Some(spread),
            _ => self.latency_spread.map(|mine| mine.with(spread)),
        };
        self.ios += 1;
        self.bytes.0 += bytes.0;
        self.latency_sum = self.latency_sum.plus(latency);
        self.latency_max = self.latency_max.max(latency);
    }

    /// Adds everything that `other` counted. A step without I/Os changes nothing; a spread that one of both does not
    /// know is not known of both together. Counts stop at the largest number.
    pub fn merge(&mut self, other: &Interval) {
        self.latency_spread = match (self.ios, other.ios) {
            (_, 0) => self.latency_spread,
            (0, _) => other.latency_spread,
            _ => self
                .latency_spread
                .zip(other.latency_spread)
                .map(|(mine, theirs)| mine.with(theirs)),
        };
        self.ios = self.ios.saturating_add(other.ios);
        self.bytes.0 = self.bytes.0.saturating_add(other.bytes.0);
        self.latency_sum = self.latency_sum.plus(other.latency_sum);
        self.latency_max = self.latency_max.max(other.latency_max);
    }

    /// Standard deviation of the latencies, of all of them and not of a sample; none without I/Os, or where the spread was
    /// not kept.
    pub fn latency_sd_ns(&self) -> Option<f64> {
        let squares = self.latency_spread?.squares_ns2;
        standard_deviation(self.ios, u128::from(self.latency_sum.0), squares)
    }
}

/// Standard deviation of so many values with this sum and this sum of squares; none of no values, and where the numbers do
/// not fit.
///
/// The sum of squares about the mean is `squares - sum² / n`. Both are nearly equal where values are, so the whole part is
/// taken in whole numbers, which lose nothing, and only what is left becomes a float.
pub(super) fn standard_deviation(count: u64, sum: u128, squares: u128) -> Option<f64> {
    let (count, squared) = (u128::from(count), sum.checked_mul(sum)?);
    let (whole, rest) = (squared.checked_div(count)?, squared.checked_rem(count)?);
    let about_mean = squares.saturating_sub(whole) as f64 - rest as f64 / count as f64;
    Some((about_mean / count as f64).max(0.0).sqrt())
}

impl LatencySpread {
    /// Of one latency.
    pub fn of(latency: Nanos) -> Self {
        let ns = u128::from(latency.0);
        LatencySpread {
            min: latency,
            squares_ns2: ns * ns,
        }
    }

    /// Of the latencies of both.
    #[must_use]
    pub fn with(self, other: LatencySpread) -> Self {
        LatencySpread {
            min: self.min.min(other.min),
            squares_ns2: self.squares_ns2.saturating_add(other.squares_ns2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranks of a job send their counts, and one may send any.
    #[test]
    fn merged_counts_stop_at_the_largest_number() {
        let mut latency = LatencyHistogram::new();
        latency.record(Nanos(1000));
        let most = Interval {
            ios: u64::MAX,
            bytes: Bytes(u64::MAX),
            ..step(&[1000])
        };
        let errors = vec![ErrorCount {
            errno: 5,
            count: u64::MAX,
        }];
        let rank = Tally {
            ios: u64::MAX,
            bytes: Bytes(u64::MAX),
            short_ios: u64::MAX,
            errors,
            latency,
            intervals: vec![most],
            ..Tally::default()
        };
        let mut all = rank.clone();
        all.merge(&rank);
        let counts = [all.ios, all.bytes.0, all.short_ios, all.errors_total()];
        assert_eq!(counts, [u64::MAX; 4]);
        assert_eq!((all.intervals[0].ios, all.latency.count()), (u64::MAX, 2));
    }

    fn step(latencies: &[u64]) -> Interval {
        let mut step = Interval::default();
        for &ns in latencies {
            step.record(Bytes(512), Nanos(ns));
        }
        step
    }

    #[test]
    fn a_step_keeps_its_smallest_latency_and_the_exact_sum_of_squares() {
        let largest = u64::MAX >> 22; // where the histogram ends
        let spread = step(&[3, 5, largest]).latency_spread.unwrap();
        assert_eq!(spread.min, Nanos(3));
        assert_eq!(spread.squares_ns2, 34 + u128::from(largest).pow(2));
        assert_eq!(step(&[]).latency_spread, None);
        assert_eq!(step(&[0]).latency_spread, Some(LatencySpread::of(Nanos(0))));
    }

    #[test]
    fn steps_merged_are_the_step_of_all_their_ios() {
        let mut sum = step(&[]);
        for part in [step(&[7, 9]), step(&[]), step(&[4, 2])] {
            sum.merge(&part);
        }
        assert_eq!(sum, step(&[7, 9, 4, 2]));
    }

    #[test]
    fn the_deviation_is_exact_where_latencies_are_nearly_alike() {
        assert_eq!(step(&[2, 4, 4, 4, 5, 5, 7, 9]).latency_sd_ns(), Some(2.0));
        let far = 1 << 40; // its square has more digits than a float
        assert_eq!(step(&[far, far + 2]).latency_sd_ns(), Some(1.0));
        assert_eq!(step(&[far; 3]).latency_sd_ns(), Some(0.0));
        assert_eq!(step(&[]).latency_sd_ns(), None);
        assert_eq!(standard_deviation(1, u128::MAX, u128::MAX), None);
    }

    #[test]
    fn a_spread_that_was_not_kept_makes_the_sum_unknown() {
        let old = Interval {
            latency_spread: None,
            ..step(&[1, 2])
        };
        let (mut one, mut other) = (old, step(&[3]));
        one.merge(&step(&[3]));
        other.merge(&old);
        assert_eq!((one.latency_spread, other.latency_spread), (None, None));
        assert_eq!((one.ios, one.latency_max), (3, Nanos(3)));
        let mut first = step(&[]);
        first.merge(&old);
        assert_eq!(first, old);
    }

    #[test]
    fn a_step_that_was_written_without_a_spread_reads_back_without_one() {
        let old = r#"{"ios":1,"bytes":512,"latency_sum":5,"latency_max":5}"#;
        let read: Interval = serde_json::from_str(old).unwrap();
        assert_eq!(read.latency_spread, None);
        assert_eq!(serde_json::to_string(&read).unwrap(), old);
        let new = step(&[5, u64::MAX >> 22]);
        let text = serde_json::to_string(&new).unwrap();
        assert_eq!(serde_json::from_str::<Interval>(&text).unwrap(), new);
    }
}
