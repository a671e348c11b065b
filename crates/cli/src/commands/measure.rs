//! One plan that may be run, from its files to its record: the part of the flow that every command shares.
//!
//! Deliberately absent: what may be run (`gate`), what becomes of the record.

use super::VERSION;
use crate::failure::Failure;
use crate::gate::{Gate, Passed};
use crate::now;
use engine::{Calibration, Filled, Job, Observer, Stop};
use model::{Plan, Profile, RunRecord, TargetFacts};

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
    /// Makes what has to be made, tells what was, and runs.
    pub(crate) fn run(
        self,
        passed: Passed,
        filled: impl FnOnce(&[Filled]),
    ) -> Result<RunRecord, Failure> {
        let Passed {
            mut plan,
            mut facts,
        } = passed;
        let made = self
            .gate
            .prepare(&mut plan, &facts, self.observer, self.stop)?;
        filled(&made);
        if !made.is_empty() {
            // Facts are those before the run, not those before the filling.
            facts = self.gate.facts(self.profile);
        }
        let job = job(self.gate, plan, facts, self.command);
        let record = engine::run_calibrated(
            job,
            self.gate.root,
            self.calibration,
            self.observer,
            self.stop,
        )?;
        self.gate.closed(&record.plan);
        Ok(record)
    }
}

/// A plan with what its record says beside the result.
pub(crate) fn job(
    gate: &Gate<'_>,
    plan: Plan,
    targets: Vec<TargetFacts>,
    command: Vec<String>,
) -> Job {
    Job {
        plan,
        pins: gate.pins.clone(),
        host: gate.host.clone(),
        targets,
        command,
        tool_version: VERSION.to_owned(),
        started_utc: now::utc(),
    }
}
