//! How far a test is, from its runs so far: rounds, steady state, and which run is next.
//!
//! Pure: the same runs give the same answer, so that a test that was killed between two runs goes on as if it had not been.
//! A round counts when all its cells are there. A round that was interrupted is begun again; after a rest of more than five
//! minutes the rounds of its part are, because a drive recovers in idle times. Omitted: what a run is asked for (`sweep`).

use super::definition::{PtsDefinition, PtsMetric, PtsPart, PtsPartKind, PtsRole, PtsTest};
use super::measured::{PtsRun, PtsStep};
use crate::steady_state::first_steady;
use model::{Bytes, Nanos};

/// A drive that rested longer is not in the state any more that its rounds had brought about.
pub const REST_MAX: Nanos = Nanos::seconds(300);
/// Write saturation ends when so many times the range were written.
const RANGES_WRITTEN_MAX: u64 = 4;

/// A part with the runs that count.
#[derive(Clone, Debug)]
pub struct PtsProgress<'a> {
    /// The part.
    pub part: &'a PtsPart,
    /// Which series counts. // from 1
    pub series: u32,
    /// Each with its cells in the order of the part; of parts without rounds one, with those that are there.
    pub rounds: Vec<Vec<&'a PtsRun>>,
    /// The runs of the round that is not complete.
    pub begun: Vec<&'a PtsRun>,
    /// In how many rounds steady state was reached.
    pub reached: Option<u32>,
    /// Nothing of it is left.
    pub done: bool,
    /// Where the next run belongs, but for its cell.
    next: PtsStep,
}

/// What the end of a part depends on, besides its rounds.
#[derive(Clone, Copy, Debug)]
pub struct PtsEnd {
    /// Bytes of the range that is used.
    pub range: Bytes,
    /// Of how many the range is twice the sum, scaled.
    pub scale: f64,
}

/// What is known besides the runs.
#[derive(Clone, Debug, PartialEq)]
pub struct PtsContext {
    /// What the operator states about the purge.
    pub purge: PtsPurge,
    /// Times are multiplied by one part in so many.
    pub scale_divisor: u32,
    /// The range that is used.
    pub range_bytes: u64,
    /// The capacity of the target.
    pub capacity_bytes: u64,
    /// It was interrupted, or is not finished.
    pub interrupted: bool,
    /// What ended it early.
    pub failure: Option<String>,
}

impl PtsContext {
    /// Factor of all times.
    pub fn scale(&self) -> f64 {
        1.0 / f64::from(self.scale_divisor.max(1))
    }

    /// What the end of parts depends on.
    pub fn end(&self) -> PtsEnd {
        PtsEnd {
            range: Bytes(self.range_bytes),
            scale: self.scale(),
        }
    }
}

/// What the operator states about the purge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PtsPurge {
    /// It was done before the test.
    Done,
    /// It was not done.
    NotDone,
}

impl PtsPurge {
    /// As reports have it. fathom purges no drive.
    pub const fn statement(self) -> &'static str {
        match self {
            PtsPurge::Done => {
                "done before the test, as the operator states; fathom did not check it"
            }
            PtsPurge::NotDone => "not done; fathom does not purge drives",
        }
    }
}

