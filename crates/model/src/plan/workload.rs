//! What is done to a target: how large, how many at once, in which order, reads or writes.

use super::mixed::{MixedAccess, MixedLine};
use super::skew::Skew;
use crate::units::{Bytes, Nanos, Ratio};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What one thread does to one target. Called elsewhere: IOmeter access specification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Workload {
    /// Bytes of one I/O; of the largest, where they differ. // in [512, 1 GiB]
    pub block: Bytes,
    /// Most I/Os outstanding per thread.
    pub queue_depth: QueueDepth,
    /// Share of I/Os that are writes; each I/O is drawn by itself.
    pub write: Ratio,
    /// Where the next I/O goes.
    pub access: Access,
}

impl Workload {
    /// A workload of several lines; its block is the largest and its share of writes that of all together.
    pub fn mixed(lines: Vec<MixedLine>, queue_depth: QueueDepth) -> Workload {
        let mixed = MixedAccess {
            lines,
            skew: None,
            once: false,
        };
        Workload::of_mix(mixed, queue_depth)
    }

    /// A workload of this mix.
    pub fn of_mix(mixed: MixedAccess, queue_depth: QueueDepth) -> Workload {
        Workload {
            block: mixed.block_max(),
            queue_depth,
            write: mixed.write(),
            access: Access::Mixed(mixed),
        }
    }

    /// The block, where all I/Os have the same.
    pub fn single_block(&self) -> Option<Bytes> {
        match &self.access {
            Access::Mixed(mixed) => mixed
                .lines
                .iter()
                .all(|line| line.block == self.block)
                .then_some(self.block),
            Access::Recorded(_) => None,
            _ => Some(self.block),
        }
    }
}

/// Most I/Os outstanding per thread per target, as asked. DISKSPD `-o`, fio `iodepth`. // in [1, 65536]
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct QueueDepth(pub u32);

impl fmt::Display for QueueDepth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Where the next I/O goes, relative to the start of the range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// One block after another, back to the start at the end. Several threads share the range out: thread
    /// *i* of *n* starts *i/n* of it after the first, so that none re-reads what another has just brought into
    /// a cache. Seed 0 starts at the beginning of the range; any other seed somewhere in it, for the same
    /// reason: runs that follow each other do not all begin on the same blocks.
    Sequential,
    /// Any block-aligned place in the range, equally likely.
    Random,
    /// Each block of the range once, in an order drawn by the seed; then again in another one. Called elsewhere: fio's
    /// random map.
    Permuted(PermutedAccess),
    /// Some blocks more often than others, by a law; which blocks these are is drawn by the seed. Called elsewhere: fio
    /// `random_distribution`.
    Skewed(Skew),
    /// The range seen as a matrix of blocks and walked column by column. Called elsewhere: SQLIO `-f`, `-i`.
    Stripe(StripeAccess),
    /// The range is rows of `columns` runs, each of `run` blocks. Thread *i* of the target has column `first` + *i*: it
    /// visits the run of each row, row after row, then starts over. Called elsewhere: IOR's
    /// segments of a shared file.
    Runs {
        /// Blocks of a run. // above 0
        run: u64,
        /// Runs of a row. // at least as many as `first` and the threads together
        columns: u32,
        /// Column of the first thread: the others are those of other processes.
        #[serde(default, skip_serializing_if = "is_first")]
        first: u32,
    },
    /// Offsets and operations as DISKSPD draws them, from its generator, in its order.
    Diskspd(DiskspdAccess),
    /// Several sizes and mixes that take turns by chance. Called elsewhere: IOmeter access specification lines.
    Mixed(MixedAccess),
    /// The I/Os of a trace, at its times.
    Recorded(Box<RecordedAccess>),
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it")]
const fn is_first(column: &u32) -> bool {
    *column == 0
}

/// A trace that is replayed, and the changes to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecordedAccess {
    /// Its name, as it was given.
    pub trace: String,
    /// A checksum of all its I/Os, as hexadecimal digits.
    pub digest: String,
    /// The largest power of two that divides its offsets and lengths, at most 4096.
    pub granularity: Bytes,
    /// I/Os that are issued, of all targets; 0 in a closed loop, which the duration ends.
    pub ios: u64,
    /// From the first to the last, as they are issued.
    pub duration: Nanos,
    /// In a closed loop, whose I/Os have no times of their own: from a completion to the next I/O.
    #[serde(default)]
    pub think: Option<Nanos>,
    /// Times are divided by this, in millionths.
    pub speed_ppm: u64,
    /// Mapping of its addresses: identity, compact, hash, modulo or scale.
    pub fit: String,
    /// Share of the used regions of 1 MiB that share their place with another, in millionths; none where it was not
    /// counted.
    pub overlap_ppm: Option<u32>,
    /// Offsets and lengths are rounded outwards to multiples of this.
    pub unit: Bytes,
    /// I/Os of the trace that are not issued.
    pub omitted: RecordedOmissions,
    /// When the others are issued, and its flushes and discards.
    #[serde(default)]
    pub issue: RecordedIssue,
}

