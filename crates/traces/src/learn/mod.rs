//! From the I/Os of a trace to a profile, in one pass and in bounded memory.
//!
//! Read in this order: what is counted (here), `arrivals`, `runs`, `places`, `flushes`. Omitted: reading the trace, and I/Os that follow
//! the profile (`drawn`).

mod arrivals;
mod flushes;
mod in_flight;
mod places;
mod runs;
mod zipf;
mod zones;

pub(crate) use in_flight::InFlight;
use in_flight::Moments;
pub(crate) use runs::{RunTracker, Step};
pub(crate) use zones::{ZONES_MAX, fold, total_variation};

use crate::error::TraceError;
use crate::profile::{ArrivalRule, LearnedFrom, LearnedProfile, LearnedWorkload, Side};
use arrivals::{ArrivalsSeen, TOGETHER};
use flushes::Flushes;
use model::trace::{TraceOperation, TraceRecord};
use model::{Bytes, Nanos, Operation};
use places::PlacesSeen;
use std::collections::HashMap;

/// Sizes of a profile, by operation; others count as the nearest of these.
const SIZES_SHOWN: usize = 64;
/// Different sizes that are counted.
const SIZES_MAX: usize = 4096;
/// Lengths of runs that are kept one by one.
const LENGTHS_MAX: usize = 32;
/// Offsets are multiples of what this share of them are.
const ALIGNED: f64 = 0.999;
/// A lower share of I/Os that continue a run, in percent, covers nothing again.
const OVERLAP_MIN: f64 = 1.0;
/// Alignments from 512 bytes on, in powers of two.
const ALIGNS: usize = 20;

/// What was seen of a trace so far.
#[derive(Debug, Default)]
pub struct Learner {
    sides: [OperationSeen; 2],
    next: [[u64; 2]; 2], // by operation and the one after it
    last: Option<usize>,
    arrivals: ArrivalsSeen,
    flushes: Flushes,
    device: Option<u16>,
    others: Vec<u16>, // devices of which nothing is learned
    end: u64,
    first: Option<Nanos>,
    newest: Nanos,
    discards: u64,
}

/// The reads, or the writes.
#[derive(Debug, Default)]
struct OperationSeen {
    all: SideSeen,
    parts: [SideSeen; 2], // I/Os that arrive alone, and those of batches
    last: Option<(TraceRecord, bool)>, // and whether it is of the batch of the one before
}

#[derive(Debug, Default)]
struct SideSeen {
    ios: u64,
    /// Runs that may be resumed after other I/Os.
    followed: RunsSeen,
    /// Runs that end with the next I/O that begins elsewhere.
    direct: RunsSeen,
    current: Option<DirectRun>,
    /// I/Os that begin by chance where an I/O ended: an estimate.
    by_chance: u64,
    open: Moments,
    same_run: u64,
    tracker: RunTracker,
    places: PlacesSeen,
    aligned: [u64; ALIGNS],
}

/// The sizes and lengths of runs.
#[derive(Debug, Default)]
struct RunsSeen {
    /// Of I/Os that are no run.
    sizes: HashMap<u64, u64>,
    run_sizes: HashMap<u64, u64>,
    same_size: u64,
    continued: u64,
    again: HashMap<u64, u64>, // bytes that are covered again
    lengths: HashMap<u64, u64>,
}

/// A run none of whose I/Os has another one before it.
#[derive(Clone, Copy, Debug)]
struct DirectRun {
    ios: u64,
    first: u64,
}

impl Learner {
    /// Takes the next I/O; their times ascend. The first one decides of which device is learned.
    pub fn take(&mut self, record: &TraceRecord) {
        let device = *self.device.get_or_insert(record.device);
        if record.device != device {
            if !self.others.contains(&record.device) && self.others.len() < 16 {
                self.others.push(record.device);
            }
            return;
        }
        let operation = match record.operation {
            TraceOperation::Read => Operation::Read,
            TraceOperation::Write => Operation::Write,
            TraceOperation::Flush => {
                let at = record.at.minus(self.first.unwrap_or(record.at));
                return self.flushes.flush(&TraceRecord { at, ..*record });
            }
            TraceOperation::Discard => {
                self.discards += 1;
                return;
            }
        };
        let first = *self.first.get_or_insert(record.at);
        let record = TraceRecord {
            at: record.at.minus(first),
            ..*record
        };
        self.newest = record.at;
        self.end = self.end.max(record.offset + record.length);
        self.arrivals.take(operation, &record);
        let its = operation.index();
        if let Some(before) = self.last.replace(its) {
            self.next[before][its] += 1;
        }
        self.flushes.take(operation, &record);
        self.sides[its].take(&record);
    }

