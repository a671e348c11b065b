//! Makes and fills files before a run: real, incompressible, marked data in every block, on the device.
//!
//! Space is reserved first, so that a full disk is found out before anything is written. Then every byte is
//! written by a few threads and brought to stable storage: no unwritten extents, which would read as zeros
//! without any I/O. Deliberately absent: any file that the check did not allow.

use crate::RunError;
use crate::observer::{Event, Observer};
use crate::rng::Rng;
use crate::stop::Stop;
use model::{Bytes, CacheMode, Content, Plan, TargetFacts, TargetKind, stamp};
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

mod raw;

/// Bytes of one write.
const PIECE: u64 = 1 << 20;
/// Writers side by side: enough for a device that wants several requests.
const WRITERS: u64 = 4;
/// From one word to the onlookers to the next.
const TELL_EVERY: Duration = Duration::from_millis(100);

/// A file that was made or completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filled {
    /// Which.
    pub path: PathBuf,
    /// Written to it.
    pub bytes: Bytes,
    /// Whether it did not exist before.
    pub made: bool,
    /// Device and inode number of what is there now.
    pub identity: (u64, u64),
}

/// Makes or completes every file of the plan that its target asks for; files that serve as they are stay
/// untouched. The plan's targets are told the identity of what was made.
///
/// # Errors
/// A file could not be made or filled, or the stop word was said. What this call made is removed again.
pub fn prepare(
    plan: &mut Plan,
    facts: &[TargetFacts],
    observer: &dyn Observer,
    stop: &Stop,
) -> Result<Vec<Filled>, RunError> {
    let mut filled: Vec<Filled> = Vec::new();
    for (target, facts) in plan.targets.iter_mut().zip(facts) {
        let (Some(size), Some(path)) = (target.create, target.location.path()) else {
            continue;
        };
        if let Some(done) = filled.iter().find(|done| done.path == path) {
            target.identity = Some(done.identity);
            continue;
        }
        let order = Order {
            path,
            size,
            facts,
            cache: target.cache,
        };
        let done = order.carry_out(observer, stop)?;
        target.identity = Some(done.identity);
        filled.push(done);
    }
    Ok(filled)
}

/// One file to be made or completed.
struct Order<'a> {
    path: &'a Path,
    size: Bytes,
    facts: &'a TargetFacts,
    cache: CacheMode,
}

impl Order<'_> {
    fn carry_out(&self, observer: &dyn Observer, stop: &Stop) -> Result<Filled, RunError> {
        let made = self.facts.kind == TargetKind::Missing;
        let file = self.open(made)?;
        let identity = raw::identity(&file).map_err(|source| self.failed(Bytes(0), source))?;
        if !made
            && self
                .facts
                .identity
                .is_some_and(|checked| checked != identity)
        {
            return Err(RunError::Changed {
                path: self.path.to_owned(),
            });
        }
        let outcome = self.fill(&file, observer, stop);
        drop(file);
        match outcome {
            Ok(bytes) => Ok(Filled {
                path: self.path.to_owned(),
                bytes,
                made,
                identity,
            }),
            Err(error) => {
                let removed = made && std::fs::remove_file(self.path).is_ok();
                Err(match error {
                    RunError::FillInterrupted { path, .. } => {
                        RunError::FillInterrupted { path, removed }
                    }
                    other => other,
                })
            }
        }
    }

    /// A file of that name is opened only if it is the one that was checked: `create_new` keeps us from
    /// following a link or taking a file that came in between.
    fn open(&self, made: bool) -> Result<File, RunError> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(made);
        raw::direct(&mut options, self.cache == CacheMode::Unbuffered);
        options.open(self.path).map_err(|source| RunError::Open {
            path: self.path.to_owned(),
            access: "filling",
            source,
        })
    }

    /// Writes what is missing and brings it to stable storage; returns how much was written.
    fn fill(&self, file: &File, observer: &dyn Observer, stop: &Stop) -> Result<Bytes, RunError> {
        let from = self.keep(file)?;
        raw::reserve(file, from, self.size).map_err(|source| self.failed(from, source))?;
        let work = Filling {
            file,
            from,
            to: self.size,
            next: AtomicU64::new(from.0),
            done: AtomicU64::new(0),
        };
        work.run(self.path, observer, stop)
            .map_err(|(offset, source)| self.failed(offset, source))?;
        if stop.asked() {
            return Err(RunError::FillInterrupted {
                path: self.path.to_owned(),
                removed: false,
            });
        }
        file.sync_all()
            .map_err(|source| self.failed(self.size, source))?;
        raw::drop_cache(file);
        Ok(Bytes(self.size.0 - from.0))
    }

    /// How much of the file stays: what fathom wrote whole before. Everything else is written again from the
    /// start; the check has made sure that it may be.
    fn keep(&self, file: &File) -> Result<Bytes, RunError> {
        let serves = self.facts.content == Content::Fathom;
        let keep = if serves {
            self.facts.size.floor_to(Bytes(PIECE)).min(self.size)
        } else {
            Bytes(0)
        };
        let length = file
            .metadata()
            .map_err(|source| self.failed(Bytes(0), source))?
            .len();
        if length > self.size.0 && !serves {
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
        }
    }
}

/// The writing itself, shared by the writers.
struct Filling<'a> {
    file: &'a File,
    from: Bytes,
    to: Bytes,
    next: AtomicU64, // first byte that nobody has taken
    done: AtomicU64, // bytes written
}

impl Filling<'_> {
    fn run(
        &self,
        path: &Path,
        observer: &dyn Observer,
        stop: &Stop,
    ) -> Result<(), (Bytes, io::Error)> {
        let failure = Mutex::new(None);
        thread::scope(|scope| {
            let writers: Vec<_> = (0..WRITERS)
                .map(|number| {
                    let failure = &failure;
                    scope.spawn(move || {
                        if let Err(error) = self.write(number, stop) {
                            let mut first = failure
                                .lock()
                                .unwrap_or_else(std::sync::PoisonError::into_inner);
                            first.get_or_insert(error);
                            self.next.store(u64::MAX / 2, Ordering::Relaxed); // nothing is left for the others
                        }
                    })
                })
                .collect();
            while writers.iter().any(|writer| !writer.is_finished()) {
                thread::sleep(TELL_EVERY);
                self.tell(path, observer);
            }
        });
        self.tell(path, observer);
        failure
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .map_or(Ok(()), Err)
    }

    fn tell(&self, path: &Path, observer: &dyn Observer) {
        let done = Bytes(self.done.load(Ordering::Relaxed));
        observer.on(Event::Filling {
            path,
            done,
            total: Bytes(self.to.0 - self.from.0),
        });
    }

    /// One writer: takes the next piece until none is left or the stop word is said.
    fn write(&self, number: u64, stop: &Stop) -> Result<(), (Bytes, io::Error)> {
        let mut piece = raw::Piece::new(PIECE as usize);
        let seed =
            raw::identity(self.file).map_or(0, |(device, inode)| device.rotate_left(32) ^ inode);
        let mut rng = Rng::new(seed ^ self.from.0, number << 32);
        while !stop.asked() {
            let at = self.next.fetch_add(PIECE, Ordering::Relaxed);
            if at >= self.to.0 {
                break;
            }
            let data = piece.data((self.to.0 - at).min(PIECE) as usize);
            rng.fill(data);
            stamp::stamp(data, Bytes(at), rng.bits());
            let length = data.len() as u64;
            raw::write_whole(self.file, data, at).map_err(|source| (Bytes(at), source))?;
            self.done.fetch_add(length, Ordering::Relaxed);
        }
        Ok(())
    }
}
