//! Block I/Os that another program issued, as a trace records them, and the summary of a trace.
//!
//! Omitted: how traces are read and written (`traces`), and the data of an I/O, which no trace contains.

use crate::units::{Bytes, Nanos};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The largest read or write that a trace may contain; larger ones are a sign of a wrong column.
pub const TRACE_LENGTH_MAX: Bytes = Bytes::gib(1);

/// What an I/O of a trace did.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum TraceOperation {
    /// Read data.
    #[default]
    Read,
    /// Wrote data.
    Write,
    /// Discarded a range.
    Discard,
    /// Flushed the device's write cache.
    Flush,
}

impl TraceOperation {
    /// All with the names that texts and options use.
    pub const ALL: [(&str, TraceOperation); 4] = [
        ("read", TraceOperation::Read),
        ("write", TraceOperation::Write),
        ("discard", TraceOperation::Discard),
        ("flush", TraceOperation::Flush),
    ];

    /// Returns the name.
    pub const fn name(self) -> &'static str {
        Self::ALL[self as usize].0
    }

    /// Returns whether it transfers data.
    pub const fn transfers(self) -> bool {
        matches!(self, TraceOperation::Read | TraceOperation::Write)
    }
}

/// Marks of an I/O, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TraceFlags(pub u8);

impl TraceFlags {
    /// Synchronous: its issuer waits.
    pub const SYNC: TraceFlags = TraceFlags(1);
    /// Forced to the medium.
    pub const FUA: TraceFlags = TraceFlags(2);
    /// Metadata of a file system.
    pub const META: TraceFlags = TraceFlags(4);
    /// Read ahead of what was requested.
    pub const AHEAD: TraceFlags = TraceFlags(8);

    /// Each with its letter, as the kernel writes it.
    pub const ALL: [(char, TraceFlags); 4] = [
        ('S', TraceFlags::SYNC),
        ('F', TraceFlags::FUA),
        ('M', TraceFlags::META),
        ('A', TraceFlags::AHEAD),
    ];

    /// Adds the marks of `other`.
    #[must_use]
    pub const fn with(self, other: TraceFlags) -> TraceFlags {
        TraceFlags(self.0 | other.0)
    }

    /// Returns whether it has all marks of `other`.
    pub const fn has(self, other: TraceFlags) -> bool {
        self.0 & other.0 == other.0
    }
}

/// One I/O of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceRecord {
    /// When it was issued; of a trace that was read, since the trace's first I/O.
    pub at: Nanos,
    /// First byte.
    pub offset: u64,
    /// Bytes. // reads and writes: in [1, TRACE_LENGTH_MAX]; flushes: 0
    pub length: u64,
    /// From issue to completion, where the trace has it.
    pub latency: Option<Nanos>,
    /// The thread that issued it; 0 where the trace has none.
    pub thread: u32,
    /// The number of the device among those of the trace.
    pub device: u16,
    /// What it did.
    pub operation: TraceOperation,
    /// Its marks.
    pub flags: TraceFlags,
}

/// What an I/O waits for where I/Os wait for those before them; the default is nothing but its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceDependency {
    /// So many I/Os before it is the one that it follows; 0 for none. // below DEPENDENCY_WINDOW
    pub back: u32,
    /// It follows the completion, not the start.
    pub completed: bool,
    /// From there to its start.
    pub gap: Nanos,
    /// So many I/Os before it is the flush that has to be complete, or, of a flush, the last of the writes that all have to
    /// be; 0 for none. // below DEPENDENCY_WINDOW
    pub barrier: u32,
}

/// An I/O waits for none that is so many I/Os before it.
pub const DEPENDENCY_WINDOW: u32 = 1 << 14;

/// Letters of an operation and its marks at most.
pub const BLOCK_LETTERS: usize = 16;

/// What happened to an I/O of a device that is observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlockStage {
    /// It arrived at the device's queue.
    Queued,
    /// It completed.
    Completed,
}

