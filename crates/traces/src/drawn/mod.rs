//! I/Os that follow a profile: a pure function of the profile, the length of the range and the seed.
//!
//! An I/O continues an open run or begins one; a run that begins has a place by the law, and a length. Read in this order: the
//! stream (here), `arrivals`, `places`. Omitted: issuing them, which is the engine's, as for those of a trace.

mod arrivals;
mod places;
mod rng;

use crate::profile::{ArrivalRule, FlushPer, FlushRule, LearnedWorkload, Side};
use arrivals::ArrivalDraw;
use model::trace::{DEPENDENCY_WINDOW, TraceDependency, TraceOperation, TraceRecord};
use model::{Bytes, Nanos, Operation};
use places::{PlaceDraw, chosen, ends};
use rng::Rng;

const BLOCK: u64 = 4096;
/// Runs that wait because enough are open.
const WAITING_MAX: usize = 1024;
/// How strongly the share of I/Os that begin a run is fixed.
const HOLD: f64 = 0.05;

/// The I/Os of a profile.
#[derive(Clone, Debug)]
pub struct Drawn {
    rng: Rng,
    sides: [[Option<SideDraw>; 2]; 2], // each with that of its batches
    times: Option<ArrivalDraw>,        // none in a closed loop
    writes: f64,                       // their share
    after: [f64; 2],                   // the probability of a write, by the operation before
    last: Option<usize>,
    flush: Option<FlushDraw>,
    pending: Option<Nanos>, // a flush
    number: u64,            // of the next
}

#[derive(Clone, Debug)]
struct FlushDraw {
    rule: FlushRule,
    ends: Vec<f64>,    // of the shares of its lengths
    writes: f64,       // since the last
    left: u64,         // to the next, where lengths are drawn
    last: Option<u64>, // its number
}

#[derive(Clone, Debug)]
struct SideDraw {
    align: u64,
    unit: u64,
    range: u64,
    sizes: Sizes,
    run_sizes: Sizes,
    same_size: f64,
    places: PlaceDraw,
    runs: RunDraw,
}

/// The runs of one operation.
#[derive(Clone, Debug)]
struct RunDraw {
    lengths: Vec<(u64, u64)>,
    ends: Vec<f64>,
    same_run: f64,
    overlaps: Option<Sizes>,
    begins: f64, // share of the I/Os that begin a run
    credit: f64, // runs that ought to have begun, less those that did
    open_max: usize,
    open: Vec<OpenRun>,
    in_run: bool, // the last I/O is of the last of these
    waiting: Vec<u64>,
}

#[derive(Clone, Debug)]
struct Sizes {
    sizes: Vec<u64>,
    ends: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
struct OpenRun {
    next: u64,
    size: u64,
    left: u64,
}

impl Drawn {
    /// Returns the I/Os of a workload on addresses from 0 to `range`, which may be less than the workload's. In a closed loop
    /// there is no end, and all times are 0.
    ///
    /// # Errors
    /// The largest I/O does not fit into the range.
    pub fn new(workload: &LearnedWorkload, range: Bytes, seed: u64) -> Result<Drawn, String> {
        let range = range.min(workload.range);
        if workload.largest() > range {
            return Err(format!(
                "the profile has I/Os of {}: must fit into the target, which has {}",
                workload.largest(),
                range.about()
            ));
        }
        let scale = range.0 as f64 / workload.range.0 as f64;
        let sides = |side: &Option<Side>| {
            let side = side.as_ref();
            let batch = side.and_then(|side| side.batch.as_deref());
            [side, batch].map(|side| Some(SideDraw::new(side?, range.0, scale)))
        };
        let write = 1.0 - workload.reads / 100.0;
        let same = workload.same_operation;
        Ok(Drawn {
            rng: Rng::new(seed),
            sides: [sides(&workload.read), sides(&workload.write)],
            times: match &workload.arrivals {
                ArrivalRule::Closed { .. } => None,
                rule => Some(ArrivalDraw::new(rule, (workload.reads == 0.0).then_some(1))),
            },
            writes: write,
            after: [write * (1.0 - same), write + same * (1.0 - write)],
            last: None,
            flush: workload.flush.as_ref().map(FlushDraw::new),
            pending: None,
            number: 0,
        })
    }

    /// Returns the next I/O, and what it waits for besides its time.
    pub fn next_io(&mut self) -> Option<(TraceRecord, TraceDependency)> {
        let io = self.next_record()?;
        let number = self.number;
        self.number += 1;
        let Some(flush) = &mut self.flush else {
            return Some((io, TraceDependency::default()));
        };
        let after = match io.operation {
            TraceOperation::Flush => flush.follow(number),
            TraceOperation::Write if !flush.may_wait(self.times.as_ref()) => {
                TraceDependency::default()
            }
            _ => flush.wait(&io, number, &mut self.rng),
        };
        Some((io, after))
    }

