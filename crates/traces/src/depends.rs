//! Which I/Os of a trace waited for others, and for which: from their issue and completion times.
//!
//! A thread that issues an I/O soon after a completion of its own waited for that one, and thought from there on; if it has
//! others in flight, only what it issues at once. Any other I/O follows the one before it of its thread by the recorded
//! time. A flush waits for all writes that were complete when it came, and what came after it was complete waits for the
//! flush. Method: Haghdoost et al., "On the Accuracy and Scalability of Intensive I/O Workload Replay", FAST 2017, section
//! 3.2. Omitted: when each starts, which depends on the target (`engine`).

use model::Nanos;
use model::plan::RecordedDependencies;
use model::trace::{DEPENDENCY_WINDOW, TraceDependency, TraceOperation, TraceRecord};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

/// An I/O later than this after a completion of its thread did not wait for that.
const THINK_MAX: Nanos = Nanos::millis(1);
/// The same of a thread that has others in flight.
const BATCH_MAX: Nanos = Nanos::micros(50);
/// So many threads are distinguished at a time.
const THREADS_MAX: usize = 1 << 16;

/// I/Os in flight by their completion, with their numbers.
type Open = BinaryHeap<Reverse<(Nanos, u64)>>;

/// What the I/Os so far show, in the order of their times.
#[derive(Debug, Default)]
pub(crate) struct Depends {
    number: u64,
    threads: HashMap<u32, Thread>,
    last: Option<(Nanos, u64)>, // I/O of any thread
    writes: Open,
    writes_open: BTreeSet<u64>,
    last_write: Option<(Nanos, u64)>, // complete
    flushes: Open,
    last_flush: Option<u64>, // complete
}

#[derive(Debug, Default)]
struct Thread {
    open: Open,
    done: Option<(Nanos, u64)>, // the last completion
    last: (Nanos, u64),         // the last I/O
}

impl Depends {
    /// Takes the next I/O, and returns what it waits for.
    pub(crate) fn take(&mut self, record: &TraceRecord) -> TraceDependency {
        let (at, number) = (record.at, self.number);
        self.number += 1;
        self.complete(at);
        let before = self.last.replace((at, number));
        if self.threads.len() >= THREADS_MAX && !self.threads.contains_key(&record.thread) {
            self.threads.clear(); // what they wait for is forgotten, so that memory is bounded
        }
        let is_flush = record.operation == TraceOperation::Flush;
        let last_write = self.last_write.filter(|_| is_flush);
        let mut found = self.follows(record, last_write, before);
        let barrier = match is_flush {
            true => self.writes_before(number),
            false => self.last_flush,
        };
        found.barrier = barrier.and_then(|other| back(number, other)).unwrap_or(0);
        if !is_flush && found.completed && found.barrier == found.back {
            found.barrier = 0; // implied
        }
        if let Some(latency) = record.latency {
            let done = Reverse((at.plus(latency), number));
            self.threads
                .entry(record.thread)
                .or_default()
                .open
                .push(done);
            match record.operation {
                TraceOperation::Flush => self.flushes.push(done),
                TraceOperation::Write => {
                    self.writes.push(done);
                    self.writes_open.insert(number);
                }
                TraceOperation::Read | TraceOperation::Discard => {}
            }
        }
        found
    }

    /// The same with its number.
    pub(crate) fn take_numbered(&mut self, record: &TraceRecord) -> (u64, TraceDependency) {
        (self.number, self.take(record))
    }

    /// The I/O that one follows: a completion that it waited for, else the one before of its thread, else the one before.
    fn follows(
        &mut self,
        record: &TraceRecord,
        last_write: Option<(Nanos, u64)>,
        before: Option<(Nanos, u64)>,
    ) -> TraceDependency {
        let (at, number) = (record.at, self.number - 1);
        let known = self.threads.contains_key(&record.thread);
        let thread = self.threads.entry(record.thread).or_default();
        if let Some(done) = popped(&mut thread.open, at).last() {
            thread.done = Some(done);
        }
        let most = match thread.open.is_empty() {
            true => THINK_MAX,
            false => BATCH_MAX,
        };
        let soon = |&(done, _): &(Nanos, u64)| at.minus(done) <= most;
        let waited = thread.done.filter(soon).or(last_write.filter(soon));
        let last = std::mem::replace(&mut thread.last, (at, number));
        let (completed, other) = match waited {
            Some(done) => (true, Some(done)),
            None if known => (false, Some(last)),
            None => (false, before),
        };
        let near = other.and_then(|(moment, other)| Some((moment, back(number, other)?)));
        let far = || before.and_then(|(moment, other)| Some((moment, back(number, other)?)));
        let (completed, near) = match near {
            Some(near) => (completed, Some(near)),
            None => (false, far()),
        };
        near.map_or_else(TraceDependency::default, |(moment, back)| TraceDependency {
            back,
            completed,
            gap: at.minus(moment),
            barrier: 0,
        })
    }

    /// Takes out what is complete at a moment.
    fn complete(&mut self, at: Nanos) {
        for (done, number) in popped(&mut self.writes, at) {
            self.writes_open.remove(&number);
            self.last_write = Some((done, number));
        }
        if let Some((_, number)) = popped(&mut self.flushes, at).last() {
            self.last_flush = Some(number);
        }
    }

