//! The fourteen properties of a trace, counted by parts of its time, in one pass and in bounded memory.
//!
//! Parts are 2^30 ns (1.07 s) long; with more than 128 of them, neighbours are added. All windows of time are powers of two
//! of nanoseconds, so that they end with the parts. Omitted: the comparison (`distance`).

use super::reuse::Reuse;
use super::sums::{
    COUNTS, DEPTHS, FLUSHES, GAPS, JUMPS, LAGS, LENGTH, LONG_SERIES, NEXT, OPERATIONS, REUSE, RUNS,
    SCALE_SHIFT, SCALES, SECTORS, SHORT_SERIES, SIZES, Span, ZONES, class, time_class,
};
use crate::learn::{InFlight, RunTracker, Step, ZONES_MAX, fold};
use model::Nanos;
use model::trace::{TraceOperation, TraceRecord};
use std::collections::HashMap;

/// A part of the time at first.
const PART_SHIFT: u32 = 30;
const PARTS_MAX: usize = 128;
const BLOCK_SHIFT: u32 = 12;
/// Windows of the two autocorrelations: 8.4 ms and 1.07 s.
const SHORT_SHIFT: u32 = 23;
const LONG_SHIFT: u32 = 30;

/// What was counted in a part of the time.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) row: Vec<f64>,
    /// Uses by block.
    pub(super) uses: HashMap<u32, u32>,
    /// I/Os in each 2^30 ns that has some.
    pub(super) seconds: Vec<(u64, f64)>,
}

impl Default for Part {
    fn default() -> Part {
        Part {
            row: vec![0.0; LENGTH],
            uses: HashMap::new(),
            seconds: Vec::new(),
        }
    }
}

/// The properties of a trace.
#[derive(Debug)]
pub struct Properties {
    pub(super) parts: Vec<Part>,
    part_shift: u32,
    pub(super) zone_shift: u32,
    /// Where the last byte that is used ends.
    pub(super) end: u64,
    /// Reads and writes.
    pub(super) ios: u64,
    pub(super) last: Nanos,
    pub(super) numbers: usize, // of blocks
    /// Whether I/Os have times, and latencies.
    pub(super) timed: bool,
    pub(super) latencies: u64,
    pub(super) flushes: u64,
    state: State,
}

/// What goes on from one I/O to the next.
#[derive(Debug, Default)]
struct State {
    first: Option<Nanos>,
    before: Option<usize>, // operation
    end: u64,
    runs: [RunTracker; 2],
    reuse: Reuse,
    in_flight: InFlight,
    windows: [(u64, f64); SCALES],
    short: Series,
    long: Series,
    writes: u64,
}

/// Counts of windows, with those before.
#[derive(Debug, Default)]
struct Series {
    window: u64,
    ios: f64,
    empty: usize, // windows without I/Os, up to the last
    /// Of the first window; the others count as differences from it, so that no product is large.
    first: Option<f64>,
    before: [f64; LAGS],
}

impl Default for Properties {
    fn default() -> Properties {
        Properties {
            parts: vec![Part::default()],
            part_shift: PART_SHIFT,
            zone_shift: BLOCK_SHIFT,
            end: 0,
            ios: 0,
            last: Nanos(0),
            numbers: 0,
            timed: true,
            latencies: 0,
            flushes: 0,
            state: State::default(),
        }
    }
}

impl Properties {
    /// Returns the properties of I/Os without times: those of a closed loop, whose times are the target's.
    pub fn untimed() -> Properties {
        Properties {
            timed: false,
            ..Properties::default()
        }
    }

