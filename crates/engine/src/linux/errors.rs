//! Error numbers of Linux that the engine reports or distinguishes, and what helps against an error. Source: errno(3).

use std::io;

/// Nothing was transferred: the target ends before the offset.
pub(crate) const NO_DATA: i32 = libc::ENODATA;
/// Not done, because the caller would have had to wait.
pub(crate) const AGAIN: i32 = libc::EAGAIN;
/// What a device reports that failed.
pub(crate) const DEVICE_FAILED: i32 = libc::EIO;

/// How the limit on address space is raised.
pub(crate) const ADDRESS_SPACE: &str = "raise the limit (ulimit -v unlimited)";
/// How the limit on threads is raised.
pub(crate) const THREADS: &str = ", or raise the limit: ulimit -u";

/// How a process may use one more core.
pub(crate) fn more_cores(core: u32) -> String {
    format!(
        "taskset -pc {core} $$ in this shell, and in a container its list of cores (cpuset.cpus of its control group)"
    )
}

/// What helps against an error of opening a target.
pub(crate) fn open_remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "check the spelling",
        io::ErrorKind::StorageFull => "make room, or free inodes (see df -i)",
        _ if error.raw_os_error() == Some(libc::EPERM) => {
            "root may not either: remove the immutable flag (chattr -i), or give the container access to the device"
        }
        io::ErrorKind::PermissionDenied => "ask for access to it, or run as root",
        io::ErrorKind::ResourceBusy => {
            "another program uses it: find it with lsblk and fuser -v, and end it first"
        }
        io::ErrorKind::InvalidInput => {
            "the file system refuses unbuffered I/O: go through the page cache, or specify a target elsewhere"
        }
        _ if matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE)) => {
            "raise the limit on open files (ulimit -n 65536), or use fewer threads or targets"
        }
        io::ErrorKind::ReadOnlyFilesystem => "read only (write 0), or mount it for writing",
        _ => "see the system's log (dmesg) for more",
    }
}

/// What helps against an error of filling a file.
pub(crate) fn fill_remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull => "use a smaller size, or make room",
        io::ErrorKind::QuotaExceeded => "use a smaller size, or raise the quota",
        io::ErrorKind::FileTooLarge => {
            "use a smaller size, or raise the limit on the length of files (ulimit -f unlimited)"
        }
        io::ErrorKind::ReadOnlyFilesystem => "mount it for writing, or specify a file elsewhere",
        _ => "see the system's log (dmesg) for more",
    }
}
