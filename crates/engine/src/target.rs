//! Opens what was checked, the way the plan says, and nothing else under its name.
#![allow(unsafe_code, reason = "advice on a descriptor")]

use crate::RunError;
use model::{CacheMode, Location, PlannedTarget};
use std::fs::{File, OpenOptions};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

/// An open target. The null backend's has no descriptor.
#[derive(Debug)]
pub(crate) struct OpenTarget(Option<File>);

impl OpenTarget {
    /// Opens the target of one thread. Devices that are written are held exclusively by `hold` below, not by
    /// each thread, because exclusive opens exclude each other.
    pub(crate) fn open(target: &PlannedTarget) -> Result<Self, RunError> {
        let Location::Path(path) = &target.location else {
            return Ok(OpenTarget(None));
        };
        let writes = target.writes();
        let reads = target.workload.write.as_percent() < 100;
        let mut flags = libc::O_CLOEXEC;
        if target.cache == CacheMode::Unbuffered {
            flags |= libc::O_DIRECT;
        }
        if target.write_through {
            flags |= libc::O_DSYNC;
        }
        let file = OpenOptions::new()
            .read(reads)
            .write(writes)
            .custom_flags(flags)
            .open(path)
            .map_err(|source| RunError::Open {
                path: path.clone(),
                access: access(reads, writes),
                source,
            })?;
        verify(&file, path, target)?;
        if target.cache == CacheMode::Cached && target.workload.access == model::Access::Random {
            // SAFETY: advice on a descriptor that we own; it cannot do harm.
            unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_RANDOM) };
        }
        Ok(OpenTarget(Some(file)))
    }

    /// The descriptor; -1 for the null backend, which never uses it.
    pub(crate) fn descriptor(&self) -> RawFd {
        self.0.as_ref().map_or(-1, AsRawFd::as_raw_fd)
    }

    /// Leaves the descriptor open for good, for I/Os that the device never answered.
    pub(crate) fn abandon(self) {
        std::mem::forget(self);
    }
}

/// Holds a device so that nobody can mount it or hold it too while the run writes to it. The kernel refuses
/// with EBUSY when somebody already does. `None` where the plan asks for nothing of the kind.
pub(crate) fn hold(target: &PlannedTarget) -> Result<Option<File>, RunError> {
    let Some(path) = target.location.path().filter(|_| target.exclusive) else {
        return Ok(None);
    };
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(libc::O_EXCL | libc::O_CLOEXEC)
        .open(path)
        .map_err(|source| RunError::Open {
            path: path.to_owned(),
            access: "exclusive writing",
            source,
        })?;
    verify(&file, path, target)?;
    Ok(Some(file))
}

/// Whether the open file is the one that was checked, and still holds the whole range.
fn verify(file: &File, path: &Path, target: &PlannedTarget) -> Result<(), RunError> {
    let changed = || RunError::Changed {
        path: path.to_owned(),
    };
    let meta = file.metadata().map_err(|_| changed())?;
    let device = meta.file_type().is_block_device();
    let identity = if device {
        (meta.rdev(), 0)
    } else {
        (meta.dev(), meta.ino())
    };
    let same = target.identity.is_none_or(|checked| checked == identity);
    let long_enough = device || meta.len() >= target.base.0 + target.length.0;
    if same && long_enough {
        Ok(())
    } else {
        Err(changed())
    }
}

fn access(reads: bool, writes: bool) -> &'static str {
    match (reads, writes) {
        (true, true) => "reading and writing",
        (false, true) => "writing",
        _ => "reading",
    }
}