    /// Takes the next I/O; their times ascend.
    pub fn take(&mut self, record: &TraceRecord) {
        let its = match record.operation {
            TraceOperation::Read => 0,
            TraceOperation::Write => 1,
            TraceOperation::Flush => return self.flush(record.at),
            TraceOperation::Discard => return,
        };
        let first = *self.state.first.get_or_insert(record.at);
        let record = TraceRecord {
            at: record.at.minus(first),
            ..*record
        };
        // Without times, parts have as many I/Os each.
        let clock = match self.timed {
            true => record.at.0,
            false => self.ios << (PART_SHIFT - 12),
        };
        let part = self.part(clock);
        if self.ios > 0 {
            let gap = record.at.minus(self.last).0;
            self.parts[part].row[GAPS.at(time_class(gap))] += 1.0;
        }
        self.what(part, its, &record);
        self.places(part, its, &record);
        self.times(part, &record);
        self.state.writes += its as u64;
        self.ios += 1;
        self.last = record.at;
    }

    fn part(&mut self, clock: u64) -> usize {
        while clock >> self.part_shift >= PARTS_MAX as u64 {
            self.part_shift += 1;
            let mut pairs = std::mem::take(&mut self.parts).into_iter();
            while let Some(mut part) = pairs.next() {
                if let Some(next) = pairs.next() {
                    part.add(&next);
                }
                self.parts.push(part);
            }
        }
        let part = (clock >> self.part_shift) as usize;
        if part >= self.parts.len() {
            self.parts.resize_with(part + 1, Part::default);
        }
        part
    }

    fn flush(&mut self, at: Nanos) {
        let Some(first) = self.state.first else {
            return;
        };
        if self.flushes > 0 {
            let clock = match self.timed {
                true => at.minus(first).0,
                false => self.ios << (PART_SHIFT - 12),
            };
            let part = self.part(clock);
            self.parts[part].row[FLUSHES.at(class(self.state.writes))] += 1.0;
        }
        self.flushes += 1;
        self.state.writes = 0;
    }

    fn what(&mut self, part: usize, its: usize, record: &TraceRecord) {
        let row = &mut self.parts[part].row;
        row[OPERATIONS.at(its)] += 1.0;
        let sectors = (record.length.div_ceil(512) as usize).min(SECTORS - 1);
        row[SIZES.at(its * SECTORS + sectors)] += 1.0;
        if let Some(before) = self.state.before.replace(its) {
            row[NEXT.at(before * 2 + its)] += 1.0;
        }
    }

    fn places(&mut self, part: usize, its: usize, record: &TraceRecord) {
        let (offset, end) = (record.offset, record.offset + record.length);
        self.end = self.end.max(end);
        while offset >> self.zone_shift >= ZONES_MAX as u64 {
            self.zone_shift += 1;
            for part in &mut self.parts {
                fold(&mut part.row[ZONES.range()], |a, b| a + b);
            }
        }
        let row = &mut self.parts[part].row;
        row[ZONES.at((offset >> self.zone_shift) as usize)] += 1.0;
        if self.ios > 0 {
            row[JUMPS.at(jump_class(self.state.end, offset))] += 1.0;
        }
        self.state.end = end;
        let mut ended = [0; 1];
        let step = self.state.runs[its].take(offset, record.length, &mut |run| ended[0] = run.ios);
        if matches!(step, Step::Begins { .. }) && ended[0] > 0 {
            row[RUNS.at(class(ended[0]))] += 1.0;
        }
        for block in offset >> BLOCK_SHIFT..end.div_ceil(1 << BLOCK_SHIFT) {
            let parts = &mut self.parts;
            let found = self.state.reuse.take(block, &mut |gone| {
                for part in parts.iter_mut() {
                    for number in gone {
                        part.uses.remove(number);
                    }
                }
            });
            let Some(found) = found else { continue };
            let part = &mut self.parts[part];
            *part.uses.entry(found.number).or_default() += 1;
            let class = found
                .distance
                .map_or(63, |distance| (distance + 1).ilog2() as usize);
            part.row[REUSE.at(class)] += 1.0;
        }
        self.numbers = self.state.reuse.numbers();
    }

