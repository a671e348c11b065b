//! Cell after cell: ask the sweep, check, run, keep, until it has no more or a stop is requested.
//!
//! What goes wrong on the way ends the walk, never the result: what was measured until then is kept and shown.

use super::deadline::Deadline;
use super::earlier::Earlier;
use crate::commands::ended;
use crate::failure::Ending;
use crate::output;
use crate::progress::Progress;
use crate::signals::Interrupt;
use engine::{Observer, Stop};
use model::{CommandError, Location, Nanos, NoResult, Outcome, RunRecord, RunResult, TargetFacts};
use session::clock::Stopwatch;
use session::{Fate, Ran, Runner, Schedule, Step, Watcher};
use store::{SessionId, SessionOutcome, Store};
use sweep::{Measured, Point, Survey, Sweep};

/// How long after the budget a cell may still be running: the sweep plans to end within it, and is over by at most one
/// of its shortest cells.
const GRACE: Nanos = Nanos::seconds(1);

/// Everything that a walk needs.
pub(crate) struct Walk<'a> {
    pub(crate) survey: &'a Survey,
    pub(crate) budget: Nanos,
    /// The target as it was looked at last, and the raw device: reading them before each cell would take a slow device's
    /// whole budget.
    pub(crate) known: &'a [TargetFacts],
    pub(crate) progress: &'a Progress,
    pub(crate) stop: &'a Stop,
    pub(crate) interrupt: &'a Interrupt,
    /// What there is of it already.
    pub(crate) earlier: Option<Earlier>,
}

/// Its result.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    /// Every cell, in order.
    pub(crate) done: Vec<Measured>,
    /// It was interrupted.
    pub(crate) interrupted: bool,
    /// The budget ended in the middle of a cell, which is omitted.
    pub(crate) cut: bool,
    /// How long it took.
    pub(crate) took: Nanos,
    trouble: Option<CommandError>,
}

impl Walk<'_> {
    pub(crate) fn walk(mut self, runner: &mut Runner<'_, &Store>) -> Walked {
        let watch = Stopwatch::start();
        let earlier = self.earlier.take();
        let (done, before) =
            earlier.map_or_else(Default::default, |earlier| (earlier.done, earlier.took));
        let mut cells = Cells {
            walk: &self,
            deadline: None,
            walked: Walked {
                done,
                ..Walked::default()
            },
        };
        let left = self.budget.minus(before).plus(GRACE);
        let ended = Deadline::set(left, self.stop)
            .map_err(|error| CommandError::failed(format!("the budget cannot be met: {error}")))
            .and_then(|deadline| {
                cells.deadline = Some(deadline);
                runner.run(&mut cells, &mut &*self.progress)
            });
        let mut walked = cells.walked;
        walked.trouble = ended.err();
        walked.took = before.plus(watch.elapsed());
        self.progress.finish();
        walked
    }
}

/// The cells of a survey, each chosen from those before it.
struct Cells<'a> {
    walk: &'a Walk<'a>,
    deadline: Option<Deadline>,
    walked: Walked,
}

impl Schedule for Cells<'_> {
    fn next(&mut self) -> Result<Option<Step>, CommandError> {
        let (walk, walked) = (self.walk, &mut self.walked);
        let Some(point) = walk.survey.next(&walked.done) else {
            return Ok(None);
        };
        if walk.stop.asked() {
            walked.interrupted = walk.interrupt.asked();
            walked.cut = self.deadline.as_ref().is_some_and(Deadline::struck);
        }
        Ok(Some(Step {
            title: title(&point),
            precision: point.precision,
            left: Some(walk.survey.time_left(&walked.done)),
            ..Step::joined(point.label, point.timespan)
        }))
    }

    fn known(&self) -> &[TargetFacts] {
        self.walk.known
    }

    fn judge(&mut self, outcome: &Result<RunRecord, CommandError>) -> Fate {
        match outcome {
            Ok(record)
                if record.outcome == Outcome::Interrupted && !self.walk.interrupt.asked() =>
            {
                self.walked.cut = true;
                Fate::Drop
            }
            Ok(_) => Fate::Store,
            Err(_) => Fate::Fail,
        }
    }

    fn take(&mut self, step: Step, ran: Ran) -> bool {
        let Ok(record) = ran.outcome else {
            return false;
        };
        let outcome = record.outcome.clone();
        let cost = cost(&record, ran.took);
        let cell = Measured::new(step.label, record, cost);
        self.walked.done.push(cell);
        self.walked.interrupted = outcome == Outcome::Interrupted;
        outcome == Outcome::Complete
    }
}

impl Watcher for &Progress {
    fn begin(&mut self, step: &Step, _planned: Nanos) {
        self.cell(step.title.clone(), step.left.unwrap_or_default());
    }

    fn observer(&self) -> &dyn Observer {
        *self
    }
}

/// What a cell takes of the budget. In simulated time that is its own: it takes no real time, and which cells are run
/// must not depend on how fast this machine simulates.
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

    /// Reports what a program that reads only the exit code and standard error needs.
    pub(crate) fn tell(&self, session: Option<SessionId>) -> Ending {
        if self.cut {
            output::tell(
                "note: the budget ended in the middle of a cell; that cell is omitted: use a longer --budget",
            );
        }
        if let Some(record) = self.failed_cell() {
            ended::tell(record);
            output::tell("the survey ended there: the result covers what was measured until then");
        } else if let Some(failure) = &self.trouble {
            crate::failure::tell(failure);
        } else if self.interrupted {
            let resume = session.map_or_else(String::new, |id| {
                format!("; hint: fathom survey --resume {id} goes on with it")
            });
            output::tell(&format!(
                "interrupted: the result covers what was measured until then{resume}"
            ));
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
    pub(crate) fn trouble(&self) -> Option<&CommandError> {
        self.trouble.as_ref()
    }

    /// Labels and records, for the report.
    pub(crate) fn cells(&self) -> Vec<(String, RunRecord)> {
        let cells = self.done.iter();
        cells
            .map(|cell| (cell.label.clone(), cell.record.clone()))
            .collect()
    }

    /// Why there is no result though it was not stopped: I/Os were never answered, or none completed in any cell.
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
        assert_eq!(cut.tell(None), Ending::Wrong);
        let interrupted = Walked {
            interrupted: true,
            ..Walked::default()
        };
        assert_eq!(interrupted.outcome(), SessionOutcome::Interrupted);
    }
}
