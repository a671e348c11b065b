//! When I/Os arrive: how many in each step of time, and how unevenly those of a step are divided between its halves, those of
//! a half between its halves, and so on; or, in a closed loop, how many are in flight.
//!
//! Method: of a node with p I/Os, l of them in its left half, the excess of the variance over that of independent I/Os is
//! v = Σ((l − p/2)² − p/4) / Σ(p² − p), octave by octave. The weights p² − p carry the second moments down, so that the
//! variance of counts is right at every scale. Below 0 the halves are more equal than chance makes them: then it is minus
//! the share of nodes that are divided evenly. Omitted: drawing from it (`drawn`).

use super::in_flight::{InFlight, Moments};
use super::{count, lengths};
use crate::profile::ArrivalRule;
use model::trace::TraceRecord;
use model::{LatencyHistogram, Nanos, Operation};
use std::collections::HashMap;

/// Levels of the cascade: the first has nodes of 4096 s, the last leaves of about 1 µs.
const LEVELS: usize = 33;
/// The level whose nodes are a second long.
const SECOND: usize = 12;
const ROOT: u128 = 4096 * 1_000_000_000;
/// Steps of a profile; more are added in pairs.
const STEPS_MAX: u64 = 4096;
/// Halvings of a step.
const HALVINGS_MAX: usize = 20;
/// Reads and writes have times of their own if less than this part of the covariance is found that chance would make of common ones.
const APART: f64 = 0.5;
/// Batches have times of their own only if there are so many, and as many I/Os that arrive alone.
const PART_MIN: u64 = 100;
/// So many times the excess of all, and so many standard errors more, is an excess of a part's own.
const BURSTIER: f64 = 2.0;
const CERTAIN: f64 = 5.0;
/// A halving is learned from so many nodes with two I/Os or more.
const NODES_MIN: u64 = 16;
/// So many standard errors from 0, an excess is one.
const SIGNIFICANT: f64 = 2.0;
/// Gaps that vary by less than this, relative to their mean, are equal.
const EVEN: f64 = 0.1;
/// I/Os that follow one another within this time arrive together.
pub(super) const TOGETHER: Nanos = Nanos::micros(20);
/// They are batches if so many more of the gaps are so short than chance makes them at the rate of their window: where
/// bursts are dense, chance makes most of them so.
const BATCHED: f64 = 0.1;
/// Such a window, 8 ms, as a power of two of nanoseconds.
const WINDOW: u32 = 23;
/// So many arrivals fill the queue up to the same depth in a closed loop.
const REFILLS: f64 = 0.9;
/// So many arrivals reach the most I/Os in flight in a closed loop that takes several completions at once.
const CAPPED: f64 = 0.05;
/// Most time from a completion to the next arrival in a closed loop at a depth of 1 without think time.
const AT_ONCE: Nanos = Nanos::micros(50);

#[derive(Clone, Copy, Debug, Default)]
struct Node {
    index: u64,
    left: u64,
    right: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Level {
    squares: f64,     // Σ (l − p/2)²
    independent: f64, // Σ p/4
    even: f64,        // Σ of what an even division leaves: 1/4 where p is odd
    pairs: f64,       // Σ (p² − p)
    fourth: f64,      // Σ p²
    nodes: u64,       // with p of 2 or more
}

/// What was seen of the arrivals so far.
#[derive(Debug, Default)]
pub(crate) struct ArrivalsSeen {
    all: TimesSeen,
    by_operation: [TimesSeen; 2],
    in_flight: InFlight,
}

/// What was seen of the times of some I/Os.
#[derive(Debug)]
struct TimesSeen {
    steps: Vec<u64>,
    every: Nanos,
    each: Cascade,
    heads: Cascade,       // of batches
    parts: [PartSeen; 2], // I/Os that arrive alone, and batches of several
    gaps: Moments,
    head_gaps: Moments,
    last_head: Option<Nanos>,
    together: TogetherSeen,
    last: Option<Nanos>,
}

/// Batches of one kind.
#[derive(Debug, Default)]
struct PartSeen {
    steps: Vec<u64>,
    heads: Cascade,
    count: u64,
}

/// I/Os that arrive together.
#[derive(Debug)]
struct TogetherSeen {
    batch: u64, // I/Os of the current one
    head: Nanos,
    batches: HashMap<u64, u64>,
    gaps: LatencyHistogram,
    now: (u64, u64), // a window, and its I/Os so far
    by_chance: f64,  // I/Os of those before it that chance makes follow within `TOGETHER`
}

/// How arrivals are divided between halves.
#[derive(Debug)]
struct Cascade {
    nodes: [Node; LEVELS],
    levels: [Level; LEVELS],
    leaf: Option<(u64, u64)>, // index and I/Os
}

impl Default for TimesSeen {
    fn default() -> TimesSeen {
        TimesSeen {
            steps: Vec::new(),
            every: Nanos::seconds(1),
            each: Cascade::default(),
            heads: Cascade::default(),
            parts: Default::default(),
            gaps: Moments::default(),
            head_gaps: Moments::default(),
            last_head: None,
            together: TogetherSeen {
                batch: 0,
                head: Nanos(0),
                batches: HashMap::new(),
                gaps: LatencyHistogram::new(),
                now: (0, 0),
                by_chance: 0.0,
            },
            last: None,
        }
    }
}

impl ArrivalsSeen {
    /// Takes the next read or write; their times ascend.
    pub(crate) fn take(&mut self, operation: Operation, record: &TraceRecord) {
        self.all.take(record.at);
        self.by_operation[operation.index()].take(record.at);
        self.in_flight.take(record, &mut |_, _| ());
    }

