//! How long a cell may take, so that the whole stays within what a person gave.
//!
//! What remains is shared evenly among the cells that may still come, so what a short ladder leaves goes
//! to the cells after it. A cell costs more than its phases (opening, counters, storing): what the
//! finished cells cost beyond theirs, on average, is taken off each share.
//!
//! The law: a cell is handed out only while something remains, and more than the least time only where its
//! share covers it. So the whole is over the budget by less than one cell of the least time with its own
//! overhead. Which cell is worth its time is decided in `survey`; here is only arithmetic.

use crate::Measured;
use model::{Nanos, Outcome, Phases};

/// What a person gets without asking.
pub const BUDGET_DEFAULT: Nanos = Nanos::seconds(180);
/// Longest planned time of one cell, warm-up included: as long as one of the whole grid.
pub const CELL_MAX: Nanos = Nanos::seconds(5);
/// The same of a cell in an open loop: a percentile near saturation needs many I/Os, because waiting times are
/// autocorrelated.
pub(crate) const GOAL_MAX: Nanos = Nanos::seconds(20);
/// Shortest measured phase: at 100 IOPS, a slow disk, still 20 I/Os.
pub const MEASURED_MIN: Nanos = Nanos::millis(200);
/// Shortest warm-up: enough to fill the queue of any device.
pub const WARMUP_MIN: Nanos = Nanos::millis(100);
/// Longest warm-up: what is left of it in the measured phase is cut off when the result is read.
pub const WARMUP_MAX: Nanos = Nanos::millis(300);

/// Least planned time of one cell.
pub(crate) const CELL_MIN: Nanos = WARMUP_MIN.plus(MEASURED_MIN);
/// What a cell is taken to cost beyond its phases before any has been seen.
const OVERHEAD_GUESS: Nanos = Nanos::millis(50);
/// One part in so many of a cell is warm-up.
const WARMUP_SHARE: u64 = 5;
/// Steps of the time series a cell, at most: fine ones, because a cell may end long before its time.
const STEPS_MAX: u64 = 500;
/// Lengths of a step that read well on an axis, in milliseconds.
const INTERVALS_MS: [u64; 3] = [10, 20, 50];

/// The least budget for so many cells, in whole seconds.
pub(crate) fn least(cells: usize) -> Nanos {
    let each = CELL_MIN.plus(OVERHEAD_GUESS);
    Nanos::seconds((each.0 * cells as u64).div_ceil(1_000_000_000))
}

/// What so many cells of one length are likely to take, in whole seconds.
pub(crate) fn for_cells(cells: usize, each: Nanos) -> Nanos {
    let each = each.plus(OVERHEAD_GUESS);
    Nanos::seconds((each.0.saturating_mul(cells as u64)).div_ceil(1_000_000_000))
}

/// What the finished cells left, and what the next ones are likely to cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Purse {
    /// Of the budget. // 0 when it is spent
    pub(crate) remaining: Nanos,
    /// Of one cell, beyond its phases.
    pub(crate) overhead: Nanos,
}

impl Purse {
    pub(crate) fn after(done: &[Measured], budget: Nanos) -> Purse {
        let spent = done.iter().fold(Nanos(0), |sum, cell| sum.plus(cell.wall));
        // A cell that was cut short is no measure of a whole one.
        let whole = done
            .iter()
            .filter(|cell| cell.record.outcome == Outcome::Complete);
        let (cells, beyond) = whole.fold((0u64, Nanos(0)), |(cells, sum), cell| {
            let beyond = cell.wall.minus(cell.record.plan.phases.total());
            (cells + 1, sum.plus(beyond))
        });
        Purse {
            remaining: budget.minus(spent),
            overhead: match cells {
                0 => OVERHEAD_GUESS,
                _ => Nanos(beyond.0.div_ceil(cells)),
            },
        }
    }

    /// What the least cell is likely to cost in all.
    pub(crate) fn least_cell(&self) -> Nanos {
        CELL_MIN.plus(self.overhead)
    }

