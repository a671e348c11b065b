//! What is measured and how it is opened. What is done to it stands in `workload`.

use super::arrivals::Spacing;
use super::bounds::{Bounds, StridedZones};
use super::simulated::SimulatedDevice;
use super::verify::Verify;
use super::workload::Workload;
use crate::units::{Bytes, Nanos, Ratio};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A file, volume or device, the part of it that is used, and the work it gets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// Where the bytes are.
    pub location: Location,
    /// First byte of the range that is used.
    pub base: Bytes,
    /// Length of the range; `None` is up to the end of the target.
    pub length: Option<Bytes>,
    /// Create the file with this size first, filled with incompressible data. An existing file created
    /// by fathom that is large enough is used as it is.
    pub create: Option<Bytes>,
    /// A file of fathom serves only if it has just that size; else it is created again.
    pub create_exactly: bool,
    /// What of a file that is created is written before the run.
    #[serde(default)]
    pub allocation: Allocation,
    /// Caches between the I/O and the device.
    pub cache: CacheMode,
    /// What the system's cache contains of the target is dropped before the run. Called elsewhere: fio `invalidate`.
    #[serde(default)]
    pub drop_cache: bool,
    /// Each thread drops the pages of its range again before it goes on behind so many bytes; without it they are dropped once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drop_cache_every: Option<Bytes>,
    /// Each write returns only when the data is on stable storage.
    pub write_through: bool,
    /// Calls that make what was written durable.
    #[serde(default)]
    pub fsync: Fsync,
    /// What a length beyond the end of the target means.
    pub beyond_end: BeyondEnd,
    /// Memory-mapped instead of read and written; when mapped writes are flushed.
    pub mapped: Option<Flush>,
    /// Which backend does its I/O, where it is not that of the time span.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<EngineChoice>,
    /// What is written.
    pub content: WriteContent,
    /// How fast a thread may go; where a thread takes its targets in turn, over all of them.
    pub pacing: Pacing,
    /// What a thread has to reach, or else the run has failed.
    #[serde(default)]
    pub bounds: Bounds,
    /// Zones of the range that are used one after another; the whole range without them.
    #[serde(default)]
    pub zones: Option<StridedZones>,
    /// Which part of the time span its threads run.
    #[serde(default)]
    pub active: Active,
    /// How urgent its I/Os are to the system's scheduler.
    pub priority: Priority,
    /// The hint to the system about the pattern.
    pub hint: Hint,
    /// I/O memory in huge pages; refused where the system has none.
    pub large_pages: bool,
    /// Share in a pool whose slots are not bound to targets. // above 0
    pub weight: u32,
    /// Which threads of a pool use it, with their own weights (0: the target's); empty for all.
    pub pool_threads: Vec<(u32, u32)>,
    /// What is read is compared with what was written.
    #[serde(default)]
    pub verify: Verify,
    /// Threads that do the work on this target, each with its own queue. // in [1, 1024]
    pub threads: u32,
    /// Each of them is done after so many bytes, and the run when all are; without it the time decides alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<Bytes>,
    /// What each of them does.
    pub workload: Workload,
}

impl Target {
    /// One thread on the whole of what is there, with everything else as it usually is.
    pub fn new(location: Location, workload: Workload) -> Self {
        Target {
            location,
            base: Bytes(0),
            length: None,
            create: None,
            create_exactly: false,
            allocation: Allocation::default(),
            cache: CacheMode::default(),
            drop_cache: false,
            drop_cache_every: None,
            write_through: false,
            fsync: Fsync::default(),
            beyond_end: BeyondEnd::default(),
            mapped: None,
            engine: None,
            content: WriteContent::default(),
            pacing: Pacing::default(),
            bounds: Bounds::default(),
            zones: None,
            active: Active::default(),
            priority: Priority::default(),
            hint: Hint::default(),
            large_pages: false,
            weight: 1,
            pool_threads: Vec::new(),
            verify: Verify::default(),
            threads: 1,
            amount: None,
            workload,
        }
    }
}

/// Which backend, as requested. The record contains the one that ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EngineChoice {
    /// The fastest that this machine can run; a fallback is reported in the record's notes.
    #[default]
    Auto,
    /// Linux io_uring.
    IoUring,
    /// Linux kernel AIO, for systems without io_uring.
    Libaio,
    /// One blocking system call an I/O.
    Sync,
    /// NVMe commands passed through to a namespace by io_uring, past the block layer.
    Nvme,
    /// Overlapped I/O and a completion port of Windows.
    Iocp,
    /// No I/O at all: measures the tool itself, and is the instrument of the tests.
    Null,
}

