//! The I/Os of a trace that wait for those before them: when each of one thread may start.
//!
//! What they wait for is in the board that the threads of a target share (`dependency_board`); here is what a thread has of
//! its own: the I/Os between its first that is not complete and its last that is read, and those that may start, in the
//! order of their moments. Nothing is allocated in the run. Omitted: who waits for whom, which the trace shows.

use crate::dependency_board::{Board, Cause, Event, Reason, WINDOW, Waiter};
use crate::recorded::{Feed, RecordedIo};
use model::Nanos;
use model::trace::{TraceDependency, TraceOperation};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

const NONE: u64 = u64::MAX;

/// The part of one thread.
#[derive(Clone)]
pub(crate) struct BoardSeat {
    pub(crate) board: Arc<Board>,
    /// The number of the thread among those of its target.
    pub(crate) thread: u32,
}

/// The I/Os of one thread, from those that are read to the first that is not complete.
pub(crate) struct Dependent {
    seat: BoardSeat,
    entries: Box<[Entry]>,  // by number, modulo the window
    open: VecDeque<u64>,    // numbers that are not complete, from the first of them on
    writes: VecDeque<u64>,  // likewise, of writes
    flushes: VecDeque<u64>, // that wait for the writes before them
    ready: BinaryHeap<Reverse<(Nanos, u64)>>,
    released: Vec<u32>, // places whose starts are known, and not passed on
    limit: u64,         // below it numbers may be read
    to_issue: u64,      // that are read
    apart: u64,         // of these, such that wait for I/Os of other threads
    slots: Box<[u64]>,  // numbers by slot
}

#[derive(Clone, Copy)]
struct Entry {
    io: RecordedIo,
    done: Option<Nanos>,
    apart: bool,
}