    fn times(&mut self, part: usize, record: &TraceRecord) {
        if !self.timed {
            return;
        }
        let at = record.at.0;
        let (parts, shift) = (&mut self.parts, self.part_shift);
        for (scale, (window, ios)) in self.state.windows.iter_mut().enumerate() {
            let now = at >> (SCALE_SHIFT as usize + scale);
            if now != *window {
                let began = *window << (SCALE_SHIFT as usize + scale);
                close_window(&mut parts[(began >> shift) as usize], scale, *ios);
                (*window, *ios) = (now, 0.0);
            }
            *ios += 1.0;
        }
        self.state
            .short
            .take(at, SHORT_SHIFT, shift, &mut |began, values| {
                parts[(began >> shift) as usize].series(SHORT_SERIES, values);
            });
        self.state
            .long
            .take(at, LONG_SHIFT, shift, &mut |began, values| {
                parts[(began >> shift) as usize].series(LONG_SERIES, values);
            });
        let seconds = &mut parts[part].seconds;
        match seconds.last_mut() {
            Some((second, ios)) if *second == at >> LONG_SHIFT => *ios += 1.0,
            _ => seconds.push((at >> LONG_SHIFT, 1.0)),
        }
        self.latencies += u64::from(record.latency.is_some());
        let row = &mut parts[part].row;
        self.state.in_flight.take(record, &mut |depth, time| {
            row[DEPTHS.at(class(depth as u64))] += time.0 as f64;
        });
    }

    /// Ends the runs that are open; the last windows of time are not whole, so they are not counted.
    pub fn finish(mut self) -> Properties {
        let last = self.parts.len() - 1;
        let row = &mut self.parts[last].row;
        for runs in &mut self.state.runs {
            runs.finish(&mut |run| row[RUNS.at(class(run.ios))] += 1.0);
        }
        self
    }

    /// Returns the length of a part in nanoseconds.
    pub(super) fn part_length(&self) -> f64 {
        (1u64 << self.part_shift) as f64
    }
}

fn close_window(part: &mut Part, scale: usize, ios: f64) {
    part.row[COUNTS.at(2 * scale)] += ios;
    part.row[COUNTS.at(2 * scale + 1)] += ios * ios;
}

/// The class of the distance from one place to another, by powers of two and direction.
fn jump_class(from: u64, to: u64) -> usize {
    match to.cmp(&from) {
        std::cmp::Ordering::Equal => 64,
        std::cmp::Ordering::Greater => 65 + (to - from).ilog2() as usize,
        std::cmp::Ordering::Less => 63 - (from - to).ilog2() as usize,
    }
}

impl Part {
    pub(super) fn add(&mut self, other: &Part) {
        self.row
            .iter_mut()
            .zip(&other.row)
            .for_each(|(a, b)| *a += b);
        for (number, uses) in &other.uses {
            *self.uses.entry(*number).or_default() += uses;
        }
        self.seconds.extend(&other.seconds);
    }

    fn series(&mut self, span: Span, values: &[f64]) {
        let row = &mut self.row[span.range()];
        row.iter_mut()
            .zip(values)
            .for_each(|(sum, value)| *sum += value);
    }
}

impl Series {
    /// Takes an arrival. `closed` gets the start of each window before it, and what it adds; of equal ones in a part, what
    /// they add together.
    fn take(&mut self, at: u64, shift: u32, part: u32, closed: &mut dyn FnMut(u64, &[f64])) {
        let (now, part) = (at >> shift, part - shift);
        while self.window < now {
            let ios = std::mem::take(&mut self.ios);
            self.empty = if ios > 0.0 { 0 } else { self.empty + 1 };
            let ios = ios - *self.first.get_or_insert(ios);
            let mut values = [0.0; 3 + LAGS];
            values[..3].copy_from_slice(&[1.0, ios, ios * ios]);
            for (lag, before) in self.before.iter().enumerate() {
                values[3 + lag] = ios * before;
            }
            let part_end = ((self.window >> part) + 1) << part;
            let equal = match self.empty > LAGS {
                true => now.min(part_end) - self.window,
                false => 1,
            };
            values.iter_mut().for_each(|value| *value *= equal as f64);
            closed(self.window << shift, &values);
            self.before.rotate_right(1);
            self.before[0] = ios;
            self.window += equal;
        }
        self.ios += 1.0;
    }
}
