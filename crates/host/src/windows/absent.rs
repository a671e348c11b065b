//! What Windows has no counterpart for, or has one that fathom does not read: each is refused with the reason, or is what the
//! other crates take for "not reported". Omitted: everything that is read.

use super::process_calls::own_stack;
use crate::reported::{
    EndedProgram, LimitedIo, ObservedEvents, ProcessIo, ProcessWait, StartError, TakeOutput, Timed,
};
use crate::root::Root;
use gate::Pin;
use model::record::SystemEvents;
use model::record::audited::{AuditPlace, Pressure, ProgramIo};
use model::{BlockDevice, Bytes, KernelWorkers, Nanos, TargetFacts, TargetKind};
use std::convert::Infallible;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// Why no I/O is traced.
const NO_TRACE: &str =
    "Windows reports the I/Os of devices through Event Tracing (ETW), which fathom does not read";

/// A trace of block requests; there is none.
pub struct BlockTrace(Infallible);

impl BlockTrace {
    /// Returns the reason why it cannot begin.
    ///
    /// # Errors
    /// Always.
    pub fn start(_: &Root, _: &[(u32, u32)]) -> Result<Self, String> {
        Err(NO_TRACE.to_owned())
    }

    /// What was timed since the last call.
    pub fn read(&mut self, _: f64) -> Timed {
        match self.0 {}
    }
}

/// A trace of all I/Os; there is none.
pub struct IoTrace(Infallible);

impl IoTrace {
    /// Returns the reason why I/Os cannot be observed.
    ///
    /// # Errors
    /// Always.
    pub fn check(_: &Root) -> Result<(), String> {
        Err(NO_TRACE.to_owned())
    }

    /// Returns the same reason.
    ///
    /// # Errors
    /// Always.
    pub fn start(_: &Root, _: &[(u32, u32)], _: bool) -> Result<IoTrace, String> {
        Err(NO_TRACE.to_owned())
    }

    /// The names of the events; none.
    pub fn events() -> [&'static str; 0] {
        []
    }

    /// What happened since the last call.
    pub fn read(&mut self, _: bool) -> ObservedEvents {
        match self.0 {}
    }
}

/// The part of a device whose I/Os are observed; there is none.
#[derive(Debug)]
pub struct ObservedPlace {
    /// Its number.
    pub device: (u32, u32),
    /// Its name.
    pub name: String,
    /// Its length.
    pub size: Bytes,
    never: Infallible,
}

impl ObservedPlace {
    /// Returns the reason why nothing is observed.
    ///
    /// # Errors
    /// Always.
    pub fn find(_: &Root, _: &Path) -> Result<ObservedPlace, String> {
        Err(format!("cannot be observed: {NO_TRACE}"))
    }

    /// Whether it lies anywhere.
    pub fn refresh(&mut self) -> bool {
        match self.never {}
    }

    /// Whether it is a file.
    pub fn is_file(&self) -> bool {
        match self.never {}
    }

    /// Whether a folder is on its device.
    pub fn is_below(&self, _: &Root, _: &Path) -> Option<bool> {
        match self.never {}
    }

    /// Where a byte of the device is in it.
    pub fn place_of(&self, _: u64) -> Option<u64> {
        match self.never {}
    }
}

/// The threads whose I/Os are observed; there are none.
#[derive(Debug)]
pub struct ProcessTree(Infallible);

impl ProcessTree {
    /// Finds no process, because nothing observes it.
    pub fn find(_: &Root, _: u32) -> Option<ProcessTree> {
        None
    }

    /// The process of a thread, which is not looked for.
    pub fn process_of(_: &Root, _: u32) -> Option<u32> {
        None
    }

    /// A thread created another.
    pub fn forked(&mut self, _: [u32; 2]) {
        match self.0 {}
    }

    /// Whether the process still runs.
    pub fn runs(&self) -> bool {
        match self.0 {}
    }

    /// Whether a thread belongs to it.
    pub fn contains(&mut self, _: u32) -> bool {
        match self.0 {}
    }
}

/// What the system reports during a run: that its log is not read.
pub struct SystemObserver {
    files: Vec<PathBuf>,
}

impl SystemObserver {
    /// Begins where a target uses something of the system.
    pub fn start(_: &Root, targets: &[TargetFacts], files: &[PathBuf]) -> Option<Self> {
        let is_real =
            |facts: &TargetFacts| !matches!(facts.kind, TargetKind::Simulated | TargetKind::Null);
        targets.iter().any(is_real).then(|| SystemObserver {
            files: files.to_vec(),
        })
    }

    /// Returns that nothing was read.
    pub fn finish(self, _: Nanos, _: Nanos) -> SystemEvents {
        let why = "logs of services are read on Linux only";
        let files = self.files.iter();
        SystemEvents {
            kernel_log_unread: Some("the event log of Windows is not read".to_owned()),
            files_unread: files
                .map(|path| format!("{}: {why}", path.display()))
                .collect(),
            ..SystemEvents::default()
        }
    }
}

/// State of a file after its last change; there is none: while a file is open, NTFS brings its times up to date only later, so
/// that equal times prove nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState(Infallible);