/// When the I/Os of a trace are issued, and how many of them transfer no data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecordedIssue {
    /// What an I/O waits for.
    pub timing: RecordedTiming,
    /// Flushes that are issued, of all targets.
    pub flushes: u64,
    /// Discards that are issued, of all targets.
    pub discards: u64,
}

/// What an I/O of a trace waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecordedTiming {
    /// Its time.
    #[default]
    Recorded,
    /// Its time; a flush also waits for its write, and some I/Os for the flush before them.
    Flushes,
    /// A place among the I/Os in flight.
    Fast,
    /// The completions of the I/Os that it depends on, and a think time.
    Dependent(RecordedDependencies),
}

impl RecordedTiming {
    /// As it is requested.
    pub const fn name(self) -> &'static str {
        match self {
            RecordedTiming::Recorded => "recorded",
            RecordedTiming::Flushes => "flushes",
            RecordedTiming::Fast => "fast",
            RecordedTiming::Dependent(_) => "dependent",
        }
    }

    /// Whether I/Os wait for other I/Os.
    pub const fn has_waits(self) -> bool {
        matches!(self, RecordedTiming::Flushes | RecordedTiming::Dependent(_))
    }
}

/// The dependencies that a trace shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecordedDependencies {
    /// I/Os that wait for the completion of another.
    pub ios: u64,
    /// The most I/Os each of which waits for the one before.
    pub chain: u64,
    /// How long the replay takes if each I/O takes no time at all: gaps and think times alone.
    pub least: Nanos,
}

/// I/Os of a trace that are not issued, by the reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecordedOmissions {
    /// Reads, where they were to be skipped.
    #[serde(default)]
    pub reads: u64,
    /// Writes, where only reads were requested.
    pub writes: u64,
    /// Flushes of the write cache.
    pub flushes: u64,
    /// Discards.
    pub discards: u64,
    /// Of devices to which no target belongs.
    pub unmapped: u64,
}

/// Which blocks each thread visits once a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PermutedAccess {
    /// Thread *i* of *n* visits the blocks from *i/n* of the range up to the next thread's: all together visit each block
    /// once.
    Shared,
    /// Each thread visits each block. Called elsewhere: fio with `numjobs`.
    Each,
}

/// SQLIO's stripes: block *r·columns + c* is in row *r* and column *c*. A run goes down one column; the next run takes
/// the next column, and after the last the first again. Several threads divide the columns: thread *i* of *n* has
/// those from *i·columns/n* on, up to the next thread's. Source: the readme of SQLIO 1.5, "About the IOs".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StripeAccess {
    /// Blocks of a row: the stripe. // at least as many as threads
    pub columns: u32,
    /// Rows: the I/Os of one run. // above 0
    pub rows: u32,
}

impl StripeAccess {
    /// Blocks of the matrix.
    pub const fn blocks(self) -> u64 {
        self.columns as u64 * self.rows as u64
    }
}

/// DISKSPD's own walk. Source: its `IORequestGenerator`, as restated in `docs/compatibility/diskspd.md`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiskspdAccess {
    /// Percent of I/Os that go to a random place; 0 is sequential. // in [0, 100]
    pub random: Ratio,
    /// From one sequential I/O to the next, and what random offsets are multiples of. // above 0
    pub align: Bytes,
    /// How sequential offsets go on.
    pub sequence: Sequence,
    /// From the start of one thread's walk to the next thread's.
    pub thread_stride: Bytes,
    /// Where random I/Os fall.
    pub distribution: Distribution,
}

/// How sequential offsets go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sequence {
    /// Each thread has its own pointer.
    PerThread,
    /// One pointer shared by all threads of the target (`-si`).
    Interlocked,
    /// Each outstanding I/O has its own pointer (`-p`).
    PerSlot,
    /// Each thread has its own pointer, which moves towards the start, and from there to one stride and one block before the
    /// end. Called elsewhere: fio `rw=read:-8k`.
    Backward,
}

/// Where random I/Os fall.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Distribution {
    /// Uniform.
    #[default]
    Uniform,
    /// (Percent of I/Os, percent of the range), laid end to end.
    Percent(Vec<(u8, u8)>),
    /// (Percent of I/Os, bytes), laid end to end; 0 bytes in last place is "to the end".
    Absolute(Vec<(u8, u64)>),
}

/// Properties of one I/O.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Operation {
    /// From the target.
    Read = 0,
    /// To the target.
    Write = 1,
}

impl Operation {
    /// All, in the order of their index.
    pub const ALL: [Operation; 2] = [Operation::Read, Operation::Write];

    /// The place in arrays by operation. // in [0, 1]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// As it is called in messages and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Operation::Read => "read",
            Operation::Write => "write",
        }
    }
}
