//! Anonymous memory from the system, in huge pages where that is asked for.
#![allow(unsafe_code, reason = "maps memory that the kernel reads and writes")]

use super::PAGE;
use crate::RunError;
use model::Bytes;
use std::io;
use std::ptr::NonNull;

/// Size of a huge page.
const HUGE_PAGE: usize = 2 << 20;

/// A mapping of our own.
#[derive(Debug)]
pub(super) struct Map {
    pub(super) start: NonNull<u8>,
    pub(super) bytes: usize,
}

// SAFETY: a mapping belongs to its owner, on any thread.
unsafe impl Send for Map {}
// SAFETY: shared references only give its address; what is written there goes through `&mut`.
unsafe impl Sync for Map {}

impl Map {
    /// `large` insists on huge pages; without it pages are not specified, so they are what any program gets.
    pub(super) fn new(bytes: usize, large: bool) -> Result<Self, RunError> {
        let bytes = if large {
            bytes.max(1).next_multiple_of(HUGE_PAGE)
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
        let refused = || {
            let (bytes, source) = (Bytes(bytes as u64), io::Error::last_os_error());
            if large {
                RunError::LargePages {
                    bytes,
                    pages: bytes.0 / HUGE_PAGE as u64,
                    source,
                }
            } else {
                RunError::Buffers { bytes, source }
            }
        };
        if start == libc::MAP_FAILED {
            return Err(refused());
        }
        Ok(Map {
            start: NonNull::new(start.cast()).ok_or_else(refused)?,
            bytes,
        })
    }

    /// The same with ordinary pages from a multiple of `align` on. // a power of two, or 0 for anywhere
    pub(super) fn aligned(bytes: usize, align: usize) -> Result<Self, RunError> {
        if align <= PAGE {
            return Map::new(bytes, false);
        }
        let bytes = bytes.max(1).next_multiple_of(PAGE);
        let whole = Map::new(bytes + align, false)?;
        let before = whole.start.as_ptr().align_offset(align);
        let behind = whole.bytes - before - bytes;
        let start = whole.at(before, bytes);
        std::mem::forget(whole); // its ends are given back here, the rest is the new mapping's
        let ends = [
            (start.as_ptr().wrapping_sub(before), before),
            (start.as_ptr().wrapping_add(bytes), behind),
        ];
        for (end, length) in ends.into_iter().filter(|(_, length)| *length > 0) {
            // SAFETY: whole pages at an end of a mapping of our own, which nothing has used.
            unsafe { libc::munmap(end.cast(), length) };
        }
        Ok(Map { start, bytes })
    }

    /// The place of `length` bytes in it.
    #[inline]
    pub(super) fn at(&self, place: usize, length: usize) -> NonNull<u8> {
        assert!(place + length <= self.bytes, "every slot has its place");
        // SAFETY: the place was just checked to lie inside the mapping.
        unsafe { self.start.add(place) }
    }

    /// `length` bytes of it to fill. Never covers more than one slot's piece: the kernel writes to the pieces of slots in
    /// flight, and a `&mut` over those bytes too would promise the compiler that the kernel does not.
    #[inline]
    pub(super) fn piece_mut(&mut self, place: usize, length: usize) -> &mut [u8] {
        let start = self.at(place, length);
        // SAFETY: `at` checked that the bytes lie inside the mapping, which lives as long as `self`; `&mut self` excludes
        // other users in this process, and the caller names a piece without I/O in flight.
        unsafe { std::slice::from_raw_parts_mut(start.as_ptr(), length) }
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: mapped by `new` with this length, and nothing in flight uses it: the worker leaks buffers with I/O in
        // flight.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}
