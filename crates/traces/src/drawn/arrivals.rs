//! Times of arrival: the I/Os of a step are divided between its halves, those between theirs, and so on, from left to right.
//!
//! Below the last halving, times are uniform. Memory does not depend on the number of I/Os: at most one node a level waits.
//! Omitted: closed loops, which have no times.

use super::places::{chosen, ends};
use super::rng::Rng;
use crate::profile::ArrivalRule;
use model::Nanos;

/// A part of time in which so many I/Os arrive.
#[derive(Clone, Copy, Debug)]
struct Node {
    from: f64,
    length: f64,
    ios: u64,
    level: usize,
}

/// The times of open rules, one after another.
#[derive(Clone, Debug)]
pub(super) struct ArrivalDraw {
    sources: Vec<Source>,
    last: usize, // the source of the last I/O
    /// The last write is followed by one of its batch.
    goes_on: bool,
}

/// The times of an open rule.
#[derive(Clone, Debug)]
struct Source {
    times: Times,
    next: Option<Nanos>,
    operation: Option<usize>, // drawn without
    is_batch: bool,
}

impl ArrivalDraw {
    /// Returns those of a rule that is not closed, of this operation if there is no other.
    pub(super) fn new(rule: &ArrivalRule, operation: Option<usize>) -> ArrivalDraw {
        let mut draw = ArrivalDraw {
            sources: Vec::new(),
            last: 0,
            goes_on: false,
        };
        draw.add(rule, operation, false);
        draw
    }

    fn add(&mut self, rule: &ArrivalRule, operation: Option<usize>, is_batch: bool) {
        match rule {
            ArrivalRule::ByOperation { read, write } => {
                self.add(read, Some(0), false);
                self.add(write, Some(1), false);
            }
            ArrivalRule::ByBatch { single, batch } => {
                self.add(single, operation, false);
                self.add(batch, operation, true);
            }
            rule => self.sources.push(Source {
                times: Times::new(rule),
                next: None,
                operation,
                is_batch,
            }),
        }
    }

    /// Returns the next time, and of which operation it is where that is fixed; `None` at the end.
    pub(super) fn next(&mut self, rng: &mut Rng) -> Option<(Nanos, Option<usize>)> {
        if let [only] = &mut self.sources[..] {
            let at = only.times.next(rng)?;
            self.goes_on = only.operation == Some(1) && only.times.batches.left > 0;
            return Some((at, only.operation));
        }
        for source in &mut self.sources {
            if !source.times.has_begun() {
                source.next = source.times.next(rng);
            }
        }
        let sources = self.sources.iter().enumerate();
        let (its, _) = sources.min_by_key(|(_, source)| source.next.unwrap_or(Nanos::MAX))?;
        self.last = its;
        let source = &mut self.sources[its];
        let at = source.next.take()?;
        if source.operation == Some(1) {
            self.goes_on = source.times.batches.left > 0;
        }
        source.next = source.times.next(rng);
        Some((at, source.operation))
    }

    /// Whether the next write is one of the batch of the last one.
    pub(super) fn goes_on(&self) -> bool {
        self.goes_on
    }

    /// Whether the last I/O is of a batch, where these have times of their own.
    pub(super) fn is_of_batch(&self) -> bool {
        self.sources[self.last].is_batch
    }
}

/// The times of an open rule, one after another.
#[derive(Clone, Debug, Default)]
pub(super) struct Times {
    every: Nanos,
    steps: Vec<u64>,
    halvings: Vec<f64>,
    even: bool,
    duration: Nanos,
    batches: Batches,
    last: Nanos,
    step: usize,
    owed: f64,        // I/Os of the steps so far that were not drawn
    nodes: Vec<Node>, // the next last
}

/// I/Os that arrive together.
#[derive(Clone, Debug, Default)]
struct Batches {
    sizes: Vec<(u64, u64)>,
    ends: Vec<f64>,
    mean: f64,
    gap: Nanos,
    left: u64, // I/Os of the current one that follow
}

