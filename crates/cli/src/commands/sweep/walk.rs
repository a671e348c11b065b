//! Cell after cell: check, run, keep, until all are done or somebody says stop.
//!
//! What goes wrong in a cell is that cell's result, with its reason; the sweep goes on. What the shelf cannot keep ends
//! it, because a sweep that forgets cannot be gone on with.

use super::asked::{Asked, AskedCell};
use super::shelf::Shelf;
use super::site::Site;
use crate::commands::command_line;
use crate::failure::{Ending, Failure};
use crate::output;
use crate::signals::Interrupt;
use crate::sweep_progress::{Done, SweepProgress};
use analysis::SweepResult;
use engine::{Calibration, Stop};
use model::{Nanos, Profile, RunRecord, RunResult};
use session::Admission;
use session::Measure;
use session::ProvenFiles;
use session::clock::Stopwatch;
use std::thread;
use std::time::Duration;
use store::SessionId;
use sweep::Turn;

/// From one look at the stop word to the next, while resting.
const LOOK_EVERY: Nanos = Nanos::millis(20);

/// Everything that a walk needs.
pub(crate) struct Walk<'a> {
    pub(crate) asked: &'a Asked,
    pub(crate) gate: &'a Admission<'a>,
    pub(crate) site: &'a Site,
    pub(crate) calibration: &'a Calibration,
    pub(crate) progress: &'a SweepProgress,
    pub(crate) stop: &'a Stop,
    pub(crate) interrupt: &'a Interrupt,
    pub(crate) fail_fast: bool,
}

/// How it ended. Its results are on the shelf.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    /// Somebody ended it before its time.
    pub(crate) interrupted: bool,
    /// A cell had no result, and that was to end it.
    pub(crate) failed_fast: bool,
    /// What ended it outside of a cell.
    pub(crate) trouble: Option<String>,
    /// Runs with a result, of this call.
    pub(crate) ran: usize,
    /// Runs without one.
    pub(crate) missing: usize,
}

impl Walk<'_> {
    pub(crate) fn walk(&self, shelf: &mut Shelf<'_>, ours: &mut ProvenFiles) -> Walked {
        let mut walked = Walked::default();
        let turns = self.asked.turns();
        let mut rested = true;
        for (place, turn) in turns.iter().enumerate() {
            if !shelf.wants(self.asked, *turn) {
                continue;
            }
            if !rested {
                self.rest();
            }
            if self.stop.asked() {
                break;
            }
            rested = false;
            if let Err(failure) = self.one(*turn, shelf, ours, &mut walked) {
                walked.trouble = Some(failure.to_string());
                break;
            }
            if walked.failed_fast {
                break;
            }
            let to_come = turns[place + 1..]
                .iter()
                .filter(|turn| shelf.may_come(self.asked, **turn));
            self.progress
                .left(to_come.map(|turn| self.asked.cells[turn.cell].timespan.phases.total()));
        }
        walked.interrupted = self.interrupt.asked() || self.stop.asked();
        walked
    }

    /// One turn. What the shelf cannot keep is an error; what the cell could not do is its result.
    fn one(
        &self,
        turn: Turn,
        shelf: &mut Shelf<'_>,
        ours: &mut ProvenFiles,
        walked: &mut Walked,
    ) -> Result<(), Failure> {
        let cell = &self.asked.cells[turn.cell];
        let planned = cell.timespan.phases.total();
        self.progress.begin(self.asked.label(turn), planned);
        let watch = Stopwatch::start();
        let outcome = self.run(cell, ours);
        let result = match outcome {
            Ok(record) => match without_result(&record) {
                Some(_) if self.is_cut(&record) => return Ok(()),
                Some(reason) => Err(reason),
                None => {
                    let number = shelf.keep(self.asked, turn, Ok(&record))?;
                    let result = SweepResult::of(&record);
                    shelf.take(turn, number, Ok(result.clone()));
                    Ok(result)
                }
            },
            Err(_) if self.stop.asked() => return Ok(()),
            Err(failure) => Err(failure.to_string()),
        };
        match &result {
            Ok(_) => walked.ran += 1,
            Err(reason) => {
                let number = shelf.keep(self.asked, turn, Err(reason))?;
                shelf.take(turn, number, Err(reason.clone()));
                walked.missing += 1;
                walked.failed_fast = self.fail_fast;
            }
        }
        self.progress.end(&Done {
            label: self.asked.label(turn),
            result,
            planned,
            took: watch.elapsed(),
        });
        Ok(())
    }

    fn is_cut(&self, record: &RunRecord) -> bool {
        record.result() == RunResult::Interrupted && self.stop.asked()
    }

    /// The flow of the house: what stands against it now, what has to be made, the run.
    fn run(&self, cell: &AskedCell, ours: &mut ProvenFiles) -> Result<RunRecord, Failure> {
        let profile = Profile {
            timespans: vec![cell.timespan.clone()],
        };
        let known = self.site.all();
        let passed = self.gate.check_again(&profile, known)?.remove(0);
        let measure = Measure {
            admission: self.gate,
            calibration: self.calibration,
            profile: &profile,
            command: command_line(),
            observer: self.progress,
            stop: self.stop,
        };
        measure.run(passed, ours, |_| {})
    }

    /// The pause that was asked for, with an ear for the stop word.
    fn rest(&self) {
        let watch = Stopwatch::start();
        let rest = self.asked.rest;
        while watch.elapsed() < rest && !self.stop.asked() {
            let left = rest.minus(watch.elapsed()).min(LOOK_EVERY);
            thread::sleep(Duration::from_nanos(left.0));
        }
    }
}

/// Why a record is no result, where it is none.
fn without_result(record: &RunRecord) -> Option<String> {
    match record.result() {
        RunResult::Interrupted => Some("it was interrupted".to_owned()),
        _ => session::reason(record),
    }
}

impl Walked {
    /// Says what a program that reads only the exit code and standard error has to know.
    pub(crate) fn tell(&self, session: Option<SessionId>) -> Ending {
        let resume = session.map_or_else(
            || "nothing of it was kept, so it would begin again".to_owned(),
            |id| format!("the same command goes on, or: fathom sweep --resume {id}"),
        );
        if let Some(trouble) = &self.trouble {
            output::tell(&format!("the sweep ended early: {trouble}"));
            output::tell(&resume);
        } else if self.interrupted {
            output::tell(&format!(
                "interrupted: the table holds what was measured until then; {resume}"
            ));
        } else if self.failed_fast {
            output::tell(&format!(
                "ended at the first cell without a result (--fail-fast); {resume}"
            ));
        }
        match self.is_whole() && self.missing == 0 {
            true => Ending::Good,
            false => Ending::Wrong,
        }
    }

    /// Whether every cell had its turn.
    pub(crate) fn is_whole(&self) -> bool {
        self.trouble.is_none() && !self.interrupted && !self.failed_fast
    }
}
