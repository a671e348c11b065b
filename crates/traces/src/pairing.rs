//! Events of the same I/O become one record: its arrival, and its latency if it completes.
//!
//! An I/O arrives when it is queued; if the recorder has no such events, when it is sent to the device. Completions
//! belong to the arrivals of the same device and operation that lie in their range, the earliest first: the kernel may
//! have merged several, or split one, which is completed by its last part. An I/O that does not complete within 30 s, or before 65536 later ones arrive, has no latency.

use crate::event::{Event, Stage};
use model::Nanos;
use model::trace::TraceRecord;
use std::collections::{BTreeSet, VecDeque};

/// So many I/Os wait for their completion at most.
const WAITING_MAX: usize = 65_536;
/// So long an I/O waits for its completion at most, in the time of the trace.
const WAIT_MAX: Nanos = Nanos::seconds(30);

/// Arrivals at lower places that are compared with a completion: a split one is among the nearest.
const SPLITS_MAX: usize = 64;

/// Pairs the events of a trace.
#[derive(Debug, Default)]
pub(crate) struct Pairing {
    waiting: VecDeque<Arrived>,
    first: u64, // number of the front
    open: BTreeSet<Open>,
    newest: Nanos,
    queued: bool, // a queue event was read
}

/// An arrival that waits: by device, then by place. // the order of the fields is that of the set
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Open {
    device: u16,
    offset: u64,
    number: u64,
}

impl Open {
    /// Less than all that arrived at this place.
    fn from(device: u16, offset: u64) -> Self {
        Open {
            device,
            offset,
            number: 0,
        }
    }
}

#[derive(Debug)]
struct Arrived {
    record: TraceRecord,
    done: bool,
    completed: u64, // bytes, where the kernel split it
}

impl Pairing {
    /// Takes the next event in the order of time.
    pub(crate) fn take(&mut self, event: Event) {
        let record = event.record;
        self.newest = record.at;
        self.queued |= event.stage == Stage::Queued;
        match event.stage {
            Stage::Whole => self.arrive(record, true),
            Stage::Queued => self.arrive(record, false),
            Stage::Issued if !self.queued => self.arrive(record, false),
            Stage::Issued => {}
            Stage::Completed => self.complete(&record),
        }
    }

    /// Returns the next record if nothing can be added to it; `ended`: no event follows.
    pub(crate) fn next(&mut self, ended: bool) -> Option<TraceRecord> {
        let front = self.waiting.front()?;
        let old = front.record.at.plus(WAIT_MAX) <= self.newest;
        if !(front.done || old || ended || self.waiting.len() > WAITING_MAX) {
            return None;
        }
        let front = self.waiting.pop_front()?;
        if !front.done {
            self.open.remove(&Open {
                number: self.first,
                ..Open::from(front.record.device, front.record.offset)
            });
        }
        self.first += 1;
        Some(front.record)
    }

    fn arrive(&mut self, record: TraceRecord, done: bool) {
        if !done {
            let number = self.first + self.waiting.len() as u64;
            self.open.insert(Open {
                number,
                ..Open::from(record.device, record.offset)
            });
        }
        self.waiting.push_back(Arrived {
            record,
            done,
            completed: 0,
        });
    }

    fn complete(&mut self, completion: &TraceRecord) {
        let (device, offset) = (completion.device, completion.offset);
        // Of I/Os that overlap, the one that was not merged completes by itself.
        let here = Open::from(device, offset)..Open::from(device, offset + 1);
        let same = self.open.range(here).copied().find(|open| {
            let record = &self.waiting[(open.number - self.first) as usize].record;
            (record.operation, record.length) == (completion.operation, completion.length)
        });
        if let Some(key) = same {
            self.done(key, completion.at);
            return;
        }
        let end = offset + completion.length.max(1);
        if self.complete_part(completion, end) {
            return;
        }
        let mut from = offset;
        while from < end {
            let range = Open::from(device, from)..Open::from(device, end);
            let its = self.open.range(range).copied().find(|open| {
                let record = &self.waiting[(open.number - self.first) as usize].record;
                record.operation == completion.operation && record.offset + record.length <= end
            });
            let Some(key) = its else {
                return;
            };
            from = key.offset + self.done(key, completion.at).max(1);
        }
    }

    /// Completes a part of an arrival that the kernel split; returns whether there is one.
    fn complete_part(&mut self, completion: &TraceRecord, end: u64) -> bool {
        let device = completion.device;
        let before = Open::from(device, 0)..Open::from(device, completion.offset + 1);
        let around = self.open.range(before).rev().take(SPLITS_MAX);
        let whole = around.copied().find(|open| {
            let record = &self.waiting[(open.number - self.first) as usize].record;
            record.operation == completion.operation
                && record.length > completion.length
                && record.offset + record.length >= end
        });
        let Some(key) = whole else {
            return false;
        };
        let arrived = &mut self.waiting[(key.number - self.first) as usize];
        arrived.completed = arrived.completed.saturating_add(completion.length);
        if arrived.completed >= arrived.record.length {
            self.done(key, completion.at);
        }
        true
    }

