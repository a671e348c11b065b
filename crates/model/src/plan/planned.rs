//! The checked form of a request: the engine takes nothing else.

use super::profile::{EngineChoice, OnError, Phases};
use super::target::{CacheMode, Location};
use super::workload::Workload;
use crate::units::{Bytes, Nanos};
use serde::{Deserialize, Serialize};

/// One timespan that can be run: every field is filled, in range, and fits the machine it was checked on.
///
/// Made by [`crate::check()`]; read back from the store as history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// How long each phase lasts.
    pub phases: Phases,
    /// Length of one step of the time series.
    pub interval: Nanos,
    /// Same seed, same offsets and operations.
    pub seed: u64,
    /// Which backend was asked for.
    pub engine: EngineChoice,
    /// What a failed I/O means for the run.
    pub on_error: OnError,
    /// What is measured. // at least one
    pub targets: Vec<PlannedTarget>,
    pub(crate) checked: Checked,
}

/// A target whose range, alignment and right to be written are settled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedTarget {
    /// Where the bytes are.
    pub location: Location,
    /// First byte of the range.
    pub base: Bytes,
    /// Length of the range: a whole number of blocks. // at least one block
    pub length: Bytes,
    /// Make or complete the file at this size first; `None` uses what is there.
    pub create: Option<Bytes>,
    /// What stands between the I/O and the device.
    pub cache: CacheMode,
    /// Each write returns only when the data is on stable storage.
    pub write_through: bool,
    /// Opened so that nobody else can mount or write it: devices that are written.
    pub exclusive: bool,
    /// Threads on this target, each with its own queue. // in [1, 1024]
    pub threads: u32,
    /// What each of them does.
    pub workload: Workload,
    /// Buffers and offsets are multiples of this. // a power of two, at least 512
    pub alignment: Bytes,
    /// Before anything is written, every block has to prove that fathom wrote it: a look here and there said so, and
    /// no word was given.
    #[serde(default)]
    pub prove_ours: bool,
    /// Device and inode number at the time of the check; the engine refuses anything else under this name.
    pub identity: Option<(u64, u64)>,
}

/// Only this crate can say it, so only `check` can make a `Plan`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Checked;

impl PlannedTarget {
    /// Whether any I/O of the workload, or the filling of the file, writes.
    pub fn writes(&self) -> bool {
        self.workload.write.as_percent() > 0
    }
}

impl Plan {
    /// Threads of all targets together.
    pub fn threads(&self) -> u32 {
        self.targets.iter().map(|target| target.threads).sum()
    }

    /// Most I/Os that can be outstanding at once, over all threads.
    pub fn outstanding_max(&self) -> u64 {
        self.targets
            .iter()
            .map(|t| u64::from(t.threads) * u64::from(t.workload.queue_depth.0))
            .sum()
    }
}
