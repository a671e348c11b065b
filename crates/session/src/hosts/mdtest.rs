//! `fathom mdtest` on many hosts: each rank does a phase with its own tasks, from one moment on, and the parts become one step.
//!
//! Omitted: what a phase is (`engine`), and which is next (the command).

use super::answers::{self, Prepared};
use super::{Hosts, label, orders, read, read_all, to_bytes};
use engine::{FilesError, MdtestBelow, MdtestPlace, MdtestSite, Meet, Stop};
use host::Root;
use job::Order;
use model::record::mdtest::{MdtestPhase, MdtestWork};
use model::{CommandError, FilesOutcome, FilesStep, Nanos};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::PathBuf;

/// The test folder of rank 0.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Opened {
    folder: PathBuf,
    patience: Nanos,
    work: MdtestWork,
    run: String,
}

/// A phase of one rank.
pub(super) type Part = Result<(FilesStep, FilesOutcome), String>;

/// What a rank other than 0 works in.
#[derive(Debug, Default)]
pub(super) struct Served {
    site: Option<MdtestSite>,
    part: Option<Part>,
}

impl Hosts {
    /// Names of the hosts by rank.
    pub fn names(&self) -> Vec<String> {
        (0..self.size()).map(|rank| self.name(rank)).collect()
    }

    /// The tasks of a rank.
    fn tasks_of(&self, rank: u32, work: &MdtestWork) -> Range<u32> {
        let each = work.shape.tasks / self.size().max(1);
        rank * each..(rank + 1) * each
    }

    /// Has every rank open the test folder that rank 0 has opened. `run` is in its mark.
    ///
    /// # Errors
    /// A rank does not see it.
    pub fn open_mdtest(
        &self,
        place: &MdtestPlace,
        work: &MdtestWork,
        run: &str,
    ) -> Result<(), CommandError> {
        let opened = Opened {
            folder: place.folder.clone(),
            patience: place.patience,
            work: work.clone(),
            run: run.to_owned(),
        };
        let here = Prepared { problem: None };
        let reply = self.round(orders::OPEN, None, &opened, &mut |_| to_bytes(&here))?;
        self.all_here(&reply)?;
        let answers: Vec<(u32, Prepared)> = read_all(&reply.items)?;
        answers::all_prepared(&answers, &self.names.borrow())
    }

    /// Rank 0: does a phase with all ranks, its own part included.
    ///
    /// # Errors
    /// A rank is lost before the phase begins.
    pub fn mdtest_phase(
        &self,
        phase: MdtestPhase,
        site: &mut MdtestSite,
        below: &MdtestBelow<'_>,
        stop: &Stop,
    ) -> Result<(FilesStep, FilesOutcome), CommandError> {
        let here = Prepared { problem: None };
        let reply = self.round(orders::PHASE, None, &phase, &mut |_| to_bytes(&here))?;
        self.all_here(&reply)?;
        let moment = self.meet(stop).map_err(CommandError::failed)?;
        let below = MdtestBelow {
            meeting: Some(self),
            ..below.clone()
        };
        let own = site.phase(phase, Some(moment), &below, stop);
        self.job.measures(false);
        self.gather_parts(own.map_err(|error| error.to_string()))
    }

    /// Rank 0: collects the parts of a step, with its own.
    pub(super) fn gather_parts(
        &self,
        own: Part,
    ) -> Result<(FilesStep, FilesOutcome), CommandError> {
        let mut own = Some(own);
        let reply = self.round(orders::PARTS, None, &(), &mut |_| to_bytes(&own.take()))?;
        self.note_lost(&reply);
        let mut parts = Vec::new();
        let mut outcome = FilesOutcome::Complete;
        for item in &reply.items {
            let part: Option<Part> = read(&item.body)?;
            let part = part.unwrap_or_else(|| Err("it did not run".to_owned()));
            let named = |why: &str| format!("{}: {why}", label(item.rank, &self.name(item.rank)));
            let (step, ended) = match part {
                Ok((step, FilesOutcome::Failed(why))) => {
                    (Some(step), FilesOutcome::Failed(named(&why)))
                }
                Ok((step, ended)) => (Some(step), ended),
                Err(why) => (None, FilesOutcome::Failed(named(&why))),
            };
            parts.extend(step);
            outcome = worse(outcome, ended);
        }
        if let Some(lost) = self.lost.borrow().first() {
            let host = self.name(lost.rank);
            let why = format!("host-lost: {}: {}", label(lost.rank, &host), lost.reason);
            outcome = FilesOutcome::Failed(why);
        }
        Ok((FilesStep::joined(parts), outcome))
    }

    /// Another rank: opens the test folder of rank 0.
    pub(super) fn serve_open(
        &self,
        order: &Order,
        served: &mut Served,
    ) -> Result<(), CommandError> {
        let opened: Opened = read(&order.body)?;
        let place = MdtestPlace {
            folder: opened.folder,
            patience: opened.patience,
        };
        let tasks = self.tasks_of(self.share().rank, &opened.work);
        let site = place.join(&opened.work, tasks, &opened.run);
        let problem = site.as_ref().err().map(FilesError::to_string);
        served.site = site.ok();
        self.job
            .answer(order.step, to_bytes(&Prepared { problem }), None);
        Ok(())
    }

    /// Another rank: does its part of a phase.
    pub(super) fn serve_phase(
        &self,
        order: &Order,
        served: &mut Served,
        root: &Root,
        stop: &Stop,
    ) -> Result<(), CommandError> {
        let phase: MdtestPhase = read(&order.body)?;
        self.job
            .answer(order.step, to_bytes(&Prepared { problem: None }), None);
        served.part = Some(match (self.meet(stop), &mut served.site) {
            (Ok(moment), Some(site)) => site
                .phase(
                    phase,
                    Some(moment),
                    &MdtestBelow {
                        root,
                        device: None,
                        meeting: Some(self),
                    },
                    stop,
                )
                .map_err(|error| error.to_string()),
            (Ok(_), None) => Err("it has no test folder".to_owned()),
            (Err(error), _) => Err(error.to_string()),
        });
        self.job.measures(false);
        Ok(())
    }

    /// Another rank: answers with its part.
    pub(super) fn serve_part(&self, order: &Order, served: &mut Served) {
        self.job
            .answer(order.step, to_bytes(&served.part.take()), None);
    }
}

/// A failure, or else an interruption, is that of all.
fn worse(one: FilesOutcome, other: FilesOutcome) -> FilesOutcome {
    let rank = |outcome: &FilesOutcome| match outcome {
        FilesOutcome::Complete => 0,
        FilesOutcome::Interrupted => 1,
        FilesOutcome::Failed(_) => 2,
    };
    if rank(&other) > rank(&one) {
        other
    } else {
        one
    }
}
