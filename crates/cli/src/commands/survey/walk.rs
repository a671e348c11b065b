//! Cell after cell: ask the sweep, check, run, keep, until it has no more or somebody says stop.
//!
//! What goes wrong on the way ends the walk, never the result: what was measured until then is kept and shown.

use super::command_line;
use super::deadline::Deadline;
use crate::commands::ended;
use crate::failure::{Ending, Failure};
use crate::output;
use crate::progress::Progress;
use crate::signals::Interrupt;
use engine::{Calibration, Event, Observer, SoFar, Stop};
use model::{Location, Nanos, NoResult, Outcome, Profile, RunRecord, RunResult, TargetFacts};
use session::Admission;
use session::Journal;
use session::Measure;
use session::ProvenFiles;
use session::clock::Stopwatch;
use std::cell::RefCell;
use store::{SessionOutcome, Store};
use sweep::{Measured, Point, Survey, Sweep};

/// How long after the budget a cell may still be running: the sweep plans to end within it, and is over by at most one
/// of its shortest cells.
const GRACE: Nanos = Nanos::seconds(1);

/// Everything that a walk needs.
pub(crate) struct Walk<'a> {
    pub(crate) survey: &'a Survey,
    pub(crate) budget: Nanos,
    pub(crate) gate: &'a Admission<'a>,
    pub(crate) calibration: &'a Calibration,
    /// What was proven before the first cell.
    pub(crate) ours: &'a RefCell<ProvenFiles>,
    /// The target as it was looked at last, and the raw device: reading them before each cell would take a slow device's
    /// whole budget.
    pub(crate) known: &'a [TargetFacts],
    pub(crate) journal: &'a Journal<&'a Store>,
    pub(crate) progress: &'a Progress,
    pub(crate) stop: &'a Stop,
    pub(crate) interrupt: &'a Interrupt,
}

/// What came of it.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    /// Every cell, in order.
    pub(crate) done: Vec<Measured>,
    /// Somebody ended it before its time.
    pub(crate) interrupted: bool,
    /// The budget ended in the middle of a cell, which is left out.
    pub(crate) cut: bool,
    /// How long it took.
    pub(crate) took: Nanos,
    trouble: Option<Failure>,
}

impl Walk<'_> {
    pub(crate) fn walk(&self) -> Walked {
        let watch = Stopwatch::start();
        let mut walked = Walked::default();
        if let Err(failure) = self.go(&mut walked) {
            walked.trouble = Some(failure);
        }
        walked.took = watch.elapsed();
        self.progress.finish();
        walked
    }

    fn go(&self, walked: &mut Walked) -> Result<(), Failure> {
        let deadline = Deadline::set(self.budget.plus(GRACE), self.stop)
            .map_err(|error| Failure::failed(format!("the budget cannot be kept: {error}")))?;
        while let Some(point) = self.survey.next(&walked.done) {
            if self.stop.asked() {
                walked.interrupted = self.interrupt.asked();
                walked.cut = deadline.struck();
                return Ok(());
            }
            let watch = Stopwatch::start();
            self.progress
                .cell(title(&point), self.survey.time_left(&walked.done));
            let label = point.label.clone();
            let record = self.run(point)?;
            if record.outcome == Outcome::Interrupted && !self.interrupt.asked() {
                walked.cut = true;
                return Ok(());
            }
            self.journal.save(&label, &record);
            let outcome = record.outcome.clone();
            let cost = cost(&record, watch.elapsed());
            walked.done.push(Measured::new(label, record, cost));
            match outcome {
                Outcome::Complete => {}
                Outcome::Interrupted => {
                    walked.interrupted = true;
                    return Ok(());
                }
                Outcome::Failed(_) => return Ok(()),
            }
        }
        Ok(())
    }

    fn run(&self, point: Point) -> Result<RunRecord, Failure> {
        let onlooker = Onlooker {
            progress: self.progress,
            precision: point.precision,
        };
        let profile = Profile {
            timespans: vec![point.timespan],
        };
        let passed = self.gate.check_again(&profile, self.known)?.remove(0);
        let measure = Measure {
            admission: self.gate,
            calibration: self.calibration,
            profile: &profile,
            command: command_line(),
            observer: &onlooker,
            stop: self.stop,
        };
        measure.run(passed, &mut self.ours.borrow_mut(), |_| {})
    }
}

