//! When a flush follows: how many writes are from one to the next, whether it waits for its write, and what waits for it.
//!
//! An application that syncs waits for the write, then for the flush: at the device the flush begins shortly after the
//! write's completion, and no later write of its begins before the flush's. Omitted: what waits in a profile (`drawn`).

use super::arrivals::TOGETHER;
use super::in_flight::Moments;
use super::{count, lengths};
use crate::profile::{ArrivalRule, FlushRule};
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
/// A lower share of I/Os that wait is none.
const WAIT_MIN: f64 = 10.0;

/// What was seen of the flushes so far.
#[derive(Debug, Default)]
pub(super) struct Flushes {
    pub(super) count: u64,
    writes: Counted,
    batches: Counted,
    last_write: Option<Nanos>,
    write_done: Option<Nanos>, // completion of the last write
    after: Moments,
    until: Nanos, // the last flush is complete
    busy: Nanos,  // at least one is in flight
    ios: [u64; 2],
    during: [u64; 2], // arrived while one was in flight
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
            self.writes.add();
            let last = self.last_write.replace(record.at);
            if last.is_none_or(|last| record.at.minus(last) > TOGETHER) {
                self.batches.add();
            }
            self.write_done = record.latency.map(|latency| record.at.plus(latency));
        }
    }

    /// Takes a flush.
    pub(super) fn flush(&mut self, record: &TraceRecord) {
        let writes = self.writes.flush();
        self.batches.flush();
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
        let is_regular = self.writes.is_regular()?;
        let per_batch = arrivals.has_write_batches() && !is_regular;
        let counted = match per_batch {
            true => &mut self.batches,
            false => &mut self.writes,
        };
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
            false => self.share_that_waits(its, length),
        });
        let every = if is_regular { every } else { mean.max(1.0) };
        let waits = waits && !closed;
        Some(FlushRule {
            every: lengths.is_empty().then_some(every),
            regular: is_regular,
            writes: lengths,
            per_batch,
            after: waits.then(|| Nanos(self.after.mean() as u64)),
            reads_wait,
            writes_wait,
        })
    }

    /// The I/Os of one operation that would have come during a flush by chance, and did not, in percent.
    fn share_that_waits(&self, its: usize, length: Nanos) -> f64 {
        let busy = self.busy.0 as f64 / length.0.max(1) as f64;
        let expected = self.ios[its] as f64 * busy;
        if expected < EXPECTED_MIN {
            return 0.0;
        }
        let share = (1.0 - self.during[its] as f64 / expected) * 100.0;
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
