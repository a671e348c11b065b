//! Blocks that are not equally likely: the rank of a block is drawn by a law, and which block has that rank is a permutation
//! that the seed gives, so that the most frequent ones are not neighbours.
//!
//! Source: `lib/zipf.c` and `lib/gauss.c` of fio 3.42, whose shares per rank these are; zipf is the method of J. Gray et al.,
//! "Quickly Generating Billion-Record Synthetic Databases", SIGMOD 1994. fio spreads ranks by a hash, by which two ranks may
//! share a block; here each has its own.

use crate::permuted::Order;
use crate::rng::Rng;
use model::Skew;

/// Terms of the sum that zipf needs, at most: as in fio.
const TERMS_MAX: u64 = 10_000_000;
/// Terms that are added one by one; the others come from a formula, so that a thread starts at once on a large device.
const TERMS_ADDED: u64 = 1000;
/// Uniform draws whose mean is nearly normal.
const DRAWS: u64 = 12;

/// The blocks of one thread.
#[derive(Clone, Debug)]
pub(crate) struct Skewed {
    law: Law,
    blocks: u64,
    order: Order,
}

#[derive(Clone, Debug)]
enum Law {
    Zipf {
        sum: f64,
        second: f64, // below it ranks 0 and 1 lie
        alpha: f64,
        eta: f64,
    },
    Pareto {
        power: f64,
    },
    Normal {
        spread: u64,
    },
}

impl Skewed {
    /// All threads of a seed have the same frequent blocks.
    pub(crate) fn new(skew: Skew, blocks: u64, seed: u64) -> Self {
        let share = |parts: u32| f64::from(parts) / f64::from(Skew::ONE);
        let law = match skew {
            Skew::Zipf(theta) => zipf(share(theta), blocks),
            Skew::Pareto(parts) => Law::Pareto {
                power: share(parts).ln() / (1.0 - share(parts)).ln(),
            },
            Skew::Normal(percent) => Law::Normal {
                spread: ((blocks as f64 * share(percent) / 100.0).ceil() as u64).min(blocks / 2),
            },
        };
        Skewed {
            law,
            blocks,
            order: Order::new(blocks, seed, 0),
        }
    }

    /// The number of the next block.
    #[inline]
    pub(crate) fn next(&mut self, rng: &mut Rng) -> u64 {
        let rank = self.rank(rng);
        self.order.block_at(rank)
    }

    fn rank(&self, rng: &mut Rng) -> u64 {
        let last = self.blocks - 1;
        match &self.law {
            Law::Zipf {
                sum,
                second,
                alpha,
                eta,
            } => {
                let uniform = uniform(rng);
                match uniform * sum {
                    below if below < 1.0 => 0,
                    below if below < *second => last.min(1),
                    _ => {
                        let share = (eta * uniform - eta + 1.0).powf(*alpha);
                        ((self.blocks as f64 * share) as u64).min(last)
                    }
                }
            }
            Law::Pareto { power } => (last as f64 * uniform(rng).powf(*power)) as u64,
            Law::Normal { spread } => {
                let sum: u64 = (0..DRAWS).map(|_| rng.below(self.blocks + 1)).sum();
                let mean = sum.div_ceil(DRAWS).min(last);
                let place = i128::from(mean) + deviation(*spread, rng);
                place.clamp(0, i128::from(last)) as u64
            }
        }
    }
}

fn zipf(theta: f64, blocks: u64) -> Law {
    let sum = sum_of_powers(theta, blocks.min(TERMS_MAX));
    let second = 1.0 + 0.5f64.powf(theta);
    Law::Zipf {
        sum,
        second,
        alpha: 1.0 / (1.0 - theta),
        eta: (1.0 - (2.0 / blocks as f64).powf(1.0 - theta)) / (1.0 - second / sum),
    }
}

/// Adds rank^-theta for the ranks 1 to `terms`. Theta is not 1.
///
/// Source: the Euler–Maclaurin formula (NIST Digital Library of Mathematical Functions, 2.10.1) with two corrections. The
/// next one is below 1e-15 of the sum behind [`TERMS_ADDED`] terms.
fn sum_of_powers(theta: f64, terms: u64) -> f64 {
    let power = |rank: u64| (rank as f64).powf(-theta);
    let from = terms.min(TERMS_ADDED);
    let added: f64 = (1..from).map(power).sum();
    let (first, last) = (from as f64, terms as f64);
    let integral = (last.powf(1.0 - theta) - first.powf(1.0 - theta)) / (1.0 - theta);
    let ends = f64::midpoint(power(from), power(terms));
    let slope = |at: f64| theta * at.powf(-theta - 1.0);
    let third = |at: f64| theta * (theta + 1.0) * (theta + 2.0) * at.powf(-theta - 3.0);
    let corrections = (slope(first) - slope(last)) / 12.0 - (third(first) - third(last)) / 720.0;
    added + integral + ends + corrections
}

