//! What a program asked of storage and what the machine did meanwhile: the account of `fathom audit`.
//!
//! Counts and facts as the kernel gave them. Omitted: what they mean for figures that the program printed (`analysis`).

use super::counters::CounterWindow;
use super::host::{BlockDevice, FileSystem};
use super::imported::ImportedRun;
use super::run::OtherProgram;
use crate::units::{Bytes, Nanos};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The account of one program, from just before it started until it ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Audit {
    /// The program and its arguments.
    pub program: Vec<String>,
    /// How it ended.
    pub ending: ProgramEnd,
    /// What it and its descendants requested.
    pub io: ProgramIo,
    /// Counters of cores and devices before and after.
    pub window: CounterWindow,
    /// The devices that were counted, each behind those that use it.
    pub devices: Vec<BlockDevice>,
    /// Files, folders and devices: those that `--on` names, then those that were seen open.
    pub places: Vec<AuditPlace>,
    /// Types of file systems that are mounted here and on no device of this machine.
    pub remote_mounts: Vec<String>,
    /// What programs had written and no device had yet.
    pub unwritten: Unwritten,
    /// Other programs that used a processor or moved bytes meanwhile.
    pub others: Vec<OtherProgram>,
    /// How long tasks waited meanwhile.
    pub pressure: Pressure,
    /// Figures that the program printed.
    pub printed: Vec<ImportedRun>,
    /// What could not be read, a sentence each.
    pub notes: Vec<String>,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProgramEnd {
    /// With an exit code.
    Exited(u8),
    /// By a signal.
    Killed(u8),
    /// It still ran when the account ended.
    Running,
}

impl Default for ProgramEnd {
    fn default() -> Self {
        ProgramEnd::Exited(0)
    }
}

impl ProgramEnd {
    /// Returns the exit code by which a shell reports it: 128 and the signal.
    pub const fn code(self) -> u8 {
        match self {
            ProgramEnd::Exited(code) => code,
            ProgramEnd::Running => 0,
            ProgramEnd::Killed(signal) => signal.saturating_add(128),
        }
    }
}

/// What processes requested since they started, with their children that have ended. The names are the kernel's. Source: proc_pid_io(5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProgramIo {
    /// Processes whose counts are contained; children that their parent waited for are in its counts.
    pub processes: u64,
    /// Processes whose counts could not be read.
    pub unread: u64,
    /// Descendants that still ran when the program ended.
    pub still_running: u64,
    /// Bytes that read calls returned, from files, pipes and memory.
    #[serde(rename = "rchar_bytes")]
    pub rchar: Bytes,
    /// Bytes that write calls passed on.
    #[serde(rename = "wchar_bytes")]
    pub wchar: Bytes,
    /// Read calls.
    pub syscr: u64,
    /// Write calls.
    pub syscw: u64,
    /// Bytes that were fetched from storage for them.
    pub read_bytes: Bytes,
    /// Bytes that were sent to storage, or put into the page cache for it.
    pub write_bytes: Bytes,
    /// Bytes of these that were never written, because their file was truncated or deleted before.
    pub cancelled_write_bytes: Bytes,
}

impl ProgramIo {
    /// Adds the counts of others.
    #[must_use]
    pub fn and(self, other: ProgramIo) -> ProgramIo {
        let bytes = |one: Bytes, two: Bytes| Bytes(one.0.saturating_add(two.0));
        ProgramIo {
            processes: self.processes + other.processes,
            unread: self.unread + other.unread,
            still_running: self.still_running + other.still_running,
            rchar: bytes(self.rchar, other.rchar),
            wchar: bytes(self.wchar, other.wchar),
            syscr: self.syscr.saturating_add(other.syscr),
            syscw: self.syscw.saturating_add(other.syscw),
            read_bytes: bytes(self.read_bytes, other.read_bytes),
            write_bytes: bytes(self.write_bytes, other.write_bytes),
            cancelled_write_bytes: bytes(self.cancelled_write_bytes, other.cancelled_write_bytes),
        }
    }

    /// Returns the difference to earlier counts of the same processes.
    #[must_use]
    pub fn since(self, before: ProgramIo) -> ProgramIo {
        let bytes = |now: Bytes, before: Bytes| Bytes(now.0.saturating_sub(before.0));
        ProgramIo {
            rchar: bytes(self.rchar, before.rchar),
            wchar: bytes(self.wchar, before.wchar),
            syscr: self.syscr.saturating_sub(before.syscr),
            syscw: self.syscw.saturating_sub(before.syscw),
            read_bytes: bytes(self.read_bytes, before.read_bytes),
            write_bytes: bytes(self.write_bytes, before.write_bytes),
            cancelled_write_bytes: bytes(self.cancelled_write_bytes, before.cancelled_write_bytes),
            ..self
        }
    }

    /// Returns what was to be written to storage, without what was given up again.
    pub fn to_write(&self) -> Bytes {
        let given_up = self.cancelled_write_bytes.0;
        Bytes(self.write_bytes.0.saturating_sub(given_up))
    }
}

/// A file, folder or device that a program used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditPlace {
    /// Its path; a label where it was seen open.
    pub path: String,
    /// `--on` names it.
    pub named: bool,
    /// The file system that it is on; none of a device.
    pub file_system: Option<FileSystem>,
    /// Its devices from the top to the hardware; empty where it is on none.
    pub chain: Vec<String>,
    /// Length of a file.
    pub size: Option<Bytes>,
    /// Bytes that it occupies; less than its length where it has holes.
    pub allocated: Option<Bytes>,
    /// It was seen open with direct I/O.
    pub direct: bool,
}

impl AuditPlace {
    /// Returns whether most of the file is holes, which are read without a device.
    pub fn is_sparse(&self) -> bool {
        let length = self.size.filter(|size| size.0 > 0).zip(self.allocated);
        length.is_some_and(|(size, allocated)| allocated.0 < size.0 / 2)
    }
}

/// What programs had written and no device had yet. Source: proc_meminfo(5), `Dirty` and `Writeback`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unwritten {
    /// Waiting in memory at the start.
    pub dirty_before: Option<Bytes>,
    /// The same at the end.
    pub dirty_after: Option<Bytes>,
    /// On its way to a device at the end.
    pub writeback_after: Option<Bytes>,
}

/// How long tasks waited for a resource: some of them, or all that were not idle at once. None where the kernel does not report it.
/// Source: the kernel's `Documentation/accounting/psi.rst`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pressure {
    /// Some for a processor.
    #[serde(rename = "cpu_some_ns")]
    pub cpu_some: Option<Nanos>,
    /// Some for memory.
    #[serde(rename = "memory_some_ns")]
    pub memory_some: Option<Nanos>,
    /// All for memory.
    #[serde(rename = "memory_full_ns")]
    pub memory_full: Option<Nanos>,
    /// Some for I/O.
    #[serde(rename = "io_some_ns")]
    pub io_some: Option<Nanos>,
    /// All for I/O.
    #[serde(rename = "io_full_ns")]
    pub io_full: Option<Nanos>,
}

impl Pressure {
    /// Returns the difference to an earlier reading.
    #[must_use]
    pub fn since(&self, before: &Pressure) -> Pressure {
        let part = |now: Option<Nanos>, before: Option<Nanos>| Some(now?.minus(before?));
        Pressure {
            cpu_some: part(self.cpu_some, before.cpu_some),
            memory_some: part(self.memory_some, before.memory_some),
            memory_full: part(self.memory_full, before.memory_full),
            io_some: part(self.io_some, before.io_some),
            io_full: part(self.io_full, before.io_full),
        }
    }
}