    /// Returns the rule.
    pub(crate) fn rule(&mut self) -> ArrivalRule {
        let duration = self.all.last.unwrap_or_default();
        if let Some((in_flight, think)) = self.closed() {
            return ArrivalRule::Closed {
                in_flight,
                think,
                duration: duration.max(Nanos(1)),
            };
        }
        if !self.are_apart() {
            return self.all.rule(duration);
        }
        let [read, write] = &mut self.by_operation;
        ArrivalRule::ByOperation {
            read: Box::new(read.rule(duration)),
            write: Box::new(write.rule(duration)),
        }
    }

    /// Returns the most I/Os in flight.
    pub(crate) fn most_in_flight(&self) -> Option<u32> {
        self.in_flight.most()
    }

    /// Whether the bursts of reads are others than those of writes. If each I/O of a burst were a read or a write by chance, of the
    /// excess variance of all I/Os the share 2·r·w would be the covariance of both.
    fn are_apart(&self) -> bool {
        let [reads, writes] = &self.by_operation;
        let [r, w] = [reads, writes].map(|one| (one.gaps.n + 1.0) / self.all.gaps.n.max(1.0));
        let levels = self.all.each.levels.iter();
        let parts = reads.each.levels.iter().zip(&writes.each.levels);
        let (mut expected, mut found) = (0.0, 0.0);
        for (all, (read, write)) in levels.zip(parts).skip(SECOND) {
            if all.nodes >= NODES_MIN && all.excess() > 0.0 {
                let own = all.squares - all.independent;
                let parts = [read, write].map(|level| level.squares - level.independent);
                expected += 2.0 * r * w * own / all.pairs;
                found += (own - parts[0] - parts[1]) / all.pairs;
            }
        }
        reads.last.is_some() && writes.last.is_some() && found < APART * expected
    }

    /// Returns the number in flight and the time to the next I/O of a closed loop.
    fn closed(&self) -> Option<(u32, Nanos)> {
        let seen = self.in_flight.summary()?;
        // An application that takes several completions at once fills the queue again only with the last of its I/Os.
        // One with a timer does so at equal times, independent of the latencies.
        let gaps = &self.all.head_gaps;
        let timer = gaps.n >= 100.0 && gaps.variation() < EVEN;
        if seen.cap > 1 && seen.at_cap >= CAPPED && seen.most_think <= AT_ONCE && !timer {
            return Some((seen.cap, Nanos(0)));
        }
        let refills = seen.refills >= REFILLS || seen.at_most >= 0.8;
        let single = seen.depth > 1
            || seen.most_think <= AT_ONCE
            || seen.follows.is_some_and(|follows| follows >= 0.5);
        (refills && single).then(|| {
            let think = match seen.most_think <= AT_ONCE {
                true => Nanos(0),
                false => seen.mean_think,
            };
            (seen.depth, think)
        })
    }
}

impl TimesSeen {
    fn take(&mut self, at: Nanos) {
        let gap = self.last.replace(at).map(|last| at.minus(last));
        let begins = gap.is_none_or(|gap| gap > TOGETHER);
        if let Some(gap) = gap {
            self.gaps.add(gap.0 as f64);
        }
        if begins {
            self.end_batch();
            self.together.batch = 1;
            self.together.head = at;
            if let Some(last) = self.last_head.replace(at) {
                self.head_gaps.add(at.minus(last).0 as f64);
            }
        } else {
            self.together.batch += 1;
            self.together.gaps.record(gap.unwrap_or_default());
        }
        self.expect(at);
        self.widen(at);
        add_to(&mut self.steps, at.0 / self.every.0, 1);
        self.each.take(at);
        if begins {
            self.heads.take(at);
        }
    }

