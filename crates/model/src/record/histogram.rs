//! Every latency, counted in buckets at most 0.4% wide; exact count, sum, minimum and maximum.
//!
//! Layout: below 256 ns one bucket a nanosecond; above, each power of two is cut into 256 equal buckets, so
//! a bucket is at most 1/256 = 0.39% of the values in it. From 2^42 ns (73 minutes) on, one last bucket;
//! `max` stays exact there. We keep our own instead of the `hdrhistogram` crate because recording is part of
//! the hot loop: here it is one subtraction, one shift and three additions, with no error to handle.
//! Deliberately absent: percent (quantiles are in [0, 1]), interpolation, and any text.

use crate::units::Nanos;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::{Range, RangeInclusive};

const SUB_BITS: u32 = 8;
const SUB_BUCKETS: u64 = 1 << SUB_BITS;
/// First value that goes to the overflow bucket.
const OVERFLOW_NS: u64 = 1 << OVERFLOW_BITS;
const OVERFLOW_BITS: u32 = 42;
pub(super) const BUCKETS: usize =
    ((OVERFLOW_BITS - SUB_BITS + 1) as usize) * SUB_BUCKETS as usize + 1;

/// Buckets in one column of a [`LatencyHeat`](super::LatencyHeat).
pub(super) const BUCKETS_PER_COLUMN: usize = 32;

/// Counts per latency bucket. Recording neither allocates nor fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Encoded", into = "Encoded")]
pub struct LatencyHistogram {
    counts: Vec<u64>, // len = BUCKETS
    count: u64,       // sum of counts
    sum_ns: u128,
    min_ns: u64, // u64::MAX while empty
    max_ns: u64, // 0 while empty
}

impl Default for LatencyHistogram {
    fn default() -> Self {
        Self::new()
    }
}

impl LatencyHistogram {
    /// Empty. Allocates once, 72 KiB of address space; the pages are touched only as values fall in them.
    pub fn new() -> Self {
        LatencyHistogram {
            counts: vec![0; BUCKETS],
            count: 0,
            sum_ns: 0,
            min_ns: u64::MAX,
            max_ns: 0,
        }
    }

    /// Counts one latency.
    #[inline]
    pub fn record(&mut self, latency: Nanos) {
        let ns = latency.0;
        self.counts[bucket_of(ns)] += 1;
        self.count += 1;
        self.sum_ns += u128::from(ns);
        self.min_ns = self.min_ns.min(ns);
        self.max_ns = self.max_ns.max(ns);
    }

    /// Counts one latency in its bucket and nowhere else, for a loop that counts the totals itself. Nothing may
    /// be read until [`LatencyHistogram::with_totals`] has them.
    #[inline]
    pub fn record_bucket(&mut self, latency: Nanos) {
        self.counts[bucket_of(latency.0)] += 1;
    }

    /// Ends a row of [`LatencyHistogram::record_bucket`]: exact sum, smallest and largest of what was counted.
    /// `min` is `MAX` and the others are 0 where nothing was.
    #[must_use]
    pub fn with_totals(mut self, sum_ns: u128, min: Nanos, max: Nanos) -> Self {
        self.count = self.counts.iter().sum();
        (self.sum_ns, self.min_ns, self.max_ns) = (sum_ns, min.0, max.0);
        self
    }

    /// Adds everything that `other` counted; counts stop at the largest number.
    pub fn merge(&mut self, other: &LatencyHistogram) {
        let held = other.held();
        let mine = self.counts[held.clone()].iter_mut();
        for (mine, theirs) in mine.zip(&other.counts[held]) {
            *mine = mine.saturating_add(*theirs);
        }
        self.count = self.count.saturating_add(other.count);
        self.sum_ns = self.sum_ns.saturating_add(other.sum_ns);
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// The buckets that may have counts: of thousands, those between the smallest and the largest.
    fn held(&self) -> Range<usize> {
        from_to(self.min_ns, self.max_ns)
    }

    /// How many latencies were counted.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Exact sum.
    pub fn sum_ns(&self) -> u128 {
        self.sum_ns
    }

    /// Exact smallest, `None` while empty.
    pub fn min(&self) -> Option<Nanos> {
        (self.count > 0).then_some(Nanos(self.min_ns))
    }

    /// Exact largest, `None` while empty.
    pub fn max(&self) -> Option<Nanos> {
        (self.count > 0).then_some(Nanos(self.max_ns))
    }

    /// Exact mean in nanoseconds, `None` while empty.
    pub fn mean_ns(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum_ns as f64 / self.count as f64)
    }

