//! Run after run of a test, until nothing is left or a stop is requested; each is stored before the next begins.

use super::request::Planned;
use super::stored::Runs;
use crate::commands::sweep::rest;
use crate::output;
use crate::progress::Progress;
use crate::signals::Interrupt;
use analysis::pts::{PtsForecast, PtsPartKind, PtsStep};
use analysis::say;
use analysis::steady_state::{STEADY_WINDOW, SteadyWindow};
use engine::Stop;
use model::{CommandError, Location, Nanos, NoResult, RunRecord, RunResult, TargetFacts};
use session::{Fate, Journal, Ran, Runner, Schedule, Step};
use store::{SessionOutcome, Store};

/// Everything that a walk needs.
pub(super) struct Walk<'a> {
    pub(super) planned: &'a Planned,
    pub(super) forecast: &'a PtsForecast,
    pub(super) known: &'a [TargetFacts],
    pub(super) progress: &'a Progress,
    pub(super) stop: &'a Stop,
    pub(super) interrupt: &'a Interrupt,
}

/// How it ended.
#[derive(Debug, Default)]
pub(super) struct Walked {
    pub(super) interrupted: bool,
    /// What ended it early.
    pub(super) failure: Option<String>,
}

impl Walked {
    pub(super) fn outcome(&self) -> SessionOutcome {
        match (&self.failure, self.interrupted) {
            (Some(_), _) => SessionOutcome::Failed,
            (None, true) => SessionOutcome::Interrupted,
            (None, false) => SessionOutcome::Complete,
        }
    }
}

impl Walk<'_> {
    /// Runs what is left. `from` is where a resumed test goes on.
    pub(super) fn walk(
        &self,
        runner: &mut Runner<'_, &Store>,
        runs: &mut Runs,
        from: Option<PtsStep>,
    ) -> Walked {
        let mut rounds = Rounds {
            walk: self,
            runs,
            from,
            current: None,
            failure: None,
            longer: 1,
        };
        let ended = runner.run(&mut rounds, &mut &*self.progress);
        let failure = rounds.failure.take();
        self.progress.finish();
        let interrupted = self.interrupt.asked() || self.stop.asked();
        Walked {
            interrupted,
            failure: failure
                .or_else(|| ended.err().map(|error| error.to_string()))
                .filter(|_| !interrupted),
        }
    }

    /// Time that the test takes still, if steady state comes as early as it can.
    fn left(&self, runs: &Runs, from: Option<PtsStep>) -> Nanos {
        let parts = self.planned.pts.progress(&runs.runs, from);
        let left = parts.iter().zip(&self.forecast.parts);
        let left = left.filter(|(part, _)| !part.done).map(|(part, ahead)| {
            let rounds = STEADY_WINDOW.saturating_sub(part.rounds.len()).max(1);
            let rounds = match part.part.kind {
                PtsPartKind::Rounds => rounds as f64,
                PtsPartKind::Precondition | PtsPartKind::Once => 1.0,
            };
            let begun = part.begun.len() as f64 / (ahead.runs as f64).max(1.0);
            (rounds - begun).max(0.0) * ahead.round_ns as f64
        });
        Nanos(left.sum::<f64>() as u64)
    }
}

/// The runs of a test, each chosen from those before it.
struct Rounds<'a, 'r> {
    walk: &'a Walk<'a>,
    runs: &'r mut Runs,
    from: Option<PtsStep>,
    current: Option<PtsStep>,
    failure: Option<String>,
    /// The next run lasts so many times its time, because no I/O completed in it.
    longer: u64,
}

/// At the smallest scale that is nearly the time of the specification.
const LONGER_MAX: u64 = 512;