    /// Adds steps in pairs while there are too many up to this time.
    fn widen(&mut self, to: Nanos) {
        while to.0 / self.every.0 >= STEPS_MAX {
            self.every = Nanos(self.every.0 * 2);
            let [single, batch] = &mut self.parts;
            for steps in [&mut self.steps, &mut single.steps, &mut batch.steps] {
                *steps = steps.chunks(2).map(|two| two.iter().sum()).collect();
            }
        }
    }

    /// Adds to the I/Os that chance makes follow another within [`TOGETHER`].
    fn expect(&mut self, at: Nanos) {
        let index = at.0 >> WINDOW;
        if self.together.now.0 != index {
            let ios = self.together.now.1 as f64;
            let within = TOGETHER.0 as f64 * ios / (1u64 << WINDOW) as f64;
            self.together.by_chance += ios * (1.0 - (-within).exp());
            self.together.now = (index, 0);
        }
        self.together.now.1 += 1;
    }

    fn end_batch(&mut self) {
        let (ios, head) = (self.together.batch, self.together.head);
        if ios == 0 {
            return;
        }
        count(&mut self.together.batches, ios);
        let part = &mut self.parts[usize::from(ios > 1)];
        add_to(&mut part.steps, head.0 / self.every.0, ios);
        part.heads.take(head);
        part.count += 1;
    }

    /// Whether batches come at other times than I/Os that arrive alone.
    fn has_parts(&self) -> bool {
        let is_burstier = |part: &PartSeen| part.heads.is_burstier_than(&self.heads);
        self.parts.iter().all(|part| part.count >= PART_MIN) && self.parts.iter().any(is_burstier)
    }

    /// Returns whether I/Os arrive together more often than chance makes them.
    fn is_batched(&self) -> bool {
        let together = self.together.gaps.count() as f64 - self.together.by_chance;
        together > BATCHED * self.gaps.n.max(1.0)
    }

    /// Returns the rule of a trace of this length.
    fn rule(&mut self, duration: Nanos) -> ArrivalRule {
        self.end_batch();
        self.widen(duration);
        let steps = (duration.0 / self.every.0) as usize + 1;
        self.steps.resize(steps.max(self.steps.len()), 0);
        let steps = self.steps.len();
        self.parts
            .iter_mut()
            .for_each(|part| part.steps.resize(steps, 0));
        let duration = duration.plus(Nanos(1));
        if !self.is_batched() {
            return self.open(duration, &self.steps, &self.each, Vec::new());
        }
        let batches = &self.together.batches;
        if !self.has_parts() {
            return self.open(duration, &self.steps, &self.heads, lengths(batches));
        }
        let several = batches.iter().filter(|(ios, _)| **ios > 1);
        let several: HashMap<u64, u64> = several.map(|(&ios, &count)| (ios, count)).collect();
        let [single, batch] = &self.parts;
        ArrivalRule::ByBatch {
            single: Box::new(self.open(duration, &single.steps, &single.heads, Vec::new())),
            batch: Box::new(self.open(duration, &batch.steps, &batch.heads, lengths(&several))),
        }
    }

