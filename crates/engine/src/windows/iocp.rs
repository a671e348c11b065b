//! A completion port for each thread: I/Os are outstanding, and the port returns them in batches. Sources:
//! `CreateIoCompletionPort`, `GetQueuedCompletionStatusEx`, `SetFileCompletionNotificationModes`.
//!
//! The call that begins an I/O may complete it: from the cache as a rule, and by some file systems always. Then no packet
//! is queued (`FILE_SKIP_COMPLETION_PORT_ON_SUCCESS`), which saves the way through the port. Waiting for a time has the grain
//! of the system's timer, which is set to a millisecond (`timeBeginPeriod`): the last two are polled. Omitted: I/O rings, and cancelling: what is never answered stays
//! with its memory.
#![allow(unsafe_code, reason = "memory that the kernel fills outlives its I/O")]

use super::priority;
use super::transfer::{Begun, at, begin, failed};
use crate::RunError;
use crate::backend::{Backend, Completion, Io, REAP_AT_MOST, Setup, Slot, Used};
use crate::clock::Clock;
use gate::Descriptor;
use model::Nanos;
use std::cell::UnsafeCell;
use std::io;
use std::ptr::null_mut;
use windows_sys::Win32::Foundation::{
    CloseHandle, HANDLE, INVALID_HANDLE_VALUE, RtlNtStatusToDosError, WAIT_TIMEOUT,
};
use windows_sys::Win32::Media::{timeBeginPeriod, timeEndPeriod};
use windows_sys::Win32::Storage::FileSystem::SetFileCompletionNotificationModes;
use windows_sys::Win32::System::IO::{
    CreateIoCompletionPort, GetQueuedCompletionStatusEx, OVERLAPPED, OVERLAPPED_ENTRY,
};
use windows_sys::Win32::System::WindowsProgramming::{
    FILE_SKIP_COMPLETION_PORT_ON_SUCCESS, FILE_SKIP_SET_EVENT_ON_HANDLE,
};

/// How much of a time is polled, because a wait may end a tick of the timer late.
const POLLED: Nanos = Nanos::millis(2);
/// The grain of the timer.
const TICK_MS: u32 = 1;
/// Most completions that one call takes.
const BATCH_MAX: usize = 1024;

/// A thread's port with the files on it.
pub(crate) struct Iocp {
    port: Port,
    files: Box<[File]>, // by seat
    /// The kernel's records of the I/Os in flight, by slot. They stay where they are until the last completion.
    records: Box<[UnsafeCell<OVERLAPPED>]>,
    /// Complete before the port was asked.
    at_once: Vec<Completion>,
    /// I/Os whose packets are still to come.
    pending: usize,
    batch: Box<[OVERLAPPED_ENTRY]>,
}

#[derive(Clone, Copy)]
struct File {
    handle: Descriptor,
    /// No packet follows where the call itself completed the I/O.
    skips: bool,
}

struct Port(HANDLE);

impl Port {
    fn new() -> io::Result<Port> {
        // SAFETY: creates a port; no file belongs to it yet. It wakes one thread.
        let port = unsafe { CreateIoCompletionPort(INVALID_HANDLE_VALUE, null_mut(), 0, 1) };
        match port.is_null() {
            true => Err(io::Error::last_os_error()),
            false => {
                // SAFETY: a plain number. A refusal leaves the grain as it is.
                unsafe { timeBeginPeriod(TICK_MS) };
                Ok(Port(port))
            }
        }
    }

    fn take(&self, handle: Descriptor) -> io::Result<File> {
        // SAFETY: both handles are open.
        let taken = unsafe { CreateIoCompletionPort(handle.raw(), self.0, 0, 0) };
        if taken.is_null() {
            return Err(io::Error::last_os_error());
        }
        let modes = FILE_SKIP_COMPLETION_PORT_ON_SUCCESS | FILE_SKIP_SET_EVENT_ON_HANDLE;
        // SAFETY: plain numbers about an open handle.
        let skips = unsafe { SetFileCompletionNotificationModes(handle.raw(), modes as u8) } != 0;
        Ok(File { handle, skips })
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        // SAFETY: a plain number, that of `new`.
        unsafe { timeEndPeriod(TICK_MS) };
        // SAFETY: created by `new`, closed once.
        unsafe { CloseHandle(self.0) };
    }
}

