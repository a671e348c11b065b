//! The phases of each iteration, by this process alone or with other ranks; each is a step that is stored as it ends.

use crate::progress::Steps;
use engine::{FilesError, MdtestBelow, MdtestPlace, MdtestSite, Stop};
use model::record::mdtest::{MdtestPhase, MdtestWork};
use model::{CommandError, FilesOutcome, FilesRecord, FilesStep, FilesWork};
use session::{Hosts, Journal, clock};
use std::rc::Rc;
use std::time::Duration;
use store::Store;

/// How all of it ended.
pub(super) enum End {
    Complete,
    Interrupted,
    /// Why.
    Failed(String),
    /// Something that fathom created is still there.
    Left(String),
}

/// What the phases of a command share.
pub(super) struct Phases<'a> {
    pub(super) place: &'a MdtestPlace,
    pub(super) delay_s: u64,
    pub(super) below: MdtestBelow<'a>,
    pub(super) stop: &'a Stop,
    /// The other ranks.
    pub(super) hosts: Option<&'a Rc<Hosts>>,
    pub(super) journal: &'a Journal<&'a Store>,
    pub(super) progress: Steps,
    /// What all records have.
    pub(super) first: FilesRecord,
    pub(super) records: Vec<FilesRecord>,
    /// Files of a task, where a time decided how many there are.
    pub(super) reached: Option<u64>,
}

impl Phases<'_> {
    /// Does all iterations; `tasks` are this process's. A folder that is created for them is removed with them.
    pub(super) fn all(&mut self, tasks: u32) -> End {
        let FilesWork::Mdtest(work) = self.first.work.clone() else {
            return End::Complete;
        };
        let created = match work.uses_earlier() {
            true => Ok(false),
            false => self.place.create_folder(),
        };
        let created = match created {
            Ok(created) => created,
            Err(error) => return End::Failed(error.to_string()),
        };
        let mut end = End::Complete;
        for iteration in 0..work.iterations {
            let work = MdtestWork {
                iteration,
                ..(*work).clone()
            };
            end = self.iteration(&work, tasks);
            if !matches!(end, End::Complete) {
                break;
            }
        }
        let stays = work.leaves_tree() && matches!(end, End::Complete);
        if created && !stays {
            self.place.remove_folder();
        }
        end
    }

    fn iteration(&mut self, work: &MdtestWork, tasks: u32) -> End {
        let opened = self.place.open(work, 0..tasks);
        let (mut site, removed) = match opened {
            Ok(opened) => opened,
            Err(error) => return End::Failed(error.to_string()),
        };
        for path in removed {
            self.progress.tell(&format!(
                "{}: an earlier fathom mdtest was ended before it could remove this; removed",
                path.display()
            ));
        }
        let end = match self.phases(work, &mut site) {
            Ok(end) => end,
            Err(why) => End::Failed(why),
        };
        match (site.close(matches!(end, End::Complete)), end) {
            (Ok(()), end) => end,
            (Err((path, why)), end) => {
                let before = match end {
                    End::Failed(before) => format!("{before}; "),
                    _ => String::new(),
                };
                End::Left(format!(
                    "{before}{}: what fathom created there could not be removed ({why})",
                    path.display()
                ))
            }
        }
    }

    fn phases(&mut self, work: &MdtestWork, site: &mut MdtestSite) -> Result<End, String> {
        let run = format!("{}-{}", clock::utc().0, std::process::id());
        site.begin_changes(&run)
            .map_err(|error| error.to_string())?;
        if let Some(hosts) = self.hosts {
            let opened = hosts.open_mdtest(self.place, work, &run);
            opened.map_err(|error| error.to_string())?;
        }
        let mut work = work.clone();
        self.first.work = FilesWork::Mdtest(Box::new(work.clone()));
        let mut kind = None;
        for phase in work.phases.clone() {
            self.progress.doing(&work.step_name(phase));
            if !phase.is_of_trees()
                && kind.replace(phase.is_of_files()) != Some(phase.is_of_files())
            {
                self.pause();
            }
            if self.stop.asked() {
                return Ok(End::Interrupted);
            }
            let (mut step, outcome) = match self.phase(phase, site) {
                Err(_) if self.stop.asked() => return Ok(End::Interrupted),
                done => done?,
            };
            step.name = work.step_name(phase);
            let is_worn = phase == MdtestPhase::FileCreation && work.wear_out.is_some();
            if is_worn && outcome == FilesOutcome::Complete {
                let items = step.operations() / u64::from(work.shape.tasks.max(1));
                work.shape.per_folder = items;
                self.reached = Some(items);
            }
            let record = FilesRecord {
                step,
                outcome,
                ..self.first.clone()
            };
            self.first.work = FilesWork::Mdtest(Box::new(work.clone()));
            self.journal.save_files(&record);
            let outcome = record.outcome.clone();
            self.records.push(record);
            match outcome {
                FilesOutcome::Complete => {}
                FilesOutcome::Interrupted => return Ok(End::Interrupted),
                FilesOutcome::Failed(why) => return Ok(End::Failed(why)),
            }
        }
        Ok(End::Complete)
    }

    fn phase(
        &self,
        phase: MdtestPhase,
        site: &mut MdtestSite,
    ) -> Result<(FilesStep, FilesOutcome), String> {
        match self.hosts {
            None => site
                .phase(phase, None, &self.below, self.stop)
                .map_err(|error: FilesError| error.to_string()),
            Some(hosts) => hosts
                .mdtest_phase(phase, site, &self.below, self.stop)
                .map_err(|error: CommandError| error.to_string()),
        }
    }

    /// Waits, or until a stop is requested.
    fn pause(&self) {
        let mut left = Duration::from_secs(self.delay_s);
        while !left.is_zero() && !self.stop.asked() {
            let part = left.min(Duration::from_millis(100));
            std::thread::sleep(part);
            left -= part;
        }
    }
}
