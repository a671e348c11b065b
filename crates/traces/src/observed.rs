//! A device that is observed now, as a stream of records: what a trace is from a file.
//!
//! A second of which events were lost is omitted whole, and time continues after it as if it had not been: rates stay
//! those of the seconds that were seen. An I/O is returned when its second is complete. Omitted: where events come from
//! (`host`), and which I/Os count.

use crate::error::TraceError;
use crate::event::{Counts, Event, Stage};
use crate::pairing::Pairing;
use crate::parse::{flush_of, rwbs};
use model::Nanos;
use model::trace::{BlockEvent, BlockStage, LostEvents, TraceOperation, TraceRecord};
use std::collections::BTreeSet;
use std::collections::VecDeque;

const SECOND: Nanos = Nanos::seconds(1);

/// What is observed of one device.
#[derive(Debug, Default)]
pub struct Observed {
    pairing: Pairing,
    waiting: VecDeque<TraceRecord>,
    origin: Option<Nanos>,
    complete: Nanos,
    omitted: BTreeSet<u64>, // seconds since the origin
    counts: Counts,
}

impl Observed {
    /// Takes the next event in the order of time; `place` is the first byte of it in what is observed.
    ///
    /// # Errors
    /// Letters that no kernel writes.
    pub fn take(&mut self, event: &BlockEvent, place: u64) -> Result<(), TraceError> {
        let end = event.letters.iter().position(|&letter| letter == 0);
        let letters = &event.letters[..end.unwrap_or(event.letters.len())];
        let flawed = |flaw: crate::error::Flaw| TraceError::Request(flaw.0);
        let Some((operation, flags)) = rwbs(letters).map_err(flawed)? else {
            self.counts.skipped += u64::from(event.stage == BlockStage::Queued);
            return Ok(());
        };
        let sectors = u64::from(event.sectors);
        let operation = flush_of(operation, letters, sectors);
        let length = match operation {
            TraceOperation::Flush => 0,
            _ => sectors * 512,
        };
        if operation.transfers() && length == 0 {
            self.counts.skipped += u64::from(event.stage == BlockStage::Queued);
            return Ok(());
        }
        let record = TraceRecord {
            at: event.at,
            offset: match operation {
                TraceOperation::Flush => 0,
                _ => place,
            },
            length,
            latency: None,
            thread: event.thread,
            device: 0,
            operation,
            flags,
        };
        let stage = match event.stage {
            BlockStage::Queued => Stage::Queued,
            BlockStage::Completed => Stage::Completed,
        };
        self.pairing.take(Event { record, stage });
        Ok(())
    }

    /// Counts lost events, and omits their seconds.
    pub fn lose(&mut self, lost: &LostEvents) {
        self.counts.lost += lost.events;
        // Before the first I/O there is nothing to omit.
        let Some(origin) = self.origin else {
            return;
        };
        if lost.to >= origin {
            let second = |at: Nanos| at.minus(origin).0 / SECOND.0;
            self.omitted.extend(second(lost.from)..=second(lost.to));
        }
    }

    /// All events up to this time were taken.
    pub fn complete_to(&mut self, at: Nanos) {
        self.complete = self.complete.max(at);
        while let Some(record) = self.pairing.next(at == Nanos::MAX) {
            self.origin.get_or_insert(record.at);
            self.waiting.push_back(record);
        }
    }

    /// Returns the next record whose second is complete and was not omitted.
    pub fn next_record(&mut self) -> Option<TraceRecord> {
        let origin = self.origin?;
        loop {
            let at = self.waiting.front()?.at.minus(origin);
            let second = at.0 / SECOND.0;
            let end = origin.plus(Nanos((second + 1).saturating_mul(SECOND.0)));
            if self.complete < end {
                return None;
            }
            let mut record = self.waiting.pop_front()?;
            if self.omitted.contains(&second) {
                continue;
            }
            let before = self.omitted.range(..second).count() as u64;
            record.at = at.minus(Nanos(before * SECOND.0));
            return Some(record);
        }
    }

    /// Returns what was lost or skipped so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Returns how much time was omitted so far.
    pub fn omitted(&self) -> Nanos {
        Nanos(self.omitted.len() as u64 * SECOND.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::trace::BLOCK_LETTERS;

    fn event(stage: BlockStage, at: u64, sector: u64) -> BlockEvent {
        let mut letters = [0; BLOCK_LETTERS];
        letters[..2].copy_from_slice(b"WS");
        BlockEvent {
            at: Nanos(at),
            stage,
            device: (7, 0),
            sector,
            sectors: 8,
            thread: 5,
            letters,
        }
    }

    fn observe(observed: &mut Observed, at: u64) {
        let one = event(BlockStage::Queued, at, at % 4096);
        observed.take(&one, one.sector * 512).unwrap();
        let done = event(BlockStage::Completed, at + 1000, at % 4096);
        observed.take(&done, done.sector * 512).unwrap();
    }

    #[test]
    fn a_second_with_lost_events_is_omitted_and_time_continues_after_it() {
        let (mut observed, start) = (Observed::default(), 5_000_000_000);
        let mut found = Vec::new();
        for tenth in 0..40 {
            let at = start + tenth * 100_000_000;
            observe(&mut observed, at);
            if tenth == 15 {
                observed.lose(&LostEvents {
                    from: Nanos(at - 20_000_000),
                    to: Nanos(at),
                    events: 7,
                });
            }
            observed.complete_to(Nanos(at + 2000));
            found.extend(std::iter::from_fn(|| observed.next_record()));
        }
        observed.complete_to(Nanos::MAX);
        found.extend(std::iter::from_fn(|| observed.next_record()));
        let times: Vec<u64> = found.iter().map(|one| one.at.0 / 100_000_000).collect();
        assert_eq!(times, (0..30).collect::<Vec<u64>>());
        assert!(found.iter().all(|one| one.latency == Some(Nanos(1000))));
        assert_eq!((observed.counts().lost, observed.omitted()), (7, SECOND));
    }

    #[test]
    fn a_write_without_data_that_flushes_is_a_flush() {
        let mut observed = Observed::default();
        let mut flush = event(BlockStage::Queued, 10, 0);
        (flush.sectors, flush.letters[0]) = (0, b'F');
        observed.take(&flush, 0).unwrap();
        observed.complete_to(Nanos::MAX);
        let found = observed.next_record().map(|one| one.operation);
        assert_eq!(found, Some(TraceOperation::Flush));
    }

    #[test]
    fn an_io_is_returned_when_its_second_is_complete() {
        let mut observed = Observed::default();
        observe(&mut observed, 10);
        observed.complete_to(Nanos(500_000_000));
        assert_eq!(observed.next_record(), None);
        observed.complete_to(Nanos(1_000_000_010));
        assert_eq!(observed.next_record().map(|one| one.thread), Some(5));
    }
}
