//! A profile while it is put together from jobs, with what is wrong. Omitted: how (`build`, `ranges`).

use super::job::Job;
use super::logs::JobLogs;
use super::problem::{Note, Problem};
use super::{JobPart, There};
use crate::refusal::{Once, PROBLEMS_MAX, Problems};
use std::path::{Path, PathBuf};

/// A profile while it is put together.
pub(super) struct Builder<'f> {
    pub(super) found: &'f dyn Fn(&Path) -> Option<There>,
    /// For jobs with randrepeat=0.
    pub(super) drawn_seed: u64,
    /// Nothing is written: no job writes, and no file is created.
    pub(super) read_only: bool,
    /// Nothing is run: what only a target that is there can answer is noted.
    pub(super) parse_only: bool,
    pub(super) problems: Problems<Problem>,
    pub(super) notes: Vec<Note>,
    pub(super) reported: Once,
    pub(super) parts: Vec<JobPart>,
    pub(super) logs: Vec<JobLogs>,
    pub(super) unlinked: Vec<PathBuf>,
    /// Of the jobs so far.
    pub(super) threads: u64,
}

impl Builder<'_> {
    pub(super) fn refuse(&mut self, job: &Job, why: impl Into<String>) {
        self.problems.push(Problem {
            place: job.place.clone(),
            what: format!("[{}]", job.name),
            why: why.into(),
        });
    }

    /// Refuses a run for want of a target. Without a run it is a note, as fio checks no targets then.
    pub(super) fn absent(&mut self, job: &Job, why: impl Into<String>) {
        match self.parse_only {
            true => self.note(job, why),
            false => self.refuse(job, why),
        }
    }

    pub(super) fn note(&mut self, job: &Job, why: impl Into<String>) {
        let note = Note {
            place: job.place.clone(),
            what: format!("[{}]", job.name),
            why: why.into(),
        };
        if self.reported.is_new(&note) && self.notes.len() < PROBLEMS_MAX {
            self.notes.push(note);
        }
    }
}