    /// The phases of the next of `cells` cells, in whole milliseconds, so that a user can specify them again. It
    /// measures for no longer than `most`, but for the least that gives a result. // cells at least 1
    pub(crate) fn phases(&self, cells: usize, most: Nanos) -> Phases {
        let phases = self.phases_within(cells, CELL_MAX);
        Phases {
            measured: whole_millis(phases.measured.min(most.max(MEASURED_MIN))),
            ..phases
        }
    }

    /// The same of a cell whose percentiles are what it is run for.
    pub(crate) fn phases_of_goal(&self, cells: usize) -> Phases {
        self.phases_within(cells, GOAL_MAX)
    }

    fn phases_within(&self, cells: usize, most: Nanos) -> Phases {
        assert!(cells > 0, "there is a next cell");
        let share = Nanos(self.remaining.0 / cells as u64);
        let planned = whole_millis(share.minus(self.overhead)).clamp(CELL_MIN, most);
        let warmup = whole_millis(Nanos(planned.0 / WARMUP_SHARE)).clamp(WARMUP_MIN, WARMUP_MAX);
        Phases {
            warmup,
            measured: planned.minus(warmup),
            cooldown: Nanos(0),
        }
    }

    /// How long `cells` cells will take at most.
    pub(crate) fn time_for(&self, cells: usize) -> Nanos {
        let each = CELL_MAX.plus(self.overhead);
        let longest = Nanos(each.0.saturating_mul(cells as u64));
        self.remaining.max(self.least_cell()).min(longest)
    }
}

fn whole_millis(time: Nanos) -> Nanos {
    Nanos(time.0 - time.0 % Nanos::millis(1).0)
}

/// A step of the time series: at least twenty of them in the measured phase.
pub(crate) fn interval(measured: Nanos) -> Nanos {
    INTERVALS_MS
        .map(Nanos::millis)
        .into_iter()
        .find(|step| measured.0.div_ceil(step.0) <= STEPS_MAX)
        .expect("no cell is longer than GOAL_MAX, which is fewer than 500 of the longest step")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_cell_keeps_to_its_bounds(remaining in 0..1_000_000_000_000u64, overhead in 0..5_000_000_000u64, cells in 1usize..60) {
            let purse = Purse { remaining: Nanos(remaining), overhead: Nanos(overhead) };
            let phases = purse.phases(cells, Nanos::MAX);
            prop_assert!(phases.measured >= MEASURED_MIN);
            prop_assert!((WARMUP_MIN..=WARMUP_MAX).contains(&phases.warmup));
            prop_assert!((CELL_MIN..=CELL_MAX).contains(&phases.total()));
            prop_assert!(phases.total() == CELL_MIN || phases.total().plus(purse.overhead).0 <= remaining / cells as u64);
            prop_assert!([phases.warmup, phases.measured].iter().all(|phase| phase.0 % 1_000_000 == 0));
            let steps = phases.measured.0.div_ceil(interval(phases.measured).0);
            prop_assert!((20..=500).contains(&steps), "{steps}");
        }
    }

    #[test]
    fn a_fifth_of_a_cell_is_warm_up() {
        let purse = Purse {
            remaining: Nanos::seconds(50),
            overhead: Nanos(0),
        };
        assert_eq!(purse.phases(10, Nanos::MAX).warmup, WARMUP_MAX);
        assert_eq!(purse.phases(10, Nanos::MAX).total(), Nanos::seconds(5));
        let short = Purse {
            remaining: Nanos::seconds(5),
            overhead: Nanos(0),
        };
        assert_eq!(short.phases(5, Nanos::MAX).warmup, Nanos::millis(200));
        assert_eq!(interval(Nanos::seconds(4)), Nanos::millis(10));
    }

    #[test]
    fn the_least_budget_is_in_whole_seconds() {
        assert_eq!(least(56), Nanos::seconds(20));
        assert_eq!(least(7), Nanos::seconds(3));
    }
}
