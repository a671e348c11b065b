//! What the threads of a target share where the I/Os of its trace wait for one another: who waits for which, and what of
//! them is complete.
//!
//! An I/O has a number in the order of the trace, for all threads of its target, and a place in a ring. One that waits for an
//! event of another is put into a list there; the thread that causes the event takes the whole list, and counts each down. The
//! one that counts to zero starts it, or puts it into the list of its thread. Nothing locks or allocates. A place needs no
//! preparation for its next number, because the state of a list has the number's generation. Omitted: when a thread reads
//! on, and what is issued (`dependent`).

use model::Nanos;
use model::trace::DEPENDENCY_WINDOW;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// Numbers that are read and not complete are less than this apart.
pub(crate) const WINDOW: u64 = DEPENDENCY_WINDOW as u64;
/// Numbers that have a place at a time: those, and as many before them that they may wait for.
const RING: u64 = 2 * WINDOW;
/// Lists: empty; the event was. All above is a link.
const EMPTY: u32 = 0;
const OVER: u32 = 1;

/// What others wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The moment of its start is known.
    Start,
    /// It is complete.
    Completion,
}

/// Why an I/O waits; it may wait once for each reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// It follows another, after a gap.
    Follows,
    /// A flush has to be complete.
    Barrier,
}

/// One that waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiter {
    pub(crate) number: u64,
    pub(crate) thread: u32,
    pub(crate) reason: Reason,
}

/// An event of an I/O, and the thread that issues it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cause {
    pub(crate) number: u64,
    pub(crate) thread: u32,
    pub(crate) event: Event,
}

/// The state of a target's I/Os.
pub(crate) struct Board {
    places: Box<[Place]>,
    threads: Box<[Progress]>,
    broken: AtomicBool,
}

#[derive(Default)]
struct Place {
    events: [Mark; 2],
    next: [AtomicU32; 2], // in the lists that it is in, by reason
    missing: AtomicU32,
    released: AtomicU32, // the next in the list of its thread
    gap: AtomicU64,
    moment: AtomicU64, // not before this
}

/// An event: its generation and its list, and when it was.
#[derive(Default)]
struct Mark {
    state: AtomicU64,
    moment: AtomicU64,
}

/// How far a thread is.
#[derive(Default)]
#[repr(align(64))] // of a line of the cache
struct Progress {
    first_open: AtomicU64,
    first_write: AtomicU64,
    last_write: AtomicU64,
    released: AtomicU32,
}

impl Board {
    /// Returns that of a target with so many threads.
    pub(crate) fn new(threads: u32) -> Arc<Board> {
        Arc::new(Board {
            places: (0..RING).map(|_| Place::default()).collect(),
            threads: (0..threads).map(|_| Progress::default()).collect(),
            broken: AtomicBool::new(false),
        })
    }

    /// Whether more than one thread has a part.
    pub(crate) fn is_shared(&self) -> bool {
        self.threads.len() > 1
    }

    /// Begins a number, which starts at `from` and waits for its thread alone.
    pub(crate) fn begin(&self, number: u64, from: Nanos, gap: Nanos) {
        let place = self.place(number);
        place.moment.store(from.0, Ordering::Relaxed);
        place.gap.store(gap.0, Ordering::Relaxed);
        place.missing.store(1, Ordering::Relaxed);
    }

    /// Lets it wait for something more, which its thread counts down.
    pub(crate) fn wait_for_thread(&self, number: u64) {
        self.place(number).missing.fetch_add(1, Ordering::Relaxed);
    }

    /// Lets one wait for an event of another, below it and in the window. Returns whether it has to: false after the event.
    pub(crate) fn wait(&self, waiter: Waiter, other: u64, event: Event) -> bool {
        let place = self.place(waiter.number);
        place.missing.fetch_add(1, Ordering::Relaxed);
        let mark = &self.place(other).events[event as usize];
        let mut state = mark.state.load(Ordering::Acquire);
        loop {
            let list = list_of(state, other);
            if list == OVER {
                let moment = Nanos(mark.moment.load(Ordering::Relaxed));
                place.not_before(moment, waiter.reason);
                place.missing.fetch_sub(1, Ordering::Relaxed); // not to zero: its thread still adds
                return false;
            }
            place.next[waiter.reason as usize].store(list, Ordering::Relaxed);
            let new = state_of(other, waiter.link());
            let changed =
                mark.state
                    .compare_exchange_weak(state, new, Ordering::AcqRel, Ordering::Acquire);
            match changed {
                Ok(_) => return true,
                Err(found) => state = found,
            }
        }
    }