impl Dependent {
    /// With so many slots; reads as far as the window goes.
    pub(crate) fn new(slots: u32, seat: BoardSeat, feed: &mut Feed) -> Dependent {
        let window = WINDOW as usize;
        let nothing = RecordedIo {
            number: NONE,
            ..RecordedIo::default()
        };
        let numbers = || VecDeque::with_capacity(window);
        let mut dependent = Dependent {
            seat,
            entries: vec![Entry::new(nothing); window].into(),
            open: numbers(),
            writes: numbers(),
            flushes: numbers(),
            ready: BinaryHeap::with_capacity(window),
            released: Vec::with_capacity(window),
            limit: 0,
            to_issue: 0,
            apart: 0,
            slots: vec![NONE; slots as usize].into(),
        };
        dependent.go_on(feed);
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
        self.to_issue -= 1;
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

    /// Whether all I/Os were issued that can be.
    pub(crate) fn has_ended(&self, feed: &Feed) -> bool {
        let all = self.to_issue == 0 && feed.peek().is_none();
        all || (self.seat.board.is_broken() && self.ready.is_empty())
    }

    /// An I/O is complete since `now`: what waits for it may start, and more is read.
    pub(crate) fn complete(&mut self, number: u64, now: Nanos, feed: &mut Feed) {
        self.entries[place(number)].done = Some(now);
        self.happened(number, Event::Completion, now);
        self.go_on(feed);
    }

    /// Whether it waits for other threads: it has to be checked for what they did.
    #[inline]
    pub(crate) fn waits_for_others(&self, feed: &Feed) -> bool {
        let is_behind =
            || !self.flushes.is_empty() || feed.peek().is_some_and(|io| io.number >= self.limit);
        self.seat.board.is_shared() && (self.apart > 0 || is_behind())
    }

    /// Whether other threads did what it waits for.
    pub(crate) fn is_called(&self, feed: &Feed) -> bool {
        let BoardSeat { board, thread } = &self.seat;
        let may_read = || {
            feed.peek()
                .is_some_and(|io| io.number >= self.limit && io.number < board.limit())
        };
        let may_flush = || {
            self.flushes
                .front()
                .is_some_and(|&flush| self.wrote_before(flush).is_some())
        };
        board.has_released(*thread) || may_read() || may_flush()
    }

    /// Takes in what other threads did.
    pub(crate) fn check_others(&mut self, feed: &mut Feed) {
        self.seat
            .board
            .take_released(self.seat.thread, &mut self.released);
        self.go_on(feed);
    }

    /// Passes on what is known, and reads what may be read.
    fn go_on(&mut self, feed: &mut Feed) {
        self.start_released();
        loop {
            self.publish(feed);
            let Some(io) = feed.peek().copied() else {
                if feed.is_broken() {
                    self.seat.board.break_off();
                }
                break;
            };
            if io.number >= self.limit {
                self.limit = self.seat.board.limit();
            }
            if io.number >= self.limit {
                break;
            }
            feed.take();
            self.add(io);
        }
        self.pass_flushes();
    }

    /// Adds the next I/O of the trace.
    fn add(&mut self, io: RecordedIo) {
        let number = io.number;
        let TraceDependency {
            back,
            completed,
            gap,
            barrier,
        } = io.after;
        self.entries[place(number)] = Entry::new(io);
        self.open.push_back(number);
        self.to_issue += 1;
        let from = if back == 0 { io.at } else { Nanos(0) };
        self.seat.board.begin(number, from, gap);
        if back > 0 {
            let event = match completed {
                true => Event::Completion,
                false => Event::Start,
            };
            self.wait(Reason::Follows, number, number - u64::from(back), event);
        }
        if barrier > 0 && io.operation == TraceOperation::Flush {
            self.seat.board.wait_for_thread(number);
            self.flushes.push_back(number);
        } else if barrier > 0 {
            let flush = number - u64::from(barrier);
            self.wait(Reason::Barrier, number, flush, Event::Completion);
        }
        if io.operation == TraceOperation::Write {
            self.writes.push_back(number);
        }
        self.count_down(number);
    }

    fn wait(&mut self, reason: Reason, number: u64, other: u64, event: Event) {
        let BoardSeat { board, thread } = &self.seat;
        let waiter = Waiter {
            number,
            thread: *thread,
            reason,
        };
        let waits = board.wait(waiter, other, event);
        // The entries have the numbers of this thread only.
        let is_apart = waits && self.entries[place(other)].io.number != other;
        let entry = &mut self.entries[place(number)];
        self.apart += u64::from(is_apart && !entry.apart);
        entry.apart |= is_apart;
    }

    fn count_down(&mut self, number: u64) {
        if self.seat.board.count_down(number) {
            self.released.push(place(number) as u32);
            self.start_released();
        }
    }

    fn happened(&mut self, number: u64, event: Event, moment: Nanos) {
        let BoardSeat { board, thread } = &self.seat;
        let cause = Cause {
            number,
            thread: *thread,
            event,
        };
        board.happened(cause, moment, &mut self.released);
    }

    /// Gives those their moments that wait for nothing any more, and passes these on to those that follow their starts.
    fn start_released(&mut self) {
        while let Some(index) = self.released.pop() {
            let entry = &mut self.entries[place(u64::from(index))];
            self.apart -= u64::from(std::mem::take(&mut entry.apart));
            let number = entry.io.number;
            let moment = self.seat.board.moment(number);
            self.ready.push(Reverse((moment, number)));
            self.happened(number, Event::Start, moment);
        }
    }

    /// Publishes how far this thread is.
    fn publish(&mut self, feed: &Feed) {
        let next = feed.peek().map_or(u64::MAX, |io| io.number);
        let BoardSeat { board, thread } = &self.seat;
        let done = |number: &u64| self.entries[place(*number)].done;
        while self.open.front().and_then(done).is_some() {
            self.open.pop_front();
        }
        while let Some(moment) = self.writes.front().and_then(done) {
            board.wrote(*thread, moment);
            self.writes.pop_front();
        }
        let first = |numbers: &VecDeque<u64>| numbers.front().copied().unwrap_or(next);
        board.publish(*thread, [first(&self.open), first(&self.writes)]);
    }

    /// Lets the flushes go whose writes are complete.
    fn pass_flushes(&mut self) {
        while let Some(&flush) = self.flushes.front()
            && let Some(moment) = self.wrote_before(flush)
        {
            self.flushes.pop_front();
            self.seat.board.not_before(flush, moment);
            self.count_down(flush);
        }
    }

    /// When the writes were complete for which a flush waits.
    fn wrote_before(&self, flush: u64) -> Option<Nanos> {
        let barrier = self.entries[place(flush)].io.after.barrier;
        self.seat.board.wrote_until(flush - u64::from(barrier))
    }
}

impl Entry {
    const fn new(io: RecordedIo) -> Entry {
        Entry {
            io,
            done: None,
            apart: false,
        }
    }
}

fn place(number: u64) -> usize {
    (number % WINDOW) as usize
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
                number,
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

    /// The starts with so many threads, to which the I/Os are dealt without order.
    fn starts(ios: &[RecordedIo], threads: u32) -> Vec<u64> {
        let all = ios.to_vec();
        let recording = Recording::new(move |share| {
            let its = all.clone().into_iter().filter(move |io| {
                let bits = io.number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
                bits as u32 % threads == share.index
            });
            Ok(Box::new(its.map(Ok)))
        });
        let board = Board::new(threads);
        let part = |thread| {
            let share = RecordedShare {
                target: 0,
                index: thread,
                threads,
            };
            let mut feed = Feed::open(&recording, share, false).unwrap();
            let seat = BoardSeat {
                board: Arc::clone(&board),
                thread,
            };
            (Dependent::new(1, seat, &mut feed), feed)
        };
        let mut parts: Vec<(Dependent, Feed)> = (0..threads).map(part).collect();
        let mut found = vec![u64::MAX; ios.len()];
        let mut open: BinaryHeap<Reverse<(u64, usize, u64)>> = BinaryHeap::new();
        while !open.is_empty() || parts.iter().any(|(part, feed)| !part.has_ended(feed)) {
            while let Some((part, feed)) =
                parts.iter_mut().find(|(part, feed)| part.is_called(feed))
            {
                part.check_others(feed);
            }
            let first = (0..).zip(&parts);
            let first = first.filter_map(|(number, (part, _))| Some((part.peek()?.0.0, number)));
            let (next, its): (u64, usize) = first.min().unwrap_or((u64::MAX, 0));
            match open.peek() {
                Some(&Reverse((done, its, number))) if done <= next => {
                    open.pop();
                    let (part, feed) = &mut parts[its];
                    part.complete(number, Nanos(done), feed);
                }
                _ => {
                    let number = parts[its].0.take();
                    assert_eq!(found[number as usize], u64::MAX, "issued once");
                    found[number as usize] = next;
                    open.push(Reverse((next + number % 97, its, number)));
                }
            }
        }
        assert!(
            parts
                .iter()
                .all(|(part, feed)| !part.waits_for_others(feed))
        );
        found
    }

    #[test]
    fn each_io_starts_when_what_it_waits_for_is_complete() {
        for seed in 0..20 {
            let ios = drawn(seed, 3000);
            let expected = expected(&ios);
            for threads in [1, 2, 7] {
                let found = starts(&ios, threads);
                let wrong = (0..ios.len()).find(|&number| found[number] != expected[number]);
                assert_eq!(wrong, None, "seed {seed}, {threads} threads");
            }
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
        for threads in [1, 3] {
            assert!(starts(&ios, threads) == expected(&ios), "{threads} threads");
        }
    }
}
