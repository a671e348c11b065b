//! The runs of another tool's request, one after another.
//!
//! Omitted: what becomes of the records beyond the results database.

use super::{SpansOfRanks, StoredSession, records_of, tell_trouble};
use crate::commands::ended;
use crate::commands::hosts::part;
use crate::environment::Environment;
use crate::failure;
use crate::progress::RunBars;
use crate::{report, signals};
use analysis::JobContext;
use engine::io_log::IoLogSink;
use engine::{Event, Filled, Observer, Recording, Stop};
use model::{CommandError, Nanos, NoResult, Profile, RunRecord, RunResult};
use session::{
    Admission, CheckedPlan, Ended, Hosts, ProvenFiles, RankResult, Runner, Schedule, Step,
    Timespans, Watcher,
};
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard, PoisonError};
use store::Store;

/// What all of them have in common.
pub(crate) struct Course<'a> {
    pub(crate) gate: &'a Admission<'a>,
    pub(crate) environment: &'a Environment,
    /// The command line, for the records.
    pub(crate) command: &'a [String],
    /// What is printed before each, where there are several.
    pub(crate) names: &'a [String],
    /// The trace that is replayed, where the request is one of a trace.
    pub(crate) recording: Option<Recording>,
    /// By time span: who receives its I/Os while they are issued; may be empty.
    pub(crate) io_logs: Vec<Option<IoLogSink>>,
    /// Results that are printed while the runs go on, where there are any.
    pub(crate) status: Option<Status<'a>>,
    /// The other processes, where a launcher started them.
    pub(crate) hosts: Option<&'a Rc<Hosts>>,
}

/// Prints results again and again while they are measured. Called elsewhere: fio `--status-interval`.
pub(crate) struct Status<'a> {
    /// From one to the next.
    pub(crate) every: Nanos,
    /// Receives the records of the runs so far; the last is the snapshot of the one that goes on.
    pub(crate) show: &'a (dyn Fn(&[RunRecord]) + Sync),
}

/// Draws the bars of the runs and prints their results meanwhile.
struct Following<'a> {
    bars: RunBars<'a>,
    status: &'a Status<'a>,
    done: &'a Mutex<Vec<RunRecord>>,
}

fn locked(done: &Mutex<Vec<RunRecord>>) -> MutexGuard<'_, Vec<RunRecord>> {
    done.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watcher for Following<'_> {
    fn begin(&mut self, step: &Step, planned: Nanos) {
        self.bars.begin(step, planned);
    }

    fn observer(&self) -> &dyn Observer {
        self
    }

    fn ready(&mut self, filled: &[Filled]) -> bool {
        self.bars.ready(filled)
    }

    fn end(&mut self) {
        self.bars.end();
    }
}

impl Observer for Following<'_> {
    fn on(&self, event: Event<'_>) {
        self.bars.observer().on(event);
    }

    fn snapshot_every(&self) -> Option<Nanos> {
        Some(self.status.every)
    }

    fn snapshot(&self, record: &RunRecord) {
        let mut records = locked(self.done).clone();
        records.push(record.clone());
        (self.status.show)(&records);
    }
}

/// Their results.
pub(crate) struct Ran {
    /// One for each, of all ranks together.
    pub(crate) records: Vec<RunRecord>,
    /// By run: the results of its ranks; empty without other hosts.
    pub(crate) ranks: Vec<Vec<RankResult>>,
    /// All were run to their end and have results.
    pub(crate) whole: bool,
}

impl Ran {
    /// Returns fathom's own report of each run, of ranks that of the job.
    pub(crate) fn reports(&self, environment: &Environment) -> Vec<Vec<u8>> {
        let form = || report::Form::of_list(false, environment);
        if self.ranks.is_empty() {
            let records = self.records.iter();
            return records.map(|record| report::run(record, form())).collect();
        }
        let of_job = |results: &Vec<RankResult>| {
            let parts: Vec<analysis::JobPart<'_>> = results.iter().map(part).collect();
            let report = report::job_of(&parts, JobContext::default());
            report.map_or_else(|_| Vec::new(), |report| report::job(&report, form())) // each has a record
        };
        self.ranks.iter().map(of_job).collect()
    }

    /// Finishes its session. Returns whether all that was measured is stored.
    pub(crate) fn close(&self, stored: StoredSession, hosts: Option<&Rc<Hosts>>) -> bool {
        match hosts {
            Some(hosts) => {
                let records = self.ranks.iter().flat_map(|results| records_of(results));
                stored.close_of_job(&records.collect::<Vec<_>>(), hosts)
            }
            None => stored.close(&self.records),
        }
    }
}

impl<'a> Course<'a> {
    /// Of this process alone, with nothing but the results.
    pub(crate) fn new(
        gate: &'a Admission<'a>,
        environment: &'a Environment,
        command: &'a [String],
    ) -> Course<'a> {
        Course {
            gate,
            environment,
            command,
            names: &[],
            recording: None,
            io_logs: Vec::new(),
            status: None,
            hosts: None,
        }
    }
}

