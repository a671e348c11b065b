//! Which run is next, and who follows it: what a command brings to the loop of `runner`.
//!
//! Time spans in their order are here; a survey, a sweep and the steps of `quick` and `layers` stand with their commands.

use crate::admission::CheckedPlan;
use engine::io_log::IoLogSink;
use engine::{Filled, JournalSink, Observer, Recording, Silent};
use model::{CommandError, Nanos, Outcome, Profile, RunRecord, TargetFacts, Timespan};
use serde::{Deserialize, Serialize};

/// Label of the only step of a command.
pub(crate) const RUN: &str = "run";

/// What of a request the ranks of a job do, and which records are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RankPart {
    /// The layout of the job decides.
    #[default]
    Layout,
    /// Its threads are tasks, of which rank r does the one that is so much further.
    Task(u32),
    /// As `Layout`; the one record is that of all ranks together.
    Joined,
}

/// One run that a schedule asks for.
#[derive(Debug)]
pub struct Step {
    /// Names the run in its session.
    pub label: String,
    /// Describes it while it runs.
    pub title: String,
    /// By which a resumed session finds it again.
    pub key: Option<String>,
    /// The request, unchecked.
    pub timespan: Timespan,
    /// Its check, where the whole request was checked and nothing ran since.
    pub checked: Option<CheckedPlan>,
    /// Half of the 95% interval of its rate, as a share of it, at which it may end before its time.
    pub precision: Option<f64>,
    /// The page cache of its target is dropped before.
    pub cold: bool,
    /// How long it and what follows may take, where that is known.
    pub left: Option<Nanos>,
    /// In a job: what of the request a rank does.
    pub part: RankPart,
    /// The trace that is replayed, where the request is one of a trace.
    pub recording: Option<Recording>,
    /// Where the journal of what is durable goes, where there is one.
    pub journal: Option<JournalSink>,
    /// Who receives its I/Os while they are issued, where anyone does.
    pub io_log: Option<IoLogSink>,
}

impl Step {
    /// A run without anything special.
    pub fn new(label: String, timespan: Timespan) -> Step {
        Step {
            title: label.clone(),
            label,
            key: None,
            timespan,
            checked: None,
            precision: None,
            cold: false,
            left: None,
            part: RankPart::Layout,
            recording: None,
            journal: None,
            io_log: None,
        }
    }

    /// One whose threads are tasks of a job: rank r does the one that is so much further.
    pub fn of_tasks(label: String, timespan: Timespan, further: u32) -> Step {
        Step {
            part: RankPart::Task(further),
            ..Step::new(label, timespan)
        }
    }

    /// One whose record in a job is that of all ranks together.
    pub fn joined(label: String, timespan: Timespan) -> Step {
        Step {
            part: RankPart::Joined,
            ..Step::new(label, timespan)
        }
    }

    /// The request with no other run in it.
    pub(crate) fn profile(&self) -> Profile {
        Profile {
            timespans: vec![self.timespan.clone()],
        }
    }
}

/// A completed run.
#[derive(Debug)]
pub struct Ran {
    /// Its record, or why it is listed without one.
    pub outcome: Result<RunRecord, String>,
    /// Its number in the session, where it was stored.
    pub stored: Option<u32>,
    /// From its check to its storing.
    pub took: Nanos,
}

/// What becomes of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is stored.
    Store,
    /// It is listed without a result, for this reason.
    Missing(String),
    /// Nothing of it is stored, and the schedule is asked for the next run.
    Again,
    /// Nothing of it is stored, and the session ends.
    Drop,
    /// Its error ends the session.
    Fail,
}

/// Which run is next. It owns the results.
pub trait Schedule {
    /// The next run; `None` at the end.
    ///
    /// # Errors
    /// What ends the session.
    fn next(&mut self) -> Result<Option<Step>, CommandError>;

    /// Targets whose content is known; of others it is read again.
    fn known(&self) -> &[TargetFacts] {
        &[]
    }

    /// What becomes of a run.
    fn judge(&mut self, outcome: &Result<RunRecord, CommandError>) -> Fate {
        match outcome {
            Ok(_) => Fate::Store,
            Err(_) => Fate::Fail,
        }
    }

    /// Takes a completed run; false where it is the last one.
    fn take(&mut self, step: Step, ran: Ran) -> bool;
}

/// Who follows the runs.
pub trait Watcher {
    /// A run begins, that may take so long.
    fn begin(&mut self, step: &Step, planned: Nanos);

    /// Receives what happens in the run.
    fn observer(&self) -> &dyn Observer {
        &Silent
    }

    /// The files of the run are ready. It may wait; `false` calls the run off.
    fn ready(&mut self, _filled: &[Filled]) -> bool {
        true
    }

    /// The run has ended, with any result.
    fn end(&mut self) {}
}

/// Time spans in their order, until one fails.
pub struct Timespans<'a> {
    spans: &'a [Timespan],
    titles: &'a [String],
    next: usize,
    /// Of the first span.
    checked: Option<CheckedPlan>,
    /// Reports a record when it is stored.
    report: &'a dyn Fn(&RunRecord),
    /// The trace that is replayed, where the request is one of a trace.
    pub recording: Option<Recording>,
    /// Where the journal of what is durable goes, where there is one.
    pub journal: Option<JournalSink>,
    /// By span: who receives its I/Os while they are issued; may be empty.
    pub io_logs: Vec<Option<IoLogSink>>,
    /// One for each span that ran.
    pub records: Vec<RunRecord>,
}

impl<'a> Timespans<'a> {
    /// All of a request. `checked` is what its check gave for each span; `titles` may be empty.
    pub fn new(
        spans: &'a [Timespan],
        titles: &'a [String],
        checked: Vec<CheckedPlan>,
        report: &'a dyn Fn(&RunRecord),
    ) -> Self {
        Timespans {
            spans,
            titles,
            next: 0,
            checked: checked.into_iter().next(),
            report,
            recording: None,
            journal: None,
            io_logs: Vec::new(),
            records: Vec::new(),
        }
    }
}

impl Timespans<'_> {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.spans.len()
    }
}

impl Schedule for Timespans<'_> {
    fn next(&mut self) -> Result<Option<Step>, CommandError> {
        let Some(span) = self.spans.get(self.next) else {
            return Ok(None);
        };
        let (number, count) = (self.next + 1, self.spans.len());
        let label = match count {
            1 => RUN.to_owned(),
            _ => format!("timespan {number}"),
        };
        let title = self.titles.get(self.next).filter(|_| count > 1);
        let io_log = self.io_logs.get(self.next).cloned().flatten();
        self.next = number;
        Ok(Some(Step {
            title: title.map_or_else(String::new, |title| format!("{number} of {count}: {title}")),
            // Later ones are checked when their turn comes: earlier ones may have created their files.
            checked: self.checked.take(),
            recording: self.recording.clone(),
            journal: self.journal.clone(),
            io_log,
            ..Step::new(label, span.clone())
        }))
    }

    fn take(&mut self, _step: Step, ran: Ran) -> bool {
        let Ok(record) = ran.outcome else {
            return false;
        };
        (self.report)(&record);
        let failed = matches!(record.outcome, Outcome::Failed(_));
        self.records.push(record);
        !failed
    }
}