impl Iocp {
    pub(crate) fn open(setup: &Setup<'_>) -> Result<Self, RunError> {
        let broken = |source| RunError::Port { source };
        let port = Port::new().map_err(broken)?;
        let files = setup.aims.iter().zip(&setup.targets).map(|(aim, target)| {
            priority::set(aim.descriptor, target.priority)?;
            port.take(aim.descriptor).map_err(broken)
        });
        let files = files.collect::<Result<Box<[File]>, RunError>>()?;
        let depth = setup.depth as usize;
        let batch = depth.min(setup.completions_max()).clamp(1, BATCH_MAX);
        Ok(Iocp {
            port,
            files,
            records: (0..depth).map(|_| UnsafeCell::default()).collect(),
            at_once: Vec::with_capacity(depth),
            pending: 0,
            batch: vec![OVERLAPPED_ENTRY::default(); batch].into(),
        })
    }

    /// The slot whose record this is.
    #[inline]
    fn slot(&self, record: *const OVERLAPPED) -> Slot {
        let from = record.addr() - self.records.as_ptr().addr();
        (from / size_of::<OVERLAPPED>()) as Slot
    }

    /// Takes packets until the port has no more, or as many as a batch may have.
    fn packets(&mut self, wait_ms: u32, landed: &mut Vec<Completion>) -> Result<(), RunError> {
        let (room, mut count) = (self.batch.len() as u32, 0);
        // SAFETY: the system writes at most `room` entries where the pointer shows.
        let taken = unsafe {
            GetQueuedCompletionStatusEx(
                self.port.0,
                self.batch.as_mut_ptr(),
                room,
                &raw mut count,
                wait_ms,
                0,
            )
        };
        if taken == 0 {
            let source = io::Error::last_os_error();
            return match source.raw_os_error().map(i32::cast_unsigned) {
                Some(WAIT_TIMEOUT) => Ok(()),
                _ => Err(RunError::PortBroke { source }),
            };
        }
        for entry in &self.batch[..count as usize] {
            landed.push(Completion {
                slot: self.slot(entry.lpOverlapped),
                result: result(entry),
            });
        }
        self.pending -= count as usize;
        Ok(())
    }
}

/// How long the port may be waited for, in whole milliseconds, where so much is left.
#[inline]
fn wait_ms(left: Nanos) -> u32 {
    (left.minus(POLLED).min(REAP_AT_MOST).0 / 1_000_000) as u32
}

/// Bytes transferred or a negated error number.
#[inline]
fn result(entry: &OVERLAPPED_ENTRY) -> i32 {
    // SAFETY: the record is this slot's own, and the kernel is done with it.
    let status = unsafe { (*entry.lpOverlapped).Internal } as i32;
    match status {
        0.. => entry.dwNumberOfBytesTransferred.cast_signed(),
        // SAFETY: translates a number.
        status => failed(unsafe { RtlNtStatusToDosError(status) }),
    }
}

impl Backend for Iocp {
    const OVERLAPPED: bool = true;

    fn used(&self) -> Used {
        let skips = self.files.iter().all(|file| file.skips);
        let mut features = vec!["completion port"];
        features.extend(skips.then_some("no packet for what completes at once"));
        Used {
            features,
            notes: Vec::new(),
        }
    }

    #[inline]
    fn push(&mut self, io: Io) -> Result<(), RunError> {
        let file = self.files[io.seat as usize];
        let record = self.records[io.slot as usize].get();
        // SAFETY: the slot is free, so the kernel does not use its record.
        unsafe { record.write(at(io.offset)) };
        // SAFETY: the records are allocated once for the backend's life, and the worker lends the memory until the completion;
        // it leaks both while I/Os are in flight.
        let begun = unsafe { begin(file.handle.raw(), &io, record) };
        match begun {
            // What succeeded queues a packet where that may not be skipped.
            Begun::Done(_) if !file.skips => self.pending += 1,
            Begun::Done(result) | Begun::Refused(result) => self.at_once.push(Completion {
                slot: io.slot,
                result,
            }),
            Begun::Pending => self.pending += 1,
        }
        Ok(())
    }

    #[inline]
    fn hand_over(&mut self) -> Result<(), RunError> {
        Ok(())
    }

    #[inline]
    fn reap<C: Clock>(
        &mut self,
        clock: &C,
        until: Nanos,
        landed: &mut Vec<Completion>,
    ) -> Result<(), RunError> {
        landed.append(&mut self.at_once);
        let wait_ms = match landed.is_empty() {
            true => wait_ms(until.minus(clock.now())),
            false if self.pending == 0 => return Ok(()),
            false => 0,
        };
        self.packets(wait_ms, landed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_a_time_is_polled_and_a_stop_is_heard() {
        assert_eq!(wait_ms(Nanos(0)), 0);
        assert_eq!(wait_ms(Nanos::micros(2900)), 0);
        assert_eq!(wait_ms(Nanos::millis(7)), 5);
        assert_eq!(wait_ms(Nanos::MAX), 100);
    }
}
