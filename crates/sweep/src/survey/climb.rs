//! Which load of a workload gives most information next, in a closed loop.
//!
//! # The method
//!
//! The lightest load gives the service time, the deepest the saturated rate. Their product is where they would meet if
//! nothing else stood between them: N* = X·R, the asymptotic bound of operational analysis (Denning and Buzen, "The
//! Operational Analysis of Queueing Network Models", Computing Surveys 10 (1978); Lazowska et al., "Quantitative System
//! Performance", chapter 5). So the third cell is run there and not in the middle, and the *knee* (the lightest load that
//! reaches 95% of the peak) is bracketed from it by halving the gap on the logarithmic ladder until it is one doubling.
//!
//! One doubling beyond the knee is always run: a target that falls off a cliff at depth has a low saturated rate, and the
//! load that reaches that rate on the way up looks like a knee. Only if doubling brings nothing is it one. Where the
//! deepest load is slower than the best one, the neighbours of the best are run.
//!
//! What another workload of the same kind has shown (the ceiling that block sizes share) stands in for the deepest load: a
//! load that reaches the ceiling needs no deeper one to prove it.
//!
//! A target that is so slow that it would go on answering for seconds after a cell is not asked so much: from the rate that
//! was seen follows how long it takes for what is in flight.
//!
//! Two results that cannot both be true are repeated, each once: a rate far below that of a lighter load, and a rate
//! above what the service time allows.

use super::load::Load;
use super::row::{Cell, Row};
use analysis::{GAIN_MIN, KNEE_SHARE, PLATEAU_MIN};

/// A load that reaches this share of the ceiling is on it.
const ROOF_SHARE: f64 = 0.97;
/// A meeting point that is above a rung by less than this, in doublings, is on it: latencies scatter.
const JUST_ABOVE: f64 = 0.2;
/// Where the last doubling brought less, nothing worth a cell lies beyond.
const STILL_BENDS: f64 = 1.01;
/// More than Little's law allows from the service time, by this much, is a contradiction: latencies scatter.
const BEYOND_LITTLE: f64 = 1.25;
/// Longest that a target may go on answering what is in flight when a cell ends, in seconds: as long as the longest cell.
const DRAIN_MAX_S: f64 = 5.0;
/// Runs of one load, at most, for a contradiction.
const REPEATS: u32 = 2;

/// Why a cell is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// One I/O at a time: the service time.
    ServiceTime,
    /// The deepest load: the saturated rate.
    Top,
    /// Near where the knee must be.
    Knee,
    /// Whether more than the knee brings more.
    Beyond,
    /// Next to the best load, where deeper ones are slower.
    Peak,
    /// More threads: the tool was the limit, or the deepest load still gained.
    Threads,
    /// Two results contradict each other.
    Contradiction,
    /// The best load once more, when all workloads of its kind are known: whether the target is still like itself.
    Again,
    /// Its interval is wider than asked.
    Precision,
    /// The whole grid was asked for.
    Grid,
    /// An arrival rate near the one that keeps the latency asked for.
    Goal,
    /// Requested in addition to the workloads.
    Beside,
}

impl Why {
    /// In a few words, for the progress line and the report.
    pub const fn words(self) -> &'static str {
        match self {
            Why::ServiceTime => "service time",
            Why::Top => "saturated rate",
            Why::Knee => "looking for the knee",
            Why::Beyond => "whether more brings more",
            Why::Peak => "looking for the peak",
            Why::Threads => "whether more threads bring more",
            Why::Contradiction => "again: two results contradict each other",
            Why::Again => "again, some time later: whether it is still so",
            Why::Precision => "again: its interval is too wide",
            Why::Grid => "the whole grid",
            Why::Goal => "search for the highest rate within the latency",
            Why::Beside => "requested extra check",
        }
    }
}

/// The loads that may be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// The lightest first; more threads at the deepest come after it.
    pub(crate) ladder: Vec<Load>,
    /// Threads, at most.
    pub(crate) threads_max: u32,
    /// I/Os in flight over all threads, at most.
    pub(crate) in_flight_max: u32,
}

impl Limits {
    /// Without the loads that a target as slow as this one would answer for too long after their time. What it does with
    /// more in flight shows how far it may go.
    pub(super) fn of_a_slow_target(&self, row: &Row) -> Limits {
        let rates = row.cells.iter().map(|cell| cell.rate);
        let in_flight_max = match rates.fold(0.0, f64::max) {
            0.0 => u32::MAX, // nothing is known of it
            rate => (DRAIN_MAX_S * rate) as u32,
        };
        let allowed = |load: &Load| load.in_flight() <= in_flight_max;
        let was_run = |load: &Load| row.at(*load).is_some();
        let last = self
            .ladder
            .iter()
            .rposition(|load| allowed(load) || was_run(load));
        Limits {
            ladder: self.ladder[..=last.unwrap_or(0)].to_vec(),
            in_flight_max,
            ..*self
        }
    }
}

/// A workload's results on the rungs of its ladder.
pub(super) struct Climb<'a> {
    row: &'a Row,
    ladder: &'a [Load],
    roof: Option<f64>,
}

