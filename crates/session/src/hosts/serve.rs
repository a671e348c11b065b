//! What ranks other than 0 do: they perform orders until the job ends.

use super::answers::{Hello, Prepared, Ready};
use super::mdtest::Served;
use super::{Hosts, LOOK_EVERY, RankResult, failed, orders, read, to_bytes};
use crate::admission::{Admission, CheckedPlan};
use crate::runner::Runner;
use crate::schedule::{RUN, Step, Watcher};
use job::{Event, Order, Sums};
use model::{CommandError, RunRecord, Timespan};
use std::borrow::Borrow;
use std::rc::Rc;
use std::time::Instant;
use store::Store;

/// Draws nothing and does not wait.
struct Unseen;

impl Watcher for Unseen {
    fn begin(&mut self, _step: &Step, _planned: model::Nanos) {}
}

/// What this rank does in a step.
enum Duty {
    /// Runs what was checked here.
    Runs(Box<Checked>),
    /// Waits: there are fewer tasks than ranks.
    Waits,
}

/// A step that was checked here.
struct Checked {
    timespan: Timespan,
    cold: bool,
    plan: CheckedPlan,
}

/// The record of this rank, none where it had no task, or why there is no result.
type Own = Result<Option<RunRecord>, String>;

impl Hosts {
    /// Serves until rank 0 ends the job. `perform` does this rank's part of what the command defines, and returns the answer as
    /// JSON.
    ///
    /// # Errors
    /// Rank 0 is lost, or counts this rank as lost.
    pub fn serve<S: Borrow<Store>>(
        self: &Rc<Self>,
        runner: &mut Runner<'_, S>,
        perform: &dyn Fn(&[u8], u32) -> Vec<u8>,
    ) -> Result<(), CommandError> {
        let mut duty: Option<Duty> = None;
        let mut outcome: Option<Own> = None;
        let mut served = Served::default();
        loop {
            let Some(order) = self.next_order()? else {
                return Ok(());
            };
            let step = order.step;
            match order.kind {
                orders::JOIN => {
                    self.id.set(read(&order.body)?);
                    self.job.answer(
                        step,
                        to_bytes(&Hello::of(&runner.admission.host.hostname)),
                        None,
                    );
                }
                orders::CHECK => duty = self.serve_check(&order, runner.admission)?,
                orders::PREPARE => outcome = Some(self.run(step, duty.take(), runner)),
                orders::GO => {
                    let why = match &outcome {
                        Some(Err(why)) => why.clone(),
                        _ => "it is not ready to run".to_owned(),
                    };
                    self.job.answer(step, to_bytes(&Ready::Failed(why)), None);
                }
                orders::GATHER => {
                    let result = outcome
                        .take()
                        .unwrap_or_else(|| Err("it did not run".to_owned()));
                    let record = result.as_ref().ok().and_then(Option::as_ref);
                    let sums = record.map(Sums::of);
                    self.job.answer(step, to_bytes(&result), sums);
                }
                orders::OPEN => self.serve_open(&order, &mut served)?,
                orders::PHASE => {
                    let root = runner.admission.root;
                    self.serve_phase(&order, &mut served, root, runner.stop)?;
                }
                orders::FILES => {
                    let root = runner.admission.root;
                    self.serve_files(&order, root, runner.stop)?;
                }
                orders::ALONE => self.serve_turn(&order, runner, &mut Unseen)?,
                orders::PARTS => self.serve_part(&order, &mut served),
                orders::PERFORM => {
                    let answer = perform(&order.body, self.share().rank);
                    self.job.answer(step, answer, None);
                }
                orders::LEVEL => self.job.answer(step, to_bytes(&None::<u64>), None), // no task of it goes on
                _ => self.job.answer(step, Vec::new(), None),
            }
        }
    }

    /// Another rank: answers how far its tasks are, and waits to hear how far all go.
    pub(super) fn hear_level(&self, own: u64) -> Option<u64> {
        loop {
            let order = self.next_order().ok()??;
            if order.kind != orders::LEVEL {
                self.pending.replace(Some(order)); // rank 0 has ended the phase
                return None;
            }
            let most: Option<u64> = read(&order.body).ok()?;
            self.job.answer(order.step, to_bytes(&Some(own)), None);
            if most.is_some() {
                return most;
            }
        }
    }

    fn serve_check(
        &self,
        order: &Order,
        admission: &Admission<'_>,
    ) -> Result<Option<Duty>, CommandError> {
        let wanted: orders::Check = read(&order.body)?;
        let (plan, answer) = self.checked(&wanted, admission, &[]);
        self.job.answer(order.step, to_bytes(&answer), None);
        Ok(match plan {
            Some(plan) => Some(Duty::Runs(Box::new(Checked {
                timespan: wanted.timespan,
                cold: wanted.cold,
                plan,
            }))),
            None if answer.problems.is_empty() => Some(Duty::Waits),
            None => None,
        })
    }

