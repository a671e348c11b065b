//! Error numbers of Windows that the engine reports or distinguishes, and what helps against an error. Source: winerror.h.

use std::io;
use windows_sys::Win32::Foundation::{
    ERROR_HANDLE_EOF, ERROR_IO_DEVICE, ERROR_LOCK_VIOLATION, ERROR_NO_SYSTEM_RESOURCES,
    ERROR_SHARING_VIOLATION,
};

/// Nothing was transferred: the target ends before the offset.
pub(crate) const NO_DATA: i32 = ERROR_HANDLE_EOF.cast_signed();
/// Not done, because the system had no memory for one more outstanding I/O.
pub(crate) const AGAIN: i32 = ERROR_NO_SYSTEM_RESOURCES.cast_signed();
/// What a device reports that failed.
pub(crate) const DEVICE_FAILED: i32 = ERROR_IO_DEVICE.cast_signed();

/// How the limit on address space is raised.
pub(crate) const ADDRESS_SPACE: &str = "raise the limit of its job object";
/// How the limit on threads is raised: there is none.
pub(crate) const THREADS: &str = "";

/// How a process may use one more core.
pub(crate) fn more_cores(core: u32) -> String {
    format!("start /affinity MASK, with the bit {core} set, or the limits of its job object")
}

/// What helps against an error of opening a target.
pub(crate) fn open_remedy(error: &io::Error) -> &'static str {
    let number = error.raw_os_error().map(i32::cast_unsigned);
    if matches!(number, Some(ERROR_SHARING_VIOLATION | ERROR_LOCK_VIOLATION)) {
        return "another program uses it: find it with Resource Monitor (resmon), and end it first";
    }
    match error.kind() {
        io::ErrorKind::NotFound => "check the spelling",
        io::ErrorKind::StorageFull => "make room",
        io::ErrorKind::PermissionDenied => {
            "ask for access to it, remove its attribute read-only, or run as administrator"
        }
        io::ErrorKind::InvalidInput => {
            "the file system refuses unbuffered I/O: go through the system's cache, or specify a target elsewhere"
        }
        _ => "see the system's log (Event Viewer) for more",
    }
}

/// What helps against an error of filling a file.
pub(crate) fn fill_remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull => "use a smaller size, or make room",
        io::ErrorKind::QuotaExceeded => "use a smaller size, or raise the quota",
        io::ErrorKind::FileTooLarge => "use a smaller size: FAT32 has files of at most 4 GiB",
        _ => "see the system's log (Event Viewer) for more",
    }
}