impl<'a> Climb<'a> {
    /// `ceiling` is the peak that others of its kind foretell.
    pub(super) fn on(row: &'a Row, ladder: &'a [Load], roof: Option<f64>) -> Climb<'a> {
        Climb { row, ladder, roof }
    }

    /// The next rung, or `None` when they are known.
    pub(super) fn next(&self) -> Option<(Load, Why)> {
        self.ends()
            .or_else(|| self.knee())
            .or_else(|| self.beyond())
            .or_else(|| self.peak())
            .or_else(|| self.contradiction())
    }

    fn cell(&self, rung: usize) -> Option<&Cell> {
        self.row.at(*self.ladder.get(rung)?)
    }

    /// Rungs that were run, the lightest first.
    fn run(&self) -> impl DoubleEndedIterator<Item = (usize, &Cell)> {
        (0..self.ladder.len()).filter_map(|rung| Some((rung, self.cell(rung)?)))
    }

    /// An unmeasured rung as an answer.
    fn ask(&self, rung: usize, why: Why) -> Option<(Load, Why)> {
        let load = *self.ladder.get(rung)?;
        self.row.at(load).is_none().then_some((load, why))
    }

    /// Where service time and peak would meet, as a rung.
    fn meeting(&self, peak: f64) -> Option<usize> {
        let in_flight = peak * self.cell(0)?.latency_s;
        let rung = (in_flight.max(1.0).log2() - JUST_ABOVE).ceil().max(0.0) as usize;
        Some(rung.min(self.ladder.len() - 1))
    }

    /// The lightest load and the deepest, or one that represents the deepest.
    fn ends(&self) -> Option<(Load, Why)> {
        let Some(_) = self.cell(0) else {
            return self.ask(0, Why::ServiceTime);
        };
        if let Some(roof) = self.roof {
            let on_roof = self.run().any(|(_, cell)| cell.rate >= ROOF_SHARE * roof);
            if on_roof {
                return None;
            }
            let foretold = self.ask(self.meeting(roof)?, Why::Knee);
            if foretold.is_some() {
                return foretold;
            }
        }
        self.ask(self.ladder.len() - 1, Why::Top)
    }

    fn peak_rate(&self) -> f64 {
        self.run().map(|(_, cell)| cell.rate).fold(0.0, f64::max)
    }

    /// The lightest rung that was run and reaches the knee's share of the peak.
    fn reached(&self) -> Option<usize> {
        let enough = KNEE_SHARE * self.peak_rate();
        self.run()
            .find(|(_, cell)| cell.rate >= enough)
            .map(|(rung, _)| rung)
    }

    /// Halves the gap below the lightest rung that reaches the peak.
    fn knee(&self) -> Option<(Load, Why)> {
        let high = self.reached()?;
        let low = self
            .run()
            .map(|(rung, _)| rung)
            .rfind(|rung| *rung < high)?;
        let meeting = self.meeting(self.peak_rate())?;
        // What was run between may lie beyond a cliff: where the bounds meet the rate is seen before it.
        if meeting < low
            && let Some(answer) = self.ask(meeting, Why::Knee)
        {
            return Some(answer);
        }
        if high - low < 2 {
            return None;
        }
        let rung = if low < meeting && meeting < high {
            meeting
        } else {
            low + (high - low) / 2
        };
        self.ask(rung, Why::Knee)
    }

    /// One doubling beyond the knee; and the deepest, where a ceiling stood in for it but the last doubling still gained.
    fn beyond(&self) -> Option<(Load, Why)> {
        let beyond = self.ask(self.reached()? + 1, Why::Beyond);
        beyond.or_else(|| {
            let (last, cell) = self.run().next_back()?;
            let (_, before) = self.run().rfind(|(rung, _)| *rung < last)?;
            let bends = cell.rate > STILL_BENDS * before.rate;
            if bends {
                self.ask(self.ladder.len() - 1, Why::Top)
            } else {
                None
            }
        })
    }

    /// The neighbours of the best, where a deeper one is slower.
    pub(super) fn peak(&self) -> Option<(Load, Why)> {
        let (best, cell) = self
            .run()
            .max_by(|(_, a), (_, b)| a.rate.total_cmp(&b.rate))?;
        let falls = self
            .run()
            .any(|(rung, other)| rung > best && other.rate * GAIN_MIN < cell.rate);
        if !falls {
            return None;
        }
        self.ask(best + 1, Why::Peak)
            .or_else(|| self.ask(best.checked_sub(1)?, Why::Peak))
    }

    fn contradiction(&self) -> Option<(Load, Why)> {
        let again =
            |cell: &Cell| (cell.runs() < REPEATS).then_some((cell.load, Why::Contradiction));
        let mut best = 0.0f64;
        for (_, cell) in self.run() {
            if cell.rate < PLATEAU_MIN * best
                && !self.row.lasting
                && let Some(answer) = again(cell)
            {
                return Some(answer);
            }
            best = best.max(cell.rate);
        }
        let one = self.cell(0)?;
        let allowed = |load: Load| f64::from(load.in_flight()) / one.latency_s * BEYOND_LITTLE;
        let beyond = self.run().any(|(_, cell)| cell.rate > allowed(cell.load));
        if beyond { again(one) } else { None }
    }
}
