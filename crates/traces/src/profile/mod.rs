//! A learned workload: what of a trace is kept to issue I/Os like it, in a text that a person can read and change.
//!
//! Shares are in percent here, as in the text. Omitted: finding them (`learn`), and I/Os that follow them (`drawn`).

mod check;
mod text;

pub use text::{PROFILE_MAX, ProfileError};

use model::{Bytes, Nanos, Operation};
use serde::Deserialize;
use std::iter;

/// A workload, and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnedProfile {
    /// Where it comes from.
    pub learned: LearnedFrom,
    /// What is run.
    pub workload: LearnedWorkload,
}

/// Where a workload comes from. It changes nothing of what is run.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnedFrom {
    /// The trace or device.
    pub from: String,
    /// The trace's format, or how a device was observed.
    pub format: String,
    /// From the first I/O to the last.
    #[serde(deserialize_with = "text::time")]
    pub duration: Nanos,
    /// Reads, writes and flushes.
    pub ios: u64,
    /// Events that were lost.
    pub lost: u64,
    /// Time that was omitted, because events of it were lost.
    #[serde(deserialize_with = "text::time", default)]
    pub left_out: Nanos,
}

/// A workload as it was learned.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnedWorkload {
    /// The addresses that are used: from 0 to this.
    #[serde(deserialize_with = "text::size")]
    pub range: Bytes,
    /// Share of reads among reads and writes.
    pub reads: f64,
    /// How much more often an operation follows one of its own kind: 0 independent, 1 never changes, −1 always changes.
    #[serde(default)]
    pub same_operation: f64,
    /// The most I/Os in flight, where latencies were known.
    #[serde(default)]
    pub in_flight: Option<u32>,
    /// Flushes among the writes.
    pub flush: Option<FlushRule>,
    /// The reads; absent if there are none.
    pub read: Option<Side>,
    /// The writes; absent if there are none.
    pub write: Option<Side>,
    /// When I/Os arrive.
    pub arrivals: ArrivalRule,
}

/// When a flush follows, and what waits for it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlushRule {
    /// Writes from one flush to the next, on average; absent if `writes` has them.
    #[serde(default)]
    pub every: Option<f64>,
    /// Always so many; else drawn.
    #[serde(default)]
    pub regular: bool,
    /// Writes from one flush to the next, from and to, with their shares; empty if `every` is there.
    #[serde(default)]
    pub writes: Vec<(u64, u64, f64)>,
    /// Which of the writes count, and may have a flush.
    #[serde(default)]
    pub per: FlushPer,
    /// From the completion of a write to its flush; absent: a flush is issued with its write.
    #[serde(deserialize_with = "text::some_time", default)]
    pub after: Option<Nanos>,
    /// Share of the reads that wait for the flush before them.
    #[serde(default)]
    pub reads_wait: f64,
    /// Share of the writes that wait for the flush before them.
    #[serde(default)]
    pub writes_wait: f64,
}

/// Which writes count from one flush to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlushPer {
    /// Each.
    #[default]
    Write,
    /// Writes that arrive together count as one, and none of them but the last has a flush.
    Batch,
    /// Those that arrive alone. Batches have no flush, and wait for none.
    Single,
}

impl FlushRule {
    /// Returns the writes, or batches of them, from one flush to the next, on average.
    pub fn mean(&self) -> f64 {
        let total: f64 = self.writes.iter().map(|(_, _, share)| share).sum();
        let sum: f64 = self
            .writes
            .iter()
            .map(|&(from, to, share)| (from + to) as f64 / 2.0 * share)
            .sum();
        self.every.unwrap_or(sum / total)
    }

    /// Whether a flush waits for its write, or I/Os for a flush.
    pub fn has_waits(&self) -> bool {
        self.after.is_some() || self.reads_wait > 0.0 || self.writes_wait > 0.0
    }
}

/// The I/Os of one operation.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Side {
    /// Offsets are multiples of this.
    #[serde(deserialize_with = "text::size")]
    pub align: Bytes,
    /// Sizes of single I/Os, with their shares.
    #[serde(deserialize_with = "text::sizes")]
    pub sizes: Vec<(Bytes, f64)>,
    /// Sizes of I/Os in runs; those of `sizes` if empty.
    #[serde(deserialize_with = "text::sizes", default)]
    pub run_sizes: Vec<(Bytes, f64)>,
    /// Share of the I/Os that continue a run and have the size of the one before.
    #[serde(default = "whole")]
    pub same_size: f64,
    /// Lengths of runs in I/Os, from and to, with their shares: each I/O that continues none begins one.
    #[serde(default = "single")]
    pub runs: Vec<(u64, u64, f64)>,
    /// Share of the I/Os that continue a run and follow its last I/O directly.
    #[serde(default = "whole")]
    pub same_run: f64,
    /// Bytes at the end of the I/O before which one that continues a run covers again, with their shares of such I/Os; the others
    /// begin where it ended.
    #[serde(deserialize_with = "text::sizes", default)]
    pub overlaps: Vec<(Bytes, f64)>,
    /// Runs that are open at once.
    #[serde(default = "one")]
    pub open_runs: u32,
    /// Where runs begin.
    pub places: Places,
    /// The I/Os of batches, where the arrivals distinguish them; the others count for these, too, if absent. // without its own
    #[serde(default)]
    pub batch: Option<Box<Side>>,
}

