//! The runs of another tool's line on the shelf: one session a request, one run a time span.
//!
//! What cannot be kept is told and fails the command, but not before its results are printed.

use crate::args::KeepArgs;
use crate::environment::{Environment, StorePlace};
use crate::failure::Failure;
use crate::{keep, output};
use model::{RunRecord, RunResult};
use std::path::PathBuf;
use store::{NewSession, SessionId, SessionOutcome, Store, StoreError};

/// Where the runs will be kept, by `--store` and `--no-store`; `None` for nowhere.
pub(crate) fn place(
    store: Option<&PathBuf>,
    no_store: bool,
    environment: &Environment,
) -> Result<Option<StorePlace>, Failure> {
    let args = KeepArgs {
        store: store.cloned(),
        no_store,
    };
    keep::place(&args, environment)
}

/// An open store with the session of this request.
pub(crate) struct Shelf {
    store: Store,
    session: NewSession,
    begun: Option<SessionId>,
    spans: usize, // that were asked for
    trouble: Option<StoreError>,
}

impl Shelf {
    /// For so many time spans. What cannot keep results is refused before they are measured.
    pub(crate) fn open(
        place: Option<&StorePlace>,
        session: NewSession,
        spans: usize,
    ) -> Result<Option<Self>, Failure> {
        let store = keep::open(place)?;
        Ok(store.map(|store| Shelf {
            store,
            session,
            begun: None,
            spans,
            trouble: None,
        }))
    }

    /// Keeps the run of a time span.
    pub(crate) fn save(&mut self, number: u32, record: &RunRecord) {
        if self.trouble.is_some() {
            return;
        }
        if let Err(error) = self.try_save(number, record) {
            self.trouble = Some(error);
        }
    }

    fn try_save(&mut self, number: u32, record: &RunRecord) -> Result<(), StoreError> {
        let session = match self.begun {
            Some(session) => session,
            None => self.store.begin(&self.session)?,
        };
        self.begun = Some(session);
        let label = match self.spans {
            1 => "run".to_owned(),
            _ => format!("timespan {number}"),
        };
        self.store.save(session, &label, record).map(|_| ())
    }

    /// Says where the runs are. Whether all that was measured is kept.
    pub(crate) fn close(mut self, records: &[RunRecord]) -> bool {
        if let (Some(session), None) = (self.begun, &self.trouble) {
            let outcome = self.outcome(records);
            self.trouble = self.store.finish(session, outcome, None).err();
        }
        match (&self.trouble, self.begun) {
            (Some(error), _) => output::tell(&format!("the result could not be kept: {error}")),
            (None, Some(session)) => output::tell(&format!(
                "kept as {session}: fathom show {session} says what the numbers mean"
            )),
            (None, None) => {}
        }
        self.trouble.is_none()
    }

    fn outcome(&self, records: &[RunRecord]) -> SessionOutcome {
        let any =
            |is: fn(&RunResult<'_>) -> bool| records.iter().any(|record| is(&record.result()));
        if any(|result| matches!(result, RunResult::Failed(_))) {
            SessionOutcome::Failed
        } else if records.len() < self.spans || any(|result| *result == RunResult::Interrupted) {
            SessionOutcome::Interrupted
        } else {
            SessionOutcome::Complete
        }
    }
}