    /// Returns the profile. `from` has the origin; what was counted is added.
    ///
    /// # Errors
    /// No read and no write was seen; several devices were, whose labels are `devices`.
    pub fn finish(
        mut self,
        from: LearnedFrom,
        devices: &[String],
    ) -> Result<LearnedProfile, TraceError> {
        if !self.others.is_empty() {
            let names = devices.iter().take(16).cloned().collect::<Vec<_>>();
            return Err(TraceError::Request(format!(
                "the trace has several devices, and a profile is that of one: must be chosen with --of, one of {}",
                names.join(", ")
            )));
        }
        let [reads, writes] = [0, 1].map(|side| self.sides[side].all.ios);
        if reads + writes == 0 {
            return Err(TraceError::Request(
                "nothing to learn from: must have reads or writes".to_owned(),
            ));
        }
        let range = Bytes(self.end.next_multiple_of(4096));
        let arrivals = self.arrivals.rule();
        let workload = LearnedWorkload {
            range,
            reads: reads as f64 / (reads + writes) as f64 * 100.0,
            same_operation: match arrivals {
                ArrivalRule::ByOperation { .. } => 0.0, // it follows from the arrivals
                _ => self.same_operation(),
            },
            in_flight: match arrivals {
                ArrivalRule::Closed { .. } => None,
                _ => self.arrivals.most_in_flight(),
            },
            flush: self.flushes.rule(self.newest, &arrivals),
            read: self.sides[0].finish(range, arrivals.has_batches(Operation::Read, writes == 0)),
            write: self.sides[1].finish(range, arrivals.has_batches(Operation::Write, reads == 0)),
            arrivals,
        };
        Ok(LearnedProfile {
            learned: LearnedFrom {
                duration: self.newest,
                ios: reads + writes + self.flushes.count,
                ..from
            },
            workload,
        })
    }

    /// Returns the correlation of an operation with the one before; 0 where chance explains it.
    fn same_operation(&self) -> f64 {
        let [rr, rw] = self.next[0].map(|count| count as f64);
        let [wr, ww] = self.next[1].map(|count| count as f64);
        let (after_read, after_write) = (rr + rw, wr + ww);
        if after_read == 0.0 || after_write == 0.0 {
            return 0.0;
        }
        let found = ww / after_write - rw / after_read;
        let error = 1.0 / (after_read + after_write).sqrt();
        if found.abs() < 2.0 * error {
            0.0
        } else {
            found
        }
    }
}

impl RunsSeen {
    fn continues(&mut self, before: u64, again: u64, length: u64) {
        self.continued += 1;
        count(&mut self.again, again);
        self.same_size += u64::from(before == length);
        count(&mut self.run_sizes, length);
    }

    /// Counts a run that is over.
    fn end(&mut self, ios: u64, first: u64) {
        count(&mut self.lengths, ios);
        match ios {
            1 => count(&mut self.sizes, first),
            _ => count(&mut self.run_sizes, first),
        }
    }
}

impl OperationSeen {
    fn take(&mut self, record: &TraceRecord) {
        self.all.take(record);
        let last = self.last.take();
        let goes_on = last.is_some_and(|(last, _)| record.at.minus(last.at) <= TOGETHER);
        self.end(last, goes_on);
        self.last = Some((*record, goes_on));
    }

    /// Adds an I/O to its part; `goes_on`: one of its batch follows.
    fn end(&mut self, io: Option<(TraceRecord, bool)>, goes_on: bool) {
        if let Some((io, follows)) = io {
            self.parts[usize::from(follows || goes_on)].take(&io);
        }
    }

    fn finish(&mut self, range: Bytes, has_batches: bool) -> Option<Side> {
        let last = self.last.take();
        self.end(last, false);
        if !has_batches {
            return self.all.finish(range);
        }
        let [single, batch] = &mut self.parts;
        Some(Side {
            batch: batch.finish(range).map(Box::new),
            ..single.finish(range)?
        })
    }
}

impl SideSeen {
    fn take(&mut self, record: &TraceRecord) {
        self.ios += 1;
        let sectors = (record.offset / 512) | 1 << (ALIGNS - 1);
        let aligned = match record.offset.is_multiple_of(512) {
            true => sectors.trailing_zeros() as usize,
            false => 0,
        };
        self.aligned[aligned] += 1;
        let runs = &mut self.followed;
        let step = self.tracker.take(record.offset, record.length, &mut |run| {
            runs.end(run.ios, run.first);
        });
        match (step, &mut self.current) {
            (
                Step::Continues {
                    before,
                    again,
                    directly: true,
                    ..
                },
                Some(run),
            ) => {
                run.ios += 1;
                self.direct.continues(before, again, record.length);
            }
            (_, current) => {
                let new = DirectRun {
                    ios: 1,
                    first: record.length,
                };
                if let Some(past) = current.replace(new) {
                    self.direct.end(past.ios, past.first);
                }
            }
        }
        match step {
            Step::Begins { met } => {
                self.places.take(record.offset);
                self.by_chance += u64::from(met);
            }
            Step::Continues {
                before,
                again,
                open,
                directly,
            } => {
                self.followed.continues(before, again, record.length);
                self.same_run += u64::from(directly);
                self.open.add(f64::from(open));
            }
        }
    }

