//! One blocking system call an I/O: `ReadFile` and `WriteFile` at a place. One outstanding a thread.
//!
//! The handles are opened without FILE_FLAG_OVERLAPPED, so that the call waits in the kernel. Write-through is the
//! handle's (`FILE_FLAG_WRITE_THROUGH`), which is the same for all backends. A call that the device never answers cannot be
//! taken back; the control plane then leaves the thread behind.
#![allow(unsafe_code, reason = "system calls on raw memory")]

use super::priority;
use super::transfer::{Begun, at, begin};
use crate::RunError;
use crate::backend::{Backend, Completion, Io, Setup, Used};
use crate::clock::Clock;
use gate::Descriptor;
use model::Nanos;

/// The system's own read and write.
pub(crate) struct Sync {
    files: Box<[Descriptor]>, // by seat
    staged: Option<Io>,
}

impl Sync {
    pub(crate) fn open(setup: &Setup<'_>) -> Result<Self, RunError> {
        assert_eq!(setup.depth, 1, "the check refuses other depths");
        for (aim, target) in setup.aims.iter().zip(&setup.targets) {
            priority::set(aim.descriptor, target.priority)?;
        }
        Ok(Sync {
            files: setup.aims.iter().map(|aim| aim.descriptor).collect(),
            staged: None,
        })
    }
}

impl Backend for Sync {
    fn used(&self) -> Used {
        Used {
            features: vec!["ReadFile", "WriteFile"],
            notes: Vec::new(),
        }
    }

    #[inline]
    fn push(&mut self, io: Io) -> Result<(), RunError> {
        debug_assert!(self.staged.is_none(), "one outstanding");
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
            let mut record = at(io.offset);
            let file = self.files[io.seat as usize].raw();
            // SAFETY: the handle is not overlapped, so the I/O is complete when the call returns.
            let begun = unsafe { begin(file, &io, &raw mut record) };
            let (Begun::Done(result) | Begun::Refused(result)) = begun else {
                unreachable!("a call on a handle without FILE_FLAG_OVERLAPPED returns its result");
            };
            landed.push(Completion {
                slot: io.slot,
                result,
            });
        }
        Ok(())
    }
}
