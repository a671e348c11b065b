//! The writing of a file by several writers: pieces of real, incompressible data, in blocks with headers.
//!
//! A piece is as large as the device writes in a short time, so that a stop is heard soon on a slow one. Which
//! file may be written stands in the check; making, keeping and removing it in the folder's `mod.rs`.

use super::{Onlookers, raw};
use crate::clock::monotonic;
use crate::observer::Event;
use crate::rng::Rng;
use crate::shape::Shape;
use crate::stop::Stop;
use crate::system::space;
use crate::target_state::random_number;
use model::Bytes;
use model::block_header::{self, BLOCK, BlockHeader};
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Largest piece, and what pieces begin at multiples of when a file is completed.
pub(super) const PIECE: u64 = 1 << 20;
/// Smallest piece.
const PIECE_MIN: u64 = 64 << 10;
/// A piece that took less is followed by a larger one, one that took five times as long by a smaller one.
const PIECE_TIME: Duration = Duration::from_millis(40);
/// Writers side by side: enough for a device that wants several requests.
const WRITERS: u64 = 4;

/// What is to be written.
pub(super) struct Filling<'a> {
    pub(super) file: &'a File,
    pub(super) from: Bytes,
    pub(super) to: Bytes,
    /// What the data is like.
    pub(super) shape: Shape,
    /// How long a twin is.
    pub(super) block: usize,
    /// Each piece goes through the system's cache and is brought to the device before the next.
    pub(super) write_back: bool,
}

/// How far the writers are.
struct Progress {
    next: AtomicU64, // first byte that no writer has taken
    done: AtomicU64, // bytes written
    failure: Mutex<Option<(Bytes, io::Error)>>,
    run: u64, // random, in every block header
}

impl Filling<'_> {
    /// Returns when all is written or the run was stopped; otherwise where it failed, and how.
    pub(super) fn run(
        &self,
        path: &Path,
        onlookers: &Onlookers<'_>,
    ) -> Result<(), (Bytes, io::Error)> {
        let progress = Progress {
            next: AtomicU64::new(self.from.0),
            done: AtomicU64::new(0),
            failure: Mutex::new(None),
            run: random_number(),
        };
        let shared = &progress;
        thread::scope(|scope| {
            let write = |number| {
                if let Err(error) = self.write(number, shared, onlookers.stop) {
                    let mut first = shared
                        .failure
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner);
                    first.get_or_insert(error);
                    shared.next.store(u64::MAX / 2, Ordering::Relaxed); // nothing is left for the others
                }
            };
            let writers: Vec<_> = (0..WRITERS)
                .map(|number| scope.spawn(move || write(number)))
                .collect();
            super::watch(&writers, || {
                let done = Bytes(shared.done.load(Ordering::Relaxed));
                let total = Bytes(self.to.0 - self.from.0);
                onlookers.observer.on(Event::Filling { path, done, total });
            });
        });
        progress
            .failure
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .map_or(Ok(()), Err)
    }

    /// One writer: takes the next piece until none is left or the run is stopped.
    fn write(
        &self,
        number: u64,
        progress: &Progress,
        stop: &Stop,
    ) -> Result<(), (Bytes, io::Error)> {
        let mut memory = raw::Piece::new(PIECE as usize);
        let mut header = BlockHeader {
            serial: number << 48,
            run: progress.run,
            generation: block_header::GENERATION,
            ..BlockHeader::default()
        };
        let mut rng = Rng::new(progress.run, number << 32);
        let mut piece = PIECE_MIN;
        while !stop.asked() {
            let at = progress.next.fetch_add(piece, Ordering::Relaxed);
            if at >= self.to.0 {
                break;
            }
            let begun = monotonic();
            let data = memory.data((self.to.0 - at).min(piece) as usize);
            rng.fill(data);
            self.shape.press(data);
            if self.shape.has_twins() {
                self.put_twins(data, at);
            } else {
                header.block = at / BLOCK.0;
                header.serial = block_header::write_blocks(data, &header);
            }
            let length = data.len() as u64;
            self.bring(data, at).map_err(|source| (Bytes(at), source))?;
            progress.done.fetch_add(length, Ordering::Relaxed);
            let took = begun.elapsed();
            if took < PIECE_TIME {
                piece = (piece * 2).min(PIECE);
            } else if took > PIECE_TIME * 5 {
                piece = (piece / 2).max(PIECE_MIN);
            }
        }
        Ok(())
    }

    /// Every so many of the blocks becomes a twin; which ones follows from where they stand. Blocks that are larger than
    /// the smallest piece are taken in parts of that size.
    fn put_twins(&self, data: &mut [u8], at: u64) {
        let block = (self.block as u64).min(PIECE_MIN);
        let first = at.div_ceil(block);
        let begin = ((first * block - at) as usize).min(data.len());
        let blocks = data[begin..].chunks_exact_mut(block as usize);
        for (number, data) in (first..).zip(blocks) {
            if self.shape.is_twin(number) {
                self.shape.make_twin(data);
            }
        }
    }

    fn bring(&self, data: &[u8], at: u64) -> io::Result<()> {
        raw::write_whole(self.file, data, at)?;
        if self.write_back {
            space::write_back(self.file, at, data.len() as u64)
        } else {
            Ok(())
        }
    }
}
