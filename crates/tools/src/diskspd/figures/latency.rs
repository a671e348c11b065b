//! Latencies as DISKSPD states them: mean, population standard deviation, nearest-rank percentiles.

use model::{LatencyHistogram, Nanos};

/// A percentile is counted in these parts, so that 99.9999999 % is a whole number and ranks are exact.
pub const PARTS_OF_WHOLE: u64 = 1_000_000_000;

/// Every percentile that one of the pages shows: 0 (the smallest), 1 to 99, seven that begin with 99.9, 100.
pub const LATENCY_POINTS: [u64; 108] = points();

const fn points() -> [u64; 108] {
    let mut points = [PARTS_OF_WHOLE; 108];
    let mut index = 0;
    while index < 100 {
        points[index] = index as u64 * (PARTS_OF_WHOLE / 100);
        index += 1;
    }
    let mut missing = PARTS_OF_WHOLE / 1000;
    while index < 107 {
        points[index] = PARTS_OF_WHOLE - missing;
        missing /= 10;
        index += 1;
    }
    points
}

/// Latencies of some I/Os.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Latency {
    /// How many.
    pub samples: u64,
    /// Different latencies that could be distinguished: non-empty buckets of the histogram.
    pub distinct: u64,
    /// Exact mean in nanoseconds. // 0 without samples
    pub mean_ns: f64,
    /// Population standard deviation in nanoseconds; none without samples.
    ///
    /// From the middles of the histogram's buckets around the exact mean. A middle is at most 1/512 from each value in
    /// its bucket, so by Minkowski's inequality the error is at most `sqrt(mean² + deviation²) / 512`: 0.2 % of
    /// the root mean square.
    pub std_dev_ns: Option<f64>,
    /// [`LATENCY_POINTS`], or none of them where only mean and deviation are asked for.
    pub points: Vec<LatencyPoint>,
}

/// A percentile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatencyPoint {
    /// Which, in parts of [`PARTS_OF_WHOLE`].
    pub parts: u64,
    /// Nanoseconds: the smallest latency that at least this share of I/Os did not exceed; exact at both ends, in
    /// between the middle of a bucket that is at most 0.4 % wide.
    pub ns: u64,
}

impl Latency {
    /// Mean and deviation only.
    pub(super) fn brief(histogram: &LatencyHistogram) -> Latency {
        Latency {
            samples: histogram.count(),
            distinct: histogram.buckets().count() as u64,
            mean_ns: histogram.mean_ns().unwrap_or(0.0),
            std_dev_ns: std_dev(histogram),
            points: Vec::new(),
        }
    }

    /// With all percentiles; none without samples.
    pub(super) fn full(histogram: &LatencyHistogram) -> Latency {
        Latency {
            points: percentiles(histogram),
            ..Latency::brief(histogram)
        }
    }

    /// The percentile of so many parts, in nanoseconds; none without samples.
    pub fn at(&self, parts: u64) -> Option<u64> {
        let found = self.points.iter().find(|point| point.parts == parts);
        found.map(|point| point.ns)
    }
}

/// The middle of a bucket, never outside what was seen.
fn middle(histogram: &LatencyHistogram, low: Nanos, high: Nanos) -> u64 {
    let (min, max) = (histogram.min(), histogram.max());
    let within = |end: Option<Nanos>, or: Nanos| end.unwrap_or(or).0;
    (low.0 + (high.0 - low.0) / 2).clamp(within(min, low), within(max, high))
}

fn std_dev(histogram: &LatencyHistogram) -> Option<f64> {
    let mean = histogram.mean_ns()?;
    let squares: f64 = histogram
        .buckets()
        .map(|(low, high, count)| {
            let off = middle(histogram, low, high) as f64 - mean;
            off * off * count as f64
        })
        .sum();
    Some((squares / histogram.count() as f64).sqrt())
}

/// One walk over the buckets for all of them. Nearest rank, in whole numbers: 7 % of 100 samples is the seventh.
fn percentiles(histogram: &LatencyHistogram) -> Vec<LatencyPoint> {
    let (Some(min), Some(max)) = (histogram.min(), histogram.max()) else {
        return Vec::new();
    };
    let count = u128::from(histogram.count());
    let mut buckets = histogram.buckets();
    let (mut below, mut here) = (0_u128, min.0);
    let mut at = |parts: u64| {
        let rank = (count * u128::from(parts)).div_ceil(u128::from(PARTS_OF_WHOLE));
        while below < rank {
            let (low, high, more) = buckets.next().expect("ranks end at the count");
            below += u128::from(more);
            here = middle(histogram, low, high);
        }
        match rank {
            0 | 1 => min.0,
            rank if rank == count => max.0,
            _ => here,
        }
    };
    let point = |parts| LatencyPoint {
        parts,
        ns: at(parts),
    };
    LATENCY_POINTS.into_iter().map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(values: impl IntoIterator<Item = u64>) -> Latency {
        let mut histogram = LatencyHistogram::new();
        values
            .into_iter()
            .for_each(|value| histogram.record(Nanos(value)));
        Latency::full(&histogram)
    }

    fn percent(latency: &Latency, percent: u64) -> u64 {
        latency.at(percent * (PARTS_OF_WHOLE / 100)).unwrap()
    }

    #[test]
    fn there_are_one_hundred_and_eight_points_in_ascending_order() {
        assert!(LATENCY_POINTS.is_sorted());
        assert_eq!(
            &LATENCY_POINTS[98..102],
            [980_000_000, 990_000_000, 999_000_000, 999_900_000]
        );
        assert_eq!(&LATENCY_POINTS[106..], [999_999_999, PARTS_OF_WHOLE]);
    }

    /// Cases S001, S002, S004 and S006: few and small values fall in buckets of one nanosecond.
    #[test]
    fn percentiles_are_the_nearest_rank_and_the_deviation_is_the_populations() {
        let three = of([1, 2, 3]);
        assert_eq!([0, 50, 100].map(|p| percent(&three, p)), [1, 2, 3]);
        let even = of(1..=99);
        assert_eq!(
            [0, 10, 50, 60, 100].map(|p| percent(&even, p)),
            [1, 10, 50, 60, 99]
        );
        let skewed = of((1..=99).chain(1..=49));
        assert_eq!(
            [10, 50, 60, 100].map(|p| percent(&skewed, p)),
            [8, 37, 45, 99]
        );
        let two = of([2, 4]);
        assert_eq!((two.mean_ns, two.std_dev_ns), (3.0, Some(1.0)));
        assert_eq!(
            percent(&of(1..=100), 7),
            7,
            "no rounding makes it the eighth"
        );
    }

    /// Case S005.
    #[test]
    fn nothing_measured_has_a_mean_of_zero_and_nothing_else() {
        let nothing = of([]);
        assert_eq!((nothing.samples, nothing.mean_ns), (0, 0.0));
        assert_eq!((nothing.std_dev_ns, nothing.at(0)), (None, None));
    }

    proptest! {
        #[test]
        fn the_deviation_is_within_its_stated_error(values in prop::collection::vec(0u64..1 << 41, 1..200)) {
            let reported = of(values.iter().copied()).std_dev_ns.unwrap();
            let count = values.len() as f64;
            let mean = values.iter().map(|&v| v as f64).sum::<f64>() / count;
            let exact = (values.iter().map(|&v| (v as f64 - mean).powi(2)).sum::<f64>() / count).sqrt();
            let bound = (mean * mean + exact * exact).sqrt() / 512.0 + 1.0;
            prop_assert!((reported - exact).abs() <= bound, "{reported} for {exact}");
        }
    }
}
