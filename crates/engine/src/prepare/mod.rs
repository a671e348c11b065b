//! Makes and fills files before a run: real, incompressible data with a header in every block, on the device.
//!
//! Space is reserved first, so that a full disk is found out before anything is written. Then every byte is
//! written by a few threads and brought to stable storage: no unwritten extents, which would read as zeros
//! without any I/O. Deliberately absent: any file that the check did not allow.

use crate::RunError;
use crate::observer::Observer;
use crate::shape::Shape;
use crate::stop::Stop;
use crate::system::{caches, space};
use crate::target::{hold_all, unopened};
use filling::{Filling, PIECE};
use gate::{Access, Pin, Pins, file_facts};
use model::block_header::BLOCK;
use model::{Allocation, Bytes, CacheMode, Content, Plan, PlannedTarget, TargetFacts, TargetKind};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

mod filling;
mod prove;
pub(crate) mod raw;
pub(crate) mod scan;

pub use prove::prove_ours;

/// From one word to the onlookers to the next.
const TELL_EVERY: Duration = Duration::from_millis(100);

/// A file that was created or completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filled {
    /// Which.
    pub path: PathBuf,
    /// Written to it.
    pub bytes: Bytes,
    /// What of it is written.
    pub allocation: Allocation,
    /// Whether it did not exist before.
    pub made: bool,
    /// Device and inode number of what is there now.
    pub identity: (u64, u64),
}

/// Claims the targets, proves what has to be proven, then creates or completes every file that the plan requires;
/// files that serve as they are stay untouched. The plan's targets get the identity of what was created.
///
/// # Errors
/// Something else than fathom's own was found, a file could not be created or filled, another fathom is using it, or
/// the run was stopped. Files that this call created are removed again.
pub fn prepare(
    plan: &mut Plan,
    facts: &[TargetFacts],
    pins: &Pins,
    observer: &dyn Observer,
    stop: &Stop,
) -> Result<Vec<Filled>, RunError> {
    hold_all(plan, facts, pins)?;
    for target in plan.targets.iter().filter(|target| target.prove_ours) {
        if let Some(path) = target.held_by() {
            prove_ours(path, pins, observer, stop)
                .map_err(|error| under_its_name(error, target))?;
        }
    }
    let mut filled = Vec::new();
    let outcome = fill_all(
        plan,
        facts,
        pins,
        &mut filled,
        &Onlookers { observer, stop },
    );
    if outcome.is_err() {
        for done in filled.iter().filter(|done| done.made) {
            let _ = pins.pin(&done.path).and_then(|pin| pin.remove());
        }
    }
    outcome.map(|()| filled)
}

/// A namespace is read as a block device, and the words that allow writing it are of the name that was given.
fn under_its_name(error: RunError, target: &PlannedTarget) -> RunError {
    match (error, target.location.path()) {
        (RunError::NotOurs { offset, flaw, .. }, Some(path)) => RunError::NotOurs {
            path: path.to_owned(),
            offset,
            flaw,
        },
        (error, _) => error,
    }
}

/// Who receives the progress and who may stop it.
struct Onlookers<'a> {
    observer: &'a dyn Observer,
    stop: &'a Stop,
}

fn fill_all(
    plan: &mut Plan,
    facts: &[TargetFacts],
    pins: &Pins,
    filled: &mut Vec<Filled>,
    onlookers: &Onlookers<'_>,
) -> Result<(), RunError> {
    for (target, facts) in plan.targets.iter_mut().zip(facts) {
        let (Some(size), Some(path)) = (target.create, target.location.path()) else {
            continue;
        };
        // A file that was missing may have come under another name of this request meanwhile.
        let pin = pins.pin(path);
        let pin = pin.map_err(|source| unopened(path, "filling", source))?;
        let there = pin.node().and_then(|node| identity(&node).ok());
        let same = |done: &&Filled| done.path == path || there == Some(done.identity);
        if let Some(done) = filled.iter().find(same) {
            target.identity = Some(done.identity);
            continue;
        }
        let order = Order {
            path,
            pin: &pin,
            size,
            facts,
            cache: target.cache,
            allocation: target.allocation,
            shape: Shape::of(&target.content),
            block: target.workload.block,
        };
        let done = order.carry_out(pins, onlookers)?;
        target.identity = Some(done.identity);
        filled.push(done);
    }
    Ok(())
}

/// The part of a file that is written before the run.
#[derive(Clone, Copy)]
struct Stretch {
    from: Bytes,
    to: Bytes,
}

/// One file to be created or completed.
struct Order<'a> {
    path: &'a Path,
    pin: &'a Pin,
    size: Bytes,
    facts: &'a TargetFacts,
    cache: CacheMode,
    allocation: Allocation,
    shape: Shape,
    block: Bytes,
}

