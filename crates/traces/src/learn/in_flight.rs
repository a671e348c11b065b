//! How many I/Os are in flight when one arrives, and how long after a completion it does.
//!
//! Omitted: what follows from it (`arrivals`).

use model::trace::TraceRecord;
use model::{LatencyHistogram, Nanos};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Depths above this are counted as this.
const DEPTH_MAX: usize = 1024;
/// Completions that are kept: of more I/Os in flight the depth is not known, and memory is bounded.
const OPEN_MAX: usize = 1 << 16;
/// So many arrivals decide.
const ARRIVALS_MIN: u64 = 100;
/// So many arrivals, one in this, may find more in flight than the most that is kept: an I/O whose completion was lost.
const ABOVE_CAP: u64 = 1000;
/// The part of the arrivals that come soon after a completion in a closed loop.
const MOST: f64 = 0.75;

/// What was seen of the I/Os in flight so far.
#[derive(Debug)]
pub(crate) struct InFlight {
    open: BinaryHeap<Reverse<Nanos>>, // completions
    last_done: Option<Nanos>,
    now: Nanos,
    arrivals: Vec<u64>, // by the number in flight with it
    time: Vec<u64>,     // ns, by the number in flight
    think: LatencyHistogram,
    thinks: Moments,
    before: Option<(Nanos, Nanos)>, // arrival and latency of the I/O before
    pairs: Pairs,
    unknown: u64,
}

/// Sums for the correlation of a latency with the gap to the next arrival.
#[derive(Clone, Copy, Debug, Default)]
struct Pairs {
    n: f64,
    x: f64,
    y: f64,
    xx: f64,
    yy: f64,
    xy: f64,
}

/// What a closed loop shows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refilling {
    /// The number in flight that most arrivals make.
    pub(crate) depth: u32,
    /// Share of the arrivals that make it.
    pub(crate) refills: f64,
    /// Share of the time with so many in flight.
    pub(crate) at_most: f64,
    /// The most in flight, but for one arrival in a thousand, and the share of the arrivals that make it: where arrivals
    /// wait for nothing, it is small.
    pub(crate) cap: u32,
    pub(crate) at_cap: f64,
    /// From the last completion to an arrival: three in four are at most this, so that pairs, of which the second follows
    /// the completion of the first, are no closed loop.
    pub(crate) most_think: Nanos,
    pub(crate) mean_think: Nanos,
    /// Correlation of a latency with the gap to the next arrival.
    pub(crate) follows: Option<f64>,
}

impl Default for InFlight {
    fn default() -> InFlight {
        InFlight {
            open: BinaryHeap::new(),
            last_done: None,
            now: Nanos(0),
            arrivals: vec![0; DEPTH_MAX + 1],
            time: vec![0; DEPTH_MAX + 1],
            think: LatencyHistogram::new(),
            thinks: Moments::default(),
            before: None,
            pairs: Pairs::default(),
            unknown: 0,
        }
    }
}

impl InFlight {
    /// Takes the next I/O; their times ascend. `spent` gets each number in flight with its duration.
    pub(crate) fn take(&mut self, record: &TraceRecord, spent: &mut dyn FnMut(usize, Nanos)) {
        let Some(latency) = record.latency else {
            self.unknown += 1;
            return;
        };
        self.advance(record.at, spent);
        if let Some(done) = self.last_done {
            let think = record.at.minus(done);
            self.think.record(think);
            self.thinks.add(think.0 as f64);
        }
        if let Some((at, before)) = self.before.replace((record.at, latency)) {
            self.pairs
                .add(before.0 as f64, record.at.minus(at).0 as f64);
        }
        if self.open.len() < OPEN_MAX {
            self.open.push(Reverse(record.at.plus(latency)));
        }
        self.arrivals[self.open.len().min(DEPTH_MAX)] += 1;
    }

    /// Lets the time pass.
    fn advance(&mut self, to: Nanos, spent: &mut dyn FnMut(usize, Nanos)) {
        while let Some(&Reverse(done)) = self.open.peek()
            && done <= to
        {
            self.spend(done, spent);
            self.open.pop();
            self.last_done = Some(done);
        }
        self.spend(to, spent);
    }

    fn spend(&mut self, to: Nanos, spent: &mut dyn FnMut(usize, Nanos)) {
        let (depth, time) = (self.open.len().min(DEPTH_MAX), to.minus(self.now));
        self.time[depth] += time.0;
        spent(depth, time);
        self.now = self.now.max(to);
    }

    /// Returns the most in flight but for one arrival in a thousand; `None` if more than one in a hundred I/Os has no latency.
    pub(crate) fn most(&self) -> Option<u32> {
        let total: u64 = self.arrivals.iter().sum();
        (total > 0 && self.unknown <= total / 100).then(|| self.cap(total))
    }

    fn cap(&self, total: u64) -> u32 {
        let mut below = 0;
        let reaches = |&ios: &u64| {
            below += ios;
            total - below <= total / ABOVE_CAP
        };
        self.arrivals.iter().position(reaches).unwrap_or(DEPTH_MAX) as u32
    }

    /// Returns what a closed loop shows; `None` without enough latencies, or with too many in flight.
    pub(crate) fn summary(&self) -> Option<Refilling> {
        let total: u64 = self.arrivals.iter().sum();
        if total < ARRIVALS_MIN || self.unknown > total / 100 {
            return None;
        }
        let depths = self.arrivals.iter().enumerate();
        let (depth, &most) = depths.max_by_key(|(_, ios)| **ios)?;
        if depth == DEPTH_MAX {
            return None; // of several depths, which are not known
        }
        let all: u64 = self.time.iter().sum();
        let cap = self.cap(total);
        Some(Refilling {
            cap,
            at_cap: self.arrivals[cap as usize] as f64 / total as f64,
            depth: depth as u32,
            refills: most as f64 / total as f64,
            at_most: self.time[depth] as f64 / all.max(1) as f64,
            most_think: self.think.quantile(MOST)?,
            mean_think: Nanos(self.thinks.mean() as u64),
            follows: self.pairs.correlation(),
        })
    }
}

impl Pairs {
    fn add(&mut self, x: f64, y: f64) {
        self.n += 1.0;
        self.x += x;
        self.y += y;
        self.xx += x * x;
        self.yy += y * y;
        self.xy += x * y;
    }

    fn correlation(&self) -> Option<f64> {
        let (mx, my) = (self.x / self.n, self.y / self.n);
        let (vx, vy) = (self.xx / self.n - mx * mx, self.yy / self.n - my * my);
        (vx > 0.0 && vy > 0.0).then(|| (self.xy / self.n - mx * my) / (vx * vy).sqrt())
    }
}

/// Count, sum and sum of squares.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moments {
    pub(crate) n: f64,
    sum: f64,
    squares: f64,
}

impl Moments {
    pub(crate) fn add(&mut self, value: f64) {
        self.n += 1.0;
        self.sum += value;
        self.squares += value * value;
    }

    pub(crate) fn mean(&self) -> f64 {
        self.sum / self.n.max(1.0)
    }

    /// Standard deviation over mean.
    pub(crate) fn variation(&self) -> f64 {
        let mean = self.mean();
        (self.squares / self.n.max(1.0) - mean * mean)
            .max(0.0)
            .sqrt()
            / mean.max(1e-9)
    }
}
