//! The session of a command in the results database: begun, filled result by result, finished.
//!
//! A database that fails does not end the measuring: the session goes on in a file next to it, which `fathom import` adds to a
//! database, and the failure is reported at the end. A resumable session ends there, because one that forgets cannot be
//! resumed. Omitted: what the results are.

use crate::schedule::Step;
use model::{CommandError, FilesRecord, Nanos, RunRecord, RunResult, WatchRecord};
use std::borrow::Borrow;
use std::cell::{Cell, OnceCell, RefCell};
use std::path::Path;
use store::{
    NewSession, RankLine, RanksCell, RunName, SessionId, SessionKind, SessionOutcome, Store,
    StoreError,
};

/// Version of fathom, for the record.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A session that is being filled; nothing happens without a store.
pub struct Journal<S> {
    store: Option<S>,
    new: NewSession,
    form: Form,
    session: Cell<Option<SessionId>>,
    trouble: RefCell<Option<StoreError>>,
    /// Where results go that the database does not take; `None` in it where there is no such place.
    kept: OnceCell<Option<KeptFile>>,
}

/// A database next to the one that failed.
struct KeptFile {
    store: Store,
    session: Cell<Option<SessionId>>,
    /// A result did not fit into it either.
    lacks_some: Cell<bool>,
}

/// How a session is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// One run: begun, saved and finished in one transaction.
    Single,
    /// Result by result.
    Growing,
    /// The same, and its steps are found again by their keys.
    Resumable,
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
        notes: Vec::new(),
    }
}

impl<S: Borrow<Store>> Journal<S> {
    /// Of a session that begins with its first result.
    pub fn new(store: Option<S>, new: NewSession) -> Self {
        Journal {
            store,
            new,
            form: Form::Growing,
            session: Cell::new(None),
            trouble: RefCell::new(None),
            kept: OnceCell::new(),
        }
    }

    /// Begins the session now.
    pub fn begin(store: Option<S>, new: NewSession) -> Self {
        let journal = Journal::new(store, new);
        journal.keep(|_, _| Ok(()));
        journal
    }

    /// Of a session that has one run: it is begun, saved and finished at once.
    pub fn single(store: Option<S>, new: NewSession) -> Self {
        Journal {
            form: Form::Single,
            ..Journal::new(store, new)
        }
    }

    /// Begins a session that can be resumed, or resumes `earlier`.
    ///
    /// # Errors
    /// The database does not take it.
    pub fn resumable(
        store: Option<S>,
        new: NewSession,
        earlier: Option<SessionId>,
    ) -> Result<Self, CommandError> {
        let journal = Journal {
            form: Form::Resumable,
            ..Journal::new(store, new)
        };
        if let Some(store) = journal.store() {
            let begun = match earlier {
                Some(earlier) => store.reopen(earlier).map(|()| earlier),
                None => store.begin(&journal.new),
            };
            journal
                .session
                .set(Some(begun.map_err(CommandError::failed)?));
        }
        Ok(journal)
    }

    /// Goes on with a session that was interrupted.
    ///
    /// # Errors
    /// The database does not take it.
    pub fn reopened(store: S, new: NewSession, earlier: SessionId) -> Result<Self, CommandError> {
        store
            .borrow()
            .reopen(earlier)
            .map_err(CommandError::failed)?;
        let journal = Journal::new(Some(store), new);
        journal.session.set(Some(earlier));
        Ok(journal)
    }

    /// The database, where results are stored.
    pub fn store(&self) -> Option<&Store> {
        self.store.as_ref().map(Borrow::borrow)
    }

    /// Its number, where it has begun.
    pub fn session(&self) -> Option<SessionId> {
        self.session.get()
    }