    /// Nearest rank: the bucket that contains the ⌈`quantile` × n⌉-th smallest value, answered as the middle of
    /// that bucket and never outside `min`…`max`; so within 0.2% of the exact value. `None` while empty.
    /// // quantile in [0, 1]
    pub fn quantile(&self, quantile: f64) -> Option<Nanos> {
        if self.count == 0 {
            return None;
        }
        let rank =
            ((quantile.clamp(0.0, 1.0) * self.count as f64).ceil() as u64).clamp(1, self.count);
        if rank == self.count {
            return self.max();
        }
        let mut below = 0_u64;
        let mut held = self.held();
        let reached = |index: &usize| {
            below = below.saturating_add(self.counts[*index]);
            below >= rank
        };
        let (low, high) = bounds_of(held.find(reached)?);
        let middle = low.0 + (high.0 - low.0) / 2;
        Some(Nanos(middle.clamp(self.min_ns, self.max_ns)))
    }

    /// Buckets with counts: smallest and largest value that falls in each, and its count.
    pub fn buckets(&self) -> impl Iterator<Item = (Nanos, Nanos, u64)> + '_ {
        self.filled().map(|(index, count)| {
            let (low, high) = bounds_of(index);
            (low, high, count)
        })
    }

    /// The latency that one in so many of all these I/Os exceeds: their quantile 1 - 1/`one_in`, as
    /// [`quantile`](Self::quantile) answers of the merged histograms, but from the buckets alone, without their totals
    /// and without memory; all that was counted is in the range `within`. `None` with fewer I/Os than that.
    /// // one_in above 0
    pub fn exceeded_by_one_in(
        one_in: u64,
        parts: &[&LatencyHistogram],
        within: RangeInclusive<Nanos>,
    ) -> Option<Nanos> {
        let held = from_to(within.start().0, within.end().0);
        let of = |part: &&LatencyHistogram| part.counts[held.clone()].iter().sum::<u64>();
        let count: u64 = parts.iter().map(of).sum();
        let beyond = count / one_in;
        let mut above = 0;
        let reached = |index: &usize| {
            above += parts.iter().map(|part| part.counts[*index]).sum::<u64>();
            above > beyond
        };
        let index = held.rev().find(reached).filter(|_| beyond > 0)?;
        let (low, high) = bounds_of(index);
        Some(Nanos(low.0 + (high.0 - low.0) / 2))
    }

    /// The column of a [`LatencyHeat`](super::LatencyHeat) that counts this latency.
    pub fn column_of(latency: Nanos) -> usize {
        bucket_of(latency.0) / BUCKETS_PER_COLUMN
    }

    /// How many latencies were counted in a column, from the buckets alone, without their totals and without memory.
    /// // column below [`LatencyHeat::COLUMNS`](super::LatencyHeat::COLUMNS)
    pub fn column(&self, column: usize) -> u64 {
        let from = column * BUCKETS_PER_COLUMN;
        let to = (from + BUCKETS_PER_COLUMN).min(BUCKETS);
        self.counts[from..to].iter().sum()
    }

    /// The non-empty counts by bucket number, for storing. The numbering is fixed for good.
    pub fn sparse(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.filled()
            .map(|(index, count)| (u32::try_from(index).expect("few thousand buckets"), count))
    }

    fn filled(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let held = self.held();
        held.clone()
            .zip(&self.counts[held])
            .filter(|(_, count)| **count > 0)
            .map(|(index, count)| (index, *count))
    }

    /// The reverse of [`sparse`](Self::sparse) with the exact figures; `None` where they contradict each
    /// other, as damaged data would.
    pub fn from_sparse(
        counts: impl IntoIterator<Item = (u32, u64)>,
        sum_ns: u128,
        extremes: Option<(Nanos, Nanos)>,
    ) -> Option<Self> {
        let mut histogram = LatencyHistogram::new();
        for (index, count) in counts {
            let place = histogram.counts.get_mut(index as usize)?;
            *place = place.checked_add(count)?;
            histogram.count = histogram.count.checked_add(count)?;
        }
        let Some((min, max)) = extremes else {
            return (histogram.count == 0 && sum_ns == 0).then_some(histogram);
        };
        (histogram.sum_ns, histogram.min_ns, histogram.max_ns) = (sum_ns, min.0, max.0);
        let count = u128::from(histogram.count);
        let within: u64 = histogram.filled().map(|(_, count)| count).sum();
        let fits = within == histogram.count
            && count > 0
            && sum_ns >= u128::from(min.0) * count
            && sum_ns <= u128::from(max.0) * count
            && histogram.counts[bucket_of(min.0)] > 0
            && histogram.counts[bucket_of(max.0)] > 0;
        fits.then_some(histogram)
    }
}

