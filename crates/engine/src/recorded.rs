//! The I/Os of a trace, as a worker takes them: read ahead by a thread of its own, in blocks that go round.
//!
//! A worker takes one I/O after another from a block; once a block it exchanges it for the next, without memory of its
//! own. If that is not there in time, the worker waits for it, and the run counts that the reader was late. A simulated
//! run reads in place, because no time passes. Omitted: where the I/Os come from, and their places and times, which are
//! the caller's.

use crate::address::Step;
use model::trace::{TraceDependency, TraceOperation};
use model::{Nanos, Operation};
use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};

/// I/Os of a block.
const BLOCK: usize = 4096;
/// Blocks that are read ahead.
const AHEAD: usize = 16;

/// One I/O of a trace, on the target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordedIo {
    /// Its number among those of its target, of all threads, where the plan's timing is dependent.
    pub number: u64,
    /// When it is to start, from the start of the run.
    pub at: Nanos,
    /// First byte.
    pub offset: u64,
    /// Bytes. // of a read or write at most the block of the target's workload
    pub length: u64,
    /// What it does.
    pub operation: TraceOperation,
    /// What it waits for, where the plan's timing is dependent.
    pub after: TraceDependency,
}

impl RecordedIo {
    /// Place and operation of one that transfers data.
    #[inline]
    pub(crate) fn step(&self) -> Step {
        Step {
            offset: self.offset,
            operation: match self.operation {
                TraceOperation::Write => Operation::Write,
                _ => Operation::Read,
            },
        }
    }
}

/// The I/Os of one thread, in the order of their times; an error ends the run.
pub type RecordedIos = Box<dyn Iterator<Item = Result<RecordedIo, String>> + Send>;

/// Which I/Os a thread has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedShare {
    /// The number of the target among those of the plan.
    pub target: u32,
    /// The number of the thread among those of the target.
    pub index: u32,
    /// How many threads the target has.
    pub threads: u32,
}

/// A trace that can be read once per thread.
#[derive(Clone)]
pub struct Recording(Arc<dyn Fn(RecordedShare) -> Result<RecordedIos, String> + Send + Sync>);

impl Recording {
    /// Returns one that is opened by this function.
    pub fn new(
        open: impl Fn(RecordedShare) -> Result<RecordedIos, String> + Send + Sync + 'static,
    ) -> Recording {
        Recording(Arc::new(open))
    }
}

impl fmt::Debug for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Recording")
    }
}

/// One thread's I/Os.
pub(crate) struct Feed {
    source: Source,
    block: Vec<RecordedIo>,
    at: usize,
    late_blocks: u64,
    broken: Option<String>,
}

enum Source {
    /// Read by the worker.
    InPlace(RecordedIos),
    /// Read ahead by a thread of its own.
    Ahead {
        blocks: Receiver<Result<Vec<RecordedIo>, String>>,
        empty: SyncSender<Vec<RecordedIo>>,
    },
    Ended,
}

impl Feed {
    /// Opens the I/Os of a thread, and reads the first block; `ahead`: by a thread of its own.
    pub(crate) fn open(
        recording: &Recording,
        share: RecordedShare,
        ahead: bool,
    ) -> Result<Feed, String> {
        let ios = (recording.0)(share)?;
        let mut feed = Feed {
            source: if ahead {
                read_ahead(ios)?
            } else {
                Source::InPlace(ios)
            },
            block: Vec::with_capacity(BLOCK),
            at: 0,
            late_blocks: 0,
            broken: None,
        };
        feed.refill();
        feed.late_blocks = 0;
        match feed.broken.take() {
            Some(why) => Err(why),
            None => Ok(feed),
        }
    }

    /// Returns the next I/O, which stays so until it is taken; `None` at the end.
    #[inline]
    pub(crate) fn peek(&self) -> Option<&RecordedIo> {
        self.block.get(self.at)
    }

    /// Takes the next I/O.
    #[inline]
    pub(crate) fn take(&mut self) {
        self.at += 1;
        if self.at == self.block.len() {
            self.refill();
        }
    }