impl Course<'_> {
    /// Creates the files of all of them, and runs none.
    ///
    /// # Errors
    /// A file that cannot be created or proven.
    pub(crate) fn create_files(
        &self,
        profile: &Profile,
        checked: Vec<CheckedPlan>,
        stored: &StoredSession,
    ) -> Result<Ran, CommandError> {
        let stop = Stop::new();
        signals::listen(&stop)?;
        let mut runner = self.runner(stored, &stop);
        let mut schedule = Timespans::new(&profile.timespans, self.names, checked, &tell_trouble);
        let mut bars = FilesOnly(RunBars::new(self.environment));
        // Each is called off when its files are there.
        while runner.run(&mut schedule, &mut bars)? == Ended::Early && !stop.asked() {}
        Ok(Ran {
            records: Vec::new(),
            ranks: Vec::new(),
            whole: !stop.asked(),
        })
    }

    /// Makes the runs of a schedule of the dialect's own.
    ///
    /// # Errors
    /// Those of [`Runner::run`].
    pub(crate) fn follow(
        &self,
        schedule: &mut dyn Schedule,
        stored: &StoredSession,
        stop: &Stop,
    ) -> Result<Ended, CommandError> {
        let mut runner = self.runner(stored, stop);
        runner.run(schedule, &mut RunBars::new(self.environment))
    }

    /// The same; true if a run failed after others were measured, which `has_results` is about, and which are kept.
    ///
    /// # Errors
    /// What ended the first run.
    pub(crate) fn follow_on<S: Schedule>(
        &self,
        schedule: &mut S,
        has_results: fn(&S) -> bool,
        stored: &StoredSession,
        stop: &Stop,
    ) -> Result<bool, CommandError> {
        match self.follow(schedule, stored, stop) {
            Err(error) if has_results(schedule) => {
                failure::say(&error);
                Ok(true)
            }
            ended => ended.map(|_| false),
        }
    }

    fn runner<'r>(&'r self, stored: &'r StoredSession, stop: &'r Stop) -> Runner<'r, Store> {
        let proven = ProvenFiles::default();
        let command = self.command.to_vec();
        let mut runner = Runner::new(self.gate, proven, &stored.journal, command, stop);
        runner.hosts = self.hosts.cloned();
        runner
    }

    /// Runs them. `checked` is what the check of the whole request gave.
    ///
    /// # Errors
    /// What kept the first of them from running. Of a later one it is printed, and the records of those before stay.
    pub(crate) fn run(
        &self,
        profile: &Profile,
        checked: Vec<CheckedPlan>,
        stored: &StoredSession,
        stop: &Stop,
    ) -> Result<Ran, CommandError> {
        let mut runner = self.runner(stored, stop);
        let done = Mutex::new(Vec::new());
        let report = |record: &RunRecord| {
            if self.hosts.is_none() {
                tell_trouble(record); // of ranks each is reported
            }
            if self.status.is_some() {
                locked(&done).push(record.clone());
            }
        };
        let mut schedule = Timespans::new(&profile.timespans, self.names, checked, &report);
        schedule.recording = self.recording.clone();
        schedule.io_logs = self.io_logs.clone();
        let mut bars = RunBars::new(self.environment);
        let (ran, records, ranks) = match (self.hosts, &self.status) {
            (Some(hosts), _) => {
                let mut schedule = SpansOfRanks::new(schedule, hosts);
                let ran = runner.run(&mut schedule, &mut bars);
                let (records, ranks) = schedule.into_records();
                (ran, records, ranks)
            }
            (None, None) => {
                let ran = runner.run(&mut schedule, &mut bars);
                (ran, schedule.records, Vec::new())
            }
            (None, Some(status)) => {
                let done = &done;
                let ran = runner.run(&mut schedule, &mut Following { bars, status, done });
                (ran, schedule.records, Vec::new())
            }
        };
        match ran {
            Err(error) if !records.is_empty() => failure::say(&error),
            ended => drop(ended?),
        }
        let good = records.iter().filter(|record| is_whole(record)).count();
        Ok(Ran {
            whole: good == profile.timespans.len(),
            records,
            ranks,
        })
    }
}

/// Calls off each run when its files are there.
struct FilesOnly<'a>(RunBars<'a>);

impl Watcher for FilesOnly<'_> {
    fn begin(&mut self, step: &Step, planned: Nanos) {
        self.0.begin(step, planned);
    }

    fn observer(&self) -> &dyn Observer {
        self.0.observer()
    }

    fn ready(&mut self, filled: &[Filled]) -> bool {
        self.0.ready(filled);
        false
    }

    fn end(&mut self) {
        self.0.end();
    }
}

/// Whether there is a result to the end; reports if not. The originals count short I/Os as results.
pub(crate) fn is_whole(record: &RunRecord) -> bool {
    match record.result() {
        RunResult::Usable | RunResult::Failed(NoResult::Short(_)) => true,
        RunResult::Interrupted | RunResult::Failed(NoResult::Ended(_)) => false, // what failed was printed
        RunResult::Failed(why) => {
            ended::tell_lost(why);
            false
        }
    }
}
