//! How long a sweep will take: before it runs from what was asked, and while it runs from what it has cost so far.
//!
//! A cell costs its phases, the rest after it, and what stands around it (opening, counters, keeping). Simulated phases, and
//! those that an amount ends, take less than was planned. Both are guesses until the first cell is done and means of the last
//! ones from then on. Pure: times are arguments.

use model::{Nanos, Phases, Target, WriteContent};

/// What stands around a cell, before any has been seen: about what nine of ten gaps took at most on a virtual disk
/// (`cargo xtask bench gap`, docs/bench.md). A disk that turns takes longer to keep a result.
pub const AROUND_GUESS: Nanos = Nanos::millis(8);
/// The same of a cell that all ranks of a job begin together: they agree on the start, and rank 0 collects what they did.
/// 230 ms with two ranks on two cores, 340 ms with eight.
pub(crate) const AROUND_GUESS_OF_JOB: Nanos = Nanos::millis(300);
/// The share of simulated time that its computation takes, before any has been seen: 10 ms to 20 ms for each second of a survey of `sim:ssd`.
pub(crate) const SIMULATED_GUESS: f64 = 0.02;
/// What files are taken to be written at before any has been. Half of what a SATA link carries: a disk may well be
/// slower and most are faster, and the first file shows.
pub const FILL_GUESS_BYTES_PER_S: u64 = 256 << 20;
/// What memory that all writes of a target are taken from (`-Z1G`) is filled at with random bytes, before any run. One GiB took 1.9 s
/// of a processor's time on a virtual machine.
const SOURCE_GUESS_BYTES_PER_S: u64 = 512 << 20;
/// How many cells the mean looks back over.
const MEMORY: u64 = 32;

/// What a cell costs, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    seen: u64,
    around: Nanos,
    /// Of the planned phases, what they take. // in [0, 1]
    share: f64,
}

impl Default for Pace {
    fn default() -> Self {
        Pace {
            seen: 0,
            around: AROUND_GUESS,
            share: 1.0,
        }
    }
}

impl Pace {
    /// Before any cell has been seen: of simulated targets, and of many ranks.
    pub fn guess(is_simulated: bool, is_job: bool) -> Pace {
        Pace {
            share: if is_simulated { SIMULATED_GUESS } else { 1.0 },
            around: if is_job {
                AROUND_GUESS_OF_JOB
            } else {
                AROUND_GUESS
            },
            ..Pace::default()
        }
    }

    /// A cell that was planned to take so long took so long in all, its rest not counted.
    pub fn learn(&mut self, planned: Nanos, took: Nanos) {
        let around = took.minus(planned);
        let weight = self.seen.min(MEMORY - 1);
        let sum = u128::from(self.around.0) * u128::from(weight) + u128::from(around.0);
        self.around = Nanos(u64::try_from(sum / u128::from(weight + 1)).unwrap_or(u64::MAX));
        let share = (took.0 as f64 / planned.0.max(1) as f64).min(1.0);
        self.share = (self.share * weight as f64 + share) / (weight + 1) as f64;
        self.seen += 1;
    }

    /// Of one cell, beyond its phases and its rest.
    pub fn around(&self) -> Nanos {
        self.around
    }

    /// What phases of this length take.
    pub fn load(&self, planned: Nanos) -> Nanos {
        match self.share < 1.0 {
            true => Nanos((planned.0 as f64 * self.share) as u64),
            false => planned,
        }
    }

    /// What cells of these phases will take, with a rest between each and the next.
    pub fn time_for<'a>(&self, cells: impl Iterator<Item = &'a Phases>, rest: Nanos) -> Nanos {
        let one = |phases: &Phases| self.load(phases.total()).plus(self.around).plus(rest);
        let sum = cells.fold(Nanos(0), |sum, phases| sum.plus(one(phases)));
        sum.minus(rest)
    }
}

/// What writing a file of so many bytes is taken to last.
pub fn filling(bytes: u64) -> Nanos {
    time_at(bytes, FILL_GUESS_BYTES_PER_S)
}

/// What a cell does before its phases for as long as its request makes it: memory that its writes are taken from is filled.
pub fn preparation(targets: &[Target]) -> Nanos {
    let source = |target: &Target| match target.content {
        WriteContent::Source { bytes, .. } if target.workload.write.as_percent() > 0 => bytes.0,
        _ => 0,
    };
    let bytes = targets.iter().map(source);
    time_at(bytes.fold(0, u64::saturating_add), SOURCE_GUESS_BYTES_PER_S)
}

fn time_at(bytes: u64, per_s: u64) -> Nanos {
    let ns = u128::from(bytes) * 1_000_000_000 / u128::from(per_s);
    Nanos(u64::try_from(ns).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Access, Bytes, QueueDepth, Ratio, Workload};

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
    fn simulated_time_is_no_wall_time_and_the_first_cell_shows_what_it_costs() {
        let mut pace = Pace::guess(true, false);
        let cells = [phases(0, 100); 10];
        let ahead = |pace: &Pace| pace.time_for(cells.iter(), Nanos(0));
        assert!(ahead(&pace) < Nanos::seconds(100), "{:?}", ahead(&pace));
        for _ in 0..100 {
            pace.learn(Nanos::seconds(100), Nanos::millis(500));
        }
        let ahead = ahead(&pace);
        assert!(
            ahead > Nanos::seconds(4) && ahead < Nanos::seconds(6),
            "{ahead:?}"
        );
        assert_eq!(Pace::guess(false, true).around(), AROUND_GUESS_OF_JOB);
    }

    #[test]
    fn a_gigabyte_takes_four_seconds_at_the_guess() {
        assert_eq!(filling(1 << 30), Nanos::seconds(4));
        assert_eq!(filling(0), Nanos(0));
    }

    #[test]
    fn memory_of_writes_is_filled_before_the_phases_where_there_are_writes() {
        let target = |write: u8, content: WriteContent| {
            let location = model::Location::Path("x".into());
            let workload = Workload {
                block: Bytes::kib(4),
                queue_depth: QueueDepth(1),
                write: Ratio::percent(write).unwrap(),
                access: Access::Random,
            };
            let target = Target::new(location, workload);
            Target { content, ..target }
        };
        let source = WriteContent::Source {
            bytes: Bytes(1 << 30),
            file: None,
        };
        let of = |targets: Vec<Target>| preparation(&targets);
        assert_eq!(of(vec![target(100, source.clone())]), Nanos::seconds(2));
        let two = vec![target(30, source.clone()), target(100, source.clone())];
        assert_eq!(of(two), Nanos::seconds(4));
        assert_eq!(of(vec![target(0, source)]), Nanos(0));
        assert_eq!(of(vec![target(100, WriteContent::Marked)]), Nanos(0));
    }
}