/// The buckets of all values from one to another; none where that is no range.
fn from_to(min_ns: u64, max_ns: u64) -> Range<usize> {
    match min_ns <= max_ns {
        true => bucket_of(min_ns)..bucket_of(max_ns) + 1,
        false => 0..0,
    }
}

#[inline]
fn bucket_of(ns: u64) -> usize {
    if ns >= OVERFLOW_NS {
        return BUCKETS - 1;
    }
    let shift = (63 - (ns | SUB_BUCKETS).leading_zeros()) - SUB_BITS;
    u64::from(shift) as usize * SUB_BUCKETS as usize + (ns >> shift) as usize
}

/// Smallest and largest value that falls in the bucket.
pub(super) fn bounds_of(index: usize) -> (Nanos, Nanos) {
    if index == BUCKETS - 1 {
        return (Nanos(OVERFLOW_NS), Nanos::MAX);
    }
    let index = index as u64;
    if index < 2 * SUB_BUCKETS {
        return (Nanos(index), Nanos(index));
    }
    let shift = index / SUB_BUCKETS - 1;
    let sub = index - shift * SUB_BUCKETS; // in [256, 511]
    (Nanos(sub << shift), Nanos(((sub + 1) << shift) - 1))
}

/// How a histogram is written as a document: the sparse counts and the exact figures.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Encoded {
    counts: Vec<(u32, u64)>,
    sum_ns: u128,
    extremes_ns: Option<(Nanos, Nanos)>,
}

impl From<LatencyHistogram> for Encoded {
    fn from(histogram: LatencyHistogram) -> Self {
        Encoded {
            counts: histogram.sparse().collect(),
            sum_ns: histogram.sum_ns,
            extremes_ns: histogram.min().zip(histogram.max()),
        }
    }
}

impl TryFrom<Encoded> for LatencyHistogram {
    type Error = &'static str;

