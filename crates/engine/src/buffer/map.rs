//! A piece of the system's memory, and the places of slots in it.
#![allow(
    unsafe_code,
    reason = "places in memory that the kernel reads and writes"
)]

use super::PAGE;
use crate::RunError;
use crate::system::Region;
use model::Bytes;
use std::io;
use std::ptr::NonNull;

/// Memory of our own.
#[derive(Debug)]
pub(super) struct Map(Region);

impl Map {
    /// `large` insists on large pages; without it pages are not specified, so they are what any program gets.
    pub(super) fn new(bytes: usize, large: bool) -> Result<Self, RunError> {
        let refused = |source| refused(bytes, large, source);
        Region::new(bytes, large).map(Map).map_err(refused)
    }

    /// The same with ordinary pages from a multiple of `align` on. // a power of two, or 0 for anywhere
    pub(super) fn aligned(bytes: usize, align: usize) -> Result<Self, RunError> {
        if align <= PAGE {
            return Map::new(bytes, false);
        }
        let refused = |source| refused(bytes, false, source);
        Region::aligned(bytes, align).map(Map).map_err(refused)
    }

    /// All of it.
    #[allow(dead_code, reason = "only rings register memory")]
    pub(super) fn whole(&self) -> (NonNull<u8>, usize) {
        (self.0.start, self.0.bytes)
    }

    /// The place of `length` bytes in it.
    #[inline]
    pub(super) fn at(&self, place: usize, length: usize) -> NonNull<u8> {
        assert!(place + length <= self.0.bytes, "every slot has its place");
        // SAFETY: the place was just checked to lie inside the mapping.
        unsafe { self.0.start.add(place) }
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

fn refused(bytes: usize, large: bool, source: io::Error) -> RunError {
    match large {
        true => RunError::LargePages {
            bytes: Bytes(Region::whole_large_pages(bytes) as u64),
            remedy: Region::large_remedy(bytes),
            source,
        },
        false => RunError::Buffers {
            bytes: Bytes(bytes as u64),
            source,
        },
    }
}
