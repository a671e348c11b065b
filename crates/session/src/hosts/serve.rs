//! What ranks other than 0 do: they perform orders until the job ends.

use super::answers::{Hello, Prepared, Ready};
use super::mdtest::Served;
use super::{Hosts, LOOK_EVERY, RankResult, failed, orders, read, to_bytes};
use crate::admission::CheckedPlan;
use crate::runner::Runner;
use crate::schedule::{Step, Watcher};
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

/// A step that was checked here.
struct Checked {
    timespan: Timespan,
    cold: bool,
    plan: CheckedPlan,
}

impl Hosts {
    /// Serves until rank 0 ends the job.
    ///
    /// # Errors
    /// Rank 0 is lost, or counts this rank as lost.
    pub fn serve<S: Borrow<Store>>(
        self: &Rc<Self>,
        runner: &mut Runner<'_, S>,
    ) -> Result<(), CommandError> {
        let mut checked: Option<Checked> = None;
        let mut outcome: Option<Result<RunRecord, String>> = None;
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
                orders::CHECK => {
                    let wanted: orders::Check = read(&order.body)?;
                    let (plan, answer) = self.checked(&wanted.timespan, runner.admission, &[]);
                    checked = plan.map(|plan| Checked {
                        timespan: wanted.timespan,
                        cold: wanted.cold,
                        plan,
                    });
                    self.job.answer(step, to_bytes(&answer), None);
                }
                orders::PREPARE => outcome = Some(self.run(step, checked.take(), runner)),
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
                    let sums = result.as_ref().ok().map(Sums::of);
                    self.job.answer(step, to_bytes(&result), sums);
                }
                orders::OPEN => self.serve_open(&order, &mut served)?,
                orders::PHASE => {
                    let root = runner.admission.root;
                    self.serve_phase(&order, &mut served, root, runner.stop)?;
                }
                orders::PARTS => self.serve_part(&order, &mut served),
                _ => self.job.answer(step, Vec::new(), None),
            }
        }
    }

    /// Prepares and runs what was checked. The answer to the order goes out when the files are there.
    fn run<S: Borrow<Store>>(
        self: &Rc<Self>,
        order: u32,
        checked: Option<Checked>,
        runner: &mut Runner<'_, S>,
    ) -> Result<RunRecord, String> {
        let Some(Checked {
            timespan,
            cold,
            plan,
        }) = checked
        else {
            let problem = Some("nothing was checked".to_owned());
            self.job
                .answer(order, to_bytes(&Prepared { problem }), None);
            return Err("nothing was checked".to_owned());
        };
        let mut step = Step::new("run".to_owned(), timespan);
        step.cold = cold;
        self.preparing.set(Some(order));
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
        outcome
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

    /// The next order; `None` at the end.
    fn next_order(&self) -> Result<Option<Order>, CommandError> {
        if let Some(order) = self.pending.take() {
            return Ok(Some(order));
        }
        while !self.has_ended.get() {
            match self.job.event(LOOK_EVERY) {
                Some(Event::Perform(order)) => return Ok(Some(order)),
                Some(Event::End(job::End::Finished)) => self.has_ended.set(true),
                Some(Event::End(end)) => {
                    return Err(CommandError::failed(format!(
                        "host-lost: the job ended here: {end:?}"
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
