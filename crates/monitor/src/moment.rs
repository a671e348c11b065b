//! What happened between two refreshes, of devices, of the machine and of its processes.
//!
//! Deliberately absent: how it is found out (`sampler`) and how it looks.

use model::{DeviceCounters, Nanos, WatchMoment};

/// One refresh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moment {
    /// Its end, since the watch began.
    pub at: Nanos,
    /// Its length.
    pub length: Nanos,
    /// In the order in which they were asked for.
    pub devices: Vec<DeviceMoment>,
    /// Everything that no device has.
    pub machine: Machine,
    /// Those that moved bytes, the busiest first; empty if they may not be read.
    pub processes: Vec<ProcessMoment>,
    /// Processes that this user may not ask.
    pub refused: usize,
    /// One I/O in so many was timed by itself; `None` where there are averages only.
    pub one_in: Option<u64>,
}

/// One device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceMoment {
    /// Kernel name.
    pub name: String,
    /// What it did.
    pub figures: WatchMoment,
    /// What it has done since the machine was started.
    pub totals: DeviceCounters,
}

/// As vmstat(8) shows it. `None` is what the system does not report it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Machine {
    /// Programs that run or want to: `r`.
    pub runnable: Option<u64>,
    /// Programs that wait for I/O: `b`.
    pub blocked: Option<u64>,
    /// Bytes a second from block devices: `bi`.
    pub in_per_s: Option<f64>,
    /// Bytes a second to block devices: `bo`.
    pub out_per_s: Option<f64>,
    /// Share of all cores in programs. // in [0, 1]
    pub user: f64,
    /// In the kernel. // in [0, 1]
    pub kernel: f64,
    /// Idle, waiting for I/O included. // in [0, 1]
    pub idle: f64,
    /// Taken by the hypervisor. // in [0, 1]
    pub steal: f64,
}

/// One process.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessMoment {
    /// Its number.
    pub process: u32,
    /// What it is called.
    pub name: String,
    /// Bytes a second from devices.
    pub read_per_s: f64,
    /// Bytes a second to devices, or to the cache for them.
    pub write_per_s: f64,
}