impl EngineChoice {
    /// Every choice with its name, in the order in which help lists them.
    pub const ALL: [(EngineChoice, &'static str); 7] = [
        (EngineChoice::Auto, "auto"),
        (EngineChoice::IoUring, "io_uring"),
        (EngineChoice::Libaio, "libaio"),
        (EngineChoice::Sync, "sync"),
        (EngineChoice::Nvme, "nvme"),
        (EngineChoice::Iocp, "iocp"),
        (EngineChoice::Null, "null"),
    ];
}

impl fmt::Display for EngineChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = EngineChoice::ALL.iter().find(|(choice, _)| choice == self);
        f.write_str(row.expect("every choice has its row in ALL").1)
    }
}

impl FromStr for EngineChoice {
    type Err = crate::UnitError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let row = EngineChoice::ALL.iter().find(|(_, name)| *name == text);
        row.map(|(choice, _)| *choice)
            .ok_or_else(|| crate::UnitError {
                read: text.to_owned(),
                accepted: "must be auto, io_uring, libaio, sync, nvme, iocp (on Windows) or null",
            })
    }
}

/// What of a file that is created is written before the run. Its first block always is, so that the file is known as fathom's.
/// All but the first are for targets that are only written. Called elsewhere: fio `fallocate`, `overwrite`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Allocation {
    /// All of it, with data.
    #[default]
    Written,
    /// Nothing; the file has its size, and all its space is reserved (fallocate).
    Reserved,
    /// The same, but each write behind the end of the file makes it longer (fallocate with FALLOC_FL_KEEP_SIZE).
    ReservedBehindEnd,
    /// Nothing; the file has its size and no space (ftruncate).
    Sparse,
    /// The same, and a file of fathom that is there is emptied. Called elsewhere: IOR, which removes its file before it writes.
    Emptied,
    /// Nothing; the file has no space, and each write behind its end makes it longer.
    Growing,
}

impl Allocation {
    /// Returns whether all of it is written.
    #[allow(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde asks with a reference"
    )]
    pub fn is_written(&self) -> bool {
        *self == Allocation::Written
    }

    /// Returns whether writes make the file longer.
    pub const fn grows(self) -> bool {
        matches!(self, Allocation::ReservedBehindEnd | Allocation::Growing)
    }
}

/// What a length beyond the end of the target means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BeyondEnd {
    /// The request is refused.
    #[default]
    Refuse,
    /// The range ends with the target.
    Clip,
}

/// Calls of the system that make what was written durable. Each waits for the I/Os of its thread first. Called elsewhere: fio
/// `fsync`, `fdatasync`, `end_fsync`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fsync {
    /// After so many writes of a thread; 0 for never.
    pub every: u32,
    /// Without metadata that is not needed to read the data again (fdatasync).
    pub data_only: bool,
    /// When a thread has done its work (fsync).
    pub at_end: bool,
}

impl Fsync {
    /// Returns whether there is no such call.
    #[allow(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde asks with a reference"
    )]
    pub const fn is_never(&self) -> bool {
        self.every == 0 && !self.at_end
    }
}

/// When memory-mapped writes are flushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Flush {
    /// When the system sees fit.
    Never,
    /// After each write, the pages touched (msync).
    View,
}

/// What is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WriteContent {
    /// Incompressible, each block its own, marked as fathom's.
    #[default]
    Marked,
    /// Marked too, but part of it can be compressed, and part folded with blocks that are the same.
    Shaped {
        /// Share of each 4096 bytes that is zeros.
        compress: Ratio,
        /// Share of the blocks that is one and the same block.
        dedupe: Ratio,
    },
    /// Byte *i* of a thread's write memory is *i* mod 256.
    Pattern,
    /// These bytes repeatedly, from the start of each block. Called elsewhere: fio `buffer_pattern`. // not empty
    Repeated(Vec<u8>),
    /// Zeros.
    Zero,
    /// New random bytes before each write.
    Fresh,
    /// One buffer shared by all threads of the target; each write begins somewhere in it.
    Source {
        /// Its size. // at least a block
        bytes: Bytes,
        /// What fills it, repeated where it is shorter; random bytes without one.
        file: Option<PathBuf>,
    },
}