impl<'a> PtsProgress<'a> {
    /// Of one part. `from` is where a resumed test goes on.
    fn of(
        definition: &'a PtsDefinition,
        number: u32,
        runs: &'a [PtsRun],
        from: Option<PtsStep>,
    ) -> PtsProgress<'a> {
        let part = &definition.parts[number as usize];
        let from = from.filter(|from| from.part == number);
        let usable = |run: &&PtsRun| run.step.part == number && run.trouble.is_none();
        let own: Vec<&PtsRun> = runs.iter().filter(usable).collect();
        let series = own.iter().map(|run| run.step.series);
        let series = series
            .chain(from.map(|from| from.series))
            .max()
            .unwrap_or(1);
        let own: Vec<&PtsRun> = own
            .into_iter()
            .filter(|run| run.step.series == series)
            .collect();
        let mut progress = PtsProgress {
            part,
            series,
            rounds: Vec::new(),
            begun: Vec::new(),
            reached: None,
            done: false,
            next: PtsStep {
                part: number,
                series,
                round: 0,
                attempt: 1,
                cell: 0,
            },
        };
        match part.kind {
            PtsPartKind::Rounds => progress.count_rounds(&own, from),
            PtsPartKind::Precondition | PtsPartKind::Once => progress.count_cells(&own, from),
        }
        progress
    }

    fn count_rounds(&mut self, own: &[&'a PtsRun], from: Option<PtsStep>) {
        let cells = self.part.cells.len();
        for round in 1.. {
            let of_round = own.iter().filter(|run| run.step.round == round);
            let attempt = of_round.clone().map(|run| run.step.attempt);
            let resumed = from.filter(|from| from.series == self.series && from.round == round);
            let attempt = attempt.chain(resumed.map(|from| from.attempt)).max();
            let attempt = attempt.unwrap_or(1);
            let mut there: Vec<&PtsRun> = of_round
                .filter(|run| run.step.attempt == attempt)
                .copied()
                .collect();
            there.sort_by_key(|run| run.step.cell);
            self.next.round = round;
            self.next.attempt = attempt;
            if there.len() < cells || cells == 0 {
                self.begun = there;
                break;
            }
            self.rounds.push(there);
        }
        self.reached = self.first_steady();
        let rounds = u32::try_from(self.rounds.len()).unwrap_or(u32::MAX);
        self.done = cells == 0 || self.reached.is_some() || rounds >= self.part.rounds_max;
    }

    fn count_cells(&mut self, own: &[&'a PtsRun], from: Option<PtsStep>) {
        let attempts = own.iter().map(|run| run.step.attempt);
        let attempts = attempts.chain(from.map(|from| from.attempt));
        self.next.attempt = attempts.max().unwrap_or(1);
        let mut there: Vec<&PtsRun> = own.to_vec();
        there.sort_by_key(|run| run.step.cell);
        self.done = there.len() >= self.part.cells.len();
        match self.done {
            true => self.rounds.push(there),
            false => self.begun = there,
        }
    }

    /// The values of each round of a cell.
    pub fn values(&self, cell: usize, metric: PtsMetric) -> Vec<f64> {
        let rounds = self.rounds.iter().filter_map(|round| round.get(cell));
        rounds.map(|run| run.value(metric)).collect()
    }

    /// Places of the cells that decide about steady state.
    pub fn tracked(&self) -> Vec<usize> {
        let cells = self.part.cells.iter().enumerate();
        let tracked = cells.filter(|(_, cell)| cell.role == PtsRole::Tracked);
        tracked.map(|(place, _)| place).collect()
    }

    fn first_steady(&self) -> Option<u32> {
        let tracked = self.tracked().into_iter();
        let series: Vec<Vec<f64>> = tracked
            .map(|cell| self.values(cell, self.part.metric))
            .collect();
        let series: Vec<&[f64]> = series.iter().map(Vec::as_slice).collect();
        first_steady(&series).and_then(|rounds| u32::try_from(rounds).ok())
    }

    /// The runs that count, in their order.
    pub fn counted(&self) -> impl Iterator<Item = &'a PtsRun> {
        self.rounds.iter().flatten().chain(&self.begun).copied()
    }

    fn written(&self) -> u64 {
        self.counted().map(|run| run.written_bytes).sum()
    }
}

/// Every part as far as it is.
pub fn progress<'a>(
    definition: &'a PtsDefinition,
    runs: &'a [PtsRun],
    from: Option<PtsStep>,
    end: PtsEnd,
) -> Vec<PtsProgress<'a>> {
    let numbers = 0..u32::try_from(definition.parts.len()).unwrap_or(0);
    let part = |number| {
        let mut part = PtsProgress::of(definition, number, runs, from);
        if definition.test == PtsTest::Wsat {
            let most = end.range.0.saturating_mul(RANGES_WRITTEN_MAX) as f64 * end.scale;
            part.done |= part.written() as f64 >= most && !part.rounds.is_empty();
        }
        part
    };
    numbers.map(part).collect()
}

