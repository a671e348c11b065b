//! The one way from a plan that may run to its record: every command that measures comes through here.
//!
//! Deliberately absent: what may be run (`gate`), which run comes next, and what becomes of the record.

use super::VERSION;
use crate::failure::Failure;
use crate::gate::{Gate, Passed};
use crate::now;
use crate::ours::Ours;
use engine::{Calibration, Filled, Job, Observer, Stop};
use model::{Profile, RunRecord};

/// What a run needs beside its plan.
pub(crate) struct Measure<'a> {
    pub(crate) gate: &'a Gate<'a>,
    /// Of the run before it in the same command.
    pub(crate) calibration: &'a Calibration,
    /// What the plan came from; its targets are looked at again after files were made.
    pub(crate) profile: &'a Profile,
    /// The command line, for the record.
    pub(crate) command: Vec<String>,
    pub(crate) observer: &'a dyn Observer,
    pub(crate) stop: &'a Stop,
}

impl Measure<'_> {
    /// Makes and proves what the plan needs, and runs it. `ours` is what earlier runs of the command proved; `filled` gets
    /// what was made.
    ///
    /// # Errors
    /// A file could not be made or proven, or the run could not begin.
    pub(crate) fn run(
        self,
        passed: Passed,
        ours: &mut Ours,
        filled: impl FnOnce(&[Filled]),
    ) -> Result<RunRecord, Failure> {
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
    pub(crate) fn run_when(
        self,
        passed: Passed,
        ours: &mut Ours,
        ready: impl FnOnce(&[Filled]) -> bool,
    ) -> Result<Option<RunRecord>, Failure> {
        let (gate, pins) = (self.gate, &self.gate.pins);
        let Passed { mut plan, facts } = passed;
        ours.spare(&mut plan, pins);
        let made = gate.prepare(&mut plan, &facts, self.observer, self.stop)?;
        ours.learn(&plan, pins);
        if !ready(&made) {
            return Ok(None);
        }
        let job = Job {
            plan,
            pins: pins.clone(),
            host: gate.host.clone(),
            // Facts are those before the run, not those before the filling.
            targets: match made.is_empty() {
                true => facts,
                false => gate.facts(self.profile),
            },
            command: self.command,
            tool_version: VERSION.to_owned(),
            started_utc: now::utc(),
        };
        let (calibration, root) = (self.calibration, gate.root);
        let record = engine::run_calibrated(job, root, calibration, self.observer, self.stop)?;
        gate.closed(&record.plan);
        ours.ran(&record.plan, pins);
        Ok(Some(record))
    }
}