/// In [0, 1).
fn uniform(rng: &mut Rng) -> f64 {
    (rng.bits() >> 11) as f64 / (1u64 << 53) as f64
}

fn deviation(spread: u64, rng: &mut Rng) -> i128 {
    match spread {
        0 => 0,
        spread => i128::from(rng.below(spread)) - i128::from(spread / 2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Percent of as many draws as blocks that the most frequent 10, 15 and 55 percent of the blocks drawn get.
    fn shares(law: &str, seed: u64) -> [f64; 3] {
        const BLOCKS: usize = 1 << 18;
        let mut skewed = Skewed::new(Skew::read(law).unwrap(), BLOCKS as u64, seed);
        let mut rng = Rng::new(seed, 0);
        let mut counts = vec![0u64; BLOCKS];
        for _ in 0..BLOCKS {
            counts[skewed.next(&mut rng) as usize] += 1;
        }
        counts.retain(|count| *count > 0);
        counts.sort_unstable_by(|a, b| b.cmp(a));
        [10, 15, 55].map(|percent| {
            let sum: u64 = counts[..counts.len() * percent / 100].iter().sum();
            sum as f64 / BLOCKS as f64 * 100.0
        })
    }

    /// What `fio-genzipf -t LAW -i PARAMETER -g 1 -b 4096 -o 20` of fio 3.33 prints. Each share is of 2^18 draws, so two samples
    /// of one law differ by less than five standard deviations, 5 × sqrt(2 × 0.25 / 2^18) = 0.7%.
    #[test]
    fn shares_are_those_of_fio() {
        for (law, expected) in GENZIPF {
            for seed in 0..2 {
                let found = shares(law, seed);
                for (here, there) in found.iter().zip(expected) {
                    assert!(
                        (here - there).abs() < 0.7,
                        "{law}: {found:?}, fio {expected:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_sum_of_powers_is_that_of_its_terms() {
        for theta in [0.000_001, 0.5, 0.999_999, 1.000_001, 1.2, 3.0] {
            for terms in [1, 2, 999, 1000, 1001, 300_000] {
                let added: f64 = (1..=terms).map(|rank| (rank as f64).powf(-theta)).sum();
                let sum = sum_of_powers(theta, terms);
                assert!(
                    (sum / added - 1.0).abs() < 1e-9,
                    "{theta} {terms}: {sum}, {added}"
                );
            }
        }
    }

    #[test]
    fn frequent_blocks_are_not_neighbours_and_differ_by_seed() {
        let most = |seed| {
            let skewed = Skewed::new(Skew::Zipf(1_200_000), 100_000, seed);
            [0, 1, 2].map(|rank| skewed.order.block_at(rank))
        };
        assert!(most(1) != most(2));
        let [first, second, _] = most(1);
        assert!(first.abs_diff(second) > 1);
    }

    #[test]
    fn every_law_stays_in_the_range() {
        for law in [
            "zipf:0.5",
            "zipf:1.2",
            "zipf:3",
            "pareto:0.2",
            "pareto:0.9",
            "normal:0",
            "normal:100",
        ] {
            for blocks in [1, 2, 3, 1000] {
                let mut skewed = Skewed::new(Skew::read(law).unwrap(), blocks, 1);
                let mut rng = Rng::new(1, 1);
                assert!(
                    (0..2000).all(|_| skewed.next(&mut rng) < blocks),
                    "{law} {blocks}"
                );
            }
        }
    }

    /// Percent of the I/Os that the most frequent 10, 15 and 55 percent of the blocks get.
    const GENZIPF: [(&str, [f64; 3]); 7] = [
        ("zipf:0.5", [28.89, 37.26, 74.92]),
        ("zipf:0.9", [62.09, 66.92, 85.87]),
        ("zipf:1.2", [88.76, 90.42, 95.76]),
        ("pareto:0.2", [63.55, 68.19, 86.10]),
        ("pareto:0.6", [21.97, 30.73, 73.72]),
        ("normal:0", [23.72, 32.78, 79.71]),
        ("normal:20", [23.50, 32.72, 78.30]),
    ];
}
