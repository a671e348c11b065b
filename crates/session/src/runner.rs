//! The one way from a plan that may run to its record: every command that measures comes through here.
//!
//! Deliberately absent: what may be run (`admission`), which run comes next, and what becomes of the record.

use crate::admission::{Admission, CheckedPlan};
use crate::clock;
use crate::proven_files::ProvenFiles;
use engine::{Calibration, Filled, Job, Observer, Stop};
use model::{CommandError, Profile, RunRecord};

/// Version of fathom, for the record.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a run needs beside its plan.
pub struct Measure<'a> {
    /// What may be run.
    pub admission: &'a Admission<'a>,
    /// Of the run before it in the same command.
    pub calibration: &'a Calibration,
    /// What the plan came from; its targets are looked at again after files were made.
    pub profile: &'a Profile,
    /// The command line, for the record.
    pub command: Vec<String>,
    /// Receives what happens meanwhile.
    pub observer: &'a dyn Observer,
    /// Ends the run when it is asked for.
    pub stop: &'a Stop,
}

impl Measure<'_> {
    /// Makes and proves what the plan needs, and runs it. `ours` is what earlier runs of the command proved; `filled` gets
    /// what was made.
    ///
    /// # Errors
    /// A file could not be made or proven, or the run could not begin.
    pub fn run(
        self,
        passed: CheckedPlan,
        ours: &mut ProvenFiles,
        filled: impl FnOnce(&[Filled]),
    ) -> Result<RunRecord, CommandError> {
        let record = self.run_when(passed, ours, |made| {
            filled(made);
            true
        })?;
        Ok(record.expect("only `ready` keeps a run from its record"))
    }

    /// The same; `ready` may wait before the run begins, and its `false` calls it off.
    ///
    /// # Errors
    /// Those of [`Measure::run`].
    pub fn run_when(
        self,
        passed: CheckedPlan,
        ours: &mut ProvenFiles,
        ready: impl FnOnce(&[Filled]) -> bool,
    ) -> Result<Option<RunRecord>, CommandError> {
        let (admission, pins) = (self.admission, &self.admission.pins);
        let CheckedPlan { mut plan, facts } = passed;
        ours.spare(&mut plan, pins);
        let made = admission.prepare(&mut plan, &facts, self.observer, self.stop)?;
        ours.learn(&plan, pins);
        if !ready(&made) {
            return Ok(None);
        }
        let job = Job {
            plan,
            pins: pins.clone(),
            host: admission.host.clone(),
            // Facts are those before the run, not those before the filling.
            targets: match made.is_empty() {
                true => facts,
                false => admission.facts(self.profile),
            },
            command: self.command,
            tool_version: VERSION.to_owned(),
            started_utc: clock::utc(),
        };
        let (calibration, root) = (self.calibration, admission.root);
        let record = engine::run_calibrated(job, root, calibration, self.observer, self.stop)?;
        admission.closed(&record.plan);
        ours.ran(&record.plan, pins);
        Ok(Some(record))
    }
}