    /// The last I/O up to which all writes are complete.
    fn writes_before(&self, number: u64) -> Option<u64> {
        let first_open = self.writes_open.first().copied().unwrap_or(number);
        first_open.checked_sub(1)
    }
}

/// Takes out the I/Os that are complete at a moment, in the order of their completion.
fn popped(open: &mut Open, at: Nanos) -> impl Iterator<Item = (Nanos, u64)> {
    std::iter::from_fn(move || {
        let Reverse(first) = *open.peek()?;
        (first.0 <= at).then(|| {
            open.pop();
            first
        })
    })
}

/// How far an I/O is before another; `None` if it is too far.
fn back(number: u64, other: u64) -> Option<u32> {
    let back = u32::try_from(number - other).ok()?;
    (back < DEPENDENCY_WINDOW).then_some(back)
}

/// What the dependencies of a trace allow.
#[derive(Debug)]
pub(crate) struct Chains {
    depends: Depends,
    ring: Box<[(Nanos, u64)]>, // least moment and length of the chain, by number modulo the window
    found: RecordedDependencies,
    unknown: u64, // I/Os without a latency
}

impl Default for Chains {
    fn default() -> Chains {
        Chains {
            depends: Depends::default(),
            ring: vec![(Nanos(0), 0); DEPENDENCY_WINDOW as usize].into(),
            found: RecordedDependencies::default(),
            unknown: 0,
        }
    }
}

impl Chains {
    /// Takes the next I/O.
    pub(crate) fn take(&mut self, record: &TraceRecord) {
        let number = self.depends.number;
        let found = self.depends.take(record);
        let place = |number: u64| (number % u64::from(DEPENDENCY_WINDOW)) as usize;
        let before = |back: u32| self.ring[place(number - u64::from(back))];
        let (mut moment, mut chain) = match found.back {
            0 => (record.at, 0),
            back => before(back),
        };
        moment = moment.plus(found.gap);
        chain = if found.completed { chain + 1 } else { 1 };
        if found.barrier > 0 {
            moment = moment.max(before(found.barrier).0);
        }
        self.ring[place(number)] = (moment, chain);
        self.found.ios += u64::from(found.completed);
        self.found.chain = self.found.chain.max(chain);
        self.found.least = self.found.least.max(moment);
        self.unknown += u64::from(record.latency.is_none());
    }

    /// Returns what was found; `None` if more than one in a hundred I/Os has no latency.
    pub(crate) fn found(&self) -> Option<RecordedDependencies> {
        (self.unknown <= self.depends.number / 100).then_some(self.found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::trace::TraceOperation::{Flush, Read, Write};

    const US: u64 = 1000;

    /// Thread, operation, arrival and latency in µs.
    fn found(ios: &[(u32, TraceOperation, u64, u64)]) -> Vec<TraceDependency> {
        let mut depends = Depends::default();
        let take = |&(thread, operation, at, latency): &(u32, TraceOperation, u64, u64)| {
            depends.take(&TraceRecord {
                at: Nanos(at * US),
                latency: Some(Nanos(latency * US)),
                thread,
                operation,
                ..TraceRecord::default()
            })
        };
        ios.iter().map(take).collect()
    }

    fn after(back: u32, completed: bool, gap: u64, barrier: u32) -> TraceDependency {
        TraceDependency {
            back,
            completed,
            gap: Nanos(gap * US),
            barrier,
        }
    }

    #[test]
    fn an_io_follows_a_completion_of_its_thread_or_the_io_before_it() {
        let ios = [
            (1, Read, 0, 100),
            (1, Read, 150, 100),     // thought for 50 µs
            (2, Read, 160, 1000),    // the first of its thread
            (1, Read, 5000, 100),    // waited for no completion
            (2, Read, 5010, 10_000), // likewise
            (2, Read, 5100, 10),     // has one in flight
            (2, Read, 5140, 10),     // and took the completion of another at once
        ];
        let expected = [
            TraceDependency::default(),
            after(1, true, 50, 0),
            after(1, false, 10, 0),
            after(2, false, 4850, 0),
            after(2, false, 4850, 0),
            after(1, false, 90, 0),
            after(1, true, 30, 0),
        ];
        assert_eq!(found(&ios), expected);
    }

    #[test]
    fn a_flush_waits_for_the_writes_before_it_and_the_ios_after_it_for_the_flush() {
        let ios = [
            (1, Write, 0, 100),
            (2, Write, 10, 1000), // open when the flush comes
            (3, Flush, 120, 50),  // 20 µs after the first write
            (1, Read, 150, 10),   // before the flush is complete
            (1, Read, 300, 10),   // after it
        ];
        let expected = [
            TraceDependency::default(),
            after(1, false, 10, 0),
            after(2, true, 20, 2),
            after(3, true, 50, 0),
            after(1, true, 140, 2),
        ];
        assert_eq!(found(&ios), expected);
    }

    #[test]
    fn chains_are_as_long_as_ios_wait_for_one_another() {
        let mut chains = Chains::default();
        for number in 0..50_000 {
            chains.take(&TraceRecord {
                at: Nanos(number * 300 * US),
                latency: Some(Nanos(200 * US)),
                ..TraceRecord::default()
            });
        }
        let found = chains.found().unwrap();
        assert_eq!((found.ios, found.chain), (49_999, 50_000));
        assert_eq!(found.least, Nanos(49_999 * 100 * US));
        chains.unknown = 1000;
        assert_eq!(chains.found(), None);
    }
}