    fn operation(&mut self) -> usize {
        let write = self.last.map_or(self.writes, |last| self.after[last]);
        let drawn = usize::from(self.rng.unit() < write);
        // The other side may be absent.
        let its = match self.sides[drawn] {
            [Some(_), _] => drawn,
            [None, _] => 1 - drawn,
        };
        self.last = Some(its);
        its
    }
}

impl Iterator for Drawn {
    type Item = TraceRecord;

    fn next(&mut self) -> Option<TraceRecord> {
        self.next_io().map(|(io, _)| io)
    }
}

impl Drawn {
    fn next_record(&mut self) -> Option<TraceRecord> {
        if let Some(at) = self.pending.take() {
            let again = self
                .flush
                .as_mut()
                .is_some_and(|flush| flush.is_next(&mut self.rng));
            self.pending = again.then_some(at);
            return Some(TraceRecord {
                at,
                operation: TraceOperation::Flush,
                ..TraceRecord::default()
            });
        }
        let (at, its) = match &mut self.times {
            Some(times) => times.next(&mut self.rng)?,
            None => (Nanos(0), None),
        };
        let its = its.unwrap_or_else(|| self.operation());
        let [side, batch] = &mut self.sides[its];
        let is_of_batch = self.times.as_ref().is_some_and(ArrivalDraw::is_of_batch);
        let side = batch.as_mut().filter(|_| is_of_batch).or(side.as_mut())?;
        let (offset, length) = side.draw(&mut self.rng);
        let operation = match Operation::ALL[its] {
            Operation::Read => TraceOperation::Read,
            Operation::Write => TraceOperation::Write,
        };
        if operation == TraceOperation::Write
            && let Some(flush) = &mut self.flush
            && flush.counts(self.times.as_ref())
            && flush.is_due(&mut self.rng)
        {
            self.pending = Some(at);
        }
        Some(TraceRecord {
            at,
            offset,
            length,
            operation,
            ..TraceRecord::default()
        })
    }
}

impl FlushDraw {
    fn new(rule: &FlushRule) -> FlushDraw {
        FlushDraw {
            ends: ends(rule.writes.iter().map(|(_, _, share)| *share)),
            rule: rule.clone(),
            writes: 0.0,
            left: 0,
            last: None,
        }
    }

    /// Whether the last write counts, or is the last one of what counts once.
    fn counts(&self, times: Option<&ArrivalDraw>) -> bool {
        match self.rule.per {
            FlushPer::Write => true,
            FlushPer::Batch => !times.is_some_and(ArrivalDraw::goes_on),
            FlushPer::Single => !times.is_some_and(ArrivalDraw::is_of_batch),
        }
    }

    /// Whether the last write is one of those that wait for flushes.
    fn may_wait(&self, times: Option<&ArrivalDraw>) -> bool {
        self.rule.per != FlushPer::Single || !times.is_some_and(ArrivalDraw::is_of_batch)
    }

    /// Counts a write; returns whether a flush follows.
    fn is_due(&mut self, rng: &mut Rng) -> bool {
        let every = self.rule.every.unwrap_or(1.0); // absent with lengths
        if self.rule.regular {
            self.writes += 1.0;
            let due = self.writes >= every - 0.5;
            self.writes -= if due { every } else { 0.0 };
            return due;
        }
        if self.ends.is_empty() {
            return rng.unit() < 1.0 / every;
        }
        if self.left == 0 {
            self.left = self.length(rng).max(1);
        }
        self.left -= 1;
        self.left == 0
    }

    /// Returns whether a flush follows the last one without a write in between.
    fn is_next(&mut self, rng: &mut Rng) -> bool {
        if self.rule.regular || self.ends.is_empty() {
            return false;
        }
        self.left = self.length(rng);
        self.left == 0
    }

    fn length(&self, rng: &mut Rng) -> u64 {
        let (from, to, _) = self.rule.writes[chosen(&self.ends, rng)];
        from + rng.below(to - from + 1)
    }

    /// Returns what a flush waits for: the I/O before it, which is a write or a flush.
    fn follow(&mut self, number: u64) -> TraceDependency {
        self.last = Some(number);
        match self.rule.after {
            Some(gap) if number > 0 => TraceDependency {
                back: 1,
                completed: true,
                gap,
                barrier: 0,
            },
            _ => TraceDependency::default(),
        }
    }

