//! One thread doing one operation many times: what is stamped, and what is counted.
//!
//! The stamps stand around the operation alone, on the monotonic clock (docs/measurement.md): what an operation needs to
//! be reported, such as a path, is built before its first stamp. Batches of equal numbers of operations are kept for
//! the interval of the rate; there are 32 to 64 of them however long a step is, because each time there are 64 they are
//! joined in pairs. Deliberately absent: what the operation is.

use crate::clock::{Clock, WallClock};
use crate::stop::Stop;
use crate::usage;
use model::{Bytes, FilesThread, Nanos};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

/// More batches than this are joined in pairs.
const BATCHES_MAX: usize = 64;

/// What every thread of a step shares.
pub(crate) struct Beat<'a> {
    pub(crate) clock: WallClock,
    pub(crate) stop: &'a Stop,
    /// Grows with every operation, so that another thread sees that there is life.
    pub(crate) pulse: &'a AtomicU64,
    /// A step that lasts longer is cut short.
    pub(crate) limit: Nanos,
}

/// How a thread's part ended.
#[derive(Debug, Default)]
pub(crate) struct Ended {
    pub(crate) counted: FilesThread,
    pub(crate) cut: bool,
    pub(crate) interrupted: bool,
    pub(crate) error: Option<io::Error>,
}

impl Beat<'_> {
    /// Does `act` once with each thing that `prepare` gives for 0, 1, 2 and so on, until it gives none, the limit is
    /// reached, a stop is requested, or one fails. `act` answers with the bytes that it moved.
    pub(crate) fn each<T>(
        &self,
        mut prepare: impl FnMut(u64) -> Option<T>,
        mut act: impl FnMut(T) -> io::Result<u64>,
    ) -> Ended {
        let mut ended = Ended::default();
        let mut batches = Batches::default();
        let cpu = usage::of_this_thread();
        let began = self.clock.now();
        let mut last = began;
        let mut number = 0;
        loop {
            ended.interrupted = self.stop.asked();
            ended.cut = !ended.interrupted && last.minus(began) > self.limit;
            if ended.interrupted || ended.cut {
                break;
            }
            let Some(thing) = prepare(number) else {
                break;
            };
            let begin = self.clock.now();
            let moved = act(thing);
            last = self.clock.now();
            self.pulse.fetch_add(1, Ordering::Relaxed);
            match moved {
                Ok(bytes) => {
                    let counted = &mut ended.counted;
                    counted.operations += 1;
                    counted.bytes = Bytes(counted.bytes.0 + bytes);
                    counted.latency.record(last.minus(begin));
                    batches.done(last);
                }
                Err(error) => {
                    ended.error = Some(error);
                    break;
                }
            }
            number += 1;
        }
        ended.counted.began = began;
        ended.counted.ended = last;
        ended.counted.cpu =
            usage::between(cpu, usage::of_this_thread()).map(|cpu| cpu.user.plus(cpu.kernel));
        (ended.counted.batch_operations, ended.counted.batch_ends) = batches.finish();
        ended
    }
}

/// Ends of batches of equally many operations.
#[derive(Debug)]
pub(crate) struct Batches {
    size: u64,
    open: u64,
    ends: Vec<Nanos>,
}

impl Default for Batches {
    fn default() -> Self {
        Batches {
            size: 1,
            open: 0,
            ends: Vec::with_capacity(BATCHES_MAX),
        }
    }
}

impl Batches {
    /// An operation ended.
    pub(crate) fn done(&mut self, at: Nanos) {
        self.open += 1;
        if self.open < self.size {
            return;
        }
        self.open = 0;
        self.ends.push(at);
        if self.ends.len() == BATCHES_MAX {
            let mut place = 0;
            self.ends.retain(|_| {
                place += 1;
                place % 2 == 0
            });
            self.size *= 2;
        }
    }

    /// Operations of a batch, and the ends of the whole ones.
    pub(crate) fn finish(self) -> (u64, Vec<Nanos>) {
        (self.size, self.ends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_equal_and_never_more_than_64() {
        for operations in [0u64, 1, 63, 64, 65, 1000, 100_000] {
            let mut batches = Batches::default();
            (1..=operations).for_each(|n| batches.done(Nanos(n)));
            let (size, ends) = batches.finish();
            assert!(ends.len() < BATCHES_MAX && (operations < 64 || ends.len() >= 32));
            for (place, end) in (1..).zip(&ends) {
                assert_eq!(end.0, place * size, "{operations}");
            }
        }
    }

    #[test]
    fn a_thread_ends_at_its_last_thing_its_limit_a_word_or_an_error() {
        let (stop, pulse) = (Stop::new(), AtomicU64::new(0));
        let beat = |limit| Beat {
            clock: WallClock::monotonic(),
            stop: &stop,
            pulse: &pulse,
            limit,
        };
        let ten = |n| (n < 10).then_some(n);
        let all = beat(Nanos::MAX).each(ten, |_| Ok(3));
        assert_eq!((all.counted.operations, all.counted.bytes), (10, Bytes(30)));
        assert!(!all.cut && !all.interrupted && all.error.is_none());
        assert_eq!(pulse.load(Ordering::Relaxed), 10);
        let cut = beat(Nanos(0)).each(Some, |_| {
            std::hint::black_box(vec![0u8; 4096]);
            Ok(0)
        });
        assert!(cut.cut && cut.counted.operations >= 1);
        let failed = beat(Nanos::MAX).each(ten, |n| match n {
            4 => Err(io::Error::other("gone")),
            _ => Ok(0),
        });
        assert_eq!(failed.counted.operations, 4);
        assert!(failed.error.is_some());
        stop.ask();
        let stopped = beat(Nanos::MAX).each(ten, |_| Ok(0));
        assert!(stopped.interrupted && stopped.counted.operations == 0);
    }
}
