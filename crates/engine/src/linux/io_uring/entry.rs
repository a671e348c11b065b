//! What is handed to the kernel for one I/O, put together from what is the same for all I/Os of a target and what is not.
//!
//! An entry consists of whole words: if it is built field by field in the crate's own way, its narrow stores are read
//! back in wide pieces when it is copied into the queue, and the processor waits for each of them. Omitted: entries
//! that are no reads or writes, which the crate makes.
#![allow(unsafe_code, reason = "an entry is the kernel's structure")]

use crate::backend::Io;
use io_uring::{opcode, squeue};
use model::Operation;

/// `IOSQE_FIXED_FILE`: the file is named by its number among those that are registered.
const FIXED_FILE: u8 = 1;

/// The first word of every entry for one target: operation, flags, priority and file.
#[derive(Clone, Copy)]
pub(super) struct SqeTemplate {
    read: u64,
    write: u64,
    /// All ones where pieces of registered memory are named, else the name is omitted.
    areas: u16,
}

impl SqeTemplate {
    /// `file` is its number among the registered ones, or else its descriptor.
    pub(super) fn new(file: Result<u32, i32>, fixed_buffers: bool, priority: u16) -> SqeTemplate {
        let (flags, file) = match file {
            Ok(number) => (FIXED_FILE, number.cast_signed()),
            Err(descriptor) => (0, descriptor),
        };
        let head = |code: u8| {
            let ([p0, p1], [f0, f1, f2, f3]) = (priority.to_ne_bytes(), file.to_ne_bytes());
            u64::from_ne_bytes([code, flags, p0, p1, f0, f1, f2, f3])
        };
        let (read, write) = match fixed_buffers {
            true => (opcode::ReadFixed::CODE, opcode::WriteFixed::CODE),
            false => (opcode::Read::CODE, opcode::Write::CODE),
        };
        SqeTemplate {
            read: head(read),
            write: head(write),
            areas: if fixed_buffers { u16::MAX } else { 0 },
        }
    }

    /// The entry of an I/O; its completion carries the slot.
    #[inline(always)] // see above
    pub(super) fn entry(&self, io: &Io) -> squeue::Entry {
        let head = match io.operation {
            Operation::Read => self.read,
            Operation::Write => self.write,
        };
        let memory = io.memory.as_ptr().expose_provenance() as u64;
        // The second half of each word is a field of which nothing is asked.
        let (length, area) = (first_half(io.length), first_quarter(io.area & self.areas));
        let words = [
            head,
            io.offset,
            memory,
            length,
            u64::from(io.slot),
            area,
            0,
            0,
        ];
        // SAFETY: an entry is `struct io_uring_sqe`, 64 bytes of numbers in the order of linux/io_uring.h, for which all
        // bits are values; that it is as long as this is checked when it is compiled.
        unsafe { std::mem::transmute::<[u64; 8], squeue::Entry>(words) }
    }
}

/// A word whose first four bytes are this number.
#[inline]
fn first_half(number: u32) -> u64 {
    let number = u64::from(number);
    if cfg!(target_endian = "big") {
        number << 32
    } else {
        number
    }
}

/// A word whose first two bytes are this number.
#[inline]
fn first_quarter(number: u16) -> u64 {
    let number = u64::from(number);
    if cfg!(target_endian = "big") {
        number << 48
    } else {
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use io_uring::types::{Fd, Fixed};
    use model::Nanos;
    use std::ptr::NonNull;

    /// The words of an entry.
    fn words(entry: &squeue::Entry) -> [u64; 8] {
        // SAFETY: the same structure the other way round.
        unsafe { std::ptr::from_ref(entry).cast::<[u64; 8]>().read() }
    }

    #[test]
    fn entries_are_those_that_the_crate_makes() {
        let mut place = 0u8;
        let memory = NonNull::from(&mut place);
        let io = |operation| Io {
            operation,
            offset: 0x1234_5678_9000,
            memory,
            length: 0x0102_0304,
            area: 0x0506,
            seat: 0,
            slot: 0x0708_090A,
            issued: Nanos(0),
        };
        let (read, write) = (io(Operation::Read), io(Operation::Write));
        let (at, length, area) = (memory.as_ptr(), read.length, read.area);
        let slot = u64::from(read.slot);
        macro_rules! made {
            ($made:expr) => {
                words(
                    &$made
                        .offset(read.offset)
                        .ioprio(0x2004)
                        .build()
                        .user_data(slot),
                )
            };
        }
        let fixed = SqeTemplate::new(Ok(3), true, 0x2004);
        let expected = made!(opcode::ReadFixed::new(Fixed(3), at, length, area));
        assert_eq!(words(&fixed.entry(&read)), expected);
        let expected = made!(opcode::WriteFixed::new(Fixed(3), at, length, area));
        assert_eq!(words(&fixed.entry(&write)), expected);
        let plain = SqeTemplate::new(Err(7), false, 0x2004);
        let expected = made!(opcode::Read::new(Fd(7), at, length));
        assert_eq!(words(&plain.entry(&read)), expected);
        let expected = made!(opcode::Write::new(Fd(7), at, length));
        assert_eq!(words(&plain.entry(&write)), expected);
    }
}