    /// Returns an open rule with these I/Os in each step, and divided so.
    fn open(
        &self,
        duration: Nanos,
        steps: &[u64],
        cascade: &Cascade,
        batches: Vec<(u64, u64, f64)>,
    ) -> ArrivalRule {
        let octaves = (self.every.0 / 1_000_000_000).trailing_zeros() as usize;
        let gap = self.together.gaps.quantile(0.5);
        ArrivalRule::Open {
            every: self.every,
            duration,
            ios: steps.to_vec(),
            even: self.gaps.n >= 100.0 && self.gaps.variation() < EVEN,
            halvings: cascade.halvings(octaves),
            batch_gap: gap.filter(|_| !batches.is_empty()).unwrap_or_default(),
            batches,
        }
    }
}

/// Adds I/Os to a step.
fn add_to(steps: &mut Vec<u64>, step: u64, ios: u64) {
    let step = step as usize;
    if step >= steps.len() {
        steps.resize(step + 1, 0);
    }
    steps[step] += ios;
}

impl Default for Cascade {
    fn default() -> Cascade {
        Cascade {
            nodes: [Node::default(); LEVELS],
            levels: [Level::default(); LEVELS],
            leaf: None,
        }
    }
}

impl Cascade {
    /// Takes the next arrival.
    fn take(&mut self, at: Nanos) {
        let leaf = ((u128::from(at.0) << (LEVELS - 1)) / ROOT) as u64;
        match &mut self.leaf {
            Some((index, ios)) if *index == leaf => *ios += 1,
            before => {
                if let Some((index, ios)) = before.replace((leaf, 1)) {
                    self.rise(index, ios);
                }
            }
        }
    }

    /// Adds a leaf that is complete to the nodes above it, and closes those that it is not part of.
    fn rise(&mut self, leaf: u64, leaf_ios: u64) {
        let (mut index, mut ios) = (leaf, leaf_ios);
        for level in (0..LEVELS - 1).rev() {
            let node = &mut self.nodes[level];
            let parent = index >> 1;
            if node.index == parent {
                node.add(index, ios);
                return;
            }
            let closed = std::mem::replace(
                node,
                Node {
                    index: parent,
                    ..Node::default()
                },
            );
            node.add(index, ios);
            (index, ios) = (closed.index, closed.left + closed.right);
            if ios == 0 {
                return;
            }
            self.levels[level].close(&closed);
        }
    }

    /// Whether these arrivals are divided more unevenly than all of which they are a part. A part by chance has the excess of all.
    fn is_burstier_than(&self, all: &Cascade) -> bool {
        let levels = self.levels.iter().zip(&all.levels).skip(SECOND);
        levels
            .filter(|(own, _)| own.nodes >= NODES_MIN)
            .any(|(own, all)| {
                let (excess, error) = own.measured();
                excess > BURSTIER * all.measured().0.max(0.0) + CERTAIN * error
            })
    }

    /// Returns the excess of each halving of a step that has 2 to the power of `octaves` seconds. Of steps above the first level
    /// nothing is known: their halvings are independent.
    fn halvings(&self, octaves: usize) -> Vec<f64> {
        let above = octaves.saturating_sub(SECOND).min(HALVINGS_MAX);
        let levels = &self.levels[SECOND.saturating_sub(octaves)..][..HALVINGS_MAX - above];
        let known = |level: &Level| level.nodes >= NODES_MIN;
        let Some(last) = levels.iter().rposition(known) else {
            return Vec::new();
        };
        let each = levels[..=last].iter();
        let each = each.map(|level| if known(level) { level.excess() } else { 0.0 });
        std::iter::repeat_n(0.0, above).chain(each).collect()
    }
}

impl Node {
    fn add(&mut self, index: u64, ios: u64) {
        match index & 1 {
            0 => self.left += ios,
            _ => self.right += ios,
        }
    }
}

impl Level {
    fn close(&mut self, node: &Node) {
        let p = (node.left + node.right) as f64;
        if p < 2.0 {
            return;
        }
        let off = node.left as f64 - p / 2.0;
        self.squares += off * off;
        self.independent += p / 4.0;
        self.even += if p % 2.0 > 0.0 { 0.25 } else { 0.0 };
        self.pairs += p * p - p;
        self.fourth += p * p;
        self.nodes += 1;
    }

    /// Returns the excess, and its standard error by chance.
    fn measured(&self) -> (f64, f64) {
        let excess = (self.squares - self.independent) / self.pairs;
        (excess, (self.fourth / 8.0).sqrt() / self.pairs)
    }

    /// Returns the excess; 0 where chance explains it.
    fn excess(&self) -> f64 {
        let (excess, error) = self.measured();
        if excess.abs() < SIGNIFICANT * error {
            return 0.0;
        }
        if excess > 0.0 {
            return excess.min(0.25);
        }
        let chance = self.independent - self.even;
        if chance <= 0.0 {
            return 0.0;
        }
        (((self.squares - self.even) / chance) - 1.0).clamp(-1.0, 0.0)
    }
}