impl Schedule for Rounds<'_, '_> {
    fn next(&mut self) -> Result<Option<Step>, CommandError> {
        let walk = self.walk;
        let Some(point) = walk.planned.pts.next(&self.runs.runs, self.from) else {
            return Ok(None);
        };
        let simulated = point
            .timespan
            .targets
            .iter()
            .any(|target| matches!(target.location, Location::Simulated(_)));
        // A simulated drive has rested already when its run begins.
        if !simulated {
            rest(point.idle, walk.stop);
        }
        self.current = Some(point.step);
        let mut timespan = point.timespan;
        timespan.phases.measured.0 *= self.longer;
        Ok(Some(Step {
            key: Some(point.step.to_string()),
            title: point.label.clone(),
            left: Some(walk.left(self.runs, self.from)),
            ..Step::new(point.label, timespan)
        }))
    }

    fn known(&self) -> &[TargetFacts] {
        self.walk.known
    }

    fn judge(&mut self, outcome: &Result<RunRecord, CommandError>) -> Fate {
        let stopped = self.walk.stop.asked();
        match outcome {
            Ok(record) if record.result() == RunResult::Interrupted => Fate::Drop,
            // A scaled run may be shorter than one I/O.
            Ok(record)
                if record.result() == RunResult::Failed(NoResult::NothingCompleted)
                    && self.walk.planned.context.scale_divisor > 1
                    && self.longer < LONGER_MAX =>
            {
                self.longer *= 2;
                let times = self.longer;
                self.walk.progress.tell(&format!(
                    "no I/O completed in a run of {}, which --scale shortened: it is repeated with {times} times its time",
                    record.plan.phases.measured
                ));
                Fate::Again
            }
            Ok(record) => session::reason(record).map_or(Fate::Store, Fate::Missing),
            Err(_) if stopped => Fate::Drop,
            Err(_) => Fate::Fail,
        }
    }

    fn take(&mut self, step: Step, ran: Ran) -> bool {
        let current = self.current.expect("a run was planned before it ended");
        match ran.outcome {
            Ok(record) => {
                self.longer = 1;
                self.runs.push(current, &step.label, &record);
                self.tell_round(current);
                true
            }
            Err(why) => {
                self.failure = Some(format!("{}: {why}", step.label));
                false
            }
        }
    }
}

impl Rounds<'_, '_> {
    /// A line for each complete round, with what decides about steady state.
    fn tell_round(&self, step: PtsStep) {
        let walk = self.walk;
        let parts = walk.planned.pts.progress(&self.runs.runs, self.from);
        let part = &parts[step.part as usize];
        if part.part.kind != PtsPartKind::Rounds || !part.begun.is_empty() {
            return;
        }
        for place in part.tracked() {
            let values = part.values(place, part.part.metric);
            let window = SteadyWindow::last(&values).map_or_else(
                || format!("{STEADY_WINDOW} rounds are needed to judge it"),
                |window| {
                    let sign = if window.slope_share < 0.0 { "-" } else { "+" };
                    format!(
                        "range {} (max 20%), slope {sign}{} (max 10%)",
                        say::percent(window.range_share),
                        say::percent(window.slope_share.abs())
                    )
                },
            );
            let value = values.last().copied().unwrap_or_default();
            let steady = match part.reached {
                Some(_) => "; steady state",
                None => "",
            };
            walk.progress.tell(
                format!(
                    "{} round {} of at most {}: {} {}; {window}{steady}",
                    part.part.name,
                    step.round,
                    part.part.rounds_max,
                    part.part.cells[place].name(),
                    views::pts_value(value, part.part.metric.name())
                )
                .trim_start(),
            );
        }
    }
}

/// Reports an early end on standard error, with the way to go on.
pub(super) fn tell(walked: &Walked, journal: &Journal<&Store>) {
    let resume = match (journal.command_to_add(), journal.session()) {
        (Some(_), _) => "with these results added, the same command resumes it".to_owned(),
        (None, Some(id)) => format!("to resume: the same command, or fathom pts --resume {id}"),
        (None, None) => "nothing of it was stored, so it begins again".to_owned(),
    };
    if let Some(failure) = &walked.failure {
        output::tell(&format!("the test ended early: {failure}"));
        output::tell(&resume);
    } else if walked.interrupted {
        output::tell(&format!("interrupted; {resume}"));
    }
}
