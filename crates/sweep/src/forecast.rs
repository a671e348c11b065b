//! How long a sweep will take: before it runs from what was asked, and while it runs from what it has cost so far.
//!
//! A cell costs its phases, the rest after it, and what stands around it (opening, counters, keeping). The last is a
//! guess until the first cell is done and a mean of the last ones from then on. Pure: times are arguments.

use model::{Nanos, Phases};

/// What stands around a cell, before any has been seen: about what nine of ten gaps took at most on a virtual disk
/// (`cargo xtask bench gap`, docs/bench.md). A disk that turns takes longer to keep a result.
pub const AROUND_GUESS: Nanos = Nanos::millis(8);
/// What files are taken to be written at before any has been. Half of what a SATA link carries: a disk may well be
/// slower and most are faster, and the first file shows.
pub const FILL_GUESS_BYTES_PER_S: u64 = 256 << 20;
/// How many cells the mean looks back over.
const MEMORY: u64 = 32;

/// What stands around a cell, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    seen: u64,
    around: Nanos,
}

impl Default for Pace {
    fn default() -> Self {
        Pace {
            seen: 0,
            around: AROUND_GUESS,
        }
    }
}

impl Pace {
    /// A cell that was planned to take so long took so long in all, its rest not counted.
    pub fn learn(&mut self, planned: Nanos, took: Nanos) {
        let around = took.minus(planned);
        let weight = self.seen.min(MEMORY - 1);
        let sum = u128::from(self.around.0) * u128::from(weight) + u128::from(around.0);
        self.around = Nanos(u64::try_from(sum / u128::from(weight + 1)).unwrap_or(u64::MAX));
        self.seen += 1;
    }

    /// Of one cell, beyond its phases and its rest.
    pub fn around(&self) -> Nanos {
        self.around
    }

    /// What cells of these phases will take, with a rest between each and the next.
    pub fn time_for<'a>(&self, cells: impl Iterator<Item = &'a Phases>, rest: Nanos) -> Nanos {
        let one = |phases: &Phases| phases.total().plus(self.around).plus(rest);
        let sum = cells.fold(Nanos(0), |sum, phases| sum.plus(one(phases)));
        sum.minus(rest)
    }
}

/// What writing a file of so many bytes is taken to last.
pub fn filling(bytes: u64) -> Nanos {
    let ns = u128::from(bytes) * 1_000_000_000 / u128::from(FILL_GUESS_BYTES_PER_S);
    Nanos(u64::try_from(ns).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phases(warmup: u64, measured: u64) -> Phases {
        Phases {
            warmup: Nanos::seconds(warmup),
            measured: Nanos::seconds(measured),
            cooldown: Nanos(0),
        }
    }

    #[test]
    fn rests_stand_between_cells_and_not_after_the_last() {
        let cells = [phases(5, 10), phases(5, 10)];
        let pace = Pace::default();
        let asked = Nanos::seconds(5 + 10 + 2 + 5 + 10);
        let around = Nanos(2 * AROUND_GUESS.0);
        assert_eq!(
            pace.time_for(cells.iter(), Nanos::seconds(2)),
            asked.plus(around)
        );
        assert_eq!(pace.time_for([].iter(), Nanos::seconds(2)), Nanos(0));
    }

    #[test]
    fn the_first_cell_replaces_the_guess_and_the_others_move_the_mean() {
        let mut pace = Pace::default();
        pace.learn(Nanos::seconds(1), Nanos::millis(1_100));
        assert_eq!(pace.around(), Nanos::millis(100));
        pace.learn(Nanos::seconds(1), Nanos::millis(1_200));
        assert_eq!(pace.around(), Nanos::millis(150));
        for _ in 0..1_000 {
            pace.learn(Nanos::seconds(1), Nanos::millis(1_010));
        }
        assert!(pace.around() < Nanos::millis(11));
    }

    #[test]
    fn a_gigabyte_takes_four_seconds_at_the_guess() {
        assert_eq!(filling(1 << 30), Nanos::seconds(4));
        assert_eq!(filling(0), Nanos(0));
    }
}
