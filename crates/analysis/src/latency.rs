//! Latencies of a row: exact mean and extremes, and percentiles as deep as the count can carry.
//!
//! A percentile that leaves fewer than one expected I/O beyond it is only the maximum under another name,
//! so it is not shown; with fewer than ten beyond it, its error is larger than most differences people look
//! for, so it is marked. Source: order statistics, Hahn and Meeker, Statistical Intervals, chapter 5
//! (distribution-free intervals); the bounds 10 and 1 are the practical rule of this house.
//! Deliberately absent: averages of percentiles. Histograms are merged first, always.

use model::LatencyHistogram;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Latencies from submission to the completion found, over all threads together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Latency {
    /// Exact mean in nanoseconds; none without I/Os.
    pub mean_ns: Option<f64>,
    /// Exact smallest in nanoseconds; none without I/Os.
    pub min_ns: Option<u64>,
    /// Exact largest in nanoseconds; none without I/Os.
    pub max_ns: Option<u64>,
    /// Median to 99.99 %, always all of them, in this order.
    pub percentiles: Vec<Percentile>,
}

/// One percentile and how far it may be believed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Percentile {
    /// Share of I/Os that were at most this slow. // in [0, 1]
    pub quantile: f64,
    /// Nanoseconds, within 0.2 %; none where the count does not reach that deep.
    pub latency_ns: Option<u64>,
    /// How many I/Os this rests on.
    pub trust: Trust,
}

/// How many I/Os lie beyond a percentile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// Ten or more.
    Trusted,
    /// One to nine: another run may well say something else.
    Weak,
    /// Fewer than one: not shown.
    None,
}

/// Each quantile with the number of I/Os of which one lies beyond it; whole numbers, so that 10 000 I/Os
/// carry exactly ten beyond 99.9 %, whatever 1 - 0.999 is in binary.
const LADDER: [(f64, u64); 5] = [
    (0.5, 2),
    (0.9, 10),
    (0.99, 100),
    (0.999, 1000),
    (0.9999, 10_000),
];

impl Latency {
    /// The figures of one merged histogram.
    pub(crate) fn of(histogram: &LatencyHistogram) -> Latency {
        let count = histogram.count();
        Latency {
            mean_ns: histogram.mean_ns(),
            min_ns: histogram.min().map(|ns| ns.0),
            max_ns: histogram.max().map(|ns| ns.0),
            percentiles: LADDER
                .iter()
                .map(|&(quantile, one_in)| {
                    let trust = trust(count, one_in);
                    Percentile {
                        quantile,
                        latency_ns: histogram
                            .quantile(quantile)
                            .filter(|_| trust != Trust::None)
                            .map(|ns| ns.0),
                        trust,
                    }
                })
                .collect(),
        }
    }

    /// The percentile at this quantile, one of those that are always there.
    pub fn at(&self, quantile: f64) -> Option<&Percentile> {
        self.percentiles
            .iter()
            .find(|percentile| percentile.quantile == quantile)
    }
}

fn trust(count: u64, one_in: u64) -> Trust {
    match count / one_in {
        0 => Trust::None,
        1..10 => Trust::Weak,
        _ => Trust::Trusted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Nanos;

    fn trusts(count: u64) -> Vec<Trust> {
        let mut histogram = LatencyHistogram::new();
        (0..count).for_each(|n| histogram.record(Nanos(1000 + n)));
        Latency::of(&histogram)
            .percentiles
            .iter()
            .map(|p| p.trust)
            .collect()
    }

    #[test]
    fn a_percentile_is_shown_only_as_deep_as_the_count_reaches() {
        use Trust::{None, Trusted, Weak};
        assert_eq!(trusts(0), [None, None, None, None, None]);
        assert_eq!(trusts(1), [None, None, None, None, None]);
        assert_eq!(trusts(99), [Trusted, Weak, None, None, None]);
        assert_eq!(trusts(999), [Trusted, Trusted, Weak, None, None]);
        assert_eq!(trusts(10_000), [Trusted, Trusted, Trusted, Trusted, Weak]);
        assert_eq!(trusts(100_000), [Trusted; 5]);
    }

    #[test]
    fn one_io_still_has_mean_and_extremes() {
        let mut histogram = LatencyHistogram::new();
        histogram.record(Nanos(77));
        let latency = Latency::of(&histogram);
        assert_eq!(
            (latency.mean_ns, latency.min_ns, latency.max_ns),
            (Some(77.0), Some(77), Some(77))
        );
    }
}
