//! `fathom files` on many hosts: each rank works in a folder of its own, all begin each step together, and the parts of a step become
//! one.
//!
//! Omitted: what a step is (`engine`), and what may be worked in (the command).

use super::answers::{self, Prepared};
use super::mdtest::Part;
use super::{Hosts, name_of_rank, orders, read, read_all, to_bytes};
use engine::{FilesEnd, FilesError, FilesEvent, FilesJob, Meet, Stop};
use host::Root;
use job::Order;
use model::{CommandError, FilesOutcome, FilesStep, Nanos, TreeWork};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What all ranks do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FilesOrder {
    /// With `{rank}` and `{host}` in its name.
    pub folder: PathBuf,
    /// In each folder.
    pub work: TreeWork,
    /// For so long no operation may end without the work being given up.
    pub patience: Nanos,
}

impl FilesOrder {
    /// Returns the folder of a rank.
    ///
    /// # Errors
    /// It has other words in braces.
    pub fn folder_of(&self, rank: u32, host: &str) -> Result<PathBuf, CommandError> {
        name_of_rank(&self.folder, rank, host)
    }

    /// Returns the work in a folder. All ranks skip the same steps and draw their own order.
    fn job(&self, folder: &Path, rank: u32) -> FilesJob {
        FilesJob {
            folder: folder.to_owned(),
            work: TreeWork {
                seed: self.work.seed.wrapping_add(u64::from(rank) << 32),
                ..self.work.clone()
            },
            device: None,
            patience: self.patience,
            together: true,
        }
    }
}

impl Hosts {
    /// Rank 0: does all steps with all ranks. Each step is reported once, with the parts of all.
    ///
    /// # Errors
    /// Those of [`engine::run_files`] here.
    pub fn files(
        &self,
        order: &FilesOrder,
        root: &Root,
        stop: &Stop,
        tell: &mut dyn FnMut(FilesEvent<'_>),
    ) -> Result<FilesEnd, FilesError> {
        let share = self.share();
        let host = self.name(share.rank);
        let folder = order.folder_of(share.rank, &host);
        let folder = folder.map_err(|error| FilesError::Foreign(error.to_string()))?;
        let mut has_begun = false;
        let mut trouble: Option<String> = None;
        let job = order.job(&folder, share.rank);
        let ended = engine::run_files(&job, root, stop, &mut |event| match event {
            FilesEvent::Ready(begins) => {
                let began = match std::mem::replace(&mut has_begun, true) {
                    true => Ok(()),
                    false => self.begin_files(order),
                };
                let began = began.and_then(|()| self.meet(stop).map_err(CommandError::failed));
                match began {
                    Ok(moment) => begins.set(Some(moment)),
                    Err(error) => {
                        trouble.get_or_insert(error.to_string());
                        stop.ask();
                    }
                }
            }
            FilesEvent::Ended(step, outcome) if trouble.is_none() => {
                let (step, outcome) = self.gather_files(step, outcome);
                if let FilesOutcome::Failed(why) = &outcome {
                    trouble.get_or_insert(why.clone());
                    stop.ask();
                }
                tell(FilesEvent::Ended(&step, &outcome));
            }
            FilesEvent::Ended(..) => {} // of a step that no rank began
            event => tell(event),
        });
        match (ended, trouble) {
            (Ok(FilesEnd::Complete | FilesEnd::Interrupted), Some(why)) => {
                Ok(FilesEnd::Failed(why))
            }
            (ended, _) => ended,
        }
    }

    /// Has all ranks create their folders.
    fn begin_files(&self, order: &FilesOrder) -> Result<(), CommandError> {
        let here = Prepared { problem: None };
        let reply = self.round(orders::FILES, None, order, &mut |_| to_bytes(&here))?;
        self.all_here(&reply)?;
        let answers: Vec<(u32, Prepared)> = read_all(&reply.items)?;
        answers::all_prepared(&answers, &self.names.borrow())
    }

    /// Joins a step of all ranks, of which rank 0 did this part.
    fn gather_files(&self, step: &FilesStep, outcome: &FilesOutcome) -> (FilesStep, FilesOutcome) {
        self.job.measures(false);
        let own: Part = Ok((step.clone(), outcome.clone()));
        match self.gather_parts(own) {
            Ok((step, outcome)) => (step, outcome),
            Err(error) => (step.clone(), FilesOutcome::Failed(error.to_string())),
        }
    }

    /// Another rank: does all steps. What keeps it from the first one is the answer to the order.
    pub(super) fn serve_files(
        &self,
        order: &Order,
        root: &Root,
        stop: &Stop,
    ) -> Result<(), CommandError> {
        let wanted: FilesOrder = read(&order.body)?;
        self.preparing.set(Some(order.step));
        let rank = self.share().rank;
        let folder = wanted.folder_of(rank, &host::host_record(root).hostname);
        let folder = match folder {
            Ok(folder) => folder,
            Err(error) => {
                self.answer_prepared(Some(error.to_string()));
                return Ok(());
            }
        };
        let ended = engine::run_files(&wanted.job(&folder, rank), root, stop, &mut |event| {
            match event {
                FilesEvent::Ready(begins) => {
                    self.answer_prepared(None);
                    match self.meet(stop) {
                        Ok(moment) => begins.set(Some(moment)),
                        Err(_) => stop.ask(), // rank 0 has the reason
                    }
                }
                FilesEvent::Ended(step, outcome) => {
                    self.job.measures(false);
                    let part: Part = Ok((step.clone(), outcome.clone()));
                    self.answer_parts(&part);
                }
                FilesEvent::Removed(_) | FilesEvent::LeftAlone(_) | FilesEvent::Begins(_) => {}
            }
        });
        let problem = match ended {
            Ok(FilesEnd::Complete | FilesEnd::Interrupted | FilesEnd::Failed(_)) => None,
            Ok(FilesEnd::Left(path, why)) => Some(format!(
                "{}: the files that fathom created could not be removed ({why})",
                path.display()
            )),
            Err(error) => Some(error.to_string()),
        };
        self.answer_prepared(problem);
        Ok(())
    }

    /// Answers with a part of a step where rank 0 asks for it next; any other order is left for later.
    fn answer_parts(&self, part: &Part) {
        match self.next_order() {
            Ok(Some(order)) if order.kind == orders::PARTS => {
                self.job.answer(order.step, to_bytes(&Some(part)), None);
            }
            Ok(Some(order)) => {
                self.pending.replace(Some(order));
            }
            Ok(None) | Err(_) => {}
        }
    }
}
