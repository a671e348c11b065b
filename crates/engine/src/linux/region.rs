//! Anonymous memory from the system, in huge pages where that is asked for.
#![allow(unsafe_code, reason = "maps memory that the kernel reads and writes")]

use std::io;
use std::ptr::NonNull;

/// Size of an ordinary page.
const PAGE: usize = 4096;
/// Size of a huge page.
const HUGE_PAGE: usize = 2 << 20;

/// A mapping of our own.
#[derive(Debug)]
pub(crate) struct Region {
    pub(crate) start: NonNull<u8>,
    pub(crate) bytes: usize,
}

// SAFETY: a mapping belongs to its owner, on any thread.
unsafe impl Send for Region {}
// SAFETY: shared references only give its address; what is written there goes through `&mut`.
unsafe impl Sync for Region {}

impl Region {
    /// `large` insists on huge pages; without it pages are not specified, so they are what any program gets.
    pub(crate) fn new(bytes: usize, large: bool) -> io::Result<Self> {
        let bytes = if large {
            Region::whole_large_pages(bytes)
        } else {
            bytes.max(PAGE)
        };
        let huge = if large { libc::MAP_HUGETLB } else { 0 };
        // SAFETY: a fresh anonymous mapping touches nothing that exists.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | huge,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Region { start, bytes })
    }

    /// The same with ordinary pages from a multiple of `align` on. // a power of two above a page
    pub(crate) fn aligned(bytes: usize, align: usize) -> io::Result<Self> {
        let bytes = bytes.max(1).next_multiple_of(PAGE);
        let whole = Region::new(bytes + align, false)?;
        let before = whole.start.as_ptr().align_offset(align);
        let behind = whole.bytes - before - bytes;
        // SAFETY: `before` lies inside the mapping, which is longer than the alignment.
        let start = unsafe { whole.start.add(before) };
        std::mem::forget(whole); // its ends are given back here, the rest is the new mapping's
        let ends = [
            (start.as_ptr().wrapping_sub(before), before),
            (start.as_ptr().wrapping_add(bytes), behind),
        ];
        for (end, length) in ends.into_iter().filter(|(_, length)| *length > 0) {
            // SAFETY: whole pages at an end of a mapping of our own, which nothing has used.
            unsafe { libc::munmap(end.cast(), length) };
        }
        Ok(Region { start, bytes })
    }

    /// Bytes of the large pages that contain so many.
    pub(crate) fn whole_large_pages(bytes: usize) -> usize {
        bytes.max(1).next_multiple_of(HUGE_PAGE)
    }

    /// What makes the system grant so many bytes of large pages to each thread.
    pub(crate) fn large_remedy(bytes: usize) -> String {
        let pages = Region::whole_large_pages(bytes) / HUGE_PAGE;
        format!("reserve {pages} of 2M for each thread (sysctl vm.nr_hugepages=…)")
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: mapped by `new` with this length, and nothing in flight uses it: the worker leaks buffers with I/O in
        // flight.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}
