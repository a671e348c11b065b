//! A session of several results, as far as one is wanted and can be had. A store that fails does not end the measuring.
//!
//! Deliberately absent: what the results are.

use super::{VERSION, command_line};
use crate::failure::Ending;
use crate::output;
use model::{FilesRecord, Nanos, RunRecord, WatchRecord};
use std::cell::RefCell;
use store::{NewSession, RunName, SessionId, SessionKind, SessionOutcome, Store, StoreError};

/// A session that is being filled.
pub(crate) struct Series<'a> {
    store: Option<&'a Store>,
    session: Option<SessionId>,
    trouble: RefCell<Option<StoreError>>,
}

impl<'a> Series<'a> {
    /// Begins it.
    pub(crate) fn begin(
        store: Option<&'a Store>,
        kind: SessionKind,
        target: String,
        started_utc: Nanos,
    ) -> Self {
        let new = NewSession {
            kind,
            command: command_line(),
            tool_version: VERSION.to_owned(),
            started_utc,
            target,
        };
        let mut series = Series {
            store,
            session: None,
            trouble: RefCell::new(None),
        };
        match store.map(|store| store.begin(&new)) {
            Some(Ok(session)) => series.session = Some(session),
            Some(Err(error)) => series.note(error),
            None => {}
        }
        series
    }

    /// One run of the block engine.
    pub(crate) fn save(&self, label: &str, record: &RunRecord) {
        self.keep(|store, session| store.save(session, label, record).map(drop));
    }

    /// One step of work with files.
    pub(crate) fn save_files(&self, record: &FilesRecord) {
        self.keep(|store, session| store.save_files(session, record).map(drop));
    }

    /// What was seen of one device.
    pub(crate) fn save_watch(&self, record: &WatchRecord) {
        self.keep(|store, session| store.save_watch(session, record).map(drop));
    }

    /// Says how it ended, and what its report says beside its results. What could not be kept is told.
    pub(crate) fn finish(&self, outcome: SessionOutcome, context: Option<&str>) -> Ending {
        self.keep(|store, session| store.finish(session, outcome, context));
        match self.trouble.borrow().as_ref() {
            None => Ending::Good,
            Some(error) => {
                output::tell(&format!("the result could not be kept: {error}"));
                Ending::Wrong
            }
        }
    }

    /// Takes all of it away again, for what turned out to be refused. What could not be taken away is told.
    pub(crate) fn drop_all(&self) {
        self.keep(|store, session| store.delete(&[RunName { session, run: None }]));
        if let Some(error) = self.trouble.borrow().as_ref() {
            output::tell(&format!(
                "what was measured before could not be taken off the shelf: {error}"
            ));
        }
    }

    /// How a person names it.
    pub(crate) fn name(&self) -> Option<RunName> {
        let session = self.session?;
        self.trouble
            .borrow()
            .is_none()
            .then_some(RunName { session, run: None })
    }

    fn keep(&self, work: impl FnOnce(&Store, SessionId) -> Result<(), StoreError>) {
        let (Some(store), Some(session)) = (self.store, self.session) else {
            return;
        };
        if let Err(error) = work(store, session) {
            self.note(error);
        }
    }

    /// The first trouble is the one that explains the others.
    fn note(&self, error: StoreError) {
        self.trouble.borrow_mut().get_or_insert(error);
    }
}
