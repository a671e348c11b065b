//! The session of a command in the store: begun, filled result by result, finished.
//!
//! A store that fails does not end the measuring: the first failure is reported at the end, and the session is not complete.
//! Deliberately absent: what the results are, and sweeps, whose sessions are resumed (`sweep::shelf`).

use crate::runner::VERSION;
use model::{CommandError, FilesRecord, Nanos, RunRecord, WatchRecord};
use std::borrow::Borrow;
use std::cell::{Cell, RefCell};
use store::{NewSession, RunName, SessionId, SessionKind, SessionOutcome, Store, StoreError};

/// A session that is being filled; nothing happens without a store.
pub struct Journal<S> {
    store: Option<S>,
    new: NewSession,
    session: Cell<Option<SessionId>>,
    trouble: RefCell<Option<StoreError>>,
}

/// Names a session of this version of fathom; `command` is the line that means it to fathom, program name first.
pub fn new_session(
    kind: SessionKind,
    command: Vec<String>,
    target: String,
    started_utc: Nanos,
) -> NewSession {
    NewSession {
        kind,
        command,
        tool_version: VERSION.to_owned(),
        started_utc,
        target,
    }
}

impl<S: Borrow<Store>> Journal<S> {
    /// Of a session that begins with its first result.
    pub fn new(store: Option<S>, new: NewSession) -> Self {
        Journal {
            store,
            new,
            session: Cell::new(None),
            trouble: RefCell::new(None),
        }
    }

    /// Begins the session now.
    pub fn begin(store: Option<S>, new: NewSession) -> Self {
        let journal = Journal::new(store, new);
        journal.keep(|_, _| Ok(()));
        journal
    }

    /// Saves one run of the block engine.
    pub fn save(&self, label: &str, record: &RunRecord) {
        self.keep(|store, session| store.save(session, label, record).map(drop));
    }

    /// Saves one step of work with files.
    pub fn save_files(&self, record: &FilesRecord) {
        self.keep(|store, session| store.save_files(session, record).map(drop));
    }

    /// Saves what was seen of one device.
    pub fn save_watch(&self, record: &WatchRecord) {
        self.keep(|store, session| store.save_watch(session, record).map(drop));
    }

    /// Stores how it ended, and what its report says beside its results. A session of which something is missing has
    /// failed.
    ///
    /// # Errors
    /// Something of it could not be stored; what was measured is there to be printed.
    pub fn finish(
        &self,
        outcome: SessionOutcome,
        context: Option<&str>,
    ) -> Result<(), CommandError> {
        if self.session.get().is_some() {
            let outcome = self.outcome(outcome);
            self.keep(|store, session| store.finish(session, outcome, context));
        }
        match self.trouble.borrow().as_ref() {
            None => Ok(()),
            Some(error) => Err(CommandError::failed(format!(
                "the result could not be kept whole: {error}"
            ))),
        }
    }

    /// Deletes all of it, for what turned out to be refused.
    ///
    /// # Errors
    /// It could not be deleted.
    pub fn drop_all(&self) -> Result<(), CommandError> {
        self.keep(|store, session| store.delete(&[RunName { session, run: None }]));
        match self.trouble.borrow().as_ref() {
            None => Ok(()),
            Some(error) => Err(CommandError::failed(format!(
                "what was measured before could not be deleted: {error}"
            ))),
        }
    }

    /// The name to show the result by, where it is stored whole.
    pub fn name(&self) -> Option<RunName> {
        let whole = self.trouble.borrow().is_none();
        let session = self.session.get().filter(|_| whole)?;
        Some(RunName { session, run: None })
    }

    fn outcome(&self, outcome: SessionOutcome) -> SessionOutcome {
        match self.trouble.borrow().is_some() {
            true => SessionOutcome::Failed,
            false => outcome,
        }
    }

    fn keep(&self, work: impl FnOnce(&Store, SessionId) -> Result<(), StoreError>) {
        let Some(store) = self.store.as_ref().map(Borrow::borrow) else {
            return;
        };
        let session = match self.session.get() {
            Some(session) => Ok(session),
            None if self.trouble.borrow().is_some() => return, // it could not be begun
            None => store.begin(&self.new),
        };
        let kept = session.and_then(|session| {
            self.session.set(Some(session));
            work(store, session)
        });
        if let Err(error) = kept {
            // The first one usually explains those after it.
            self.trouble.borrow_mut().get_or_insert(error);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn new() -> NewSession {
        new_session(SessionKind::Survey, Vec::new(), "t".to_owned(), Nanos(0))
    }

    #[test]
    fn a_session_that_is_not_stored_whole_is_not_complete() {
        let complete = SessionOutcome::Complete;
        let journal = Journal::<&Store>::new(None, new());
        assert_eq!(journal.outcome(complete), complete);
        let trouble = "no name".parse::<RunName>().err().unwrap();
        journal.trouble.replace(Some(trouble));
        assert_eq!(journal.outcome(complete), SessionOutcome::Failed);
        assert_eq!(journal.name(), None);
    }

    #[test]
    fn a_session_begins_with_its_first_result_or_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("s.db")).unwrap();
        let late = Journal::new(Some(&store), new());
        assert_eq!(late.finish(SessionOutcome::Complete, None), Ok(()));
        assert_eq!((late.name(), store.has_sessions().unwrap()), (None, false));
        let now = Journal::begin(Some(&store), new());
        assert!(now.name().is_some() && store.has_sessions().unwrap());
    }
}