    /// Completes an arrival; returns its length.
    fn done(&mut self, key: Open, at: Nanos) -> u64 {
        self.open.remove(&key);
        let arrived = &mut self.waiting[(key.number - self.first) as usize];
        arrived.done = true;
        arrived.record.latency = Some(at.minus(arrived.record.at));
        arrived.record.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::trace::TraceOperation;

    fn event(stage: Stage, at: u64, offset: u64, length: u64) -> Event {
        let record = TraceRecord {
            at: Nanos(at),
            offset,
            length,
            operation: TraceOperation::Write,
            ..TraceRecord::default()
        };
        Event { record, stage }
    }

    fn records(events: &[Event]) -> Vec<(u64, u64, Option<u64>)> {
        let mut pairing = Pairing::default();
        let mut all = Vec::new();
        for &event in events {
            pairing.take(event);
            all.extend(std::iter::from_fn(|| pairing.next(false)));
        }
        all.extend(std::iter::from_fn(|| pairing.next(true)));
        let plain = |one: &TraceRecord| (one.at.0, one.offset, one.latency.map(|ns| ns.0));
        all.iter().map(plain).collect()
    }

    #[test]
    fn a_merged_completion_completes_all_that_it_contains() {
        use Stage::{Completed, Issued, Queued};
        let found = records(&[
            event(Queued, 1, 0, 4096),
            event(Queued, 2, 4096, 4096),
            event(Issued, 3, 0, 8192),
            event(Queued, 4, 8192, 4096),
            event(Completed, 10, 0, 8192),
        ]);
        assert_eq!(
            found,
            [(1, 0, Some(9)), (2, 4096, Some(8)), (4, 8192, None)]
        );
    }

    #[test]
    fn an_io_that_the_kernel_splits_is_completed_by_its_last_part() {
        use Stage::{Completed, Queued};
        let found = records(&[
            event(Queued, 1, 0, 1 << 20),
            event(Queued, 2, 1 << 20, 4096),
            event(Completed, 5, 655_360, 393_216),
            event(Completed, 6, 1 << 20, 4096),
            event(Completed, 9, 0, 655_360),
        ]);
        assert_eq!(found, [(1, 0, Some(8)), (2, 1 << 20, Some(4))]);
    }

    #[test]
    fn of_ios_that_overlap_each_completes_by_itself() {
        use Stage::{Completed, Queued};
        let found = records(&[
            event(Queued, 1, 0, 65_536),
            event(Queued, 2, 0, 4096),
            event(Completed, 5, 0, 65_536),
            event(Completed, 9, 0, 4096),
        ]);
        assert_eq!(found, [(1, 0, Some(4)), (2, 0, Some(7))]);
    }

    #[test]
    fn equal_ranges_complete_in_the_order_of_their_arrival() {
        use Stage::{Completed, Queued};
        let found = records(&[
            event(Queued, 1, 0, 4096),
            event(Queued, 2, 0, 4096),
            event(Completed, 5, 0, 4096),
            event(Completed, 9, 0, 4096),
        ]);
        assert_eq!(found, [(1, 0, Some(4)), (2, 0, Some(7))]);
    }

    #[test]
    fn without_queue_events_an_io_arrives_when_it_is_issued() {
        use Stage::{Completed, Issued, Queued};
        let found = records(&[
            event(Issued, 1, 0, 512),
            event(Completed, 3, 0, 512),
            event(Queued, 5, 512, 512),
            event(Issued, 6, 512, 512),
            event(Completed, 8, 512, 512),
        ]);
        assert_eq!(found, [(1, 0, Some(2)), (5, 512, Some(3))]);
    }

    #[test]
    fn an_io_that_never_completes_leaves_after_thirty_seconds() {
        let mut pairing = Pairing::default();
        pairing.take(event(Stage::Queued, 0, 0, 512));
        assert_eq!(pairing.next(false), None);
        pairing.take(event(Stage::Queued, 30_000_000_000, 512, 512));
        assert_eq!(pairing.next(false).and_then(|record| record.latency), None);
        assert_eq!(pairing.open.len(), 1);
        for number in 0..WAITING_MAX as u64 + 5 {
            pairing.take(event(Stage::Queued, 30_000_000_001, number * 512, 512));
            while pairing.next(false).is_some() {}
        }
        assert!(pairing.waiting.len() <= WAITING_MAX && pairing.open.len() <= WAITING_MAX);
    }
}