    /// Saves a run, or why there is none. Returns its number in the session.
    ///
    /// # Errors
    /// A resumable session could not be written.
    pub(crate) fn save(
        &self,
        step: &Step,
        outcome: Result<&RunRecord, &String>,
    ) -> Result<Option<u32>, CommandError> {
        let label = &step.label;
        let number = match (self.form, outcome) {
            (Form::Single, Ok(record)) => self.save_single(label, record),
            (Form::Growing, Ok(record)) => {
                self.keep(|store, session| store.save(session, label, record))
            }
            (Form::Single | Form::Growing, Err(_)) => None,
            (Form::Resumable, outcome) => {
                let key = step.key.as_deref().unwrap_or_default();
                let saved = self.keep(|store, session| match outcome {
                    Ok(record) => store.save_cell(session, label, key, record),
                    Err(reason) => store.save_missing(session, label, key, reason),
                });
                self.resumed_whole(label)?;
                saved
            }
        };
        Ok(number)
    }

    /// Saves the run of one rank of a job, or why it has none.
    pub(crate) fn save_rank(
        &self,
        label: &str,
        outcome: Result<&RunRecord, &String>,
    ) -> Option<u32> {
        self.keep(|store, session| match outcome {
            Ok(record) => store.save(session, label, record),
            Err(reason) => store.save_missing(session, label, label, reason),
        })
    }

