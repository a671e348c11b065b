//! One I/O by a handle: its place, its start, and its result as the engine counts it. Sources: `ReadFile`, `WriteFile`,
//! `OVERLAPPED`.
#![allow(unsafe_code, reason = "system calls on raw memory")]

use crate::backend::Io;
use gate::Descriptor;
use model::Operation;
use std::fs::File;
use std::io;
use std::ptr::{null, null_mut};
use windows_sys::Win32::Foundation::{
    CloseHandle, ERROR_HANDLE_EOF, ERROR_IO_PENDING, GetLastError, HANDLE,
};
use windows_sys::Win32::Storage::FileSystem::{ReadFile, WriteFile};
use windows_sys::Win32::System::IO::{DeviceIoControl, GetOverlappedResult, OVERLAPPED};
use windows_sys::Win32::System::Threading::CreateEventW;

/// How an I/O began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begun {
    /// Its result is there.
    Done(i32),
    /// It was never begun: a negated error number, or 0 behind the end of the file.
    Refused(i32),
    Pending,
}

/// The record of an I/O at this offset.
#[inline]
pub(super) fn at(offset: u64) -> OVERLAPPED {
    let mut record = OVERLAPPED::default();
    record.Anonymous.Anonymous.Offset = offset as u32;
    record.Anonymous.Anonymous.OffsetHigh = (offset >> 32) as u32;
    record
}

/// Begins an I/O.
///
/// # Safety
/// The memory of `io` and `record` stay where they are, and nothing else touches them, until the I/O is complete.
#[inline]
pub(super) unsafe fn begin(file: HANDLE, io: &Io, record: *mut OVERLAPPED) -> Begun {
    let (memory, length) = (io.memory.as_ptr(), io.length);
    let mut moved = 0;
    let begun = match io.operation {
        // SAFETY: `memory` has `length` bytes of this slot's own; both outlive the I/O, as the caller promises.
        Operation::Read => unsafe { ReadFile(file, memory, length, &raw mut moved, record) },
        // SAFETY: as above.
        Operation::Write => unsafe { WriteFile(file, memory, length, &raw mut moved, record) },
    };
    if begun != 0 {
        return Begun::Done(moved.cast_signed());
    }
    // SAFETY: asks for a number.
    match unsafe { GetLastError() } {
        ERROR_IO_PENDING => Begun::Pending,
        number => Begun::Refused(failed(number)),
    }
}

/// The result for an error number: a read behind the end of a file transferred nothing.
#[inline]
pub(super) fn failed(number: u32) -> i32 {
    match number {
        ERROR_HANDLE_EOF => 0,
        number => -number.cast_signed(),
    }
}

/// An event that a call of this thread waits for.
pub(super) struct Event(HANDLE);

impl Event {
    pub(super) fn new() -> io::Result<Event> {
        // SAFETY: without a name nothing else has it.
        let event = unsafe { CreateEventW(null(), 1, 0, null()) };
        match event.is_null() {
            true => Err(io::Error::last_os_error()),
            false => Ok(Event(event)),
        }
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: created by `new`, closed once.
        unsafe { CloseHandle(self.0) };
    }
}

/// Makes a control call that takes `input`, and waits for its end, also on a handle whose I/Os may be outstanding.
pub(super) fn control<T>(file: &File, code: u32, input: &T, event: &Event) -> io::Result<()> {
    let handle = Descriptor::of(file).raw();
    let mut record = OVERLAPPED {
        hEvent: event.0.map_addr(|address| address | 1), // without a packet to the handle's completion port
        ..OVERLAPPED::default()
    };
    let length = u32::try_from(size_of::<T>()).map_err(io::Error::other)?;
    let mut moved = 0;
    // SAFETY: the system reads `length` bytes of `input`; it and `record` live until the call has ended, see below.
    let done = unsafe {
        DeviceIoControl(
            handle,
            code,
            std::ptr::from_ref(input).cast(),
            length,
            null_mut(),
            0,
            &raw mut moved,
            &raw mut record,
        )
    };
    if done != 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    if error.raw_os_error() != Some(ERROR_IO_PENDING.cast_signed()) {
        return Err(error);
    }
    // SAFETY: waits until the call that `record` belongs to has ended.
    match unsafe { GetOverlappedResult(handle, &raw const record, &raw mut moved, 1) } {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}
