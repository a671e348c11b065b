//! Whole reads and writes at a place, and aligned memory for them. Omitted: the space of files and the system's caches
//! (`system`).
#![allow(unsafe_code, reason = "aligned memory")]

use gate::{read_at, write_at};
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::ptr::NonNull;

/// Alignment that every device takes for memory.
const PAGE: usize = 4096;

/// Length of a file or device.
pub(crate) fn length(mut file: &File) -> io::Result<u64> {
    file.seek(SeekFrom::End(0))
}

/// Reads until `data` is full or the target ends; how much there was.
pub(crate) fn read_up_to(file: &File, data: &mut [u8], at: u64) -> io::Result<usize> {
    let mut length = 0;
    while length < data.len() {
        match read_at(file, &mut data[length..], at + length as u64) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // Direct I/O cannot go on from an odd length, which only the end of a file gives.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput && length > 0 => break,
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

/// Fills all of `data`; the end of the file before that is an error.
pub(crate) fn read_exact_at(file: &File, data: &mut [u8], at: u64) -> io::Result<()> {
    match read_up_to(file, data, at)? {
        length if length == data.len() => Ok(()),
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// Writes all of `data`, however many calls it takes. Direct I/O goes on only at aligned places; a write that
/// stops elsewhere is an error of the device, which the next call then reports.
pub(crate) fn write_whole(file: &File, data: &[u8], at: u64) -> io::Result<()> {
    let mut written = 0;
    while written < data.len() {
        match write_at(file, &data[written..], at + written as u64) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(more) => written += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
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