/// One event of a device that is observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockEvent {
    /// When, on the kernel's monotonic clock.
    pub at: Nanos,
    /// What happened.
    pub stage: BlockStage,
    /// Major and minor number of the whole device.
    pub device: (u32, u32),
    /// First sector of 512 bytes.
    pub sector: u64,
    /// Sectors of 512 bytes.
    pub sectors: u32,
    /// The thread that was running.
    pub thread: u32,
    /// Operation and marks as the kernel writes them, then zeros.
    pub letters: [u8; BLOCK_LETTERS],
}

/// Events that were lost between two moments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostEvents {
    /// After this.
    pub from: Nanos,
    /// Before this.
    pub to: Nanos,
    /// How many; at least.
    pub events: u64,
}

/// What a trace contains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceSummary {
    /// Format of the files.
    pub format: String,
    /// All I/Os.
    pub ios: u64,
    /// From the first I/O to the last.
    pub duration_ns: Nanos,
    /// The smallest difference of time that the format can express.
    pub resolution_ns: Nanos,
    /// Events that the recorder reported as lost.
    pub lost: u64,
    /// I/Os of the files that are not in the counts: of no length, or of a kind that moves no data of the device.
    pub skipped: u64,
    /// Reads, writes, discards and flushes, in this order, those that occur.
    pub operations: Vec<TraceShare>,
    /// The devices, in the order of their first I/O.
    pub devices: Vec<TraceDevice>,
    /// When I/Os were issued.
    pub arrivals: TraceArrivals,
    /// From issue to completion, where the trace has completions.
    pub latency: Option<TraceQuantiles>,
    /// I/Os in flight, averaged over time, where the trace has completions.
    pub mean_in_flight: Option<f64>,
    /// Different data that was read or written. // bytes
    pub working_set: TraceWorkingSet,
}

/// The I/Os of one operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceShare {
    /// Which.
    pub operation: TraceOperation,
    /// How many.
    pub ios: u64,
    /// Sum of their lengths.
    pub bytes: u64,
    /// The most frequent sizes, at most eight, the most frequent first.
    pub sizes: Vec<TraceSize>,
    /// I/Os of other sizes.
    pub other_sizes: u64,
    /// I/Os that begin where one of the 64 last I/Os of the same operation and device ended.
    pub sequential: u64,
}

/// I/Os of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TraceSize {
    /// Bytes of each.
    pub bytes: u64,
    /// How many.
    pub ios: u64,
}

/// One device of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TraceDevice {
    /// Its label in the trace; it opens nothing.
    pub name: String,
    /// Its I/Os.
    pub ios: u64,
    /// Where the last byte that was read or written ends.
    pub end_bytes: u64,
}

/// When I/Os were issued.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceArrivals {
    /// I/Os of the busiest second.
    pub busiest_second_ios: u64,
    /// When it begins.
    pub busiest_second_at_ns: Nanos,
    /// I/Os of the busiest minute.
    pub busiest_minute_ios: u64,
    /// When it begins.
    pub busiest_minute_at_ns: Nanos,
    /// From one I/O to the next; `None` with fewer than two.
    pub gaps: Option<TraceQuantiles>,
    /// Variance over mean of the I/Os in 10 ms: 1 for independent arrivals.
    pub dispersion_10ms: Option<f64>,
    /// The same in 1 s.
    pub dispersion_1s: Option<f64>,
}

/// Quantiles of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TraceQuantiles {
    /// Half of the values are at most this.
    pub p50_ns: Nanos,
    /// 99%.
    pub p99_ns: Nanos,
    /// The largest.
    pub max_ns: Nanos,
}

/// Different data that was read or written, in blocks of 4 KiB, counted in a sample of all blocks by hash.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceWorkingSet {
    /// Bytes, estimated where the sample is below 1.
    pub bytes: u64,
    /// Of them, bytes that were read.
    pub read_bytes: u64,
    /// Of them, bytes that were written.
    pub written_bytes: u64,
    /// Share of the accesses to blocks that the most accessed tenth of the blocks received.
    pub hottest_tenth_share: Option<f64>,
    /// Share of the blocks that were counted.
    pub sampled_share: f64,
}
