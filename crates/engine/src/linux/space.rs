//! Space of files: reserved, given back, and brought to the device. Sources: fallocate(2), sync_file_range(2).
#![allow(unsafe_code, reason = "system calls on descriptors")]

use model::Bytes;
use rustix::fs::FallocateFlags;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// Brings a stretch of the cache to the device and waits for it.
pub(crate) fn write_back(file: &File, at: u64, length: u64) -> io::Result<()> {
    let how = libc::SYNC_FILE_RANGE_WAIT_BEFORE
        | libc::SYNC_FILE_RANGE_WRITE
        | libc::SYNC_FILE_RANGE_WAIT_AFTER;
    // SAFETY: plain integers about a descriptor that we own.
    let refused = unsafe {
        libc::sync_file_range(
            file.as_raw_fd(),
            at.cast_signed(),
            length.cast_signed(),
            how,
        )
    } != 0;
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        // File systems that cannot are left to the sync at the end.
        Some(libc::EINVAL | libc::ENOSYS | libc::ESPIPE) if refused => Ok(()),
        _ if refused => Err(error),
        _ => Ok(()),
    }
}

/// Reserves the space up to `to`, so that a full disk is found out before anything is written. File systems
/// that cannot reserve are left to find it out while writing.
pub(crate) fn reserve(file: &File, from: Bytes, to: Bytes) -> io::Result<()> {
    if to <= from {
        return Ok(());
    }
    match allocate(file, 0, from, Bytes(to.0 - from.0)) {
        Err(error) if is_unsupported(&error) => file.set_len(to.0),
        reserved => reserved,
    }
}

/// Reserves the space up to `to` and leaves the length of the file as it is. File systems that cannot reserve reserve nothing.
pub(crate) fn reserve_behind_end(file: &File, to: Bytes) -> io::Result<()> {
    match allocate(file, libc::FALLOC_FL_KEEP_SIZE, Bytes(0), to) {
        Err(error) if is_unsupported(&error) => Ok(()),
        reserved => reserved,
    }
}

/// Does nothing: any file may have holes.
pub(crate) fn make_sparse(_: &File) -> io::Result<()> {
    Ok(())
}

/// Gives the space of a stretch back; it reads as zeros then.
pub(crate) fn discard(file: &File, offset: u64, length: u64) -> io::Result<()> {
    let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    Ok(rustix::fs::fallocate(file, flags, offset, length)?)
}

fn allocate(file: &File, mode: i32, from: Bytes, length: Bytes) -> io::Result<()> {
    let (start, length) = (from.0.cast_signed(), length.0.cast_signed());
    // SAFETY: plain integers about a descriptor that we own.
    let refused = unsafe { libc::fallocate(file.as_raw_fd(), mode, start, length) } != 0;
    let error = io::Error::last_os_error();
    if refused { Err(error) } else { Ok(()) }
}

fn is_unsupported(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EOPNOTSUPP | libc::ENOSYS))
}
