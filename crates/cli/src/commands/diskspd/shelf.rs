//! DISKSPD's runs on the shelf: one session a request, one run a time span.
//!
//! What cannot be kept is told and fails the command, but not before its results are printed.

use super::session::Asked;
use crate::args::KeepArgs;
use crate::commands::VERSION;
use crate::environment::{Environment, StorePlace};
use crate::failure::Failure;
use crate::{keep, now, output};
use dialects::diskspd::Extra;
use model::{Outcome, RunRecord};
use store::{NewSession, SessionId, SessionKind, SessionOutcome, Store, StoreError};

/// An open store with the session of this request.
pub(super) struct Shelf {
    store: Store,
    session: NewSession,
    begun: Option<SessionId>,
    spans: usize, // that were asked for
    trouble: Option<StoreError>,
}

impl Shelf {
    /// Where the runs will be kept; `None` with `--no-store`.
    pub(super) fn place(
        extra: &Extra,
        environment: &Environment,
    ) -> Result<Option<StorePlace>, Failure> {
        let args = KeepArgs {
            store: extra.store.clone(),
            no_store: extra.no_store,
        };
        keep::place(&args, environment)
    }

    /// What cannot keep results is refused before they are measured.
    pub(super) fn open(place: Option<&StorePlace>, asked: &Asked) -> Result<Option<Self>, Failure> {
        let Some(store) = keep::open(place)? else {
            return Ok(None);
        };
        let mut targets: Vec<&str> = Vec::new();
        for target in asked
            .profile
            .time_spans
            .iter()
            .flat_map(|span| &span.targets)
        {
            if !targets.contains(&target.path.as_str()) {
                targets.push(&target.path);
            }
        }
        Ok(Some(Shelf {
            store,
            session: NewSession {
                kind: SessionKind::Run,
                command: asked.command(),
                tool_version: VERSION.to_owned(),
                started_utc: now::utc(),
                target: targets.join(" "),
            },
            begun: None,
            spans: asked.profile.time_spans.len(),
            trouble: None,
        }))
    }

    /// Keeps the run of a time span.
    pub(super) fn save(&mut self, number: u32, record: &RunRecord) {
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
    pub(super) fn close(mut self, records: &[RunRecord]) -> bool {
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
        let any = |is: fn(&Outcome) -> bool| records.iter().any(|record| is(&record.outcome));
        if any(|outcome| matches!(outcome, Outcome::Failed(_))) {
            SessionOutcome::Failed
        } else if records.len() < self.spans || any(|outcome| *outcome == Outcome::Interrupted) {
            SessionOutcome::Interrupted
        } else {
            SessionOutcome::Complete
        }
    }
}
