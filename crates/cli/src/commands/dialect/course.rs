//! The runs of another tool's request, one after another.
//!
//! Omitted: what becomes of the records beyond the results database.

use super::{StoredSession, tell_trouble};
use crate::commands::ended;
use crate::environment::Environment;
use crate::failure;
use crate::progress::RunBars;
use crate::signals;
use engine::Stop;
use model::{CommandError, NoResult, Profile, RunRecord, RunResult};
use session::{Admission, CheckedPlan, ProvenFiles, Runner, Timespans};

/// What all of them have in common.
pub(crate) struct Course<'a> {
    pub(crate) gate: &'a Admission<'a>,
    pub(crate) environment: &'a Environment,
    /// The command line, for the records.
    pub(crate) command: &'a [String],
    /// What is printed before each, where there are several.
    pub(crate) names: &'a [String],
}

/// Their results.
pub(crate) struct Ran {
    pub(crate) records: Vec<RunRecord>,
    /// All were run to their end and have results.
    pub(crate) whole: bool,
}

impl Course<'_> {
    /// Runs them. `checked` is what the check of the whole request gave.
    ///
    /// # Errors
    /// What kept the first of them from running. Of a later one it is printed, and the records of those before stay.
    pub(crate) fn run(
        &self,
        profile: &Profile,
        checked: Vec<CheckedPlan>,
        stored: &StoredSession,
    ) -> Result<Ran, CommandError> {
        let stop = Stop::new();
        signals::listen(&stop)?;
        let mut runner = Runner::new(
            self.gate,
            ProvenFiles::default(),
            &stored.journal,
            self.command.to_vec(),
            &stop,
        );
        let mut schedule = Timespans::new(&profile.timespans, self.names, checked, tell_trouble);
        match runner.run(&mut schedule, &mut RunBars::new(self.environment)) {
            Err(error) if !schedule.records.is_empty() => failure::say(&error),
            ended => drop(ended?),
        }
        let records = schedule.records;
        let good = records.iter().filter(|record| is_whole(record)).count();
        Ok(Ran {
            whole: good == profile.timespans.len(),
            records,
        })
    }
}

/// Whether there is a result to the end; says so if not. The originals count short I/Os as results.
fn is_whole(record: &RunRecord) -> bool {
    match record.result() {
        RunResult::Usable | RunResult::Failed(NoResult::Short(_)) => true,
        RunResult::Interrupted | RunResult::Failed(NoResult::Ended(_)) => false, // what failed was printed
        RunResult::Failed(why) => {
            ended::tell_lost(why);
            false
        }
    }
}
