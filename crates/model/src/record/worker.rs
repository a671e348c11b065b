//! Time of one worker thread by activity, and what waited for it.
//!
//! Separate from the counts of `tally`, because a thread of a pool works on several targets and its time belongs to
//! none of them. Deliberately absent: what follows from it.

use super::histogram::LatencyHistogram;
use crate::trace::TraceOperation;
use crate::units::{Bytes, Nanos};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One worker thread. Threads that never came back have none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkerRecord {
    /// Number over the whole plan.
    pub thread: u32,
    /// How long it took to open its targets. None in records kept before that was measured; likewise the next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened: Option<Nanos>,
    /// How long it took to close them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed: Option<Nanos>,
    /// What waited to be started; only where a rate was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backlog: Option<Backlog>,
    /// What its time went into. None in records kept before that was counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<Account>,
    /// What it counted in the measured phase by line of a mixed workload, target by target.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<LineCount>,
    /// Its fsync and fdatasync calls, target by target.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub syncs: Vec<SyncCount>,
    /// How it kept the times of a trace; only where one was replayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<RecordedCount>,
}

/// How a thread kept the times of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecordedCount {
    /// From the moment at which an I/O was to start to its submission, of each I/O that was issued.
    #[schemars(with = "super::histogram::Encoded")]
    pub late: LatencyHistogram,
    /// How often the trace was not read in time.
    pub reader_late: u64,
    /// Its flushes and discards, in all phases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallCount>,
}

/// The flushes or discards of a trace that a thread replayed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CallCount {
    /// Which of the plan's targets.
    pub target: u32,
    /// What they did.
    pub operation: TraceOperation,
    /// That failed.
    pub failed: u64,
    /// How long those took that did not fail, from their submission; their own waiting for one another included.
    #[schemars(with = "super::histogram::Encoded")]
    pub latency: LatencyHistogram,
}

/// The fsync and fdatasync calls of a thread on one target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SyncCount {
    /// Which of the plan's targets.
    pub target: u32,
    /// That failed.
    pub failed: u64,
    /// How long the last one took, at the end of the work; 0 without one.
    pub at_end: Nanos,
    /// How long those after so many writes took, in all phases.
    #[schemars(with = "super::histogram::Encoded")]
    pub latency: LatencyHistogram,
}

/// The measured counts of one line of a mixed workload, by operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LineCount {
    /// Which of the plan's targets.
    pub target: u32,
    /// Which of its lines, from 0.
    pub line: u32,
    /// Completed without error.
    pub ios: [u64; 2],
    /// Transferred by them.
    pub bytes: [Bytes; 2],
    /// Sum of their latencies.
    pub latency_sum: [Nanos; 2],
    /// Largest of their latencies. // 0 without I/Os
    pub latency_max: [Nanos; 2],
}

/// Threads of the kernel's own that carry out io_uring requests which the target does not take without waiting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KernelWorkers {
    /// How many were seen at once.
    pub count: u32,
    /// Time that those had on a processor; 0 where the kernel does not report it.
    pub busy: Nanos,
}

/// What a worker's time went into, from its first turn to the end of issuing, warm-up and cool-down included. A turn of
/// its loop issues all that it may, waits, and takes all that has completed. The times and sizes are of the turns that
/// were looked at: the first ones, and a fixed share of the others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Account {
    /// How long all of it was.
    pub elapsed: Nanos,
    /// Processor time of the thread in it, where the system reports it.
    pub cpu: Option<ThreadCpu>,
    /// How long it was ready to go on and others had its processor. None where the system does not report it, and in records
    /// kept before that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delayed: Option<Nanos>,
    /// I/Os that came back undone for want of room and were submitted once more.
    #[serde(default, skip_serializing_if = "is_none")]
    pub again: u64,
    /// Turns of the loop.
    pub turns: u64,
    /// Of these, how many were looked at.
    pub looked_at: u64,
    /// From completions found to the last I/O issued: counting, choosing, staging, and handing over all but the last.
    pub issuing: Nanos,
    /// From there to the next completions found: the last hand-over, and waiting. With engines that block in a call,
    /// the call.
    pub waiting: Nanos,
    /// Of the waiting, that with no slot free.
    pub waiting_full: Nanos,
    /// How many turns issued how many I/Os: by powers of two, 0, 1, 2 to 3, 4 to 7 and so on.
    pub issued: Vec<u64>,
    /// How many turns found how many completions, in the same way.
    pub found: Vec<u64>,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks with a reference"
)]
fn is_none(count: &u64) -> bool {
    *count == 0
}

/// Processor time of one thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ThreadCpu {
    /// In the program.
    pub user: Nanos,
    /// In the kernel for it.
    pub kernel: Nanos,
}

/// I/Os that were to start and had not been, at both edges of the measured phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Backlog {
    /// When counting began.
    pub from: Waiting,
    /// When it ended.
    pub to: Waiting,
}

/// I/Os that were to start before a moment and had not been.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Waiting {
    /// How many; of random arrivals the number that is expected in that time.
    pub ios: u64,
    /// For how long the first of them had waited.
    pub late: Nanos,
}
