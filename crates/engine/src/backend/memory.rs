//! The memory of an I/O in flight, for a backend that moves the data itself.
#![allow(unsafe_code, reason = "memory that is lent to a backend with an I/O")]

use super::Io;
use std::ptr::NonNull;

/// Memory that an I/O lent.
#[derive(Clone, Copy)]
pub(super) struct IoMemory {
    start: NonNull<u8>,
    length: usize,
}

impl IoMemory {
    /// None.
    pub(super) const NONE: IoMemory = IoMemory {
        start: NonNull::dangling(),
        length: 0,
    };

    pub(super) fn of(io: &Io) -> IoMemory {
        IoMemory {
            start: io.memory,
            length: io.length as usize,
        }
    }

    /// The bytes, until the I/O is reported as complete.
    pub(super) fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the worker lends these bytes from `push` until it gets the completion, and does not touch them meanwhile;
        // this is called between the two, once.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.length) }
    }
}
