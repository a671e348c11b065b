//! The same run on each rank alone, one after another, while all others wait.
//!
//! It needs no agreement on a start: there is only one that measures. Omitted: the run of all together.

use super::layout::place;
use super::{Hosts, RankResult, orders, read, to_bytes};
use crate::runner::Runner;
use crate::schedule::{Step, Watcher};
use job::Order;
use model::{CommandError, RankRecord, RunRecord, Timespan};
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::rc::Rc;
use store::Store;

/// The run of one rank.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Turn {
    rank: u32,
    /// The request, for all ranks.
    timespan: Timespan,
}

/// The record of the rank whose turn it is, or why there is none; nothing of all others.
type Own = Option<Result<RunRecord, String>>;

impl Hosts {
    /// Has each rank make a run of this request, stores the results, and returns them. Ends early when it is stopped.
    ///
    /// # Errors
    /// The job has ended.
    pub fn one_by_one<S: Borrow<Store>>(
        self: &Rc<Self>,
        timespan: &Timespan,
        runner: &mut Runner<'_, S>,
        watcher: &mut dyn Watcher,
    ) -> Result<Vec<RankResult>, CommandError> {
        let mut results = Vec::new();
        for rank in 0..self.size() {
            if runner.stop.asked() || !self.goes_on() && !self.is_whole() {
                break;
            }
            let host = self.name(rank);
            let mut step = Step::new(RankRecord::ALONE.to_owned(), timespan.clone());
            step.title = format!("{}, {}", RankRecord::ALONE, super::label(rank, &host));
            watcher.begin(&step, timespan.phases.total());
            let turn = Turn {
                rank,
                timespan: timespan.clone(),
            };
            let reply = self.round(orders::ALONE, None, &turn, &mut |_| {
                to_bytes(&self.turn(&turn, runner, watcher))
            });
            watcher.end();
            let reply = reply?;
            self.note_lost(&reply);
            let mut answers = reply.items.iter().filter(|item| item.rank == rank);
            let own: Own = answers.next().map_or(Ok(None), |item| read(&item.body))?;
            let outcome = own.unwrap_or_else(|| Err(self.why_lost(rank)));
            let stored = runner.journal.save_rank(&step.title, outcome.as_ref());
            results.push(RankResult {
                rank,
                host,
                stored,
                outcome,
            });
        }
        Ok(results)
    }

    pub(super) fn serve_turn<S: Borrow<Store>>(
        self: &Rc<Self>,
        order: &Order,
        runner: &mut Runner<'_, S>,
        watcher: &mut dyn Watcher,
    ) -> Result<(), CommandError> {
        let turn: Turn = read(&order.body)?;
        let own = self.turn(&turn, runner, watcher);
        self.job.answer(order.step, to_bytes(&own), None);
        Ok(())
    }

    /// Makes the run where it is this rank's turn.
    fn turn<S: Borrow<Store>>(
        &self,
        turn: &Turn,
        runner: &mut Runner<'_, S>,
        watcher: &mut dyn Watcher,
    ) -> Own {
        let share = self.share();
        if turn.rank != share.rank {
            return None;
        }
        let admission = runner.admission;
        let together = runner.hosts.take();
        let made = place(
            &turn.timespan,
            &self.options,
            share,
            &admission.host.hostname,
        )
        .and_then(|profile| {
            let checked = admission.check_again(&profile, &[])?.remove(0);
            let own = profile.timespans.into_iter().next();
            let step = Step::new(
                RankRecord::ALONE.to_owned(),
                own.unwrap_or_else(|| turn.timespan.clone()),
            );
            runner.one(&step, checked, watcher)
        });
        runner.hosts = together;
        Some(match made {
            Ok(Some(record)) => Ok(record),
            Ok(None) => Err("it was stopped before it began".to_owned()),
            Err(error) => Err(error.to_string()),
        })
    }

    fn why_lost(&self, rank: u32) -> String {
        let lost = self.lost();
        let known = lost.iter().find(|lost| lost.rank == rank);
        let reason = known.map_or("it did not answer", |lost| &lost.reason);
        format!("host-lost: {reason}")
    }
}
