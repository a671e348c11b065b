//! The environment of a command that measures: this machine as it was found, where results are kept, and what the person
//! allowed. All three are there before a target is looked at.
//!
//! Deliberately absent: the targets and the request (`gate`).

use crate::args::KeepArgs;
use crate::environment::{Environment, StorePlace};
use crate::{keep, output};
use engine::Calibration;
use gate::Pins;
use host::Root;
use model::{CommandError, Consent, HostRecord};
use session::{Admission, DepthFound, ProofRecords};
use tools::{OwnOptions, native};

/// Looked at once a command.
pub(crate) struct RunContext {
    pub(crate) root: Root,
    pub(crate) host: HostRecord,
    /// None where nothing is kept.
    pub(crate) place: Option<StorePlace>,
    consent: Consent,
    calibration: Calibration,
}

impl RunContext {
    /// Refused where there is no place for the results and storing none was not requested.
    pub(crate) fn find(
        keep: &KeepArgs,
        consent: Consent,
        environment: &Environment,
    ) -> Result<RunContext, CommandError> {
        let calibration = Calibration::begun(); // watches while this machine is looked at
        let root = Root::live();
        Ok(RunContext {
            calibration,
            host: host::host_record(&root),
            root,
            place: keep::place(keep, environment)?,
            consent,
        })
    }

    /// The same by fathom's options on another tool's command line.
    pub(crate) fn of_tool(
        own: &OwnOptions,
        environment: &Environment,
    ) -> Result<RunContext, CommandError> {
        let keep = KeepArgs::of_tool(own);
        RunContext::find(&keep, own.consent.clone(), environment)
    }

    /// The gate for fathom's own command lines: each target once, and problems in the options of `fathom run`. A dialect
    /// specifies its differences: `Admission { repeats: true, ..ground.gate() }`.
    pub(crate) fn gate(&self) -> Admission<'_> {
        Admission {
            root: &self.root,
            host: &self.host,
            consent: &self.consent,
            store: self.place.as_ref().map(|place| place.path().as_path()),
            pins: Pins::default(),
            proofs: ProofRecords::default(),
            repeats: false,
            note: output::tell,
            depth: DepthFound::default(),
            options: native::option,
            event_files: &[],
            calibration: &self.calibration,
        }
    }
}
