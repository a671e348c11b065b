//! What the control groups of this process allow it, and the class of its I/Os. Source: the kernel's `Documentation/admin-guide/cgroup-v2.rst` and
//! `cgroup-v1/blkio-controller.rst`.
//!
//! Deliberately absent: process counts, which change no rate; limits that a container hides from those in it.

use crate::plan::Operation;
use crate::units::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What the control groups of this process, and those above them, allow it, and the class of its I/Os.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// Processor time, in thousandths of a core; `None` where there is no limit.
    pub cpu_millicores: Option<u64>,
    /// I/O, one entry a device that has a limit.
    pub io: Vec<IoLimit>,
    /// Memory: of all groups the one with the least room. None without a limit, and in records kept before it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryLimit>,
    /// Its I/Os have the idle class (`ionice -c 3`): schedulers that know classes serve them after all others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub idle_io: bool,
}

/// How much memory a control group allows. A process that needs more is killed without a message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryLimit {
    /// Folder of the group.
    pub group: PathBuf,
    /// What it allows: the smaller of `memory.max` and `memory.high`, or `memory.limit_in_bytes`.
    pub limit: Bytes,
    /// In use by all processes of the group, without cached files, which the kernel can drop.
    pub used: Bytes,
}

impl MemoryLimit {
    /// What is left.
    pub fn room(&self) -> Bytes {
        Bytes(self.limit.0.saturating_sub(self.used.0))
    }
}

/// How fast this process may go on one device. `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IoLimit {
    /// Major and minor number of the device.
    pub device: (u32, u32),
    /// Reads a second.
    pub read_ios_per_s: Option<u64>,
    /// Writes a second.
    pub write_ios_per_s: Option<u64>,
    /// Bytes read a second.
    pub read_per_s: Option<Bytes>,
    /// Bytes written a second.
    pub write_per_s: Option<Bytes>,
}

impl IoLimit {
    /// Its limits on reads or on writes: I/Os and bytes a second.
    pub const fn of(&self, operation: Operation) -> (Option<u64>, Option<Bytes>) {
        match operation {
            Operation::Read => (self.read_ios_per_s, self.read_per_s),
            Operation::Write => (self.write_ios_per_s, self.write_per_s),
        }
    }
}
