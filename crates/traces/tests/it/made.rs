//! Traces that follow a known rule, which is drawn by a seed, and served by a queue with several servers.
//!
//! The rules have nothing in common with the code that learns from them.

use model::Nanos;
use model::trace::{TraceOperation, TraceRecord};

/// A generator of its own (Marsaglia's xorshift64*).
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Chance {
        let mut chance = Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..10 {
            chance.unit();
        }
        chance
    }

    pub(crate) fn unit(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        (self.unit() * bound as f64) as u64
    }

    fn exponential(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.unit()).ln()
    }
}

/// Where I/Os go.
#[derive(Clone, Debug)]
pub(crate) enum Spots {
    Uniform,
    /// A share of the I/Os on a share of the range.
    Hot(f64, f64),
    /// Zipf's law over all blocks.
    Zipf(f64),
}

/// When they arrive.
#[derive(Clone, Debug)]
pub(crate) enum Coming {
    Constant,
    Poisson,
    /// Two rates, and the mean time in each, in seconds.
    TwoStates(f64, f64),
    /// So many at once.
    Batches(u64),
}

/// A rule.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) reads: f64,
    pub(crate) sizes: [Vec<(u64, f64)>; 2],
    pub(crate) spots: [Spots; 2],
    pub(crate) sequential: [f64; 2],
    pub(crate) coming: Coming,
    pub(crate) rate: f64,
    pub(crate) seconds: f64,
    pub(crate) blocks: u64,
    pub(crate) flush_every: u64,
}

impl Rule {
    /// Draws one.
    pub(crate) fn drawn(seed: u64) -> Rule {
        let mut chance = Chance::new(seed);
        let mut side = || {
            let sizes = match chance.below(3) {
                0 => vec![(4096, 1.0)],
                1 => vec![(8192, 0.9), (65_536, 0.1)],
                _ => vec![(4096, 0.5), (16_384, 0.3), (131_072, 0.2)],
            };
            let spots = match chance.below(4) {
                0 => Spots::Uniform,
                1 => Spots::Hot(0.8, 0.2),
                2 => Spots::Hot(0.95, 0.01),
                _ => Spots::Zipf(0.7 + 0.5 * chance.unit()),
            };
            let sequential = [0.0, 0.0, 0.3, 0.9][chance.below(4) as usize];
            (sizes, spots, sequential)
        };
        let (reads, writes) = (side(), side());
        Rule {
            reads: [0.0, 0.3, 0.7, 0.95, 1.0][chance.below(5) as usize],
            sizes: [reads.0, writes.0],
            spots: [reads.1, writes.1],
            sequential: [reads.2, writes.2],
            coming: match chance.below(4) {
                0 => Coming::Constant,
                1 => Coming::Poisson,
                2 => Coming::TwoStates(0.1 + chance.unit(), 0.1 + chance.unit()),
                _ => Coming::Batches(2 + chance.below(15)),
            },
            rate: 500.0 + 2000.0 * chance.unit(),
            seconds: 40.0,
            blocks: 1 << (16 + chance.below(6)),
            flush_every: [0, 0, 32][chance.below(3) as usize],
        }
    }

    /// Makes its I/Os.
    pub(crate) fn make(&self, seed: u64) -> Vec<TraceRecord> {
        let mut chance = Chance::new(seed ^ 0xabcdef);
        let laws = [0, 1].map(|side| Law::new(&self.spots[side], self.blocks));
        let mut runs = [0u64; 2];
        let mut records = Vec::new();
        let (mut writes, mut servers) = (0, [0.0f64; 8]);
        for at in self.times(&mut chance) {
            let side = usize::from(chance.unit() >= self.reads);
            let length = pick(&self.sizes[side], &mut chance);
            let end = self.blocks * 4096;
            let mut offset = laws[side].draw(&mut chance) * 4096;
            if chance.unit() < self.sequential[side] && runs[side] + length <= end {
                offset = runs[side];
            }
            let offset = offset.min(end - length);
            runs[side] = offset + length;
            let server = (0..8)
                .min_by(|&a, &b| servers[a].total_cmp(&servers[b]))
                .unwrap();
            let done = servers[server].max(at) + 1e-4 + chance.exponential(2e-4);
            servers[server] = done;
            records.push(TraceRecord {
                at: Nanos((at * 1e9) as u64),
                offset,
                length,
                latency: Some(Nanos(((done - at) * 1e9) as u64)),
                operation: [TraceOperation::Read, TraceOperation::Write][side],
                ..TraceRecord::default()
            });
            writes += side as u64;
            if side == 1 && self.flush_every > 0 && writes.is_multiple_of(self.flush_every) {
                records.push(TraceRecord {
                    at: Nanos((at * 1e9) as u64),
                    operation: TraceOperation::Flush,
                    ..TraceRecord::default()
                });
            }
        }
        records
    }

    fn times(&self, chance: &mut Chance) -> Vec<f64> {
        let (mut at, mut times) = (0.0, Vec::new());
        let (mut fast, mut until) = (true, 0.0);
        while at < self.seconds {
            match self.coming {
                Coming::Constant => at += 1.0 / self.rate,
                Coming::Poisson => at += chance.exponential(1.0 / self.rate),
                Coming::Batches(count) => {
                    at += chance.exponential(count as f64 / self.rate);
                    times.extend((1..count).map(|number| at + number as f64 * 1e-6));
                }
                Coming::TwoStates(on, off) => {
                    while at >= until {
                        fast = !fast;
                        until += chance.exponential(if fast { on } else { off });
                    }
                    let rate = self.rate * if fast { 1.8 } else { 0.2 };
                    let next = at + chance.exponential(1.0 / rate);
                    // Both states forget how long they wait.
                    if next > until {
                        at = until;
                        continue;
                    }
                    at = next;
                }
            }
            times.push(at);
        }
        times.sort_by(f64::total_cmp);
        times
    }
}

fn pick(sizes: &[(u64, f64)], chance: &mut Chance) -> u64 {
    let mut drawn = chance.unit();
    for &(size, share) in sizes {
        if drawn < share {
            return size;
        }
        drawn -= share;
    }
    sizes[sizes.len() - 1].0
}

/// A law of places; that of Zipf as a table of sums.
struct Law {
    spots: Spots,
    blocks: u64,
    sums: Vec<f64>,
}

impl Law {
    fn new(spots: &Spots, blocks: u64) -> Law {
        let mut sums = Vec::new();
        if let Spots::Zipf(theta) = spots {
            let mut sum = 0.0;
            sums.extend((1..=blocks).map(|rank| {
                sum += (rank as f64).powf(-theta);
                sum
            }));
        }
        Law {
            spots: spots.clone(),
            blocks,
            sums,
        }
    }

    fn draw(&self, chance: &mut Chance) -> u64 {
        match self.spots {
            Spots::Uniform => chance.below(self.blocks),
            Spots::Hot(ios, size) => {
                let hot = (self.blocks as f64 * size) as u64;
                match chance.unit() < ios {
                    true => chance.below(hot),
                    false => hot + chance.below(self.blocks - hot),
                }
            }
            Spots::Zipf(_) => {
                let drawn = chance.unit() * self.sums[self.sums.len() - 1];
                let rank = self.sums.partition_point(|&sum| sum <= drawn) as u64;
                // An odd factor permutes the numbers below a power of two.
                rank.wrapping_mul(0x9e37_79b1) % self.blocks
            }
        }
    }
}
