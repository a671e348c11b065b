//! The timespans of another tool's request, one after another: each is looked at again just before it runs, because an
//! earlier one may have made its files.
//!
//! Left out: what becomes of the records beyond the shelf.

use super::{Shelf, tell_trouble};
use crate::commands::ended;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::output;
use crate::progress::Progress;
use crate::signals;
use engine::{Calibration, Stop};
use model::{NoResult, Outcome, Profile, RunRecord, RunResult};
use session::Measure;
use session::ProvenFiles;
use session::{Admission, CheckedPlan};

/// What all of them have in common.
pub(crate) struct Course<'a> {
    pub(crate) gate: &'a Admission<'a>,
    pub(crate) environment: &'a Environment,
    /// The command line, for the records.
    pub(crate) command: &'a [String],
    /// What is told before each but the first, by its number from 0; nothing where there is one.
    pub(crate) names: &'a [String],
}

/// What came of them.
pub(crate) struct Ran {
    pub(crate) records: Vec<RunRecord>,
    /// All were run to their end and have results.
    pub(crate) whole: bool,
}

impl Course<'_> {
    /// Runs them. `first` is what the check of the whole request let pass.
    pub(crate) fn run(
        &self,
        profile: &Profile,
        first: Vec<CheckedPlan>,
        shelf: &Shelf,
    ) -> Result<Ran, Failure> {
        let stop = Stop::new();
        signals::listen(&stop)?;
        let mut ran = Ran {
            records: Vec::new(),
            whole: true,
        };
        let calibration = Calibration::default();
        let mut ours = ProvenFiles::default();
        let mut first = first.into_iter();
        for (number, span) in profile.timespans.iter().enumerate() {
            if stop.asked() {
                ran.whole = false;
                break;
            }
            if profile.timespans.len() > 1
                && let Some(name) = self.names.get(number)
            {
                output::tell(&format!(
                    "{} of {}: {name}",
                    number + 1,
                    profile.timespans.len()
                ));
            }
            let alone = Profile {
                timespans: vec![span.clone()],
            };
            let passed = match first.next().filter(|_| number == 0) {
                Some(passed) => passed,
                None => self.gate.check(&alone)?.remove(0),
            };
            let progress = Progress::of_run(self.environment, passed.plan.phases.total());
            let measure = Measure {
                admission: self.gate,
                calibration: &calibration,
                profile: &alone,
                command: self.command.to_vec(),
                observer: &progress,
                stop: &stop,
            };
            let record = measure.run(passed, &mut ours, |filled| {
                progress.filled(filled);
            })?;
            progress.finish();
            tell_trouble(&record);
            shelf.save(number as u32 + 1, &record);
            ran.whole &= is_whole(&record);
            let failed = matches!(record.outcome, Outcome::Failed(_));
            ran.records.push(record);
            if failed {
                break;
            }
        }
        ran.whole &= ran.records.len() == profile.timespans.len();
        Ok(ran)
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