/// Returns none, so that a file is read again.
pub fn file_state(_: &Pin) -> Option<FileState> {
    None
}

/// Returns none: Windows has no generic devices of SCSI with numbers of their own.
pub fn block_of_generic(_: &Root, _: &str) -> Option<String> {
    None
}

/// Returns none: Windows draws no number of its own at its start that programs may read.
pub fn boot_id(_: &Root) -> Option<String> {
    None
}

/// Whether a closing terminal is to be ignored, as under `nohup`: Windows has no such program.
pub fn hangup_is_ignored(_: &Root) -> bool {
    false
}

/// Returns none: Windows does not report it.
pub fn has_poll_queues(_: &Root, _: &str) -> Option<bool> {
    None
}

/// Whether time may be read from the processor's counter: Windows does not report from what it keeps time, so it is asked for it.
pub fn keeps_time_by_counter(_: &Root) -> bool {
    false
}

/// Returns none: Windows has no workers of `io_uring`.
pub fn kernel_workers(_: &Root) -> KernelWorkers {
    KernelWorkers::default()
}

/// Whether two paths may lead to one file although their identities differ: a volume and a file ID of it are the same by all paths
/// of this machine.
pub fn may_be_one_file(_: &Root, _: &Path, _: &Path) -> bool {
    false
}

/// What each process has read from and written to devices: Windows counts what it passed on to any file, pipe or socket
/// (GetProcessIoCounters), from caches, too.
pub fn process_ios(_: &Root) -> (Vec<ProcessIo>, usize) {
    (Vec::new(), 0)
}

/// Returns why no program is run: Windows counts what a process passed to any file, pipe or socket, not what devices did for it.
///
/// # Errors
/// Always.
pub fn run_program(
    _: &Root,
    _: &[OsString],
    _: Option<TakeOutput>,
    _: &mut dyn FnMut(&[u32]),
) -> Result<EndedProgram, StartError> {
    let why = "the I/O of a program is counted on Linux only";
    Err(StartError::Other(io::Error::other(why)))
}

/// Returns why a process has no counts.
///
/// # Errors
/// Always.
pub fn program_io(_: &Root, _: u32) -> io::Result<ProgramIo> {
    Err(io::Error::other(
        "the I/O of a program is counted on Linux only",
    ))
}

/// Returns none: no program is observed.
pub fn descendants(_: &Root, _: u32) -> Vec<u32> {
    Vec::new()
}

/// Returns none: Windows has no control groups.
pub fn processes_of_group(_: &Path) -> Vec<u32> {
    Vec::new()
}

/// Returns none: no program is observed.
pub fn open_places(_: &Root, _: u32) -> Vec<AuditPlace> {
    Vec::new()
}

/// Returns why a place has no devices.
///
/// # Errors
/// Always.
pub fn place_of(_: &Root, _: &Path) -> io::Result<(AuditPlace, Vec<BlockDevice>)> {
    Err(io::Error::other(
        "the devices of a path are found on Linux only",
    ))
}

/// Returns none: no program is observed.
pub fn whole_devices(_: &Root) -> Vec<BlockDevice> {
    Vec::new()
}

/// Returns none, as above.
pub fn remote_mounts(_: &Root) -> Vec<String> {
    Vec::new()
}

/// Returns nothing: Windows does not report how long tasks wait.
pub fn pressure(_: &Root) -> Pressure {
    Pressure::default()
}

/// Returns none: Windows does not report in which function a thread waits.
pub fn waiting_for_servers(_: &Root) -> Vec<String> {
    Vec::new()
}

/// Returns none: Windows has no FUSE.
pub fn waiting_fuse_requests(_: &Root) -> u64 {
    0
}

/// Returns none: Windows has no control groups.
pub fn limited_io(_: &Root) -> Vec<LimitedIo> {
    Vec::new()
}

/// Returns none: Windows does not report how long a thread waits for a processor.
pub fn process_wait(_: &Root, _: u32) -> Option<ProcessWait> {
    None
}

/// Returns none: Windows has no control groups.
pub fn group_folder(_: &Root, _: &Path) -> Option<PathBuf> {
    None
}

/// Returns none, as above.
pub fn group_of(_: &Root, _: u32) -> Option<PathBuf> {
    None
}

/// Returns nothing, as above.
pub fn group_pressure(_: &Path) -> Pressure {
    Pressure::default()
}

/// Returns the size of the stack of the first thread, which the linker sets.
pub fn stack_limit() -> Option<u64> {
    Some(own_stack())
}

/// How long the calling thread waited for a processor; Windows does not report it.
pub fn thread_delay(_: &Root) -> Option<Nanos> {
    None
}

/// Returns none: Windows does not report from what it keeps time.
pub fn time_source(_: &Root) -> Option<String> {
    None
}

/// Watches nothing: Windows does not report in which call a thread waits.
pub fn watch_for_silence(_: fn(&str)) {}

/// Returns none: Windows lists who has a file open, not who has locked it.
pub fn lock_holder(_: &Root, _: &Path) -> Option<String> {
    None
}
