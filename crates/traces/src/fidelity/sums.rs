//! What is counted of a part of a trace, as one row of numbers, so that parts are added by adding rows.
//!
//! Each property has its places in the row. Omitted: what follows from them (`distance`).

use std::ops::Range;

/// Values of one kind: their first place and how many.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    first: usize,
    count: usize,
}

impl Span {
    const fn after(self, count: usize) -> Span {
        Span {
            first: self.first + self.count,
            count,
        }
    }

    pub(super) const fn range(self) -> Range<usize> {
        self.first..self.first + self.count
    }

    /// The place of a value; values beyond the last count as that.
    pub(super) fn at(self, value: usize) -> usize {
        self.first + value.min(self.count - 1)
    }
}

/// Sizes by operation, in sectors up to 1 MiB.
pub(super) const SECTORS: usize = 2050;
/// Classes of [`class`], for plain counts.
const CLASSES: usize = 320;
/// Windows of the ten scales: the shortest has 2^20 ns.
pub(super) const SCALES: usize = 10;
pub(super) const SCALE_SHIFT: u32 = 20;
/// Lags of the autocorrelations.
pub(super) const LAGS: usize = 20;
/// What an autocorrelation adds up: windows, sum, sum of squares, products by lag.
pub(super) const SERIES: usize = 3 + LAGS;

pub(super) const OPERATIONS: Span = Span { first: 0, count: 2 };
pub(super) const SIZES: Span = OPERATIONS.after(2 * SECTORS);
pub(super) const NEXT: Span = SIZES.after(4);
pub(super) const JUMPS: Span = NEXT.after(129);
pub(super) const ZONES: Span = JUMPS.after(crate::learn::ZONES_MAX);
pub(super) const REUSE: Span = ZONES.after(64);
pub(super) const RUNS: Span = REUSE.after(CLASSES);
pub(super) const GAPS: Span = RUNS.after(512);
pub(super) const COUNTS: Span = GAPS.after(2 * SCALES);
pub(super) const SHORT_SERIES: Span = COUNTS.after(SERIES);
pub(super) const LONG_SERIES: Span = SHORT_SERIES.after(SERIES);
pub(super) const DEPTHS: Span = LONG_SERIES.after(CLASSES);
pub(super) const FLUSHES: Span = DEPTHS.after(CLASSES);
pub(super) const LENGTH: usize = FLUSHES.first + FLUSHES.count;

/// The class of a count: itself up to 64, then eight classes per power of two.
pub(super) fn class(value: u64) -> usize {
    fine(value, 64, 8)
}

/// The class of a time in nanoseconds: eight classes per power of two.
pub(super) fn time_class(ns: u64) -> usize {
    fine(ns, 8, 8)
}

fn fine(value: u64, exact: u64, steps: u64) -> usize {
    if value < exact {
        return value as usize;
    }
    let power = value.ilog2();
    let within = (value - (1 << power)) / ((1u64 << power) / steps).max(1);
    let octave = u64::from(power - exact.ilog2());
    (exact + octave * steps + within) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_ascend_without_gaps() {
        let mut last = 0;
        for value in 0..100_000 {
            let next = class(value);
            assert!(next == last || next == last + 1, "{value}");
            last = next;
        }
        assert!(class(1 << 32) < CLASSES && time_class(u64::MAX) < 512);
    }
}
