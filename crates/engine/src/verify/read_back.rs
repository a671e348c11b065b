//! Writes that are read again while the run continues, after a time or a number of further I/Os of their thread.
//!
//! A thread reads its own writes again in its own slots, before it draws new I/Os, so that no more are in flight than
//! requested. Each I/O of the workload that ends allows one such read, so that neither waits for all of the others. What is read is compared by the same rule as any read: a version that was written since is right. Omitted:
//! the comparison (`check`), and how an I/O is submitted (`worker::verified`).

use crate::buffer::Extent;
use model::read_back::{ReadBack, ReadBackCounts, ReadBackDelay, ReadBackIos};
use model::{Nanos, VerifyCounts};
use std::collections::VecDeque;

/// Writes that wait for a moment, at most: beyond it they are counted and not read again.
const WAITING_MAX: usize = 1 << 18;

/// The writes of one thread that wait to be read again.
pub(crate) struct ThreadReadBack {
    request: ReadBack,
    waiting: VecDeque<Waiting>, // in the order of their dues
    room: usize,
    pub(super) ios: Box<[ReadBackIos]>, // by seat
    reads: Box<[bool]>,                 // by slot: whether it reads such a write
    writes: u64,
    ended: u64,  // I/Os of the workload
    credit: u32, // reads that may begin before the next I/O of the workload ends
    credit_max: u32,
    skipped: u64,
    pub(super) blocks: VerifyCounts,
}

/// A write that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waiting {
    /// A moment, or a number of I/Os.
    due: u64,
    /// From the start of the target.
    pub(crate) offset: u64,
    /// Bytes.
    pub(crate) length: u32,
    pub(crate) seat: u16,
}

impl ThreadReadBack {
    /// Allocates what the thread will need.
    pub(super) fn new(request: ReadBack, slots: u32, targets: &[u32]) -> Self {
        let of = |&target: &u32| ReadBackIos {
            target,
            ..ReadBackIos::default()
        };
        let room = match request.after {
            ReadBackDelay::Time(_) => WAITING_MAX,
            ReadBackDelay::Ios(further) => further as usize + slots as usize,
        };
        ThreadReadBack {
            request,
            waiting: VecDeque::with_capacity(room),
            room,
            ios: targets.iter().map(of).collect(),
            reads: vec![false; slots as usize].into(),
            writes: 0,
            ended: 0,
            credit: 0,
            credit_max: (slots / 2).max(1),
            skipped: 0,
            blocks: VerifyCounts::default(),
        }
    }

    /// An I/O of the workload ended; a write after [`Self::written`].
    pub(crate) fn count(&mut self) {
        self.ended += 1;
        self.credit = (self.credit + 1).min(self.credit_max);
    }

    /// A write was completed: it waits, where it is of the share.
    pub(super) fn written(&mut self, io: Extent, now: Nanos) {
        let number = self.writes;
        self.writes += 1;
        if !self.request.is_of_share(number) {
            return;
        }
        if self.waiting.len() >= self.room {
            self.skipped += 1;
            return;
        }
        let due = match self.request.after {
            ReadBackDelay::Time(time) => now.plus(time).0,
            ReadBackDelay::Ios(further) => self.ended + 1 + u64::from(further),
        };
        self.waiting.push_back(Waiting {
            due,
            offset: io.offset,
            length: u32::try_from(io.length).expect("at most a block"),
            seat: io.seat,
        });
    }

    /// The first write that waits, where it is to be read now.
    pub(crate) fn due(&self, now: Nanos) -> Option<Waiting> {
        let reached = match self.request.after {
            ReadBackDelay::Time(_) => now.0,
            ReadBackDelay::Ios(_) => self.ended,
        };
        let first = self.waiting.front();
        first
            .filter(|one| one.due <= reached && self.credit > 0)
            .copied()
    }

    /// When the next write is to be read; `MAX` where no moment is known.
    pub(crate) fn next(&self) -> Nanos {
        match (self.request.after, self.waiting.front()) {
            (ReadBackDelay::Time(_), Some(first)) if self.credit > 0 => Nanos(first.due),
            _ => Nanos::MAX,
        }
    }

    /// The first write that waits is read in this slot.
    pub(crate) fn begin(&mut self, slot: u32) {
        self.waiting.pop_front();
        self.credit = self.credit.saturating_sub(1);
        self.reads[slot as usize] = true;
    }

    /// An I/O was completed after a time; `counts`, whether in the measured phase.
    pub(crate) fn completed(&mut self, read: Extent, latency: Nanos, counts: bool) {
        let ios = &mut self.ios[usize::from(read.seat)];
        ios.all_ios += 1;
        ios.all_bytes.0 += read.length;
        if counts {
            ios.ios += 1;
            ios.bytes.0 += read.length;
            ios.waited = ios.waited.plus(latency);
        }
    }

    /// Whether a slot reads such a write; it does not any more.
    pub(crate) fn end(&mut self, slot: u32) -> bool {
        std::mem::take(&mut self.reads[slot as usize])
    }

    /// Whether a slot reads such a write.
    pub(crate) fn is_reading(&self, slot: u32) -> bool {
        self.reads[slot as usize]
    }

    /// What it counted, when the thread has ended.
    pub(super) fn close(&self) -> ReadBackCounts {
        ReadBackCounts {
            blocks: self.blocks,
            skipped: self.skipped,
            left: self.waiting.len() as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Ratio;

    fn of(percent: u8, after: ReadBackDelay) -> ThreadReadBack {
        let share = Ratio::percent(percent).unwrap();
        ThreadReadBack::new(ReadBack { share, after }, 2, &[0])
    }

    fn write(number: u64) -> Extent {
        Extent {
            seat: 0,
            slot: 0,
            offset: number * 4096,
            length: 4096,
        }
    }

    #[test]
    fn a_write_is_due_after_its_time() {
        let mut queue = of(100, ReadBackDelay::Time(Nanos(50)));
        queue.written(write(3), Nanos(100));
        assert_eq!(
            queue.due(Nanos::MAX),
            None,
            "no I/O of the workload has ended"
        );
        queue.count();
        assert_eq!((queue.due(Nanos(149)), queue.next()), (None, Nanos(150)));
        assert_eq!(queue.due(Nanos(150)).unwrap().offset, 3 * 4096);
        queue.begin(1);
        assert!(queue.is_reading(1) && queue.end(1) && !queue.end(1));
        assert_eq!((queue.due(Nanos::MAX), queue.next()), (None, Nanos::MAX));
    }

    #[test]
    fn a_write_is_due_after_so_many_further_ios_and_a_full_queue_counts_what_it_skips() {
        let mut queue = of(100, ReadBackDelay::Ios(2));
        for number in 0..6 {
            queue.written(write(number), Nanos(0));
            queue.count();
        }
        assert_eq!(queue.due(Nanos(0)).unwrap().offset, 0);
        assert_eq!(queue.close().skipped, 2, "room for 2 and the slots");
        assert_eq!(queue.close().left, 4);
        let mut at_once = of(100, ReadBackDelay::Ios(0));
        at_once.written(write(9), Nanos(0));
        assert_eq!(at_once.due(Nanos(0)), None, "it has not ended");
        at_once.count();
        assert!(at_once.due(Nanos(0)).is_some());
    }

    #[test]
    fn the_share_is_exact_and_evenly_spread() {
        let mut queue = of(7, ReadBackDelay::Time(Nanos(0)));
        (0..1000).for_each(|number| queue.written(write(number), Nanos(0)));
        assert_eq!(queue.close().left, 70);
    }
}