/// The next run; none where nothing is left.
pub fn next_step(parts: &[PtsProgress<'_>]) -> Option<PtsStep> {
    let part = parts.iter().find(|part| !part.done)?;
    let there = |cell: u32| part.begun.iter().any(|run| run.step.cell == cell);
    let cells = 0..u32::try_from(part.part.cells.len()).unwrap_or(0);
    let cell = cells.into_iter().find(|cell| !there(*cell))?;
    Some(PtsStep { cell, ..part.next })
}

/// Where a test goes on that was interrupted for so long; none where it simply goes on.
pub fn resumed(parts: &[PtsProgress<'_>], rest: Nanos) -> Option<PtsStep> {
    let next = next_step(parts)?;
    let part = &parts[next.part as usize];
    let has_runs = part.counted().next().is_some();
    match part.part.kind {
        PtsPartKind::Precondition => None,
        _ if has_runs && rest > REST_MAX => Some(PtsStep {
            series: next.series + 1,
            round: next.round.min(1),
            attempt: 1,
            cell: 0,
            ..next
        }),
        PtsPartKind::Rounds if !part.begun.is_empty() => Some(PtsStep {
            attempt: next.attempt + 1,
            cell: 0,
            ..next
        }),
        PtsPartKind::Rounds | PtsPartKind::Once => None,
    }
}

#[cfg(test)]
#[allow(clippy::needless_pass_by_value, reason = "tests read better")]
mod tests {
    use super::super::definition::PtsLoad;
    use super::super::measured::PtsFigures;
    use super::*;
    use model::Ratio;

    const END: PtsEnd = PtsEnd {
        range: Bytes::gib(1),
        scale: 1.0,
    };

    fn definition(test: PtsTest) -> PtsDefinition {
        let load = PtsLoad {
            threads: 1,
            depth: 1,
            block: Bytes::kib(4),
            write: Ratio::ALL,
            block_least: Bytes(512),
            rounds_max: None,
        };
        PtsDefinition::of(test, &load)
    }

    fn run(step: PtsStep, value: f64) -> PtsRun {
        PtsRun {
            step,
            label: String::new(),
            figures: PtsFigures {
                iops: value,
                last_rate_per_s: value,
                bytes_per_s: value,
                latency: crate::Latency {
                    mean_ns: Some(value),
                    ..crate::Latency::default()
                },
                steps_per_s: Vec::new(),
                step_ns: 0,
            },
            written_bytes: 1 << 20,
            started_utc_ns: 0,
            busy_ns: 1,
            trouble: None,
            findings: Vec::new(),
            counters_agree: false,
            simulated: None,
        }
    }

    /// Runs a whole test whose values depend on the step; every run is interrupted by so long where `rests` has it.
    fn walk(
        definition: &PtsDefinition,
        value: impl Fn(PtsStep) -> f64,
        rest: impl Fn(usize) -> Option<Nanos>,
    ) -> Vec<PtsRun> {
        let (mut runs, mut from) = (Vec::new(), None);
        for number in 0..10_000 {
            if let Some(rest) = rest(number) {
                let parts = progress(definition, &runs, None, END);
                from = resumed(&parts, rest);
            }
            let Some(step) = next_step(&progress(definition, &runs, from, END)) else {
                return runs;
            };
            runs.push(run(step, value(step)));
        }
        panic!("it never ends");
    }

    fn level(step: PtsStep) -> f64 {
        if step.part == 1 && step.round <= 3 {
            1000.0 * f64::from(5 - step.round)
        } else {
            1000.0
        }
    }

    fn reached(definition: &PtsDefinition, runs: &[PtsRun]) -> Vec<Option<u32>> {
        let parts = progress(definition, runs, None, END);
        assert!(parts.iter().all(|part| part.done));
        parts.iter().map(|part| part.reached).collect()
    }

    #[test]
    fn a_test_ends_with_steady_state_or_with_its_last_round() {
        let iops = definition(PtsTest::Iops);
        let runs = walk(&iops, level, |_| None);
        assert_eq!(reached(&iops, &runs), [None, Some(8)]);
        assert_eq!(runs.len(), 1 + 8 * 56);
        let falling = |step: PtsStep| 1000.0 * 0.9f64.powi(step.round as i32);
        let runs = walk(&iops, falling, |_| None);
        assert_eq!(reached(&iops, &runs), [None, None]);
        assert_eq!(runs.len(), 1 + 25 * 56);
    }

    #[test]
    fn throughput_needs_both_reads_and_writes_steady() {
        let tp = definition(PtsTest::Tp);
        let reads_fall = |step: PtsStep| match (step.part, step.cell) {
            (1, 0) => 1000.0 * f64::from(10 - step.round.min(7)),
            _ => 1000.0,
        };
        let runs = walk(&tp, reads_fall, |_| None);
        assert_eq!(reached(&tp, &runs), [None, Some(11), None, Some(5)]);
    }

    #[test]
    fn a_round_that_was_interrupted_is_begun_again_and_the_others_stay() {
        let lat = definition(PtsTest::Lat);
        let whole = walk(&lat, level, |_| None);
        let within = |number| (number == 1 + 9 * 2 + 4).then_some(Nanos::seconds(60));
        let runs = walk(&lat, level, within);
        assert_eq!(runs.len(), whole.len() + 4);
        assert_eq!(reached(&lat, &runs), reached(&lat, &whole));
    }

    #[test]
    fn an_interruption_between_rounds_changes_nothing() {
        let lat = definition(PtsTest::Lat);
        let whole = walk(&lat, level, |_| None);
        let between = |number: usize| (number + 8).is_multiple_of(9).then_some(Nanos::seconds(60));
        assert_eq!(walk(&lat, level, between), whole);
    }

    #[test]
    fn after_a_long_rest_the_rounds_begin_again() {
        let lat = definition(PtsTest::Lat);
        let rest = |number| (number == 1 + 9 * 4).then_some(Nanos::seconds(301));
        let runs = walk(&lat, |_| 1000.0, rest);
        assert_eq!(runs.len(), 1 + 9 * 4 + 9 * 5);
        assert_eq!(runs.last().unwrap().step.series, 2);
        assert_eq!(reached(&lat, &runs), [None, Some(5)]);
    }

    #[test]
    fn write_saturation_ends_when_four_ranges_were_written() {
        let wsat = definition(PtsTest::Wsat);
        let falling = |step: PtsStep| 1000.0 * 0.9f64.powi(step.round as i32);
        assert_eq!(walk(&wsat, falling, |_| None).len(), 46);
        let small = PtsEnd {
            range: Bytes::mib(2),
            ..END
        };
        let runs = walk(&wsat, falling, |_| None);
        let parts = progress(&wsat, &runs[..8], None, small);
        assert!(parts[0].done && parts[0].reached.is_none());
        assert!(!progress(&wsat, &runs[..7], None, small)[0].done);
    }
}
