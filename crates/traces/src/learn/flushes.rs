//! When a flush follows: how many writes are from one to the next, whether it waits for its write, and what waits for it.
//!
//! An application that syncs waits for the write, then for the flush: at the device the flush begins shortly after the
//! write's completion, and no later write of its begins before the flush's. Omitted: what waits in a profile (`drawn`).

use super::arrivals::TOGETHER;
use super::in_flight::Moments;
use super::{count, lengths};
use crate::profile::{ArrivalRule, FlushPer, FlushRule};
use model::trace::TraceRecord;
use model::{Nanos, Operation};
use std::collections::HashMap;

/// A flush later than this after the completion of the last write did not wait for that.
const AFTER_MAX: Nanos = Nanos::millis(1);
/// Part of the flushes that waited for their write, where all are taken to.
const MOST: f64 = 0.75;
/// So many I/Os are expected during flushes by chance where a share is estimated.
const EXPECTED_MIN: f64 = 20.0;
/// If more of the flushes follow another one directly, in percent, the numbers of writes between them are no rule.
const AGAIN_MAX: f64 = 90.0;
/// Batches have no flush of their own if this part of the share of single writes is followed by one.
const SELDOM: f64 = 0.5;
/// A lower share of I/Os that wait is none.
const WAIT_MIN: f64 = 10.0;

/// What was seen of the flushes so far.
#[derive(Debug, Default)]
pub(super) struct Flushes {
    pub(super) count: u64,
    counted: [Counted; 3], // by what counts
    group: Group,
    grouped: [Grouped; 2], // writes that arrived alone, and batches
    last_write: Option<Nanos>,
    write_done: Option<Nanos>, // completion of the last write
    after: Moments,
    until: Nanos, // the last flush is complete
    busy: Nanos,  // at least one is in flight
    ios: [u64; 2],
    during: [u64; 2], // arrived while one was in flight
}

/// Writes that arrive together.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    writes: u64,
    during: bool, // the first arrived while a flush was in flight
}

/// Groups of a kind.
#[derive(Clone, Copy, Debug, Default)]
struct Grouped {
    count: u64,
    during: u64,  // the first arrived while a flush was in flight
    flushed: u64, // directly before a flush
}

/// Writes, or batches of them, from one flush to the next.
#[derive(Debug, Default)]
struct Counted {
    all: u64,
    open: u64, // since the last flush
    gaps: Moments,
    lengths: HashMap<u64, u64>,
    range: Option<(u64, u64)>, // of whole gaps
    first: Option<u64>,        // before the first flush
}

impl Flushes {
    /// Takes a read or write.
    pub(super) fn take(&mut self, operation: Operation, record: &TraceRecord) {
        let its = operation.index();
        self.ios[its] += 1;
        self.during[its] += u64::from(record.at < self.until);
        if operation == Operation::Write {
            self.of(FlushPer::Write).add();
            let last = self.last_write.replace(record.at);
            if last.is_none_or(|last| record.at.minus(last) > TOGETHER) {
                self.of(FlushPer::Batch).add();
                self.end_group();
                self.group.during = record.at < self.until;
            }
            self.group.writes += 1;
            self.write_done = record.latency.map(|latency| record.at.plus(latency));
        }
    }

    fn of(&mut self, per: FlushPer) -> &mut Counted {
        &mut self.counted[per as usize]
    }

    /// Ends the writes that arrive together. Returns whether they were several; `None` without any since the last time.
    fn end_group(&mut self) -> Option<usize> {
        let group = std::mem::take(&mut self.group);
        if group.writes == 0 {
            return None;
        }
        let kind = usize::from(group.writes > 1);
        if kind == 0 {
            self.of(FlushPer::Single).add();
        }
        self.grouped[kind].count += 1;
        self.grouped[kind].during += u64::from(group.during);
        Some(kind)
    }

    /// Takes a flush.
    pub(super) fn flush(&mut self, record: &TraceRecord) {
        if let Some(kind) = self.end_group() {
            self.grouped[kind].flushed += 1;
        }
        let [writes, ..] = self.counted.each_mut().map(Counted::flush);
        self.count += 1;
        let waited = self.write_done.filter(|&done| done <= record.at);
        let after = waited.map(|done| record.at.minus(done));
        if let Some(after) = after.filter(|&after| writes > 0 && after <= AFTER_MAX) {
            self.after.add(after.0 as f64);
        }
        let end = record.at.plus(record.latency.unwrap_or_default());
        let begin = record.at.max(self.until);
        self.busy = self.busy.plus(end.minus(begin));
        self.until = self.until.max(end);
    }

