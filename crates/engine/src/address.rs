//! Where the next I/O goes and what it does: the pure part of every workload.
//!
//! The stream of one thread is a function of seed and thread number alone, independent of timing. Offsets are
//! from the start of the target; alignment is to the block, from the start of the range.

pub(crate) use crate::diskspd_address::Step;
use crate::diskspd_address::Walk;
use crate::permuted::Permuted;
use crate::rng::Jenkins;
use crate::rng::Rng;
use crate::runs::Runs;
use crate::skewed::Skewed;
use crate::stripe::Stripe;
use crate::thread_plan::TargetShare;
use model::{Access, Operation, PlannedTarget};

/// The stream from which the start of a sequential walk is drawn; threads count from 0 and never come here.
const START_STREAM: u64 = 1 << 63;

/// Where a thread goes on one target: fathom's own way, or DISKSPD's.
#[derive(Debug)]
pub(crate) enum Route {
    Own(Steps),
    Diskspd(Walk),
}

impl Route {
    /// The next step of a slot. `rng` is the thread's; fathom's own way has its own.
    #[inline(always)] // the loop is compiled for several shapes; a call an I/O would cost a tenth of it
    pub(crate) fn next(&mut self, rng: &mut Jenkins, slot: u32) -> Step {
        match self {
            Route::Own(steps) => steps.next(),
            Route::Diskspd(walk) => walk.next(rng, slot),
        }
    }
}

/// One thread's endless list of steps.
#[derive(Clone, Debug)]
pub(crate) struct Steps {
    rng: Rng,
    pattern: Pattern,
    base: u64,
    block: u64,
    blocks: u64,        // in the range, at least 1
    write_percent: u64, // in [0, 100]
}

#[derive(Clone, Debug)]
enum Pattern {
    Sequential { next: u64 }, // block number, in [0, blocks)
    Random,
    Permuted(Permuted),
    Skewed(Box<Skewed>),
    Stripe(Stripe),
    Runs(Runs),
}

impl Steps {
    /// For one seat; `stream` keeps the random numbers of all threads and targets apart.
    pub(crate) fn new(target: &PlannedTarget, seed: u64, seat: &TargetShare, stream: u64) -> Self {
        let block = target.workload.block.0;
        let blocks = target.length.0 / block;
        assert!(blocks > 0, "the check leaves at least one block");
        assert!(
            seat.index < seat.threads,
            "threads of a target count from 0"
        );
        let pattern = match target.workload.access {
            Access::Sequential => Pattern::Sequential {
                next: first_place(blocks, seed, seat.index, seat.threads),
            },
            Access::Stripe(access) => {
                Pattern::Stripe(Stripe::new(access, seat.index, seat.threads))
            }
            Access::Runs {
                run,
                columns,
                first,
            } => Pattern::Runs(Runs::new(
                blocks,
                run,
                columns,
                u64::from(first) + u64::from(seat.index),
            )),
            Access::Permuted(access) => Pattern::Permuted(Permuted::new(
                access,
                blocks,
                seat,
                seed.wrapping_add(stream),
            )),
            Access::Skewed(skew) => Pattern::Skewed(Box::new(Skewed::new(skew, blocks, seed))),
            Access::Random | Access::Diskspd(_) | Access::Mixed(_) | Access::Recorded(_) => {
                Pattern::Random
            }
        };
        Steps {
            rng: Rng::new(seed, stream),
            pattern,
            base: target.base.0,
            block,
            blocks,
            write_percent: u64::from(target.workload.write.as_percent()),
        }
    }

    /// The next step: first the place, then the operation.
    #[inline(always)] // as above
    pub(crate) fn next(&mut self) -> Step {
        let number = match &mut self.pattern {
            Pattern::Random => self.rng.below(self.blocks),
            Pattern::Permuted(permuted) => permuted.next(),
            Pattern::Skewed(skewed) => skewed.next(&mut self.rng),
            Pattern::Stripe(stripe) => stripe.next(),
            Pattern::Runs(runs) => runs.next(),
            Pattern::Sequential { next } => {
                let number = *next;
                *next = if number + 1 == self.blocks {
                    0
                } else {
                    number + 1
                };
                number
            }
        };
        let operation = match self.write_percent {
            0 => Operation::Read,
            100 => Operation::Write,
            percent if self.rng.below(100) < percent => Operation::Write,
            _ => Operation::Read,
        };
        Step {
            offset: self.base + number * self.block,
            operation,
        }
    }
}

