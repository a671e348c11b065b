//! The I/Os of a trace that wait for those before them: when each may start.
//!
//! An I/O has a number in the order of the trace, and its state is in a ring of the last [`DEPENDENCY_WINDOW`] of them. One
//! that waits is in a list of the I/O that it waits for: links are numbers, so that nothing is allocated in the run. What
//! waits for nothing any more is ordered by its moment. Omitted: who waits for whom, which the trace shows.

use crate::recorded::{Feed, RecordedIo};
use model::Nanos;
use model::trace::{DEPENDENCY_WINDOW, TraceDependency, TraceOperation};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

const WINDOW: u64 = DEPENDENCY_WINDOW as u64;
const NONE: u64 = u64::MAX;
/// The two lists that an I/O may be in: that of the one that it follows, and that of its flush.
const FOLLOWS: usize = 0;
const BARRIER: usize = 1;

/// The I/Os of one thread, from those that are read to the first that is not complete.
pub(crate) struct Dependent {
    entries: Box<[Entry]>, // by number, modulo the window
    read: u64,             // numbers
    issued: u64,
    complete: u64, // all below are
    ready: BinaryHeap<Reverse<(Nanos, u64)>>,
    writes: Writes,
    started: Vec<u64>, // whose starts are known, and not passed on
    slots: Box<[u64]>, // numbers by slot
}

/// The writes in the order of the trace, for the flushes that wait for them.
struct Writes {
    complete: u64, // all below are
    last: Nanos,   // completion among them
    flushes: VecDeque<u64>,
}

#[derive(Clone, Copy)]
struct Entry {
    io: RecordedIo,
    moment: Nanos,
    start: Option<Nanos>, // its moment, once it waits for nothing
    done: Option<Nanos>,
    missing: u8,
    on_start: u64, // the first in the list of those that follow its start: number × 2 + list
    on_done: u64,
    next: [u64; 2],
}

impl Dependent {
    /// With so many slots; reads as far as the window goes.
    pub(crate) fn new(slots: u32, feed: &mut Feed) -> Dependent {
        let entry = Entry::new(RecordedIo::default(), Nanos(0));
        let window = DEPENDENCY_WINDOW as usize;
        let mut dependent = Dependent {
            entries: vec![entry; window].into(),
            read: 0,
            issued: 0,
            complete: 0,
            ready: BinaryHeap::with_capacity(window),
            writes: Writes {
                complete: 0,
                last: Nanos(0),
                flushes: VecDeque::with_capacity(window),
            },
            started: Vec::with_capacity(window),
            slots: vec![NONE; slots as usize].into(),
        };
        dependent.fill(feed);
        dependent
    }

    /// The first I/O that waits for nothing but its moment.
    #[inline]
    pub(crate) fn peek(&self) -> Option<(Nanos, RecordedIo)> {
        let Reverse((moment, number)) = self.ready.peek()?;
        Some((*moment, self.entries[place(*number)].io))
    }

    /// Takes it, and returns its number.
    pub(crate) fn take(&mut self) -> u64 {
        let Reverse((_, number)) = self.ready.pop().expect("it was seen");
        self.issued += 1;
        number
    }

    /// The I/O of this number is in a slot.
    pub(crate) fn put(&mut self, slot: u32, number: u64) {
        self.slots[slot as usize] = number;
    }

    /// The number of the I/O in a slot.
    pub(crate) fn in_slot(&self, slot: u32) -> u64 {
        self.slots[slot as usize]
    }

    /// Whether all I/Os were issued.
    pub(crate) fn has_ended(&self, feed: &Feed) -> bool {
        self.issued == self.read && feed.peek().is_none()
    }

    /// An I/O is complete since `now`: what waits for it may start, and more is read.
    pub(crate) fn complete(&mut self, number: u64, now: Nanos, feed: &mut Feed) {
        let entry = &mut self.entries[place(number)];
        entry.done = Some(now);
        let waiting = std::mem::replace(&mut entry.on_done, NONE);
        self.release(waiting, now);
        self.pass_writes();
        while self.complete < self.read && self.entries[place(self.complete)].done.is_some() {
            self.complete += 1;
        }
        self.fill(feed);
    }

    fn fill(&mut self, feed: &mut Feed) {
        while self.read - self.complete < WINDOW
            && let Some(io) = feed.peek().copied()
        {
            feed.take();
            self.add(io);
        }
    }