    /// Returns what a read or write waits for: the last flush, or nothing.
    fn wait(&self, io: &TraceRecord, number: u64, rng: &mut Rng) -> TraceDependency {
        let share = match io.operation {
            TraceOperation::Write => self.rule.writes_wait,
            _ => self.rule.reads_wait,
        };
        let waits = share > 0.0 && rng.unit() * 100.0 < share;
        let back = self.last.map(|last| number - last);
        let back = back.filter(|&back| waits && back < u64::from(DEPENDENCY_WINDOW));
        TraceDependency {
            barrier: back.map_or(0, |back| back as u32),
            ..TraceDependency::default()
        }
    }
}

impl SideDraw {
    fn new(side: &Side, range: u64, scale: f64) -> SideDraw {
        let unit = side.align.0.max(BLOCK).min(range);
        let shares = |runs: &[(u64, u64, f64)]| ends(runs.iter().map(|(_, _, share)| *share));
        let runs = match side.runs.is_empty() {
            true => vec![(1, 1, 100.0)],
            false => side.runs.clone(),
        };
        let total: f64 = runs.iter().map(|(_, _, share)| share).sum();
        let mean = runs
            .iter()
            .map(|&(from, to, share)| (from + to) as f64 / 2.0 * share / total);
        SideDraw {
            align: side.align.0,
            unit,
            range,
            sizes: Sizes::new(&side.sizes),
            run_sizes: Sizes::new(match side.run_sizes.is_empty() {
                true => &side.sizes,
                false => &side.run_sizes,
            }),
            same_size: side.same_size / 100.0,
            places: PlaceDraw::new(&side.places, range / unit, scale),
            runs: RunDraw {
                ends: shares(&runs),
                same_run: side.same_run / 100.0,
                overlaps: (!side.overlaps.is_empty()).then(|| {
                    let some: f64 = side.overlaps.iter().map(|(_, share)| share).sum();
                    let mut all = side.overlaps.clone();
                    all.push((Bytes(0), (100.0 - some).max(0.0)));
                    Sizes::new(&all)
                }),
                begins: 1.0 / mean.sum::<f64>(),
                lengths: runs.iter().map(|&(from, to, _)| (from, to)).collect(),
                credit: 0.0,
                open_max: side.open_runs as usize,
                open: Vec::new(),
                in_run: false,
                waiting: Vec::new(),
            },
        }
    }

    /// Draws an I/O: its offset and length.
    fn draw(&mut self, rng: &mut Rng) -> (u64, u64) {
        self.runs.credit += self.runs.begins;
        let begins = self.runs.begins + HOLD * (self.runs.credit - self.runs.begins);
        // The run of the last I/O is the last.
        if self.runs.in_run && rng.unit() < self.runs.same_run {
            return self.next_of_run(self.runs.open.len() - 1, rng);
        }
        let others = self.runs.open.len() - usize::from(self.runs.in_run);
        if others > 0 && rng.unit() >= begins {
            return self.next_of_run(rng.below(others as u64) as usize, rng);
        }
        let space = self.runs.open.len() < self.runs.open_max;
        let length = match self.runs.waiting.pop() {
            Some(length) if space => length,
            waited => {
                self.runs.waiting.extend(waited);
                let (from, to) = self.runs.lengths[chosen(&self.runs.ends, rng)];
                from + rng.below(to - from + 1)
            }
        };
        if length > 1 && !space {
            if self.runs.waiting.len() < WAITING_MAX {
                self.runs.waiting.push(length);
            }
            return self.next_of_run(rng.below(self.runs.open.len() as u64) as usize, rng);
        }
        self.runs.credit -= 1.0;
        self.runs.in_run = length > 1;
        let sizes = if length > 1 {
            &self.run_sizes
        } else {
            &self.sizes
        };
        let size = sizes.draw(rng);
        let mut offset = self.places.draw(rng) * self.unit;
        if self.align < self.unit {
            offset += rng.below(self.unit / self.align) * self.align;
        }
        let most = (self.range - size) / self.align * self.align;
        let offset = offset.min(most);
        if length > 1 {
            self.runs.open.push(OpenRun {
                next: offset + size,
                size,
                left: length - 1,
            });
        }
        (offset, size)
    }

    /// Continues one of the open runs, which becomes the last.
    fn next_of_run(&mut self, which: usize, rng: &mut Rng) -> (u64, u64) {
        let place = self.runs.open.len() - 1;
        self.runs.open.swap(which, place);
        let size = match rng.unit() < self.same_size {
            true => self.runs.open[place].size,
            false => self.run_sizes.draw(rng),
        };
        let overlaps = self.runs.overlaps.as_ref();
        let again = overlaps.map_or(0, |overlaps| overlaps.draw(rng));
        let run = &mut self.runs.open[place];
        let mut offset = run.next - again.min(run.size).min(size);
        if offset + size > self.range {
            // At the end of the range it goes on at the start.
            offset = 0;
        }
        (run.next, run.size, run.left) = (offset + size, size, run.left - 1);
        self.runs.in_run = run.left > 0;
        if !self.runs.in_run {
            self.runs.open.pop();
        }
        (offset, size)
    }
}

impl Sizes {
    fn new(sizes: &[(Bytes, f64)]) -> Sizes {
        Sizes {
            sizes: sizes.iter().map(|(size, _)| size.0).collect(),
            ends: ends(sizes.iter().map(|(_, share)| *share)),
        }
    }

    fn draw(&self, rng: &mut Rng) -> u64 {
        self.sizes[chosen(&self.ends, rng)]
    }
}
