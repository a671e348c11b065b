//! What the system reports, in types that are the same on every system. Omitted: how each of them asks.

use model::record::audited::{ProgramEnd, ProgramIo};
use model::trace::{BlockEvent, LostEvents};
use model::{BlockDevice, Bytes, Claim, Nanos};
use std::collections::HashMap;
use std::io;
use std::path::PathBuf;

/// The figures of vmstat(8) that no device has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// Programs that run or want to (`r`); `None` where the system does not report it.
    pub runnable: Option<u64>,
    /// Programs that wait for I/O and cannot be interrupted (`b`).
    pub blocked: Option<u64>,
    /// Read from block devices since boot (`bi`).
    pub paged_in: Option<Bytes>,
    /// Written to block devices since boot (`bo`).
    pub paged_out: Option<Bytes>,
}

/// What one process has read from and written to devices since it began, with its children that have ended: when a process waits
/// for the end of a child, the kernel adds the child's counts to its own (`wait_task_zombie` in `kernel/exit.c`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessIo {
    /// Its number.
    pub process: u32,
    /// The number of the process that waits for its end; 0 for none.
    pub parent: u32,
    /// What it is called.
    pub name: String,
    /// Fetched from devices.
    pub read_bytes: Bytes,
    /// Sent to devices, or to be sent: what it has put into the system's cache counts here.
    pub write_bytes: Bytes,
}

/// Limits of this process as they stand now. `None` is no limit, or that the system does not report it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allowance {
    /// Files that it may have open at once (`ulimit -n`).
    pub open_files: Option<u64>,
    /// How many it has open.
    pub files_open: u64,
    /// Bytes of address space that it may map (`ulimit -v`).
    pub address_space: Option<Bytes>,
    /// How many it has mapped.
    pub mapped: Bytes,
    /// How long a file may become that it writes (`ulimit -f`).
    pub file_size: Option<Bytes>,
}

/// One device of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceListing {
    /// Its facts.
    pub device: BlockDevice,
    /// Kernel name of the device that it uses, when that is exactly one.
    pub parent: Option<String>,
    /// Who uses it, or what on it would be lost. Of a saved tree: without signatures. Never `Busy`:
    /// asking that opens the device exclusively for a moment, and a list of all devices must not get
    /// into the way of another process's mount. `target_facts` asks it of the one target.
    pub claims: Vec<Claim>,
    /// Its name in `/dev`.
    pub path: PathBuf,
    /// The name that people use, where it has another: `vg-root` of `/dev/dm-0`, which is `/dev/mapper/vg-root` too, and
    /// `data` of `/dev/md127`, which is `/dev/md/data`.
    pub known_as: Option<String>,
}

/// The state of a regular file that no process has open for writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClosedFile {
    /// Device and inode number.
    pub identity: (u64, u64),
    /// Which file of those that had this inode number; 0 where the file system does not count.
    pub generation: u32,
    /// Bytes.
    pub size: u64,
    /// Nanoseconds since 1970 of the last change of content or attributes.
    pub changed_ns: i64,
}

/// A program that has ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EndedProgram {
    /// How it ended.
    pub ending: ProgramEnd,
    /// What it and its descendants requested.
    pub io: ProgramIo,
    /// Descendants that still ran then.
    pub running: Vec<u32>,
}

/// A limit on the I/O of a control group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LimitedIo {
    /// The group, below the mount of its hierarchy.
    pub group: String,
    /// What is limited, and of which device: `rbps of 8:0`.
    pub what: String,
    /// Bytes or I/Os per second.
    pub limit_per_s: u64,
    /// Bytes or I/Os that were counted since the group was created.
    pub count: u64,
}

/// For what a process has used its time since it started, all threads together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessWait {
    /// What it is called.
    pub name: String,
    /// It waits for I/O at this moment.
    pub is_blocked: bool,
    /// It ran on a processor.
    pub ran: Nanos,
    /// It was ready and waited for a processor.
    pub waited: Nanos,
}

/// Takes a part of a program's output; returns whether there is still a reader.
pub type TakeOutput = Box<dyn FnMut(&[u8]) -> bool + Send>;

/// Why a program was not started.
#[derive(Debug)]
pub enum StartError {
    /// There is no such program.
    NotFound,
    /// It is no program, or may not be executed.
    NotExecutable(io::Error),
    /// Something else failed.
    Other(io::Error),
}

/// What was timed since the last reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timed {
    /// Latencies by major and minor number, in no order.
    pub devices: HashMap<(u32, u32), Vec<Nanos>>,
    /// Some were lost, so that these are no fair choice.
    pub lost: bool,
    /// One I/O in so many was to be timed. // at least 1
    pub one_in: u64,
}

/// What one reading brought.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObservedEvents {
    /// In the order of time.
    pub events: Vec<BlockEvent>,
    /// What was lost.
    pub lost: Vec<LostEvents>,
    /// No event before this follows.
    pub complete: Nanos,
    /// Threads that were created, each behind the thread that created it, in the order of time.
    pub forks: Vec<[u32; 2]>,
}