    /// Adds the next I/O of the trace.
    fn add(&mut self, io: RecordedIo) {
        let number = self.read;
        self.read += 1;
        let TraceDependency {
            back,
            completed,
            gap,
            barrier,
        } = io.after;
        let moment = if back == 0 { io.at } else { Nanos(0) };
        self.entries[place(number)] = Entry::new(io, moment);
        if back > 0 {
            self.follow(number, number - u64::from(back), completed, gap);
        }
        self.pass_writes();
        if barrier > 0 {
            self.pass_barrier(number, number - u64::from(barrier));
        }
        self.start_if_free(number);
        self.pass_on();
    }

    /// Lets an I/O wait for the start or the completion of another, and a gap.
    fn follow(&mut self, number: u64, other: u64, completed: bool, gap: Nanos) {
        let before = &mut self.entries[place(other)];
        let (known, list) = match completed {
            true => (before.done, &mut before.on_done),
            false => (before.start, &mut before.on_start),
        };
        match known {
            Some(moment) => self.entries[place(number)].moment = moment.plus(gap),
            None => {
                let next = std::mem::replace(list, link(number, FOLLOWS));
                self.entries[place(number)].wait(FOLLOWS, next);
            }
        }
    }

    /// Lets an I/O wait for a flush, or a flush for the writes up to a number.
    fn pass_barrier(&mut self, number: u64, other: u64) {
        let entry = self.entries[place(number)];
        if entry.io.operation == TraceOperation::Flush {
            if self.writes.complete > other {
                let last = self.writes.last;
                self.entries[place(number)].not_before(last);
            } else {
                self.writes.flushes.push_back(number);
                self.entries[place(number)].missing += 1;
            }
            return;
        }
        let flush = &mut self.entries[place(other)];
        match flush.done {
            Some(done) => self.entries[place(number)].not_before(done),
            None => {
                let next = std::mem::replace(&mut flush.on_done, link(number, BARRIER));
                self.entries[place(number)].wait(BARRIER, next);
            }
        }
    }

    /// Counts the writes that are complete without a gap before them, and lets the flushes go that wait for these.
    fn pass_writes(&mut self) {
        while self.writes.complete < self.read {
            let entry = &self.entries[place(self.writes.complete)];
            let is_write = entry.io.operation == TraceOperation::Write;
            match entry.done {
                None if is_write => break,
                Some(done) if is_write => self.writes.last = self.writes.last.max(done),
                _ => {}
            }
            self.writes.complete += 1;
        }
        while let Some(&flush) = self.writes.flushes.front() {
            let entry = &mut self.entries[place(flush)];
            if flush - u64::from(entry.io.after.barrier) >= self.writes.complete {
                break;
            }
            self.writes.flushes.pop_front();
            entry.not_before(self.writes.last);
            entry.missing -= 1;
            self.start_if_free(flush);
        }
        self.pass_on();
    }

    /// Lets all go that wait in a list for something that is at `moment`.
    fn release(&mut self, mut list: u64, moment: Nanos) {
        while list != NONE {
            let (number, kind) = (list / 2, (list % 2) as usize);
            let entry = &mut self.entries[place(number)];
            let gap = match kind {
                FOLLOWS => entry.io.after.gap,
                _ => Nanos(0),
            };
            entry.not_before(moment.plus(gap));
            entry.missing -= 1;
            list = entry.next[kind];
            self.start_if_free(number);
        }
        self.pass_on();
    }

    fn start_if_free(&mut self, number: u64) {
        let entry = &mut self.entries[place(number)];
        if entry.missing == 0 && entry.start.is_none() {
            entry.start = Some(entry.moment);
            self.ready.push(Reverse((entry.moment, number)));
            self.started.push(number);
        }
    }

    /// Passes the starts that are known on to those that follow them.
    fn pass_on(&mut self) {
        while let Some(number) = self.started.pop() {
            let entry = &mut self.entries[place(number)];
            let (mut list, start) = (std::mem::replace(&mut entry.on_start, NONE), entry.moment);
            while list != NONE {
                let follower = list / 2;
                let entry = &mut self.entries[place(follower)];
                entry.not_before(start.plus(entry.io.after.gap));
                entry.missing -= 1;
                list = entry.next[FOLLOWS];
                self.start_if_free(follower);
            }
        }
    }
}

impl Entry {
    /// One that waits for nothing so far.
    const fn new(io: RecordedIo, moment: Nanos) -> Entry {
        Entry {
            io,
            moment,
            start: None,
            done: None,
            missing: 0,
            on_start: NONE,
            on_done: NONE,
            next: [NONE; 2],
        }
    }

