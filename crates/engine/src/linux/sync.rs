//! One blocking system call an I/O: `pread` and `pwrite`, or with polled completion `preadv2` and `pwritev2`. One
//! outstanding a thread.
//!
//! The simplest thing that can be right, and on devices without an asynchronous path the fastest. The plain calls are
//! taken where no flag is wanted, because they cost 90 ns less an I/O. Write-through is the descriptor's (`O_DSYNC`),
//! which is the same for all backends. A call that the device never answers cannot be taken back; the control plane
//! then leaves the thread behind.
#![allow(unsafe_code, reason = "system calls on raw memory")]

use super::priority::{ThreadPriority, number};
use crate::RunError;
use crate::backend::{Backend, Completion, Io, Setup, Used};
use crate::clock::Clock;
use gate::Descriptor;
use model::{Nanos, Operation};
use std::io;
use std::os::fd::RawFd;

/// The system's own read and write.
pub(crate) struct Sync {
    files: Box<[(RawFd, u16)]>, // by seat, with the priority
    flags: i32,
    priority: ThreadPriority,
    staged: Option<Io>,
}

impl Sync {
    pub(crate) fn open(setup: &Setup<'_>) -> Self {
        assert_eq!(setup.depth, 1, "the check refuses other depths");
        let files = setup.aims.iter().zip(&setup.targets);
        Sync {
            files: files
                .map(|(aim, target)| (aim.descriptor.raw(), number(target.priority)))
                .collect(),
            flags: if setup.polling.completions {
                libc::RWF_HIPRI
            } else {
                0
            },
            priority: ThreadPriority::default(),
            staged: None,
        }
    }
}

impl Backend for Sync {
    fn used(&self) -> Used {
        let features = match self.flags {
            0 => vec!["pread", "pwrite"],
            _ => vec!["preadv2", "pwritev2", "polled completion"],
        };
        Used {
            features,
            notes: Vec::new(),
        }
    }

    #[inline]
    fn push(&mut self, io: Io) -> Result<(), RunError> {
        debug_assert!(self.staged.is_none(), "one outstanding");
        self.priority.take_on(self.files[io.seat as usize].1)?;
        self.staged = Some(io);
        Ok(())
    }

    #[inline]
    fn hand_over(&mut self) -> Result<(), RunError> {
        Ok(())
    }

    #[inline]
    fn reap<C: Clock>(
        &mut self,
        _: &C,
        _: Nanos,
        landed: &mut Vec<Completion>,
    ) -> Result<(), RunError> {
        if let Some(io) = self.staged.take() {
            landed.push(Completion {
                slot: io.slot,
                result: transfer(self.files[io.seat as usize].0, &io, self.flags),
            });
        }
        Ok(())
    }
}

/// Bytes transferred or a negated errno. A call that a signal broke off before anything moved is repeated.
#[inline]
fn transfer(descriptor: RawFd, io: &Io, flags: i32) -> i32 {
    loop {
        let moved = if flags == 0 {
            plain(descriptor, io)
        } else {
            flagged(descriptor, io, flags)
        };
        if moved >= 0 {
            return i32::try_from(moved).expect("at most 1 GiB");
        }
        let errno = io::Error::last_os_error()
            .raw_os_error()
            .unwrap_or(libc::EIO);
        if errno != libc::EINTR {
            return -errno;
        }
    }
}

#[inline]
fn plain(descriptor: RawFd, io: &Io) -> isize {
    let memory = io.memory.as_ptr().cast();
    let (length, offset) = (io.length as usize, io.offset.cast_signed());
    match io.operation {
        // SAFETY: `memory` has `length` bytes of this slot's own, which no other code touches until we return.
        Operation::Read => unsafe { libc::pread(descriptor, memory, length, offset) },
        // SAFETY: as above.
        Operation::Write => unsafe { libc::pwrite(descriptor, memory, length, offset) },
    }
}

#[inline]
fn flagged(descriptor: RawFd, io: &Io, flags: i32) -> isize {
    let piece = libc::iovec {
        iov_base: io.memory.as_ptr().cast(),
        iov_len: io.length as usize,
    };
    let offset = io.offset.cast_signed();
    match io.operation {
        // SAFETY: one piece, with as many bytes of this slot's own, which no other code touches until we return.
        Operation::Read => unsafe { libc::preadv2(descriptor, &raw const piece, 1, offset, flags) },
        // SAFETY: as above.
        Operation::Write => unsafe {
            libc::pwritev2(descriptor, &raw const piece, 1, offset, flags)
        },
    }
}

/// Reads into `memory` if that can be begun without waiting, as io_uring asks it first.
pub(crate) fn read_without_waiting(
    descriptor: Descriptor,
    memory: &mut [u8],
    offset: u64,
) -> io::Result<usize> {
    let piece = libc::iovec {
        iov_base: memory.as_mut_ptr().cast(),
        iov_len: memory.len(),
    };
    let offset = offset.cast_signed();
    // SAFETY: one piece, which is borrowed until we return.
    let read = unsafe {
        libc::preadv2(
            descriptor.raw(),
            &raw const piece,
            1,
            offset,
            libc::RWF_NOWAIT,
        )
    };
    usize::try_from(read).map_err(|_| io::Error::last_os_error())
}