    fn try_from(encoded: Encoded) -> Result<Self, Self::Error> {
        LatencyHistogram::from_sparse(encoded.counts, encoded.sum_ns, encoded.extremes_ns)
            .ok_or("a histogram whose counts, sum and extremes contradict each other")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(values: &[u64]) -> LatencyHistogram {
        let mut histogram = LatencyHistogram::new();
        for &value in values {
            histogram.record(Nanos(value));
        }
        histogram
    }

    #[test]
    fn an_empty_one_has_no_figures() {
        let empty = LatencyHistogram::new();
        assert_eq!((empty.count(), empty.min(), empty.max()), (0, None, None));
        assert_eq!((empty.mean_ns(), empty.quantile(0.5)), (None, None));
    }

    #[test]
    fn buckets_follow_each_other_without_gap_or_overlap() {
        let mut next = 0;
        for index in 0..BUCKETS - 1 {
            let (low, high) = bounds_of(index);
            assert_eq!(low.0, next);
            assert_eq!((bucket_of(low.0), bucket_of(high.0)), (index, index));
            next = high.0 + 1;
        }
        assert_eq!(next, OVERFLOW_NS);
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn the_largest_value_stays_exact_beyond_the_last_bucket() {
        let histogram = of(&[1, OVERFLOW_NS + 17]);
        assert_eq!(histogram.max(), Some(Nanos(OVERFLOW_NS + 17)));
        assert_eq!(histogram.quantile(1.0), Some(Nanos(OVERFLOW_NS + 17)));
    }

    proptest! {
        #[test]
        fn quantiles_are_within_the_bucket_error_of_the_exact_nearest_rank(
            mut values in prop::collection::vec(0u64..1 << 41, 1..300),
            quantile in 0.0f64..=1.0,
        ) {
            let histogram = of(&values);
            values.sort_unstable();
            let rank = ((quantile * values.len() as f64).ceil() as usize).clamp(1, values.len());
            let exact = values[rank - 1];
            let reported = histogram.quantile(quantile).unwrap().0;
            // The middle of a bucket: off by half its width at most, and its width is one sub-bucket's share.
            prop_assert!(reported.abs_diff(exact) * 2 * SUB_BUCKETS <= exact, "{reported} for {exact}");
        }

        #[test]
        fn from_the_slow_end_it_is_the_same_quantile(
            first in prop::collection::vec(0u64..1 << 41, 1..300),
            second in prop::collection::vec(0u64..1 << 20, 1..300),
        ) {
            let (first, second) = (of(&first), of(&second));
            let mut both = first.clone();
            both.merge(&second);
            let within = || both.min().unwrap()..=both.max().unwrap();
            let reported = LatencyHistogram::exceeded_by_one_in(2, &[&first, &second], within());
            let median = both.quantile(0.5).unwrap();
            prop_assert!(reported.unwrap().0.abs_diff(median.0) * 2 * SUB_BUCKETS <= median.0);
            let few = LatencyHistogram::exceeded_by_one_in(1000, &[&first, &second], within());
            prop_assert_eq!(few, None);
        }

        #[test]
        fn count_sum_and_extremes_are_exact(values in prop::collection::vec(any::<u64>(), 1..100)) {
            let histogram = of(&values);
            prop_assert_eq!(histogram.count(), values.len() as u64);
            prop_assert_eq!(histogram.sum_ns(), values.iter().map(|&v| u128::from(v)).sum::<u128>());
            prop_assert_eq!(histogram.min().unwrap().0, *values.iter().min().unwrap());
            prop_assert_eq!(histogram.max().unwrap().0, *values.iter().max().unwrap());
        }

        #[test]
        fn merging_is_recording_both(
            a in prop::collection::vec(any::<u64>(), 0..50),
            b in prop::collection::vec(any::<u64>(), 0..50),
        ) {
            let mut merged = of(&a);
            merged.merge(&of(&b));
            prop_assert_eq!(merged, of(&[a, b].concat()));
        }

        #[test]
        fn a_document_reads_back_the_same(values in prop::collection::vec(any::<u64>(), 0..50)) {
            let histogram = of(&values);
            let text = serde_json::to_string(&histogram).unwrap();
            prop_assert_eq!(serde_json::from_str::<LatencyHistogram>(&text).unwrap(), histogram);
        }
    }

    #[test]
    fn damaged_figures_are_refused() {
        for (counts, sum, extremes) in [
            (vec![(0, 1)], 0, None),
            (vec![(9_000, 1)], 1, Some((1, 1))),
            (vec![(5, 1)], 5, Some((6, 5))),
            (vec![(5, 2)], 5, Some((5, 5))),
            (vec![(5, u64::MAX), (6, 1)], 5, Some((5, 6))),
        ] {
            let extremes = extremes.map(|(a, b)| (Nanos(a), Nanos(b)));
            assert_eq!(LatencyHistogram::from_sparse(counts, sum, extremes), None);
        }
    }
}