/// What a cell takes of the budget. In simulated time that is its own: nobody waits for it, and which cells are run must
/// not depend on how fast this machine simulates.
fn cost(record: &RunRecord, elapsed: Nanos) -> Nanos {
    let mut locations = record.plan.targets.iter().map(|target| &target.location);
    match locations.any(|at| matches!(at, Location::Simulated(_))) {
        true => record.plan.phases.warmup.plus(record.phases.measured()),
        false => elapsed,
    }
}

/// What a cell is, for the line that is drawn meanwhile.
fn title(point: &Point) -> String {
    match point.timespan.arrivals {
        Some(arrivals) => format!("{}, {} a second", point.label, arrivals.per_s),
        None if point.load.threads > 1 => format!(
            "{}, {} x {}",
            point.label, point.load.threads, point.load.depth
        ),
        None => format!("{}, depth {}", point.label, point.load.depth),
    }
}

/// Draws what goes on, and has enough once the rate is known well enough.
struct Onlooker<'a> {
    progress: &'a Progress,
    precision: Option<f64>,
}

impl Observer for Onlooker<'_> {
    fn on(&self, event: Event<'_>) {
        self.progress.on(event);
    }

    fn enough(&self, so_far: &[SoFar]) -> bool {
        self.precision.is_some_and(|wanted| {
            let readings: Vec<(Nanos, u64)> =
                so_far.iter().map(|one| (one.elapsed, one.ios)).collect();
            sweep::is_tight(&readings, wanted)
        })
    }
}

impl Walked {
    /// How the session ended.
    pub(crate) fn outcome(&self) -> SessionOutcome {
        if self.trouble.is_some() || self.failed_cell().is_some() {
            SessionOutcome::Failed
        } else if self.interrupted {
            SessionOutcome::Interrupted
        } else if self.no_result().is_some() {
            SessionOutcome::Failed
        } else {
            SessionOutcome::Complete
        }
    }

    /// Says what a program that reads only the exit code and standard error has to know.
    pub(crate) fn tell(&self) -> Ending {
        if self.cut {
            output::tell(
                "note: the budget ended in the middle of a cell; that cell is left out: say a longer --budget",
            );
        }
        if let Some(record) = self.failed_cell() {
            ended::tell(record);
            output::tell("the survey ended there: the result holds what was measured until then");
        } else if let Some(failure) = &self.trouble {
            crate::failure::tell(failure);
        } else if self.interrupted {
            output::tell("interrupted: the result holds what was measured until then");
        }
        if let Some(why) = self.no_result() {
            ended::tell_lost(why);
        }
        match self.outcome() {
            SessionOutcome::Complete => Ending::Good,
            _ => Ending::Wrong,
        }
    }

    /// What ended it outside of a cell.
    pub(crate) fn trouble(&self) -> Option<&Failure> {
        self.trouble.as_ref()
    }

    /// Labels and records, for the report.
    pub(crate) fn cells(&self) -> Vec<(String, RunRecord)> {
        let cells = self.done.iter();
        cells
            .map(|cell| (cell.label.clone(), cell.record.clone()))
            .collect()
    }

    /// Why there is no result though nobody ended it: I/Os were never answered, or none completed in any cell.
    fn no_result(&self) -> Option<NoResult<'_>> {
        let records = self.done.iter().map(|cell| &cell.record);
        let lost: u64 = records.clone().map(RunRecord::unanswered).sum();
        let ran = !self.interrupted && self.trouble.is_none();
        match lost {
            0 if ran && records.clone().all(|record| record.total().ios == 0) => {
                Some(NoResult::NothingCompleted)
            }
            0 => None,
            lost => Some(NoResult::Unanswered(lost)),
        }
    }

    fn failed_cell(&self) -> Option<&RunRecord> {
        let last = &self.done.last()?.record;
        let is_ended = matches!(last.result(), RunResult::Failed(NoResult::Ended(_)));
        is_ended.then_some(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_survey_that_measured_nothing_has_failed_and_an_interrupted_one_was_interrupted() {
        let cut = Walked {
            cut: true,
            ..Walked::default()
        };
        assert_eq!(cut.outcome(), SessionOutcome::Failed);
        assert_eq!(cut.tell(), Ending::Wrong);
        let interrupted = Walked {
            interrupted: true,
            ..Walked::default()
        };
        assert_eq!(interrupted.outcome(), SessionOutcome::Interrupted);
    }
}
