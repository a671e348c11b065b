//! What filling needs of the system: reserving space, aligned memory, whole writes, dropping cached pages.
#![allow(
    unsafe_code,
    reason = "system calls on descriptors, and aligned memory"
)]

use model::Bytes;
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::ptr::NonNull;

/// Alignment that every device takes for memory.
const PAGE: usize = 4096;

/// Device and inode number.
pub(super) fn identity(file: &File) -> io::Result<(u64, u64)> {
    let meta = file.metadata()?;
    Ok((meta.dev(), meta.ino()))
}

/// Length of a file or device.
pub(crate) fn length(mut file: &File) -> io::Result<u64> {
    file.seek(SeekFrom::End(0))
}

/// Reads until `data` is full or the target ends; how much there was.
pub(crate) fn read_up_to(file: &File, data: &mut [u8], at: u64) -> io::Result<usize> {
    let mut length = 0;
    while length < data.len() {
        match file.read_at(&mut data[length..], at + length as u64) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // Direct I/O cannot go on from an odd length, which only the end of a file gives.
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) && length > 0 => break,
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

/// Brings a stretch of the cache to the device and waits for it.
pub(super) fn write_back(file: &File, at: u64, length: u64) -> io::Result<()> {
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
pub(super) fn reserve(file: &File, from: Bytes, to: Bytes) -> io::Result<()> {
    if to <= from {
        return Ok(());
    }
    match allocate(file, 0, from, Bytes(to.0 - from.0)) {
        Err(error) if is_unsupported(&error) => file.set_len(to.0),
        reserved => reserved,
    }
}

/// Reserves the space up to `to` and leaves the length of the file as it is. File systems that cannot reserve reserve nothing.
pub(super) fn reserve_behind_end(file: &File, to: Bytes) -> io::Result<()> {
    match allocate(file, libc::FALLOC_FL_KEEP_SIZE, Bytes(0), to) {
        Err(error) if is_unsupported(&error) => Ok(()),
        reserved => reserved,
    }
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

/// Writes all of `data`, however many calls it takes. Direct I/O goes on only at aligned places; a write that
/// stops elsewhere is an error of the device, which the next call then reports.
pub(super) fn write_whole(file: &File, data: &[u8], at: u64) -> io::Result<()> {
    file.write_all_at(data, at)
}

/// Lets go of the pages that filling left in the cache, so that the run begins with none.
pub(crate) fn drop_cache(file: &File) {
    // SAFETY: advice on a descriptor that we own; it cannot do harm.
    unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) };
}

/// Memory for one write, aligned for direct I/O.
pub(crate) struct Piece {
    start: NonNull<u8>,
    layout: Layout,
}

impl Piece {
    pub(crate) fn new(bytes: usize) -> Self {
        let layout =
            Layout::from_size_align(bytes.max(PAGE), PAGE).expect("a page is a power of two");
        // SAFETY: the layout is not empty.
        let start = unsafe { alloc_zeroed(layout) };
        let Some(start) = NonNull::new(start) else {
            handle_alloc_error(layout)
        };
        Piece { start, layout }
    }

    /// The first `length` bytes. // at most its size at creation
    pub(crate) fn data(&mut self, length: usize) -> &mut [u8] {
        assert!(length <= self.layout.size(), "asked for more than there is");
        // SAFETY: the memory is ours alone, initialised, and at least this long.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), length) }
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        // SAFETY: allocated by `new` with this layout.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}
