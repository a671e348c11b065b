//! Whether every block of a file or device is fathom's own, by reading all of it.
//!
//! A sample can prove that something else is there, never that nothing else is. So before fathom writes to what seemed
//! to be its own, it checks every byte: the first block is whole, and each further one is whole or zeros, in which there
//! is nothing that could be lost. The target is held before it is read, and what is read is what will be written, because
//! both come from its pin.

use super::raw::{self, Piece};
use crate::RunError;
use crate::observer::{Event, Observer};
use crate::stop::Stop;
use gate::{OFlags, Pins};
use model::Bytes;
use model::block_header::{self, BLOCK_BYTES, Flaw};
use std::fs::File;
use std::path::Path;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// Bytes of one read.
const PIECE: u64 = 1 << 20;
/// Readers side by side.
const READERS: usize = 4;

/// Reads all of it.
///
/// # Errors
/// [`RunError::NotOurs`] with the lowest offset of a block that fathom did not write; it could not be read; or the
/// stop word was said.
pub fn prove_ours(
    path: &Path,
    pins: &Pins,
    observer: &dyn Observer,
    stop: &Stop,
) -> Result<(), RunError> {
    let open = |unbuffered| {
        let pin = pins.pin(path)?;
        pin.reopen(OFlags::RDONLY | raw::direct(unbuffered))
    };
    let opened = open(true).or_else(|_| open(false));
    let file = opened.map_err(|source| unread(path, source))?;
    let proof = Proof {
        path,
        file: &file,
        size: raw::length(&file).map_err(|source| unread(path, source))?,
        next: AtomicU64::new(0),
        done: AtomicU64::new(0),
        trouble: Mutex::new(None),
    };
    proof.run(observer, stop);
    raw::drop_cache(&file);
    match proof
        .trouble
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
    {
        Some(error) => Err(error),
        None if stop.asked() => Err(RunError::ProofInterrupted {
            path: path.to_owned(),
        }),
        None => Ok(()),
    }
}

struct Proof<'a> {
    path: &'a Path,
    file: &'a File,
    size: u64,
    next: AtomicU64, // first byte that nobody has taken
    done: AtomicU64, // bytes read
    trouble: Mutex<Option<RunError>>,
}

impl Proof<'_> {
    fn run(&self, observer: &dyn Observer, stop: &Stop) {
        thread::scope(|scope| {
            let read = || {
                if let Err(error) = self.read(stop) {
                    self.next.store(u64::MAX / 2, Ordering::Relaxed); // nothing is left for the others
                    let mut first = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
                    if first.as_ref().is_none_or(|first| is_before(&error, first)) {
                        *first = Some(error);
                    }
                }
            };
            let readers: Vec<_> = (0..READERS).map(|_| scope.spawn(read)).collect();
            super::watch(&readers, || {
                let (done, total) = (Bytes(self.done.load(Ordering::Relaxed)), Bytes(self.size));
                observer.on(Event::Proving {
                    path: self.path,
                    done,
                    total,
                });
            });
        });
    }

    /// One reader: takes the next piece until none is left or the stop word is said.
    fn read(&self, stop: &Stop) -> Result<(), RunError> {
        let mut piece = Piece::new(PIECE as usize);
        while !stop.asked() {
            let at = self.next.fetch_add(PIECE, Ordering::Relaxed);
            if at >= self.size {
                break;
            }
            let data = piece.data(PIECE as usize);
            let length =
                raw::read_up_to(self.file, data, at).map_err(|source| unread(self.path, source))?;
            if let Some((offset, flaw)) = first_flaw(at, &data[..length]) {
                return Err(RunError::NotOurs {
                    path: self.path.to_owned(),
                    offset: Bytes(at + offset.0),
                    flaw,
                });
            }
            self.done.fetch_add(length as u64, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// Whether this block comes before that of the other error. Pieces are taken in order and each is read to its end, so
/// the lowest of the offsets found is the lowest there is.
fn is_before(error: &RunError, other: &RunError) -> bool {
    match (error, other) {
        (RunError::NotOurs { offset, .. }, RunError::NotOurs { offset: other, .. }) => {
            offset < other
        }
        _ => false,
    }
}

/// The first block that is not fathom's own. Zeros alone are foreign: an own target begins with a whole block.
fn first_flaw(at: u64, data: &[u8]) -> Option<(Bytes, Flaw)> {
    let begins_whole = at > 0 || data.is_empty() || {
        let first = &data[..data.len().min(BLOCK_BYTES)];
        block_header::inspect(first) != block_header::BlockState::Zero
    };
    match begins_whole {
        true => block_header::first_flaw(data),
        false => Some((Bytes(0), Flaw::Foreign)),
    }
}

fn unread(path: &Path, source: std::io::Error) -> RunError {
    crate::target::unopened(path, "reading", source)
}
