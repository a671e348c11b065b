//! What the control groups of this process allow it. Source: the kernel's `Documentation/admin-guide/cgroup-v2.rst` and
//! `cgroup-v1/blkio-controller.rst`.
//!
//! Deliberately absent: memory and process counts, which change no rate; limits that a container hides from those in it.

use crate::units::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the control groups of this process, and those above them, allow it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// Processor time, in thousandths of a core; `None` where there is no limit.
    pub cpu_millicores: Option<u64>,
    /// I/O, one entry a device that has a limit.
    pub io: Vec<IoLimit>,
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
