//! Memory-mapped files: an I/O is a copy between a slot's memory and a shared mapping of the target.
//!
//! A copy is done the moment it is submitted, one after another, as in DISKSPD. Where the plan asks for it, each
//! write is followed by an msync of the pages that it touched. A file that is cut short while it is mapped does not
//! kill the program: see `mapping`. Omitted: devices, non-temporal stores and DAX flushes, which the check refuses.

use super::{Backend, Completion, Io, Setup, Used};
use crate::RunError;
use crate::clock::Clock;
use crate::system::{Mapping, ThreadPriority, number};
use model::{Flush, Nanos, Operation};

/// One thread's mappings.
pub(crate) struct Mmap {
    views: Box<[View]>, // by seat
    priority: ThreadPriority,
    staged: Option<Io>,
}

struct View {
    mapping: Mapping,
    flush: Flush,
    priority: u16,
}

impl Mmap {
    pub(crate) fn open(setup: &Setup<'_>) -> Result<Self, RunError> {
        let view = |(aim, target): (&super::TargetFd, &&model::PlannedTarget)| {
            let mapping = Mapping::new(aim.descriptor, target)?;
            let flush = target.mapped.expect("only mapped targets come here");
            Ok(View {
                mapping,
                flush,
                priority: number(target.priority),
            })
        };
        let views = setup
            .aims
            .iter()
            .zip(&setup.targets)
            .map(view)
            .collect::<Result<_, RunError>>()?;
        Ok(Mmap {
            views,
            priority: ThreadPriority::default(),
            staged: None,
        })
    }
}

impl Backend for Mmap {
    const ONE_AT_A_TIME: bool = true;

    fn used(&self) -> Used {
        let flushes = self.views.iter().any(|view| view.flush == Flush::View);
        let mut features = vec!["shared mapping"];
        features.extend(flushes.then_some(Mapping::FLUSH));
        Used {
            features,
            notes: Vec::new(),
        }
    }

    #[inline]
    fn push(&mut self, io: Io) -> Result<(), RunError> {
        debug_assert!(self.staged.is_none(), "one at a time");
        self.priority
            .take_on(self.views[io.seat as usize].priority)?;
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
            let view = &mut self.views[io.seat as usize];
            let moved = match io.operation {
                Operation::Read => view.mapping.read(io.offset, io.memory, io.length),
                Operation::Write => {
                    view.mapping
                        .write(io.offset, io.memory, io.length, view.flush == Flush::View)
                }
            };
            let result = match moved {
                Ok(()) => i32::try_from(io.length).expect("at most 1 GiB"),
                Err(errno) => -errno,
            };
            landed.push(Completion {
                slot: io.slot,
                result,
            });
        }
        Ok(())
    }
}
