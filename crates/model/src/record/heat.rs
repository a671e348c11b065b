//! How latencies were spread in each stretch of a run: coarse counts, row after row of time.
//!
//! A column is 32 buckets of [`LatencyHistogram`]: 32 ns wide up to 512 ns, and from there on eight columns a power of
//! two, so that a column is at most an eighth wider than where it begins; one last column from 2^42 ns on. The numbering
//! is fixed for good, because it is stored. Fine enough for a heat map over time and for how far the share of I/Os beyond
//! a latency goes up and down; percentiles of the whole run are the histogram's. Kept per target and operation, all
//! threads together: what differs between threads is in their own time series.

use super::histogram::{BUCKETS, BUCKETS_PER_COLUMN, LatencyHistogram, bounds_of};
use crate::plan::Operation;
use crate::units::Nanos;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Latencies of one target and operation over time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LatencyHeat {
    /// Which of the plan's targets.
    pub target: u32,
    /// What was done.
    pub operation: Operation,
    /// How long a row is: the plan's interval, or a whole multiple of it where rows of that length would have taken too
    /// much memory. // above 0
    pub step: Nanos,
    /// From the start of the measured phase. A run that was stopped has only those that it reached.
    pub rows: Vec<HeatRow>,
}

/// The latencies of one stretch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct HeatRow {
    /// Non-empty columns with their counts, in rising order. // counts above 0
    counts: Vec<(u16, u64)>,
}

impl HeatRow {
    /// Of columns in rising order with the count of each; `None` where they do not rise, lie beyond the last, or are
    /// empty.
    pub fn new(counts: Vec<(u16, u64)>) -> Option<Self> {
        let rising = counts.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let inside =
            |&(column, count): &(u16, u64)| usize::from(column) < LatencyHeat::COLUMNS && count > 0;
        (rising && counts.iter().all(inside)).then_some(HeatRow { counts })
    }

    /// Of the counts of all columns. // at most [`LatencyHeat::COLUMNS`]
    pub fn of_dense(counts: &[u64]) -> Self {
        let held = || (0u16..).zip(counts).filter(|(_, count)| **count > 0);
        let mut sparse = Vec::with_capacity(held().count());
        sparse.extend(held().map(|(column, count)| (column, *count)));
        HeatRow { counts: sparse }
    }

    /// Non-empty columns with their counts, in rising order.
    pub fn counts(&self) -> &[(u16, u64)] {
        &self.counts
    }

    /// All I/Os of the stretch.
    pub fn total(&self) -> u64 {
        sum(&self.counts)
    }

    /// I/Os in this column and in slower ones: those that took at least [`LatencyHeat::bounds`] of it.
    pub fn from_column(&self, column: u16) -> u64 {
        let begin = self.counts.partition_point(|(other, _)| *other < column);
        sum(&self.counts[begin..])
    }

    fn merge(&mut self, other: &HeatRow) {
        for &(column, count) in &other.counts {
            match self.counts.binary_search_by_key(&column, |mine| mine.0) {
                Ok(place) => {
                    let mine = &mut self.counts[place].1;
                    *mine = mine.saturating_add(count);
                }
                Err(place) => self.counts.insert(place, (column, count)),
            }
        }
    }
}

/// The sum of these counts, at most the largest number.
fn sum(counts: &[(u16, u64)]) -> u64 {
    let counts = counts.iter().map(|(_, count)| *count);
    counts.fold(0, u64::saturating_add)
}

impl LatencyHeat {
    /// How many columns there are.
    pub const COLUMNS: usize = BUCKETS.div_ceil(BUCKETS_PER_COLUMN);

    /// The column that counts this latency.
    pub fn column_of(latency: Nanos) -> u16 {
        u16::try_from(LatencyHistogram::column_of(latency)).expect("a few hundred columns")
    }

    /// Smallest and largest latency that a column counts. // column below [`LatencyHeat::COLUMNS`]
    pub fn bounds(column: u16) -> (Nanos, Nanos) {
        let first = usize::from(column) * BUCKETS_PER_COLUMN;
        let last = (first + BUCKETS_PER_COLUMN).min(BUCKETS) - 1;
        (bounds_of(first).0, bounds_of(last).1)
    }

    /// All I/Os in it.
    pub fn total(&self) -> u64 {
        let rows = self.rows.iter().map(HeatRow::total);
        rows.fold(0, u64::saturating_add)
    }

    /// Adds what `other` counted, row by row, of any target and operation. Rows of another length cannot be added:
    /// then nothing changes, and the answer is no.
    pub fn merge(&mut self, other: &LatencyHeat) -> bool {
        if self.step != other.step {
            return false;
        }
        if self.rows.len() < other.rows.len() {
            self.rows.resize(other.rows.len(), HeatRow::default());
        }
        for (mine, theirs) in self.rows.iter_mut().zip(&other.rows) {
            mine.merge(theirs);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_eight_a_power_of_two_without_a_gap() {
        assert_eq!(LatencyHeat::COLUMNS, 281);
        let mut next = Nanos(0);
        for column in 0..LatencyHeat::COLUMNS as u16 {
            let (low, high) = LatencyHeat::bounds(column);
            assert_eq!(low, next, "column {column}");
            assert_eq!(LatencyHeat::column_of(low), column);
            assert_eq!(LatencyHeat::column_of(high), column);
            let width = high.0.wrapping_sub(low.0).wrapping_add(1);
            let narrow = width == 32 || width == 1 << (low.0.max(1).ilog2() - 3);
            assert!(narrow || column == 280, "column {column}");
            next = Nanos(high.0.wrapping_add(1));
        }
        assert_eq!(LatencyHeat::bounds(280), (Nanos(1 << 42), Nanos::MAX));
    }

    #[test]
    fn a_row_knows_what_took_at_least_so_long() {
        let row = HeatRow::new(vec![(3, 5), (40, 2), (41, 1)]).unwrap();
        assert_eq!(row.total(), 8);
        assert_eq!(
            [0, 4, 41, 42].map(|column| row.from_column(column)),
            [8, 3, 1, 0]
        );
        for wrong in [vec![(3, 1), (3, 1)], vec![(3, 0)], vec![(281, 1)]] {
            assert_eq!(HeatRow::new(wrong), None);
        }
    }

    #[test]
    fn rows_are_merged_only_where_they_are_as_long() {
        let of = |step, rows: &[&[(u16, u64)]]| LatencyHeat {
            target: 0,
            operation: Operation::Read,
            step: Nanos(step),
            rows: rows
                .iter()
                .map(|row| HeatRow::new(row.to_vec()).unwrap())
                .collect(),
        };
        let mut sum = of(10, &[&[(1, 1), (5, 2)]]);
        assert!(sum.merge(&of(10, &[&[(1, 1), (4, 7)], &[(9, 3)]])));
        let both = of(10, &[&[(1, 2), (4, 7), (5, 2)], &[(9, 3)]]);
        assert_eq!(sum, both);
        assert!(!sum.merge(&of(20, &[&[(1, 1)]])));
        assert_eq!(sum, both);
    }
}