    /// Saves the results of all ranks of a step that has a key. `missing` is why they have none together. Returns the number
    /// that the session finds them by.
    ///
    /// # Errors
    /// A resumable session could not be written.
    pub(crate) fn save_ranks(
        &self,
        step: &Step,
        ranks: &[RankLine<'_>],
        missing: Option<&str>,
    ) -> Result<Option<u32>, CommandError> {
        let cell = RanksCell {
            label: &step.label,
            key: step.key.as_deref().unwrap_or_default(),
            ranks,
            missing,
        };
        let saved = self.keep(|store, session| store.save_ranks(session, cell));
        self.resumed_whole(&step.label)?;
        Ok(saved)
    }

    /// A session that is resumed has all that was measured.
    fn resumed_whole(&self, label: &str) -> Result<(), CommandError> {
        match self.trouble.borrow().as_ref() {
            Some(error) => Err(CommandError::failed(format!(
                "{label} was measured and could not be stored: {}",
                self.with_kept(error)
            ))),
            None => Ok(()),
        }
    }

    fn save_single(&self, label: &str, record: &RunRecord) -> Option<u32> {
        let new = NewSession {
            started_utc: record.started_utc,
            ..self.new.clone()
        };
        let outcome = match record.result() {
            RunResult::Usable => SessionOutcome::Complete,
            RunResult::Interrupted => SessionOutcome::Interrupted,
            RunResult::Failed(_) => SessionOutcome::Failed,
        };
        let store = self.store()?;
        match store.keep(&new, label, record, outcome) {
            Ok(session) => {
                self.session.set(Some(session));
                Some(1)
            }
            Err(error) => {
                let kept = self.kept_file(error)?;
                match kept.store.keep(&new, label, record, outcome) {
                    Ok(session) => kept.session.set(Some(session)),
                    Err(_) => kept.lacks_some.set(true),
                }
                None
            }
        }
    }

    /// Saves one step of work with files.
    pub fn save_files(&self, record: &FilesRecord) {
        self.keep(|store, session| store.save_files(session, record));
    }

    /// Saves what was seen of one device.
    pub fn save_watch(&self, record: &WatchRecord) {
        self.keep(|store, session| store.save_watch(session, record));
    }

    /// Stores how it ended, and its report's text next to its results. A session of which something is missing has
    /// failed.
    ///
    /// # Errors
    /// Something of it could not be stored; what was measured is there to be printed.
    pub fn finish(
        &self,
        outcome: SessionOutcome,
        context: Option<&str>,
    ) -> Result<(), CommandError> {
        let is_known = self.trouble.borrow().is_some();
        if self.has_begun() && self.form != Form::Single {
            let outcome = self.outcome(outcome);
            self.keep(|store, session| store.finish(session, outcome, context));
        }
        match self.trouble.borrow().as_ref() {
            None => Ok(()),
            // Reported when it ended the session.
            Some(_) if self.form == Form::Resumable && is_known => Ok(()),
            Some(error) => Err(CommandError::failed(format!(
                "the result could not be stored completely: {}",
                self.with_kept(error)
            ))),
        }
    }

    /// Deletes all of it, for what turned out to be refused.
    ///
    /// # Errors
    /// It could not be deleted.
    pub fn drop_all(&self) -> Result<(), CommandError> {
        let (Some(store), Some(session)) = (self.store(), self.session.get()) else {
            return Ok(());
        };
        let deleted = store.delete(&[RunName { session, run: None }]);
        deleted.map_err(|error| {
            CommandError::failed(format!(
                "what was measured before could not be deleted: {error}"
            ))
        })
    }

    /// The name to show the result by, where it is stored whole.
    pub fn name(&self) -> Option<RunName> {
        let whole = self.trouble.borrow().is_none();
        let session = self.session.get().filter(|_| whole)?;
        Some(RunName { session, run: None })
    }

    fn has_begun(&self) -> bool {
        let kept = self.kept.get().and_then(Option::as_ref);
        self.session.get().is_some() || kept.is_some_and(|kept| kept.session.get().is_some())
    }

    fn outcome(&self, outcome: SessionOutcome) -> SessionOutcome {
        match self.trouble.borrow().is_some() {
            true => SessionOutcome::Failed,
            false => outcome,
        }
    }

    fn keep<T>(&self, work: impl Fn(&Store, SessionId) -> Result<T, StoreError>) -> Option<T> {
        let in_one = |store: &Store, session: &Cell<Option<SessionId>>| {
            let id = match session.get() {
                Some(id) => Ok(id),
                None => store.begin(&self.new),
            };
            id.and_then(|id| {
                session.set(Some(id));
                work(store, id)
            })
        };
        if let Some(kept) = self.kept.get() {
            let kept = kept.as_ref()?;
            let saved = in_one(&kept.store, &kept.session);
            kept.lacks_some.set(kept.lacks_some.get() || saved.is_err());
            return saved.ok();
        }
        match in_one(self.store()?, &self.session) {
            Ok(kept) => Some(kept),
            Err(error) => {
                let kept = self.kept_file(error)?;
                let saved = in_one(&kept.store, &kept.session);
                kept.lacks_some.set(saved.is_err());
                None
            }
        }
    }

    /// Opens a file for the session next to the database, which failed, with what that has of it.
    fn kept_file(&self, error: StoreError) -> Option<&KeptFile> {
        let helps = error.is_of_the_file();
        // The first error usually explains those after it.
        self.trouble.borrow_mut().get_or_insert(error);
        let open = || {
            let (store, session) = self.store()?.keep_beside(self.session.get()).ok()?;
            let (session, lacks_some) = (Cell::new(session), Cell::new(false));
            Some(KeptFile {
                store,
                session,
                lacks_some,
            })
        };
        let kept = self.kept.get_or_init(|| helps.then(open).flatten());
        kept.as_ref()
    }

    /// The command that adds what is kept next to a database that failed, where something is.
    pub fn command_to_add(&self) -> Option<String> {
        let kept = self
            .kept
            .get()?
            .as_ref()
            .filter(|kept| kept.session.get().is_some())?;
        let moved = match &*self.trouble.borrow() {
            Some(StoreError::Moved { now, .. }) => now.clone(),
            _ => None,
        };
        let store = self.store().map(|store| store.path().to_owned());
        let word = |path: &Path| model::shell_word(path);
        Some(format!(
            "fathom import {} --store {}",
            word(kept.store.path()),
            word(&moved.or(store)?)
        ))
    }

    fn with_kept(&self, error: &StoreError) -> String {
        let Some(command) = self.command_to_add() else {
            return error.to_string();
        };
        let kept = self.kept.get().and_then(Option::as_ref);
        let what = match kept.is_some_and(|kept| kept.lacks_some.get()) {
            false => "all results of this session are kept in another file",
            true => {
                "the results before this failure are kept in another file, which could not be written to its end either"
            }
        };
        format!("{error}; {what}; hint: to add them: {command}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn new() -> NewSession {
        new_session(
            SessionKind::new("survey"),
            Vec::new(),
            "t".to_owned(),
            Nanos(0),
        )
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
