//! The I/Os of a run, as its threads issue them: records for the caller, who keeps a trace.
//!
//! Each thread has a ring (`word_rings`); one thread takes them, sorts them by time and passes them on. A
//! record waits for one taking, because another thread may have an earlier one. A thread that is suspended longer than
//! that, between its clock and its ring, gives one late: it gets the time of the record before it, and is counted. Nothing is
//! lost. Omitted: what is written where, which is the caller's.

use crate::thread_plan::ThreadPlan;
use crate::word_rings::{Rings, Taker};
use model::Nanos;
use model::trace::{TraceOperation, TraceRecord};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Words of a record.
const RECORD: usize = 4;
/// Words of all rings together.
const WORDS: usize = 1 << 21;
/// Fewest and most words of one ring.
const RING: [usize; 2] = [1 << 12, 1 << 17];

/// Receives the I/Os of a run in the order of their times, while it goes on. In a record `device` is the number of the target
/// in the plan, `thread` that of the thread, and the time counts from the start of the run; none has a latency.
#[derive(Clone)]
pub struct IoLogSink(Arc<Mutex<Receive>>);

type Receive = dyn FnMut(&[TraceRecord]) + Send;

impl IoLogSink {
    /// Returns one that passes them to this function.
    pub fn new(receive: impl FnMut(&[TraceRecord]) + Send + 'static) -> IoLogSink {
        IoLogSink(Arc::new(Mutex::new(receive)))
    }
}

impl fmt::Debug for IoLogSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IoLogSink")
    }
}

/// The log of a run.
pub(crate) struct IoLog {
    rings: Rings,
    taken: Mutex<Taken>,
}

struct Taken {
    sink: IoLogSink,
    held: Vec<TraceRecord>,
    edge: Nanos,   // the last time of the taking before
    passed: Nanos, // the last time that was passed on
    late: u64,     // records that came behind it
    words: Vec<u64>,
}

impl IoLog {
    /// Allocates that of so many threads.
    pub(crate) fn new(sink: &IoLogSink, threads: usize) -> Arc<IoLog> {
        let rings = Rings::new(threads, WORDS, RING);
        Arc::new(IoLog {
            taken: Mutex::new(Taken {
                sink: sink.clone(),
                held: Vec::new(),
                edge: Nanos(0),
                passed: Nanos(0),
                late: 0,
                words: Vec::with_capacity(rings.capacity()),
            }),
            rings,
        })
    }