    /// Whether its reading ended early.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken.is_some()
    }

    /// Returns how often the next block was not there in time, and why the reading ended early, if it did.
    pub(crate) fn close(self) -> (u64, Option<String>) {
        (self.late_blocks, self.broken)
    }

    #[cold]
    fn refill(&mut self) {
        self.at = 0;
        match &mut self.source {
            Source::Ended => self.block.clear(),
            Source::InPlace(ios) => {
                self.block.clear();
                if let Err(why) = fill(ios, &mut self.block) {
                    self.broken = Some(why);
                }
            }
            Source::Ahead { blocks, empty } => {
                let next = match blocks.try_recv() {
                    Err(TryRecvError::Empty) => {
                        self.late_blocks += 1;
                        blocks.recv().ok()
                    }
                    next => next.ok(),
                };
                match next {
                    Some(Ok(block)) => {
                        let used = std::mem::replace(&mut self.block, block);
                        let _ = empty.try_send(used); // the reader has ended
                        return;
                    }
                    Some(Err(why)) => self.broken = Some(why),
                    None => {}
                }
                self.block.clear();
            }
        }
        if self.block.is_empty() {
            self.source = Source::Ended;
        }
    }
}

/// Fills a block, as far as there are I/Os.
fn fill(ios: &mut RecordedIos, block: &mut Vec<RecordedIo>) -> Result<(), String> {
    for io in ios.take(BLOCK) {
        block.push(io?);
    }
    Ok(())
}

/// Starts the thread that reads ahead.
fn read_ahead(mut ios: RecordedIos) -> Result<Source, String> {
    let (full, blocks) = sync_channel(AHEAD);
    let (empty, used) = sync_channel::<Vec<RecordedIo>>(AHEAD + 2);
    let read = move || {
        loop {
            let mut block = used
                .try_recv()
                .unwrap_or_else(|_| Vec::with_capacity(BLOCK));
            block.clear();
            let next = match fill(&mut ios, &mut block) {
                Ok(()) if block.is_empty() => return,
                Ok(()) => Ok(block),
                Err(why) => Err(why),
            };
            let ends = next.is_err();
            if full.send(next).is_err() || ends {
                return; // the worker has ended
            }
        }
    };
    let started = std::thread::Builder::new()
        .name("fathom-trace".to_owned())
        .spawn(read);
    started.map_err(|error| format!("a thread cannot be started: {error}"))?;
    Ok(Source::Ahead { blocks, empty })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recording(count: u64, broken: bool) -> Recording {
        Recording::new(move |share| {
            let io = move |number: u64| RecordedIo {
                at: Nanos(number),
                offset: number * 4096,
                length: 4096,
                ..RecordedIo::default()
            };
            let its = (0..count)
                .filter(move |number| number % u64::from(share.threads) == u64::from(share.index));
            let end = broken.then(|| Err("cut".to_owned()));
            Ok(Box::new(its.map(move |number| Ok(io(number))).chain(end)))
        })
    }

    fn drain(mut feed: Feed) -> (Vec<u64>, Option<String>) {
        let mut found = Vec::new();
        while let Some(io) = feed.peek() {
            found.push(io.at.0);
            feed.take();
        }
        (found, feed.close().1)
    }

    #[test]
    fn a_feed_returns_every_io_of_its_share_in_order() {
        for ahead in [false, true] {
            for count in [0, 1, BLOCK as u64, 3 * BLOCK as u64 + 5] {
                for index in 0..2 {
                    let share = RecordedShare {
                        target: 0,
                        index,
                        threads: 2,
                    };
                    let feed = Feed::open(&recording(count, false), share, ahead).unwrap();
                    let expected: Vec<u64> = (0..count)
                        .filter(|number| number % 2 == u64::from(index))
                        .collect();
                    assert_eq!(drain(feed), (expected, None));
                }
            }
        }
    }

    #[test]
    fn what_breaks_the_reading_is_reported_after_the_ios_before_its_block() {
        let share = RecordedShare {
            target: 0,
            index: 0,
            threads: 1,
        };
        for ahead in [false, true] {
            let feed = Feed::open(&recording(BLOCK as u64 + 1, true), share, ahead).unwrap();
            let (found, why) = drain(feed);
            assert_eq!(why.as_deref(), Some("cut"));
            assert!(found.len() >= BLOCK);
        }
    }
}
