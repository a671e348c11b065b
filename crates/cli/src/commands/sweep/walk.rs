//! Cell after cell: check, run, keep, until all are done or a stop is requested.
//!
//! What goes wrong in a cell is that cell's result, with its reason; the sweep goes on. What the database cannot keep ends
//! it, because a sweep that forgets cannot be gone on with.

use super::asked::Asked;
use super::ranks;
use super::site::Site;
use super::stored::{StoredSession, Walked};
use crate::commands::hosts::agrees;
use crate::signals::Interrupt;
use crate::sweep_progress::{Done, SweepProgress};
use analysis::{Known, SweepResult};
use engine::{Observer, Stop};
use model::{CommandError, Nanos, RunRecord, RunResult, TargetFacts};
use session::clock::Stopwatch;
use session::{Fate, Hosts, Ran, Runner, Schedule, Step, Watcher};
use std::collections::VecDeque;
use std::rc::Rc;
use std::thread;
use std::time::Duration;
use store::Store;
use sweep::Turn;

/// From one check of the stop word to the next, while resting.
const LOOK_EVERY: Nanos = Nanos::millis(20);

/// Everything that a walk needs.
pub(crate) struct Walk<'a> {
    pub(crate) asked: &'a Asked,
    pub(crate) site: &'a Site,
    pub(crate) progress: &'a SweepProgress,
    pub(crate) stop: &'a Stop,
    pub(crate) interrupt: &'a Interrupt,
    pub(crate) fail_fast: bool,
    /// The user's hints on the targets.
    pub(crate) known: &'a Known,
    /// The other hosts; none of a sweep alone.
    pub(crate) hosts: Option<&'a Rc<Hosts>>,
}

impl Walk<'_> {
    pub(crate) fn walk(
        &self,
        runner: &mut Runner<'_, &Store>,
        stored: &mut StoredSession<'_>,
    ) -> Walked {
        let mut cells = Cells {
            walk: self,
            stored,
            turns: self.asked.turns().into_iter().collect(),
            current: None,
            walked: Walked::default(),
        };
        let ended = runner.run(&mut cells, &mut &*self.progress);
        let mut walked = cells.walked;
        walked.trouble = ended
            .err()
            .map(|error| error.to_string())
            .or(walked.trouble);
        // Of a job the flag is set where a rank failed, too.
        let stopped = self.stop.asked() && walked.trouble.is_none();
        walked.interrupted = self.interrupt.asked() || stopped;
        walked
    }
}

/// The pause that was asked for, with an ear for the stop word.
pub(crate) fn rest(rest: Nanos, stop: &Stop) {
    let watch = Stopwatch::start();
    while watch.elapsed() < rest && !stop.asked() {
        let left = rest.minus(watch.elapsed()).min(LOOK_EVERY);
        thread::sleep(Duration::from_nanos(left.0));
    }
}

/// The cells of a sweep that have no result yet.
struct Cells<'a, 's> {
    walk: &'a Walk<'a>,
    stored: &'a mut StoredSession<'s>,
    turns: VecDeque<Turn>,
    /// The one that is run.
    current: Option<Turn>,
    walked: Walked,
}

impl Cells<'_, '_> {
    fn planned(&self, turn: Turn) -> Nanos {
        self.walk.asked.planned(turn)
    }

    /// The result of all ranks, whose sums have to be those that were merged on the way.
    fn of_all(&mut self, hosts: &Hosts) -> Result<SweepResult, String> {
        let (results, sums) = hosts.take_results();
        if let Err(error) = agrees(&results, sums.as_ref()) {
            self.walked.trouble = Some(error.to_string());
            return Err(error.to_string());
        }
        ranks::of_results(&results)
    }
}

impl Schedule for Cells<'_, '_> {
    fn next(&mut self) -> Result<Option<Step>, CommandError> {
        let (walk, stored) = (self.walk, &self.stored);
        while (self.turns.front()).is_some_and(|turn| !stored.wants(walk.asked, *turn)) {
            self.turns.pop_front();
        }
        let Some(turn) = self.turns.pop_front() else {
            return Ok(None);
        };
        if self.current.replace(turn).is_some() {
            rest(walk.asked.rest, walk.stop);
        }
        if !walk.stop.asked() {
            let planned = self.planned(turn);
            walk.progress.begin(walk.asked.label(turn), planned);
        }
        Ok(Some(Step {
            key: Some(walk.asked.key(turn)),
            ..Step::new(walk.asked.label(turn), walk.asked.timespan(turn))
        }))
    }

    /// In a job each rank checks its own targets again.
    fn known(&self) -> &[TargetFacts] {
        match self.walk.hosts {
            Some(_) => &[],
            None => self.walk.site.all(),
        }
    }

    /// What a cell could not do is its result.
    fn judge(&mut self, outcome: &Result<RunRecord, CommandError>) -> Fate {
        if let Some(hosts) = self.walk.hosts
            && !self.walk.interrupt.asked()
            && let Some(reason) = hosts.without_result().or_else(|| {
                let refused = outcome.as_ref().err();
                refused.map(ToString::to_string)
            })
        {
            // A rank that fails sets the flag of all.
            let ends = hosts.ends_after_failure() || self.walk.stop.asked();
            self.walked.trouble = ends.then(|| reason.clone());
            return Fate::Missing(reason);
        }
        let stopped = self.walk.stop.asked();
        match outcome {
            Ok(record) if stopped && record.result() == RunResult::Interrupted => Fate::Drop,
            Ok(record) => without_result(record).map_or(Fate::Store, Fate::Missing),
            Err(_) if stopped => Fate::Drop,
            Err(failure) => Fate::Missing(failure.to_string()),
        }
    }

    fn take(&mut self, step: Step, ran: Ran) -> bool {
        let turn = self.current.expect("a run was handed out before it ended");
        let known = self.walk.known;
        let result = match (ran.outcome, self.walk.hosts) {
            (Err(reason), _) => Err(reason),
            (Ok(record), None) => Ok(SweepResult::of(&record, known)),
            (Ok(_), Some(hosts)) => self.of_all(hosts),
        };
        self.stored.take(turn, ran.stored, result.clone());
        match &result {
            Ok(_) => self.walked.ran += 1,
            Err(_) => {
                self.walked.missing += 1;
                self.walked.failed_fast = self.walk.fail_fast;
            }
        }
        let progress = self.walk.progress;
        progress.end(&Done {
            label: step.label,
            result,
            planned: self.planned(turn),
            took: ran.took,
        });
        let asked = self.walk.asked;
        let to_come = (self.turns.iter()).filter(|turn| self.stored.may_come(asked, **turn));
        progress.left(to_come.map(|turn| self.planned(*turn)));
        !self.walked.failed_fast && self.walked.trouble.is_none()
    }
}

impl Watcher for &SweepProgress {
    /// A cell that is refused has begun, too: its schedule draws it.
    fn begin(&mut self, _step: &Step, _planned: Nanos) {}

    fn observer(&self) -> &dyn Observer {
        *self
    }
}

/// Why a record is no result, where it is none.
fn without_result(record: &RunRecord) -> Option<String> {
    match record.result() {
        RunResult::Interrupted => Some("it was interrupted".to_owned()),
        _ => session::reason(record),
    }
}