    /// Returns the rule of a trace of this length; `None` with less than two flushes.
    pub(super) fn rule(&mut self, length: Nanos, arrivals: &ArrivalRule) -> Option<FlushRule> {
        let closed = matches!(arrivals, ArrivalRule::Closed { .. });
        let is_regular = self.of(FlushPer::Write).is_regular()?;
        let per = match is_regular {
            true => FlushPer::Write,
            false => self.per(arrivals.flushes_per(self.ios[0] > 0)),
        };
        let counted = &mut self.counted[per as usize];
        let every = counted.gaps.mean().max(1.0);
        // Of flushes that come in bursts the number counts: most writes may be before the first or after the last.
        let mean = counted.all as f64 / self.count as f64;
        if counted.open > every as u64 {
            count(&mut counted.lengths, counted.open);
        }
        let mut lengths = match is_regular {
            true => Vec::new(),
            false => lengths(&counted.lengths),
        };
        if lengths
            .iter()
            .any(|&(_, to, share)| to == 0 && share > AGAIN_MAX)
        {
            lengths.clear(); // flushes of something else
        }
        let waits = self.after.n >= MOST * self.count as f64;
        let [reads_wait, writes_wait] = [0, 1].map(|its| match closed {
            true => 0.0, // nothing is known of chance
            false => {
                let [single, _] = self.grouped;
                let (ios, during) = match (per, Operation::ALL[its]) {
                    (FlushPer::Single, Operation::Write) => (single.count, single.during),
                    _ => (self.ios[its], self.during[its]),
                };
                self.share_that_waits(ios, during, length)
            }
        });
        let every = if is_regular { every } else { mean.max(1.0) };
        let waits = waits && !closed;
        Some(FlushRule {
            every: lengths.is_empty().then_some(every),
            regular: is_regular,
            writes: lengths,
            per,
            after: waits.then(|| Nanos(self.after.mean() as u64)),
            reads_wait,
            writes_wait,
        })
    }

    /// Returns which writes count, of those that the arrivals distinguish.
    fn per(&mut self, known: FlushPer) -> FlushPer {
        if known != FlushPer::Single {
            return known;
        }
        self.end_group();
        let [single, batch] = self
            .grouped
            .map(|kind| kind.flushed as f64 / kind.count.max(1) as f64);
        match batch < SELDOM * single {
            true => FlushPer::Single,
            false => FlushPer::Batch,
        }
    }

    /// Of I/Os of which so many arrived during flushes, those that would have come then by chance, and did not, in percent.
    fn share_that_waits(&self, ios: u64, during: u64, length: Nanos) -> f64 {
        let busy = self.busy.0 as f64 / length.0.max(1) as f64;
        let expected = ios as f64 * busy;
        if expected < EXPECTED_MIN {
            return 0.0;
        }
        let share = (1.0 - during as f64 / expected) * 100.0;
        if share < WAIT_MIN { 0.0 } else { share }
    }
}

impl Counted {
    fn add(&mut self) {
        self.all += 1;
        self.open += 1;
    }

    /// Ends a gap, and returns how many it has.
    fn flush(&mut self) -> u64 {
        let its = std::mem::take(&mut self.open);
        count(&mut self.lengths, its);
        match self.first {
            None => self.first = Some(its), // no whole gap
            Some(_) => {
                self.gaps.add(its as f64);
                let (least, most) = self.range.unwrap_or((u64::MAX, 0));
                self.range = Some((least.min(its), most.max(its)));
            }
        }
        its
    }

    /// Whether all gaps have nearly the same length; `None` without a whole gap.
    fn is_regular(&self) -> Option<bool> {
        let (least, most) = self.range?;
        let every = self.gaps.mean().max(1.0);
        let is_longest = most >= self.first.unwrap_or(0).max(self.open);
        Some((most - least) as f64 <= 2.0 + every / 20.0 && is_longest)
    }
}