    fn finish(&mut self, range: Bytes) -> Option<Side> {
        if self.ios == 0 {
            return None;
        }
        let runs = &mut self.followed;
        self.tracker.finish(&mut |run| runs.end(run.ios, run.first));
        if let Some(last) = self.current {
            self.direct.end(last.ios, last.first);
        }
        // Where most runs that were resumed were met by chance, none was: I/Os that are drawn meet as often again.
        let resumed = self.followed.continued - self.same_run;
        let is_chance = 2 * self.by_chance >= resumed;
        let (runs, open) = match is_chance {
            true => (&self.direct, 1.0),
            false => (&self.followed, self.open.mean()),
        };
        let align = self.align().min(1 << range.0.ilog2());
        let (sizes, run_sizes) = (shares(&runs.sizes), shares(&runs.run_sizes));
        let singles = !sizes.is_empty();
        let of_continued = |ios: u64| match runs.continued {
            0 => 100.0,
            continued => ios as f64 / continued as f64 * 100.0,
        };
        Some(Side {
            align: Bytes(align),
            same_size: of_continued(runs.same_size),
            same_run: of_continued(self.same_run),
            run_sizes: if singles {
                run_sizes.clone()
            } else {
                Vec::new()
            },
            sizes: if singles { sizes } else { run_sizes },
            runs: lengths(&runs.lengths),
            overlaps: overlaps(&runs.again),
            open_runs: (open.round() as u32).clamp(1, 64),
            places: self.places.law(range.0, align),
            batch: None,
        })
    }

    /// Returns the largest power of two that divides nearly all offsets.
    fn align(&self) -> u64 {
        let mut at_least = self.ios;
        let mut align = 512;
        for (power, count) in self.aligned.iter().enumerate() {
            if (at_least as f64) < ALIGNED * self.ios as f64 {
                break;
            }
            align = 512 << power;
            at_least -= count;
        }
        align.min(1 << 16)
    }
}

fn count(sizes: &mut HashMap<u64, u64>, value: u64) {
    if let Some(count) = sizes.get_mut(&value) {
        *count += 1;
    } else if sizes.len() < SIZES_MAX {
        sizes.insert(value, 1);
    } else {
        let nearest = sizes.keys().min_by_key(|key| key.abs_diff(value)).copied();
        *sizes.entry(nearest.unwrap_or(value)).or_default() += 1;
    }
}

/// The most frequent sizes with their shares; each other counts as the nearest of these.
fn shares(sizes: &HashMap<u64, u64>) -> Vec<(Bytes, f64)> {
    let mut all: Vec<(u64, u64)> = sizes.iter().map(|(&size, &ios)| (size, ios)).collect();
    all.sort_unstable_by_key(|&(size, ios)| (std::cmp::Reverse(ios), size));
    let rare = all.split_off(all.len().min(SIZES_SHOWN));
    for (size, ios) in rare {
        let nearest = all.iter_mut().min_by_key(|(its, _)| its.abs_diff(size));
        if let Some((_, count)) = nearest {
            *count += ios;
        }
    }
    let total: u64 = all.iter().map(|(_, ios)| ios).sum();
    // An I/O has whole sectors.
    let percent = |ios: u64| ios as f64 / total as f64 * 100.0;
    all.iter()
        .map(|&(size, ios)| (Bytes(size.next_multiple_of(512)), percent(ios)))
        .collect()
}

/// The bytes that are covered again by I/Os which continue a run, with their shares of these; those that cover none are the rest.
fn overlaps(again: &HashMap<u64, u64>) -> Vec<(Bytes, f64)> {
    let mut all = shares(again);
    all.retain(|&(bytes, share)| bytes.0 > 0 && share >= OVERLAP_MIN);
    all
}

/// Lengths of runs: one by one if there are few, else by halves of powers of two.
fn lengths(found: &HashMap<u64, u64>) -> Vec<(u64, u64, f64)> {
    let total: u64 = found.values().sum();
    let share = |runs: u64| runs as f64 / total as f64 * 100.0;
    let mut each: Vec<(u64, u64, u64)> = match found.len() <= LENGTHS_MAX {
        true => found.iter().map(|(&ios, &runs)| (ios, ios, runs)).collect(),
        false => {
            let mut classes: HashMap<(u64, u64), u64> = HashMap::new();
            for (&ios, &runs) in found {
                let power = 1u64 << ios.max(1).ilog2();
                let step = (power / 4).max(1);
                let from = power.min(ios) + ios.saturating_sub(power) / step * step;
                *classes.entry((from, from + step - 1)).or_default() += runs;
            }
            classes
                .into_iter()
                .map(|((from, to), runs)| (from, to, runs))
                .collect()
        }
    };
    each.sort_unstable();
    each.into_iter()
        .map(|(from, to, runs)| (from, to, share(runs)))
        .collect()
}