impl Order<'_> {
    fn carry_out(&self, pins: &Pins, onlookers: &Onlookers<'_>) -> Result<Filled, RunError> {
        let made = self.facts.kind == TargetKind::Missing;
        let path = self.path.to_owned();
        let file = self.open(made)?;
        let identity = identity(&file).map_err(|source| self.failed(Bytes(0), source))?;
        if !made && self.facts.identity != Some(identity) {
            return Err(RunError::Changed { path });
        }
        if !pins.lock(self.pin, true) {
            return Err(RunError::locked(&path));
        }
        let outcome = self.fill(&file, onlookers);
        drop(file);
        match outcome {
            Ok(bytes) => Ok(Filled {
                path,
                bytes,
                allocation: self.allocation,
                made,
                identity,
            }),
            Err(error) => {
                let gone = made && self.pin.remove().unwrap_or(false);
                Err(match error {
                    RunError::FillInterrupted { path, .. } => RunError::FillInterrupted {
                        path,
                        removed: gone,
                    },
                    RunError::Fill {
                        path,
                        offset,
                        source,
                        ..
                    } => RunError::Fill {
                        path,
                        offset,
                        source,
                        removed: gone,
                    },
                    other => other,
                })
            }
        }
    }

    /// What was checked, or a new file where nothing was.
    fn open(&self, made: bool) -> Result<File, RunError> {
        let access = Access::READ_WRITE.direct(self.cache != CacheMode::Cached);
        let opened = match made {
            true => self.pin.create(access),
            false => self.pin.reopen(access),
        };
        opened.map_err(|source| unopened(self.path, "filling", source))
    }

    /// Writes what is missing and brings it to stable storage; returns how much was written.
    fn fill(&self, file: &File, onlookers: &Onlookers<'_>) -> Result<Bytes, RunError> {
        let written = match self.allocation.is_written() {
            true => {
                let missing = self.reserve(file)?;
                self.write(file, missing, onlookers)?
            }
            false => self.lay_out(file, onlookers)?,
        };
        let interrupted = || RunError::FillInterrupted {
            path: self.path.to_owned(),
            removed: false,
        };
        if onlookers.stop.asked() {
            return Err(interrupted());
        }
        file.sync_all()
            .map_err(|source| self.failed(self.size, source))?;
        if onlookers.stop.asked() {
            return Err(interrupted());
        }
        caches::drop_cache(file);
        Ok(written)
    }

    /// Writes a part with data. Returns how long it is.
    fn write(
        &self,
        file: &File,
        part: Stretch,
        onlookers: &Onlookers<'_>,
    ) -> Result<Bytes, RunError> {
        let Stretch { from, to } = part;
        let work = Filling {
            file,
            from,
            to,
            shape: self.shape,
            block: self.block.0 as usize,
            write_back: self.cache == CacheMode::Cached,
        };
        work.run(self.path, onlookers)
            .map_err(|(offset, source)| self.failed(offset, source))?;
        Ok(Bytes(to.0 - from.0))
    }

    /// Reserves the space of what is missing, all of which is to be written.
    fn reserve(&self, file: &File) -> Result<Stretch, RunError> {
        let (from, to) = (self.keep(file)?, self.size);
        space::reserve(file, from, to).map_err(|source| self.failed(from, source))?;
        Ok(Stretch { from, to })
    }

    /// Gives the file its size or its space, as the plan specifies, without data. What was there before is dropped, as fio
    /// removes such a file. Its first block is written before all else, and whether or not the run is stopped: by it fathom
    /// recognizes the file later. Returns how much is written.
    fn lay_out(&self, file: &File, onlookers: &Onlookers<'_>) -> Result<Bytes, RunError> {
        let (none, size) = (Bytes(0), self.size);
        file.set_len(0)
            .map_err(|source| self.failed(none, source))?;
        let unstopped = Onlookers {
            observer: onlookers.observer,
            stop: &Stop::new(),
        };
        let first = Stretch {
            from: none,
            to: size.min(BLOCK),
        };
        let written = self.write(file, first, &unstopped)?;
        let laid_out = match self.allocation {
            Allocation::Written | Allocation::Reserved => space::reserve(file, none, size),
            Allocation::ReservedBehindEnd => space::reserve_behind_end(file, size),
            Allocation::Sparse | Allocation::Emptied => {
                space::make_sparse(file).and_then(|()| file.set_len(size.0))
            }
            Allocation::Growing => Ok(()),
        };
        laid_out.map_err(|source| self.failed(none, source))?;
        Ok(written)
    }

    /// How much of the file stays: what fathom wrote whole before. Everything else is written again from the
    /// start; the check has ensured that it may be.
    fn keep(&self, file: &File) -> Result<Bytes, RunError> {
        let serves = self.facts.content == Content::Fathom;
        let keep = if serves {
            self.facts.size.min(self.size).floor_to(Bytes(PIECE))
        } else {
            Bytes(0)
        };
        let length = file
            .metadata()
            .map_err(|source| self.failed(Bytes(0), source))?
            .len();
        if length > self.size.0 {
            file.set_len(self.size.0)
                .map_err(|source| self.failed(self.size, source))?;
        }
        Ok(keep)
    }

    fn failed(&self, offset: Bytes, source: io::Error) -> RunError {
        RunError::Fill {
            path: self.path.to_owned(),
            offset,
            source,
            removed: false,
        }
    }
}

fn identity(file: &File) -> io::Result<(u64, u64)> {
    file_facts(file).map(|there| there.identity)
}

/// Reports the progress until all workers are done.
fn watch<T>(workers: &[ScopedJoinHandle<'_, T>], tell: impl Fn()) {
    let mut pause = Duration::from_millis(1);
    while workers.iter().any(|worker| !worker.is_finished()) {
        thread::sleep(pause);
        pause = (pause * 2).min(TELL_EVERY);
        tell();
    }
    tell();
}