/// Where a sequential walk begins: somewhere in the range by the seed (at its start for seed 0), and each further
/// thread one share of the range later. // in [0, blocks)
pub(crate) fn first_place(blocks: u64, seed: u64, index: u32, threads: u32) -> u64 {
    let begin = if seed == 0 {
        0
    } else {
        Rng::new(seed, START_STREAM).below(blocks)
    };
    let share = u128::from(blocks) * u128::from(index) / u128::from(threads);
    ((u128::from(begin) + share) % u128::from(blocks)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rehearsal::tests::planned;
    use model::{Bytes, Ratio};
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn seat(index: u32, threads: u32) -> TargetShare {
        TargetShare {
            target: 0,
            index,
            threads,
            weight: 1,
            first_slot: 0,
            slots: 1,
        }
    }

    fn steps(change: impl FnOnce(&mut PlannedTarget), index: u32) -> Steps {
        let mut target = planned();
        change(&mut target);
        let threads = target.threads;
        Steps::new(&target, 0, &seat(index, threads), u64::from(index))
    }

    #[test]
    fn sequential_walks_the_range_once_and_starts_again() {
        let mut walk = steps(
            |t| {
                t.workload.access = Access::Sequential;
                (t.base, t.length) = (Bytes(8192), Bytes(3 * 4096));
            },
            0,
        );
        let offsets: Vec<u64> = (0..5).map(|_| walk.next().offset).collect();
        assert_eq!(offsets, [8192, 12288, 16384, 8192, 12288]);
    }

    #[test]
    fn sequential_threads_share_the_range_out() {
        let starts: Vec<u64> = (0..4)
            .map(|index| {
                let change = |t: &mut PlannedTarget| {
                    t.workload.access = Access::Sequential;
                    (t.length, t.threads) = (Bytes(10 * 4096), 4);
                };
                steps(change, index).next().offset / 4096
            })
            .collect();
        assert_eq!(starts, [0, 2, 5, 7]);
    }

    #[test]
    fn other_seeds_begin_elsewhere_and_walk_the_same_range() {
        let mut target = planned();
        target.workload.access = Access::Sequential;
        target.length = Bytes(1000 * 4096);
        let begin = |seed| Steps::new(&target, seed, &seat(0, 1), 0).next().offset / 4096;
        assert_eq!(begin(0), 0);
        assert_ne!(begin(1), begin(2));
        let mut walk = Steps::new(&target, 7, &seat(0, 1), 0);
        let seen: HashSet<u64> = (0..1000).map(|_| walk.next().offset / 4096).collect();
        assert_eq!(seen.len(), 1000);
    }

    #[test]
    fn random_reaches_every_block() {
        let mut walk = steps(|t| t.length = Bytes(64 * 4096), 0);
        let seen: HashSet<u64> = (0..2000).map(|_| walk.next().offset / 4096).collect();
        assert_eq!(seen.len(), 64);
    }

    #[test]
    fn a_mix_comes_out_near_its_share() {
        let mut walk = steps(|t| t.workload.write = Ratio::percent(30).unwrap(), 0);
        let writes = (0..100_000)
            .filter(|_| walk.next().operation == Operation::Write)
            .count();
        // Five standard deviations of a binomial: sqrt(100 000 × 0.3 × 0.7) = 145.
        assert!(writes.abs_diff(30_000) < 725, "{writes}");
    }

    proptest! {
        #[test]
        fn every_step_is_a_whole_aligned_block_inside_the_range(
            blocks in 1u64..500,
            sectors in 1u64..64,
            base in 0u64..100,
            sequential in any::<bool>(),
            threads in 1u32..5,
        ) {
            let block = sectors * 512;
            for index in 0..threads {
                let mut walk = steps(|t| {
                    t.base = Bytes(base * 512);
                    t.length = Bytes(blocks * block);
                    t.workload.block = Bytes(block);
                    t.threads = threads;
                    t.workload.access = if sequential { Access::Sequential } else { Access::Random };
                }, index);
                for _ in 0..200 {
                    let offset = walk.next().offset - base * 512;
                    prop_assert!(offset.is_multiple_of(block) && offset + block <= blocks * block);
                }
            }
        }
    }
}