fn whole() -> f64 {
    100.0
}

fn single() -> Vec<(u64, u64, f64)> {
    vec![(1, 1, 100.0)]
}

fn one() -> u32 {
    1
}

/// Where runs begin.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "law", rename_all = "snake_case", deny_unknown_fields)]
pub enum Places {
    /// Anywhere, with the same probability.
    Uniform,
    /// By Zipf's law over so many places, which are scattered over the range.
    Zipf {
        /// Its exponent.
        theta: f64,
        /// Different places.
        blocks: u64,
        /// Where the most used lie, in their order, in 1024ths of the range.
        #[serde(default)]
        hot: Vec<u32>,
    },
    /// Parts of the range, laid end to end, each with its share of the range and of the I/Os.
    Zones {
        /// Share of the range, share of the I/Os.
        zones: Vec<(f64, f64)>,
    },
    /// Places by how often they are used.
    Table {
        /// The classes.
        classes: Vec<PlaceClass>,
    },
}

/// Places that are used about equally often.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlaceClass {
    /// Their share of the I/Os.
    pub share: f64,
    /// How many there are.
    pub blocks: u64,
    /// Their shares by 256ths of the range; the whole range equally if empty.
    #[serde(default)]
    pub zones: Vec<(u32, f64)>,
}

/// When I/Os arrive.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum ArrivalRule {
    /// At their own times, regardless of completions.
    Open {
        /// Length of a step.
        #[serde(deserialize_with = "text::time")]
        every: Nanos,
        /// How long; it cuts the last step.
        #[serde(deserialize_with = "text::time")]
        duration: Nanos,
        /// I/Os of each step.
        ios: Vec<u64>,
        /// At equal distances within a step; `halvings` do not count then.
        #[serde(default)]
        even: bool,
        /// How unevenly the I/Os of a step are divided between its halves, of those between theirs, and so on: 0 is
        /// independent, up to 0.25 is all in one half; negative is more even, −1 the most.
        #[serde(default)]
        halvings: Vec<f64>,
        /// I/Os that arrive together: how many, from and to, with their shares of the batches; one by one if empty.
        #[serde(default)]
        batches: Vec<(u64, u64, f64)>,
        /// From one I/O of a batch to the next.
        #[serde(deserialize_with = "text::time", default)]
        batch_gap: Nanos,
    },
    /// Reads and writes each at their own times.
    ByOperation {
        /// Of the reads. // open
        read: Box<ArrivalRule>,
        /// Of the writes. // open
        write: Box<ArrivalRule>,
    },
    /// I/Os that arrive alone, and batches of them, each at their own times.
    ByBatch {
        /// Those that arrive alone. // open, without batches
        single: Box<ArrivalRule>,
        /// The batches. // open, each of two I/Os or more
        batch: Box<ArrivalRule>,
    },
    /// When an earlier one completes.
    Closed {
        /// I/Os in flight.
        in_flight: u32,
        /// From a completion to the next I/O.
        #[serde(deserialize_with = "text::time", default)]
        think: Nanos,
        /// How long.
        #[serde(deserialize_with = "text::time")]
        duration: Nanos,
    },
}

/// Parts of the range that [`PlaceClass::zones`] refers to.
pub(crate) const CLASS_ZONES: u32 = 256;
/// Parts of the range that [`Places::Zipf`] refers to.
pub(crate) const HOT_ZONES: u32 = 1024;

impl LearnedWorkload {
    /// All sides, and those of batches.
    fn sides(&self) -> impl Iterator<Item = &Side> {
        let sides = [&self.read, &self.write].into_iter().flatten();
        sides.flat_map(|side| iter::once(side).chain(side.batch.as_deref()))
    }

    /// Returns how long it lasts.
    pub fn duration(&self) -> Nanos {
        self.arrivals.duration()
    }

    /// Returns the largest I/O.
    pub fn largest(&self) -> Bytes {
        let sides = self.sides();
        let sizes = sides.flat_map(|side| side.sizes.iter().chain(&side.run_sizes));
        sizes.map(|(size, _)| *size).max().unwrap_or_default()
    }

