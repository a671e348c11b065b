//! How long the cells of all climbs may measure together: a share of what the whole grid would.
//!
//! Cells end when they are known as well as asked. On a target whose rate is not steady none of them does, and what
//! the survey knows at the end would still be no better than the target is. So each may only take its part of a time that
//! is set beforehand; what a cell did not need goes to those after it. Workloads without the precision at the end are
//! reported.
//!
//! Deliberately absent: the budget, which is of all that a survey does, warm-up and overhead included (`crate::budget`).

use super::climb::Why;
use crate::Measured;
use crate::budget::{MEASURED_MIN, Purse, WARMUP_MAX};
use crate::repeat::LEAST;
use model::Nanos;

/// Of each workload at least, however small its grid is.
const WORKLOAD_MIN: Nanos = Nanos::seconds(1);
/// What a cell gets as long as the others are left the least: ten bursts of a rate limit that counts ten times a second, as
/// Linux' control groups do. Fewer would not show that they come evenly.
const TEN_LUMPS: Nanos = Nanos::millis(1100);
/// What is known as well as asked, and not half as well, takes more: the deepest load, which is mostly the peak.
const TIMES_TO_BE_SURE: u64 = 2;

/// The part of a workload's time that its peak gets when it is run again.
const AGAIN_PART: u64 = 4;
/// Of the default share of the grid, a ninth more is the tenth.
const BEYOND_PART: u64 = 9;

/// What is left of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Allowance {
    pub(super) left: Nanos,
    /// What a peak that is run again may measure.
    again: Nanos,
    /// The same up to a tenth of the whole grid, for peaks that are run again after climbs that took more than their part.
    to_a_tenth: Nanos,
}

impl Allowance {
    /// As long as it takes.
    pub(super) const UNBOUNDED: Allowance = Allowance {
        left: Nanos::MAX,
        again: Nanos::MAX,
        to_a_tenth: Nanos::MAX,
    };

    /// Of this time for so many workloads, after the cells that are done.
    pub(super) fn of<'a>(
        whole: Nanos,
        workloads: usize,
        done: impl Iterator<Item = &'a Measured>,
    ) -> Allowance {
        let least = Nanos(WORKLOAD_MIN.0.saturating_mul(workloads as u64));
        let spent = done.fold(Nanos(0), |sum, cell| {
            sum.plus(cell.record.phases.measured())
        });
        let whole = whole.max(least);
        let each = Nanos(whole.0 / workloads.max(1) as u64);
        Allowance {
            left: whole.minus(spent),
            again: TEN_LUMPS.min(Nanos(each.0 / AGAIN_PART)),
            to_a_tenth: whole.plus(Nanos(whole.0 / BEYOND_PART)).minus(spent),
        }
    }

    /// What the next peak that is run again may measure; `None` where too little is left.
    pub(super) fn for_again(self) -> Option<Nanos> {
        let least = LEAST.min(self.again);
        (self.to_a_tenth >= least).then(|| self.again.min(self.to_a_tenth))
    }

    /// The same without what so many peaks will take when they are run again.
    pub(super) fn without(self, agains: usize) -> Allowance {
        match self {
            Allowance::UNBOUNDED => self,
            _ => Allowance {
                left: self
                    .left
                    .minus(Nanos(self.again.0.saturating_mul(agains as u64))),
                ..self
            },
        }
    }

    /// What the next of so many cells may measure; never less than what gives a result. // cells at least 1
    pub(super) fn share(&self, why: Why, cells: usize) -> Nanos {
        let times = match why {
            Why::Top | Why::Precision => TIMES_TO_BE_SURE,
            _ => 1,
        };
        let cells = cells as u64;
        let part = (self.left.0 / cells).saturating_mul(times).min(self.left.0);
        let others = LEAST.0.saturating_mul(cells - 1);
        let least = match self.left.0 >= others.saturating_add(TEN_LUMPS.0) {
            true => TEN_LUMPS,
            false => LEAST,
        };
        Nanos(part).max(least)
    }

    /// What so many cells are likely to take in all.
    pub(super) fn time_for(&self, cells: usize, purse: &Purse) -> Nanos {
        let around = WARMUP_MAX.plus(purse.overhead);
        let around = Nanos(around.0.saturating_mul(cells as u64));
        self.left.max(MEASURED_MIN).plus(around)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cell_gets_its_part_and_the_one_that_must_be_sure_two() {
        let allowance = Allowance::of(Nanos::seconds(12), 3, std::iter::empty());
        assert_eq!(allowance.share(Why::Knee, 6), Nanos::seconds(2));
        assert_eq!(allowance.share(Why::Top, 6), Nanos::seconds(4));
        assert_eq!(allowance.share(Why::Top, 1), Nanos::seconds(12));
        // Ten bursts as long as the others are left the least; at the end the least.
        assert_eq!(allowance.share(Why::Knee, 20), TEN_LUMPS);
        assert_eq!(allowance.share(Why::Knee, 100), LEAST);
    }

    #[test]
    fn a_peak_is_run_again_as_long_as_all_is_within_a_tenth() {
        let none = Allowance::of(Nanos::seconds(9), 1, std::iter::empty());
        assert_eq!(none.for_again(), Some(TEN_LUMPS));
        assert_eq!(none.without(2).left, Nanos::millis(9000 - 2200));
        let after = |left: u64| Allowance {
            left: Nanos(0),
            to_a_tenth: Nanos::millis(left),
            ..none
        };
        assert_eq!(after(700).for_again(), Some(Nanos::millis(700)));
        assert_eq!(after(300).for_again(), None);
        assert_eq!(Allowance::UNBOUNDED.without(3), Allowance::UNBOUNDED);
    }

    #[test]
    fn a_small_grid_leaves_each_workload_a_second() {
        let allowance = Allowance::of(Nanos::millis(10), 3, std::iter::empty());
        assert_eq!(allowance.left, Nanos::seconds(3));
        assert_eq!(
            Allowance::UNBOUNDED.share(Why::Top, 3),
            Nanos(u64::MAX / 3 * 2)
        );
    }
}