    fn wait(&mut self, list: usize, next: u64) {
        self.next[list] = next;
        self.missing += 1;
    }

    fn not_before(&mut self, moment: Nanos) {
        self.moment = self.moment.max(moment);
    }
}

fn place(number: u64) -> usize {
    (number % WINDOW) as usize
}

fn link(number: u64, list: usize) -> u64 {
    number * 2 + list as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorded::{RecordedShare, Recording};
    use crate::rng::Rng;

    /// I/Os that follow others by chance, some of them flushes.
    fn drawn(seed: u64, count: u64) -> Vec<RecordedIo> {
        let mut rng = Rng::new(seed, 0);
        let mut below = |bound: u64| rng.bits() % bound;
        let io = |number: u64| {
            let far = number.min(WINDOW - 1);
            let back = if far > 0 {
                below(far.min(1 + far / 7))
            } else {
                0
            };
            let barrier = if far > 0 { below(far) } else { 0 };
            let operation = TraceOperation::ALL[below(4) as usize].1;
            let barrier = match operation {
                TraceOperation::Flush => far.min(1),
                _ => barrier,
            };
            RecordedIo {
                at: Nanos(number),
                operation,
                after: TraceDependency {
                    back: back as u32,
                    completed: below(2) == 0,
                    gap: Nanos(below(50)),
                    barrier: if below(5) == 0 { barrier as u32 } else { 0 },
                },
                ..RecordedIo::default()
            }
        };
        (0..count).map(io).collect()
    }

    /// The starts by definition; each I/O takes `number % 97` ns.
    fn expected(ios: &[RecordedIo]) -> Vec<u64> {
        let took = |number: usize| number as u64 % 97;
        let mut starts: Vec<u64> = Vec::new();
        for (number, io) in ios.iter().enumerate() {
            let before = number - io.after.back as usize;
            let mut start = match (io.after.back, io.after.completed) {
                (0, _) => io.at.0,
                (_, true) => starts[before] + took(before) + io.after.gap.0,
                (_, false) => starts[before] + io.after.gap.0,
            };
            if io.after.barrier > 0 {
                let barrier = number - io.after.barrier as usize;
                let done = |number: usize| starts[number] + took(number);
                let writes =
                    (0..=barrier).filter(|&one| ios[one].operation == TraceOperation::Write);
                let until = match io.operation {
                    TraceOperation::Flush => writes.map(done).max().unwrap_or(0),
                    _ => done(barrier),
                };
                start = start.max(until);
            }
            starts.push(start);
        }
        starts
    }

    fn starts(ios: &[RecordedIo]) -> Vec<u64> {
        let all = ios.to_vec();
        let recording = Recording::new(move |_| Ok(Box::new(all.clone().into_iter().map(Ok))));
        let share = RecordedShare {
            target: 0,
            index: 0,
            threads: 1,
        };
        let mut feed = Feed::open(&recording, share, false).unwrap();
        let mut dependent = Dependent::new(1, &mut feed);
        let mut found = vec![u64::MAX; ios.len()];
        let mut open: BinaryHeap<Reverse<(u64, u64)>> = BinaryHeap::new();
        while !dependent.has_ended(&feed) || !open.is_empty() {
            let next = dependent.peek().map_or(u64::MAX, |(moment, _)| moment.0);
            match open.peek() {
                Some(&Reverse((done, number))) if done <= next => {
                    open.pop();
                    dependent.complete(number, Nanos(done), &mut feed);
                }
                _ => {
                    let number = dependent.take();
                    assert_eq!(found[number as usize], u64::MAX, "issued once");
                    found[number as usize] = next;
                    open.push(Reverse((next + number % 97, number)));
                }
            }
        }
        found
    }

    #[test]
    fn each_io_starts_when_what_it_waits_for_is_complete() {
        for seed in 0..20 {
            let ios = drawn(seed, 3000);
            let (found, expected) = (starts(&ios), expected(&ios));
            let wrong = (0..ios.len()).find(|&number| found[number] != expected[number]);
            assert_eq!(wrong, None, "seed {seed}");
        }
    }

    #[test]
    fn a_trace_longer_than_the_window_is_read_to_its_end() {
        let ios: Vec<RecordedIo> = drawn(7, 3 * WINDOW)
            .into_iter()
            .map(|io| RecordedIo {
                after: TraceDependency {
                    barrier: 0,
                    ..io.after
                },
                ..io
            })
            .collect();
        assert!(starts(&ios) == expected(&ios));
    }
}