    /// Returns the largest power of two up to 4096 that divides all offsets and lengths.
    pub fn granularity(&self) -> Bytes {
        let bits = self.sides().fold(4096, |bits, side| {
            let sizes = side.sizes.iter().chain(&side.run_sizes);
            let sizes = sizes.chain(&side.overlaps);
            sizes.fold(bits | side.align.0, |bits, (size, _)| bits | size.0)
        });
        Bytes(1 << bits.trailing_zeros())
    }

    /// Multiplies the rate.
    pub fn scale_rate(&mut self, factor: f64) {
        self.arrivals.scale_rate(factor);
    }

    /// Makes everything happen faster by this factor: gaps and length shrink.
    pub fn scale_time(&mut self, factor: f64) {
        let shorter = |time: &mut Nanos| *time = Nanos((time.0 as f64 / factor).round() as u64);
        if let Some(after) = self.flush.as_mut().and_then(|flush| flush.after.as_mut()) {
            shorter(after);
        }
        self.arrivals.scale_time(&shorter);
    }
}

impl ArrivalRule {
    /// The rules that this one consists of, if it does.
    fn parts(&self) -> Option<[&ArrivalRule; 2]> {
        match self {
            ArrivalRule::ByOperation { read, write } => Some([read, write]),
            ArrivalRule::ByBatch { single, batch } => Some([single, batch]),
            ArrivalRule::Open { .. } | ArrivalRule::Closed { .. } => None,
        }
    }

    /// Which of the writes may count for flushes: all, or also batches, or also those that arrive alone. Of a workload without
    /// reads the rule is that of the writes.
    pub(crate) fn flushes_per(&self, has_reads: bool) -> FlushPer {
        match self.of(Operation::Write, !has_reads) {
            Some(ArrivalRule::ByBatch { .. }) => FlushPer::Single,
            Some(ArrivalRule::Open { batches, .. }) if !batches.is_empty() => FlushPer::Batch,
            _ => FlushPer::Write,
        }
    }

    /// Whether batches of this operation have arrivals of their own; `is_only`: the workload has no other.
    pub(crate) fn has_batches(&self, operation: Operation, is_only: bool) -> bool {
        let own = self.of(operation, is_only);
        matches!(own, Some(ArrivalRule::ByBatch { .. }))
    }

    /// The rule of this operation alone, which is that of all if the workload has no other.
    fn of(&self, operation: Operation, is_only: bool) -> Option<&ArrivalRule> {
        match (self, operation) {
            (ArrivalRule::ByOperation { read, .. }, Operation::Read) => Some(read),
            (ArrivalRule::ByOperation { write, .. }, Operation::Write) => Some(write),
            _ => is_only.then_some(self),
        }
    }

    /// Returns the share of reads in percent, where reads and writes have times of their own.
    pub(crate) fn share_of_reads(&self) -> Option<f64> {
        let ArrivalRule::ByOperation { read, write } = self else {
            return None;
        };
        let [reads, writes] = [read, write].map(|rule| rule.ios());
        Some(reads / (reads + writes) * 100.0)
    }

    /// All I/Os of the steps.
    fn ios(&self) -> f64 {
        match self {
            ArrivalRule::Open { ios, .. } => ios.iter().map(|&one| one as f64).sum(),
            rule => rule.parts().into_iter().flatten().map(Self::ios).sum(),
        }
    }

    fn duration(&self) -> Nanos {
        match self {
            ArrivalRule::Open { duration, .. } | ArrivalRule::Closed { duration, .. } => *duration,
            rule => {
                let each = rule.parts().into_iter().flatten().map(Self::duration);
                each.max().unwrap_or_default()
            }
        }
    }

    fn scale_rate(&mut self, factor: f64) {
        match self {
            ArrivalRule::Open { ios, .. } => {
                let mut carried = 0.0;
                for count in ios {
                    let exact = *count as f64 * factor + carried;
                    *count = exact.round().max(0.0) as u64;
                    carried = exact - *count as f64;
                }
            }
            ArrivalRule::ByOperation { read: a, write: b }
            | ArrivalRule::ByBatch {
                single: a,
                batch: b,
            } => {
                a.scale_rate(factor);
                b.scale_rate(factor);
            }
            ArrivalRule::Closed { .. } => {}
        }
    }

    fn scale_time(&mut self, shorter: &impl Fn(&mut Nanos)) {
        match self {
            ArrivalRule::Open {
                every,
                duration,
                batch_gap,
                ..
            } => [every, duration, batch_gap].into_iter().for_each(shorter),
            ArrivalRule::Closed {
                think, duration, ..
            } => [think, duration].into_iter().for_each(shorter),
            ArrivalRule::ByOperation { read: a, write: b }
            | ArrivalRule::ByBatch {
                single: a,
                batch: b,
            } => {
                a.scale_time(shorter);
                b.scale_time(shorter);
            }
        }
    }
}