impl Times {
    /// Returns those of an open rule.
    fn new(rule: &ArrivalRule) -> Times {
        let mut times = Times::default();
        if let ArrivalRule::Open {
            every,
            duration,
            ios,
            even,
            halvings,
            batches,
            batch_gap,
        } = rule
        {
            let total: f64 = batches.iter().map(|(_, _, share)| share).sum();
            let mean = batches
                .iter()
                .map(|&(from, to, share)| (from + to) as f64 / 2.0 * share);
            times.every = *every;
            times.duration = *duration;
            times.steps.clone_from(ios);
            times.halvings.clone_from(halvings);
            times.even = *even;
            times.batches = Batches {
                sizes: batches.iter().map(|&(from, to, _)| (from, to)).collect(),
                ends: ends(batches.iter().map(|(_, _, share)| *share)),
                mean: if batches.is_empty() {
                    1.0
                } else {
                    mean.sum::<f64>() / total
                },
                gap: *batch_gap,
                left: 0,
            };
        }
        times
    }

    fn has_begun(&self) -> bool {
        self.step > 0
    }

    /// Returns the next time; `None` at the end.
    fn next(&mut self, rng: &mut Rng) -> Option<Nanos> {
        if self.batches.left > 0 {
            self.batches.left -= 1;
            self.owed -= 1.0;
            self.last = self.last.plus(self.batches.gap);
            return Some(self.last);
        }
        // A batch may reach beyond the next one.
        self.last = self.head(rng)?.max(self.last);
        self.owed -= 1.0;
        if !self.batches.sizes.is_empty() {
            let (from, to) = self.batches.sizes[chosen(&self.batches.ends, rng)];
            self.batches.left = from + rng.below(to - from + 1) - 1;
        }
        Some(self.last)
    }

    /// Returns the next time at which an I/O or a batch arrives.
    fn head(&mut self, rng: &mut Rng) -> Option<Nanos> {
        loop {
            let Some(node) = self.nodes.pop() else {
                // The next steps compensate for what batches had too much or too little.
                self.owed += *self.steps.get(self.step)? as f64;
                let exact = (self.owed / self.batches.mean).max(0.0);
                let more = rng.unit() < exact.fract();
                let rest = self
                    .duration
                    .0
                    .saturating_sub(self.every.0 * self.step as u64);
                self.nodes.push(Node {
                    from: 0.0,
                    length: self.every.0.min(rest) as f64,
                    ios: exact as u64 + u64::from(more),
                    level: 0,
                });
                self.step += 1;
                continue;
            };
            match node.ios {
                0 => {}
                ios if self.even => {
                    self.rest(node, node.length / ios as f64);
                    return Some(self.at(node.from));
                }
                1 => return Some(self.at(node.from + node.length * rng.unit())),
                ios if node.level >= self.halvings.len() => {
                    // The first of so many uniform times.
                    let first = 1.0 - (1.0 - rng.unit()).powf(1.0 / ios as f64);
                    self.rest(node, node.length * first);
                    return Some(self.at(node.from + node.length * first));
                }
                ios => {
                    let left = rng.halved(ios, self.halvings[node.level]);
                    let half = Node {
                        length: node.length / 2.0,
                        level: node.level + 1,
                        ..node
                    };
                    self.nodes.push(Node {
                        from: node.from + half.length,
                        ios: ios - left,
                        ..half
                    });
                    self.nodes.push(Node { ios: left, ..half });
                }
            }
        }
    }

    /// What remains of a node after its first I/O.
    fn rest(&mut self, node: Node, used: f64) {
        self.nodes.push(Node {
            from: node.from + used,
            length: node.length - used,
            ios: node.ios - 1,
            ..node
        });
    }

    fn at(&self, within: f64) -> Nanos {
        let before = self.every.0 * (self.step as u64 - 1);
        Nanos(before + (within as u64).min(self.every.0 - 1))
    }
}
