//! One blocking system call an I/O: `pread` and `pwrite`. One outstanding a thread.
//!
//! The simplest thing that can be right, and on devices without an asynchronous path the fastest. A call
//! that the device never answers cannot be taken back; the control plane then leaves the thread behind.
#![allow(unsafe_code, reason = "system calls on raw memory")]

use super::priority::{ThreadPriority, number};
use super::{Backend, Completion, Io, Setup, Used};
use crate::RunError;
use crate::clock::Clock;
use model::{Nanos, Operation};
use std::os::fd::RawFd;

/// The system's own read and write.
pub(crate) struct Sync {
    files: Box<[(RawFd, u16)]>, // by seat, with the priority
    priority: ThreadPriority,
    staged: Option<Io>,
}

impl Sync {
    pub(crate) fn open(setup: &Setup<'_>) -> Self {
        assert_eq!(setup.depth, 1, "the check refuses other depths");
        let files = setup.aims.iter().zip(&setup.targets);
        Sync {
            files: files
                .map(|(aim, target)| (aim.descriptor, number(target.priority)))
                .collect(),
            priority: ThreadPriority::default(),
            staged: None,
        }
    }
}

impl Backend for Sync {
    fn used(&self) -> Used {
        Used {
            features: vec!["pread", "pwrite"],
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
                result: transfer(self.files[io.seat as usize].0, &io),
            });
        }
        Ok(())
    }

    fn abandon(self) {}
}

/// Bytes transferred or a negated errno. A call that a signal broke off before anything moved is repeated.
#[inline]
fn transfer(descriptor: RawFd, io: &Io) -> i32 {
    let memory = io.memory.as_ptr().cast();
    let (length, offset) = (io.length as usize, io.offset.cast_signed());
    loop {
        let moved = match io.operation {
            // SAFETY: `memory` has `length` bytes of this slot's own, which nobody else touches until we return.
            Operation::Read => unsafe { libc::pread(descriptor, memory, length, offset) },
            // SAFETY: as above.
            Operation::Write => unsafe { libc::pwrite(descriptor, memory, length, offset) },
        };
        if moved >= 0 {
            return i32::try_from(moved).expect("at most 1 GiB");
        }
        let errno = std::io::Error::last_os_error()
            .raw_os_error()
            .unwrap_or(libc::EIO);
        if errno != libc::EINTR {
            return -errno;
        }
    }
}