    /// Prepares and runs what was checked. The answer to the order goes out when the files are there.
    fn run<S: Borrow<Store>>(
        self: &Rc<Self>,
        order: u32,
        duty: Option<Duty>,
        runner: &mut Runner<'_, S>,
    ) -> Own {
        self.preparing.set(Some(order));
        let checked = match duty {
            Some(Duty::Runs(checked)) => checked,
            Some(Duty::Waits) => {
                self.answer_prepared(None);
                let heard = self.hear_start();
                self.job.measures(false);
                return heard.map(|_| None);
            }
            None => {
                let problem = "nothing was checked".to_owned();
                self.answer_prepared(Some(problem.clone()));
                return Err(problem);
            }
        };
        let Checked {
            timespan,
            cold,
            plan,
        } = *checked;
        let mut step = Step::new(RUN.to_owned(), timespan);
        step.cold = cold;
        let outcome = match runner.one(&step, plan, &mut Unseen) {
            Ok(Some(record)) => Ok(record),
            Ok(None) => Err("it was stopped before it began".to_owned()),
            Err(error) => Err(error.to_string()),
        };
        self.job.measures(false);
        if let Some(order) = self.preparing.take() {
            // It ended before its files were there.
            let problem = outcome.as_ref().err().cloned();
            self.job
                .answer(order, to_bytes(&Prepared { problem }), None);
        } else if failed(&outcome) && self.pending.borrow().is_none() {
            // Where another order is waiting, rank 0 has called it off and knows why.
            self.job.alarm();
        }
        outcome.map(Some)
    }

    /// The files are there: every other rank waits to hear it.
    pub(super) fn answer_prepared(&self, problem: Option<String>) {
        if let Some(order) = self.preparing.take() {
            self.job
                .answer(order, to_bytes(&Prepared { problem }), None);
        }
    }

    /// Waits for the moment of the start, and for the word that all others have heard of it.
    pub(super) fn hear_start(&self) -> Result<Instant, String> {
        let mut moment = None;
        loop {
            let Some(order) = self.next_order().map_err(|error| error.to_string())? else {
                return Err("rank 0 ended the job".to_owned());
            };
            match order.kind {
                orders::GO => {
                    let now = self.job.now().0;
                    let ready = match order.moment {
                        Some(at) => Ready::Slack(at.wrapping_sub(now).cast_signed()),
                        None => Ready::NoClock,
                    };
                    moment = order.moment;
                    self.job.answer(order.step, to_bytes(&ready), None);
                }
                orders::BEGIN => {
                    self.job.answer(order.step, Vec::new(), None);
                    self.job.measures(true);
                    let moment = moment.ok_or("the start has no moment")?;
                    return Ok(self.job.instant(model::Nanos(moment)));
                }
                _ => {
                    self.pending.replace(Some(order));
                    return Err("rank 0 called it off".to_owned());
                }
            }
        }
    }

    /// Why the job ended for this rank before rank 0 finished it.
    fn why_ended(&self, end: job::End) -> String {
        let first = match self.name(0) {
            name if name == "unknown" => "rank 0".to_owned(),
            name => format!("rank 0 ({name})"),
        };
        match end {
            job::End::Finished => format!("{first} ended the job"),
            job::End::Dismissed => format!(
                "{first} had no message of this rank for --host-timeout, and continued or ended without it"
            ),
            job::End::Abandoned => {
                format!(
                    "no message of {first} for twice --host-timeout: it was killed, or the network failed"
                )
            }
        }
    }

    /// The next order; `None` at the end.
    pub(super) fn next_order(&self) -> Result<Option<Order>, CommandError> {
        if let Some(order) = self.pending.take() {
            return Ok(Some(order));
        }
        while !self.has_ended.get() {
            match self.job.event(LOOK_EVERY) {
                Some(Event::Perform(order)) => return Ok(Some(order)),
                Some(Event::End(job::End::Finished)) => self.has_ended.set(true),
                Some(Event::End(end)) => {
                    return Err(CommandError::failed(format!(
                        "host-lost: {}",
                        self.why_ended(end)
                    )));
                }
                Some(Event::Done(..) | Event::Alarm(_)) | None => {}
            }
        }
        Ok(None)
    }
}

impl RankResult {
    /// Names it in its session: `rank 3, n3`.
    pub fn label(&self) -> String {
        super::label(self.rank, &self.host)
    }
}