/// How fast a thread may go on one target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pacing {
    /// As fast as it can.
    #[default]
    Free,
    /// Bytes issued never run ahead of this rate.
    Rate {
        /// Bytes a second. // above 0
        bytes_per_s: u64,
    },
    /// I/Os of any size never exceed this rate. Called elsewhere: fio `rate_iops`.
    Ios {
        /// IOPS of each thread. // in [1, 1 000 000 000]
        per_s: u64,
        /// From one to the next.
        spacing: Spacing,
    },
    /// A pause after every burst.
    Bursts {
        /// I/Os of one burst. // above 0
        ios: u32,
        /// Pause after it.
        pause: Nanos,
    },
}

/// Which part of a time span a thread runs. Called elsewhere: fio `startdelay` and `runtime` of jobs that run side by side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Active {
    /// From the start of the warm-up to its first I/O.
    pub after: Nanos,
    /// How long it runs behind its own warm-up; without it to the end.
    pub length: Option<Nanos>,
    /// Then it goes on to as many bytes as the thread of the run that did most. Called elsewhere: IOR `stoneWallingWearOut`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wear_out: bool,
}

impl Active {
    /// Returns whether it runs from the start to the end.
    #[allow(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde asks with a reference"
    )]
    pub fn is_always(&self) -> bool {
        *self == Active::default()
    }

    /// Returns when its last I/O starts at the latest, from the start of a warm-up of this length.
    pub fn end(self, warmup: Nanos) -> Nanos {
        self.length
            .map_or(Nanos::MAX, |length| self.after.plus(warmup).plus(length))
    }
}

/// How urgent I/Os are to the system's scheduler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// Only when no other process uses the device (idle class).
    VeryLow,
    /// Best effort, lowest level.
    Low,
    /// As the system has it.
    #[default]
    Normal,
}

/// The hint to the system about the pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Hint {
    /// Only what the workload specifies.
    #[default]
    None,
    /// It will be read from one end to the other.
    Sequential,
    /// It will be read here and there.
    Random,
}

/// Where the bytes are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Location {
    /// A file or a device, by name.
    Path(PathBuf),
    /// Nowhere: the null backend's simulated device.
    Null(NullBehaviour),
    /// Nowhere: a device that exists in a model only, in simulated time.
    Simulated(Box<SimulatedDevice>),
}

impl Location {
    /// What a person calls it: the path, the word of a simulated device, or `null`.
    pub fn name(&self) -> String {
        match self {
            Location::Path(path) => path.display().to_string(),
            Location::Null(_) => "null".to_owned(),
            Location::Simulated(device) => device.to_string(),
        }
    }

    /// The name, where there is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Location::Path(path) => Some(path),
            Location::Null(_) | Location::Simulated(_) => None,
        }
    }
}

/// How the simulated device of the null backend behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NullBehaviour {
    /// Size that it reports.
    pub size: Bytes,
    /// From submission to completion of each I/O; all in flight wait side by side.
    pub delay: Nanos,
    /// Every so many I/Os of a thread, one fails with EIO; 0 for never.
    pub error_every: u64,
    /// The delays of a thread's I/Os climb from `delay` to this in equal ratios and begin again; without effect where
    /// it is not above `delay`.
    #[serde(default)]
    pub delay_max: Nanos,
    /// When it answers nothing.
    #[serde(default)]
    pub stall: Option<Stall>,
}

/// A stretch of time in which the simulated device answers nothing: what would complete in it completes at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stall {
    /// When it begins, counted from the start of the warm-up.
    pub from: Nanos,
    /// How long it lasts.
    pub length: Nanos,
}

impl NullBehaviour {
    /// Delays on the way from `delay` to `delay_max`.
    pub const DELAY_STEPS: u64 = 1024;

    /// The delay of a thread's I/O of this number, counted from 0. Exact where all are identical, else to the nanosecond
    /// below.
    pub fn delay_of(&self, number: u64) -> Nanos {
        if self.delay_max <= self.delay {
            return self.delay;
        }
        let share = (number % Self::DELAY_STEPS) as f64 / (Self::DELAY_STEPS - 1) as f64;
        let (low, high) = (self.delay.0.max(1) as f64, self.delay_max.0 as f64);
        Nanos((low * (high / low).powf(share)) as u64)
    }
}

/// Caches between the I/O and the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CacheMode {
    /// Past the operating system's cache (O_DIRECT; FILE_FLAG_NO_BUFFERING).
    #[default]
    Unbuffered,
    /// Through the operating system's cache.
    Cached,
    /// Bypasses the local cache of a network file system, not the cache of its server. Refused elsewhere.
    LocalOff,
}
