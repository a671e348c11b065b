//! Reads a range of a file or device with several readers, which is as fast as a device reads.
//!
//! Omitted: what the bytes are to be, which is the caller's.

use super::raw::{self, Piece};
use crate::clock::{Clock, WallClock};
use crate::files::Batches;
use crate::stop::Stop;
use model::{FilesThread, Nanos};
use std::fs::File;
use std::io;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle};

/// Bytes of one read.
pub(crate) const PIECE: u64 = 1 << 20;
/// Readers side by side.
const READERS: usize = 4;

/// What is read, and by whom it may be stopped.
pub(crate) struct Scan<'a> {
    pub(crate) file: &'a File,
    /// First byte. // a multiple of the alignment of direct I/O
    pub(crate) from: u64,
    /// Behind the last byte.
    pub(crate) to: u64,
    pub(crate) stop: &'a Stop,
}

/// What one reader counted.
struct Reader {
    clock: WallClock,
    counted: FilesThread,
    batches: Batches,
}

impl Reader {
    fn new(clock: WallClock) -> Reader {
        Reader {
            clock,
            counted: FilesThread::default(),
            batches: Batches::default(),
        }
    }

    fn done(&mut self, bytes: usize, began: Nanos) {
        let ended = self.clock.now();
        let counted = &mut self.counted;
        if counted.operations == 0 {
            counted.began = began;
        }
        counted.operations += 1;
        counted.bytes.0 += bytes as u64;
        counted.latency.record(ended.minus(began));
        counted.ended = ended;
        self.batches.done(ended);
    }

    fn counted(mut self) -> FilesThread {
        (self.counted.batch_operations, self.counted.batch_ends) = self.batches.finish();
        self.counted
    }
}

/// What is done with a piece: its offset, and its bytes or why it cannot be read.
pub(crate) type Each<'a, E> = &'a (dyn Fn(u64, io::Result<&[u8]>) -> Result<(), E> + Sync);

impl Scan<'_> {
    /// Passes each piece to `each` until one fails, and the number of bytes so far to `progress` a few times per second. Returns
    /// how many bytes were read and the error that `is_before` all others.
    pub(crate) fn run<E: Send>(
        &self,
        each: Each<'_, E>,
        is_before: fn(&E, &E) -> bool,
        progress: impl Fn(u64),
    ) -> (u64, Option<E>) {
        let (done, _, failure) = self.run_counted(each, is_before, progress);
        (done, failure)
    }

    /// The same, with what each reader counted, on a clock that began with the first.
    pub(crate) fn run_counted<E: Send>(
        &self,
        each: Each<'_, E>,
        is_before: fn(&E, &E) -> bool,
        progress: impl Fn(u64),
    ) -> (u64, Vec<FilesThread>, Option<E>) {
        let clock = WallClock::monotonic();
        let (next, done) = (AtomicU64::new(self.from), AtomicU64::new(0));
        let failure: Mutex<Option<E>> = Mutex::new(None);
        let read = || {
            let mut reader = Reader::new(clock);
            if let Err(error) = self.read(&next, &done, each, &mut reader) {
                next.store(u64::MAX / 2, Ordering::Relaxed); // nothing is left for the others
                let mut first = failure.lock().unwrap_or_else(PoisonError::into_inner);
                if first.as_ref().is_none_or(|first| is_before(&error, first)) {
                    *first = Some(error);
                }
            }
            reader.counted()
        };
        let readers = thread::scope(|scope| {
            let readers: Vec<_> = (0..READERS).map(|_| scope.spawn(read)).collect();
            super::watch(&readers, || progress(done.load(Ordering::Relaxed)));
            let counted = readers.into_iter().map(ScopedJoinHandle::join);
            let counted = counted.map(|one| one.unwrap_or_else(|panic| resume_unwind(panic)));
            counted.collect()
        });
        let failure = failure.into_inner().unwrap_or_else(PoisonError::into_inner);
        (done.into_inner(), readers, failure)
    }

    /// One reader: takes the next piece until none is left or the run is stopped.
    fn read<E>(
        &self,
        next: &AtomicU64,
        done: &AtomicU64,
        each: Each<'_, E>,
        reader: &mut Reader,
    ) -> Result<(), E> {
        let mut piece = Piece::new(PIECE as usize);
        while !self.stop.asked() {
            let at = next.fetch_add(PIECE, Ordering::Relaxed);
            if at >= self.to {
                break;
            }
            let wanted = (self.to - at).min(PIECE);
            let data = piece.data(wanted as usize);
            let began = reader.clock.now();
            match raw::read_up_to(self.file, data, at) {
                Ok(length) => {
                    reader.done(length, began);
                    each(at, Ok(&data[..length]))?;
                    done.fetch_add(length as u64, Ordering::Relaxed);
                }
                Err(error) => {
                    each(at, Err(error))?;
                    done.fetch_add(wanted, Ordering::Relaxed);
                }
            }
        }
        Ok(())
    }
}
