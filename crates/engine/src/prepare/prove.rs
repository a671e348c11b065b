//! Whether every block of a file or device is fathom's own, by reading all of it.
//!
//! A sample can prove that something else is there, never that nothing else is. So before fathom writes to what seemed
//! to be its own, it checks every byte: the first block is whole, and each further one is whole or zeros, in which there
//! is nothing that could be lost. The target is claimed before it is read, and what is read is what will be written,
//! because both come from its pin.

use super::raw;
use super::scan::{PIECE, Scan};
use crate::RunError;
use crate::observer::{Event, Observer};
use crate::stop::Stop;
use crate::system::caches;
use gate::{Access, Pins};
use model::Bytes;
use model::block_header::{self, BLOCK_BYTES, Flaw};
use std::io;
use std::path::Path;

/// Reads all of it.
///
/// # Errors
/// [`RunError::NotOurs`] with the lowest offset of a block that fathom did not write; it could not be read; or the
/// run was stopped.
pub fn prove_ours(
    path: &Path,
    pins: &Pins,
    observer: &dyn Observer,
    stop: &Stop,
) -> Result<(), RunError> {
    let open = |unbuffered| {
        let pin = pins.pin(path)?;
        pin.reopen(Access::READ.direct(unbuffered))
    };
    let opened = open(true).or_else(|_| open(false));
    let file = opened.map_err(|source| unread(path, source))?;
    let total = raw::length(&file).map_err(|source| unread(path, source))?;
    let scan = Scan {
        file: &file,
        from: 0,
        to: total.next_multiple_of(PIECE), // what grows meanwhile is read, too
        stop,
    };
    let each = |at, read: io::Result<&[u8]>| {
        let data = read.map_err(|source| unread(path, source))?;
        match first_flaw(at, data) {
            Some((offset, flaw)) => Err(RunError::NotOurs {
                path: path.to_owned(),
                offset: Bytes(at + offset.0),
                flaw,
            }),
            None => Ok(()),
        }
    };
    let (_, trouble) = scan.run(&each, is_before, |done| {
        let (done, total) = (Bytes(done), Bytes(total));
        observer.on(Event::Proving { path, done, total });
    });
    caches::drop_cache(&file);
    match trouble {
        Some(error) => Err(error),
        None if stop.asked() => Err(RunError::ProofInterrupted {
            path: path.to_owned(),
        }),
        None => Ok(()),
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