    /// Passes on what is still there: all threads have ended. Returns notes on what is not as it was.
    pub(crate) fn close(&self) -> Vec<String> {
        let mut taken = self.taken();
        taken.take(&self.rings);
        taken.pass_on(Nanos::MAX);
        let waited = self.rings.waited().0 / 1000;
        let waited = (waited > 0)
            .then(|| format!("threads waited {waited} µs in all for the log of their I/Os"));
        let late = (taken.late > 0).then(|| {
            format!(
                "{} I/Os came late to the log and have the time of the one before them",
                taken.late
            )
        });
        waited.into_iter().chain(late).collect()
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taker for IoLog {
    fn rings(&self) -> &Rings {
        &self.rings
    }

    fn take(&self) {
        let mut taken = self.taken();
        taken.take(&self.rings);
        let last = taken.held.last().map_or(taken.edge, |record| record.at);
        let edge = std::mem::replace(&mut taken.edge, last);
        taken.pass_on(edge);
    }
}

impl Taken {
    fn take(&mut self, rings: &Rings) {
        for ring in 0..rings.count() {
            self.words.clear();
            rings.take(ring, &mut self.words, rings.capacity());
            let records = self.words.chunks_exact(RECORD);
            self.held.extend(records.map(|words| record(ring, words)));
        }
        for record in &mut self.held {
            self.late += u64::from(record.at < self.passed);
            record.at = record.at.max(self.passed);
        }
        self.held.sort_by_key(|record| record.at);
    }

    fn pass_on(&mut self, to: Nanos) {
        let count = self.held.partition_point(|record| record.at <= to);
        if count > 0 {
            self.passed = self.held[count - 1].at;
            let mut receive = self.sink.0.lock().unwrap_or_else(PoisonError::into_inner);
            receive(&self.held[..count]);
            self.held.drain(..count);
        }
    }
}

fn record(thread: usize, words: &[u64]) -> TraceRecord {
    TraceRecord {
        at: Nanos(words[0]),
        offset: words[1],
        length: words[2],
        thread: thread as u32,
        device: (words[3] >> 8) as u16,
        operation: TraceOperation::ALL[usize::from(words[3] as u8)].1,
        ..TraceRecord::default()
    }
}

/// What one thread leaves in the log.
pub(crate) struct ThreadIoLog {
    log: Arc<IoLog>,
    ring: usize,
    targets: Box<[u64]>, // by seat
}

impl ThreadIoLog {
    /// That of a thread with the places of its plan.
    pub(crate) fn new(log: &Arc<IoLog>, place: &ThreadPlan) -> Box<ThreadIoLog> {
        let seats = place.seats.iter();
        Box::new(ThreadIoLog {
            log: Arc::clone(log),
            ring: place.thread as usize,
            targets: seats.map(|seat| u64::from(seat.target)).collect(),
        })
    }

    /// An I/O at `at`, of `length` bytes from `offset` on.
    #[inline]
    pub(crate) fn issued(
        &self,
        seat: u16,
        at: Nanos,
        operation: TraceOperation,
        [offset, length]: [u64; 2],
    ) {
        let what = self.targets[usize::from(seat)] << 8 | operation as u64;
        let words: [u64; RECORD] = [at.0, offset, length, what];
        self.log.rings.push(self.ring, words, || self.log.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thread_plan::TargetShare;
    use crate::word_rings::TakerThread;

    fn place(thread: u32) -> ThreadPlan {
        ThreadPlan {
            thread,
            slots: 1,
            draws: false,
            content_seed: 0,
            seats: vec![TargetShare {
                target: 7 + thread,
                index: 0,
                threads: 1,
                first_slot: 0,
                slots: 1,
                weight: 1,
            }],
        }
    }

    fn collected(threaded: bool, ios: u64) -> Vec<TraceRecord> {
        let found = Arc::new(Mutex::new(Vec::new()));
        let to = Arc::clone(&found);
        let sink = IoLogSink::new(move |records| to.lock().unwrap().extend_from_slice(records));
        let log = IoLog::new(&sink, 2);
        let taker = threaded
            .then(|| TakerThread::spawn(Arc::clone(&log) as Arc<dyn Taker>, "test").unwrap());
        let threads = [0, 1].map(|thread| ThreadIoLog::new(&log, &place(thread)));
        for number in 0..ios {
            // One thread is up to nine I/Os ahead of the other.
            for (thread, at) in [(0, number * 10), (1, number / 10 * 100)] {
                let operation = TraceOperation::ALL[number as usize % 4].1;
                threads[thread].issued(0, Nanos(at), operation, [number, 4096]);
            }
        }
        drop(taker);
        log.close();
        std::mem::take(&mut found.lock().unwrap())
    }

    #[test]
    fn every_io_of_all_threads_is_passed_on_once_in_the_order_of_time() {
        for (threaded, ios) in [(false, 10), (false, 100_000), (true, 300_000)] {
            let found = collected(threaded, ios);
            assert_eq!(found.len() as u64, 2 * ios);
            assert!(found.is_sorted_by_key(|record| record.at));
            for thread in [0, 1] {
                let its = found.iter().filter(|record| record.thread == thread);
                let its: Vec<&TraceRecord> = its.collect();
                assert!((0..ios).eq(its.iter().map(|record| record.offset)));
                let device = 7 + thread as u16;
                assert!(its.iter().all(|record| record.device == device));
                let operation = |record: &&TraceRecord| record.operation as u64;
                assert!(
                    (0..ios)
                        .map(|number| number % 4)
                        .eq(its.iter().map(operation))
                );
            }
        }
    }
}
