//! A view of a section of a target. Sources: `CreateFileMappingW`, `MapViewOfFile`, `FlushViewOfFile`.
//!
//! No program can cut a file short while it has a section, so a copy finds its pages. A page that its device cannot read
//! ends the program (`EXCEPTION_IN_PAGE_ERROR`), as it ends any that copies from a view.
#![allow(unsafe_code, reason = "maps files")]

use crate::RunError;
use gate::Descriptor;
use model::PlannedTarget;
use std::io;
use std::ptr::{NonNull, null};
use windows_sys::Win32::Foundation::{CloseHandle, HANDLE};
use windows_sys::Win32::System::Memory::{
    CreateFileMappingW, FILE_MAP_READ, FILE_MAP_WRITE, FlushViewOfFile, MEMORY_MAPPED_VIEW_ADDRESS,
    MapViewOfFile, PAGE_READONLY, PAGE_READWRITE, UnmapViewOfFile,
};
use windows_sys::Win32::System::SystemInformation::{GetSystemInfo, SYSTEM_INFO};

/// The part of a file that a target uses, in memory.
#[derive(Debug)]
pub(crate) struct Mapping {
    start: NonNull<u8>,
    bytes: usize,
    first: u64, // offset of `start` in the target, a multiple of the granularity
    section: HANDLE,
}

impl Mapping {
    /// The call that flushes.
    pub(crate) const FLUSH: &str = "FlushViewOfFile";

    pub(crate) fn new(file: Descriptor, target: &PlannedTarget) -> Result<Self, RunError> {
        let path = target.location.path().expect("only files are mapped");
        let refused = |source| RunError::Map {
            path: path.to_owned(),
            source,
        };
        let granularity = granularity();
        let first = target.base.0 / granularity * granularity;
        let end = target.base.0 + target.length.0;
        let bytes = usize::try_from(end - first).expect("64-bit addresses");
        let (protection, access) = match target.writes() {
            true => (PAGE_READWRITE, FILE_MAP_READ | FILE_MAP_WRITE),
            false => (PAGE_READONLY, FILE_MAP_READ),
        };
        // SAFETY: a section of an open file with the length that it has, without a name.
        let section = unsafe { CreateFileMappingW(file.raw(), null(), protection, 0, 0, null()) };
        if section.is_null() {
            return Err(refused(io::Error::last_os_error()));
        }
        let (high, low) = ((first >> 32) as u32, first as u32);
        // SAFETY: a fresh view at a place that the system chooses; it touches nothing that exists.
        let view = unsafe { MapViewOfFile(section, access, high, low, bytes) };
        let Some(start) = NonNull::new(view.Value.cast()) else {
            let source = io::Error::last_os_error();
            // SAFETY: created above, closed once.
            unsafe { CloseHandle(section) };
            return Err(refused(source));
        };
        Ok(Mapping {
            start,
            bytes,
            first,
            section,
        })
    }

    /// Copies out of the target.
    #[inline]
    pub(crate) fn read(&mut self, offset: u64, into: NonNull<u8>, length: u32) -> Result<(), i32> {
        let mapped = self.place(offset, length);
        // SAFETY: `place` checked the mapped side, and the slot's memory has `length` bytes that no other code touches.
        unsafe { std::ptr::copy_nonoverlapping(mapped, into.as_ptr(), length as usize) };
        Ok(())
    }

    /// Copies into the target, and with `flush` waits until the touched pages were written to the file.
    #[inline]
    pub(crate) fn write(
        &mut self,
        offset: u64,
        from: NonNull<u8>,
        length: u32,
        flush: bool,
    ) -> Result<(), i32> {
        let mapped = self.place(offset, length);
        // SAFETY: `place` checked the mapped side, and the write memory has `length` bytes.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), mapped, length as usize) };
        match flush {
            true => flush_view(mapped, length),
            false => Ok(()),
        }
    }

    #[inline]
    fn place(&self, offset: u64, length: u32) -> *mut u8 {
        let place = (offset - self.first) as usize;
        assert!(
            place + length as usize <= self.bytes,
            "offsets stay inside the range"
        );
        // SAFETY: the place was just checked to lie inside the view.
        unsafe { self.start.as_ptr().add(place) }
    }
}

fn flush_view(from: *mut u8, length: u32) -> Result<(), i32> {
    // SAFETY: `place` checked that the bytes lie inside a view of our own.
    match unsafe { FlushViewOfFile(from.cast(), length as usize) } {
        0 => Err(io::Error::last_os_error()
            .raw_os_error()
            .unwrap_or_default()),
        _ => Ok(()),
    }
}

/// What views begin at multiples of.
fn granularity() -> u64 {
    let mut facts = SYSTEM_INFO::default();
    // SAFETY: the system writes one such structure where the pointer shows.
    unsafe { GetSystemInfo(&raw mut facts) };
    u64::from(facts.dwAllocationGranularity).max(1)
}

impl Drop for Mapping {
    fn drop(&mut self) {
        let view = MEMORY_MAPPED_VIEW_ADDRESS {
            Value: self.start.as_ptr().cast(),
        };
        // SAFETY: mapped by `new`, and copies are over when they return.
        unsafe { UnmapViewOfFile(view) };
        // SAFETY: created by `new`, closed once.
        unsafe { CloseHandle(self.section) };
    }
}