    /// Counts one down that its thread counted; true if it waits for nothing any more.
    pub(crate) fn count_down(&self, number: u64) -> bool {
        self.place(number).missing.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// An event was at `moment`. I/Os of its thread that wait for nothing any more are added to `released` by their places;
    /// others go to their threads.
    pub(crate) fn happened(&self, cause: Cause, moment: Nanos, released: &mut Vec<u32>) {
        let Cause {
            number,
            thread,
            event,
        } = cause;
        let mark = &self.place(number).events[event as usize];
        mark.moment.store(moment.0, Ordering::Relaxed);
        let state = mark.state.swap(state_of(number, OVER), Ordering::AcqRel);
        let mut list = list_of(state, number);
        while list > OVER {
            let (its, index, reason) = parts(list);
            let place = &self.places[index as usize];
            list = place.next[reason as usize].load(Ordering::Relaxed);
            place.not_before(moment, reason);
            if place.missing.fetch_sub(1, Ordering::AcqRel) > 1 {
                continue;
            }
            match its == thread {
                true => released.push(index),
                false => self.release(its, index),
            }
        }
    }

    /// Puts a place into the list of its thread.
    fn release(&self, thread: u32, index: u32) {
        let list = &self.threads[thread as usize].released;
        let mut first = list.load(Ordering::Relaxed);
        loop {
            self.places[index as usize]
                .released
                .store(first, Ordering::Relaxed);
            let changed =
                list.compare_exchange_weak(first, index + 1, Ordering::AcqRel, Ordering::Relaxed);
            match changed {
                Ok(_) => return,
                Err(found) => first = found,
            }
        }
    }

    /// Whether other threads have released I/Os of this one.
    pub(crate) fn has_released(&self, thread: u32) -> bool {
        let list = &self.threads[thread as usize].released;
        list.load(Ordering::Relaxed) > 0
    }

    /// Takes those out, by their places.
    pub(crate) fn take_released(&self, thread: u32, released: &mut Vec<u32>) {
        let list = &self.threads[thread as usize].released;
        let mut next = list.swap(0, Ordering::AcqRel);
        while next > 0 {
            released.push(next - 1);
            next = self.places[next as usize - 1]
                .released
                .load(Ordering::Relaxed);
        }
    }

    /// The moment of an I/O that waits for nothing any more.
    pub(crate) fn moment(&self, number: u64) -> Nanos {
        Nanos(self.place(number).moment.load(Ordering::Relaxed))
    }

    /// Lets one not start before a moment.
    pub(crate) fn not_before(&self, number: u64, moment: Nanos) {
        self.place(number).not_before(moment, Reason::Barrier);
    }

    /// Publishes the first number of a thread that is not complete, and the first of its writes that is not.
    pub(crate) fn publish(&self, thread: u32, [first_open, first_write]: [u64; 2]) {
        let its = &self.threads[thread as usize];
        its.first_write.store(first_write, Ordering::Release);
        its.first_open.store(first_open, Ordering::Release);
    }

    /// A write of this thread was complete at `moment`, and all before it; published before [`Self::publish`].
    pub(crate) fn wrote(&self, thread: u32, moment: Nanos) {
        let last = &self.threads[thread as usize].last_write;
        last.fetch_max(moment.0, Ordering::Relaxed);
    }

    /// The number from which on no thread may read.
    pub(crate) fn limit(&self) -> u64 {
        let open = self.threads.iter();
        let open = open.map(|its| its.first_open.load(Ordering::Acquire));
        open.min().unwrap_or(0).saturating_add(WINDOW)
    }

    /// When the writes up to this number were complete; `None` while one is not.
    pub(crate) fn wrote_until(&self, number: u64) -> Option<Nanos> {
        let mut last = 0;
        for its in &self.threads {
            if its.first_write.load(Ordering::Acquire) <= number {
                return None;
            }
            last = last.max(its.last_write.load(Ordering::Relaxed));
        }
        Some(Nanos(last))
    }

    /// A thread cannot read its part to the end, so that others may wait for what never comes.
    pub(crate) fn break_off(&self) {
        self.broken.store(true, Ordering::Relaxed);
    }

    /// Whether that is so.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Relaxed)
    }

    fn place(&self, number: u64) -> &Place {
        &self.places[(number % RING) as usize]
    }
}

impl Place {
    fn not_before(&self, moment: Nanos, reason: Reason) {
        let gap = match reason {
            Reason::Follows => Nanos(self.gap.load(Ordering::Relaxed)),
            Reason::Barrier => Nanos(0),
        };
        self.moment.fetch_max(moment.plus(gap).0, Ordering::Relaxed);
    }
}

impl Waiter {
    /// Thread, place and reason in 32 bits.
    fn link(self) -> u32 {
        let index = (self.number % RING) as u32;
        2 + ((self.thread << 16) | (index << 1) | self.reason as u32)
    }
}

/// The parts of a link.
fn parts(link: u32) -> (u32, u32, Reason) {
    let bits = link - 2;
    let reason = match bits & 1 {
        0 => Reason::Follows,
        _ => Reason::Barrier,
    };
    (bits >> 16, (bits >> 1) & (RING as u32 - 1), reason)
}

/// The state of a list of this number.
fn state_of(number: u64, list: u32) -> u64 {
    ((number / RING) << 32) | u64::from(list)
}

/// The list in a state; that of an earlier number is empty.
fn list_of(state: u64, number: u64) -> u32 {
    match state >> 32 == (number / RING) & 0xffff_ffff {
        true => state as u32,
        false => EMPTY,
    }
}
