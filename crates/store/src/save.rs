//! Stores sessions: begins them, adds runs, finishes them.

use crate::error::Fault;
use crate::headline::{Place, next_number};
use crate::notes::insert_notes;
use crate::open::{Flush, PATIENCE};
use crate::run::insert_run;
use crate::seal;
use crate::session::{NewSession, RunName, SessionId, SessionOutcome};
use crate::summary;
use crate::{Result, Store, StoreError};
use model::RunRecord;
use rusqlite::{OptionalExtension, Transaction, params};
use std::time::Duration;

impl Store {
    /// Begins a session. Until [`finish`](Store::finish) it counts as cut short.
    pub fn begin(&self, session: &NewSession) -> Result<SessionId> {
        self.writing(|transaction| insert_session(transaction, session))
    }

    /// Puts a run into a session, whole or not at all, and answers with its number there, from 1.
    pub fn save(&self, session: SessionId, label: &str, record: &RunRecord) -> Result<u32> {
        self.writing(|transaction| {
            let kind = self.must_exist(transaction, session)?;
            let number = next_number(transaction, session)?;
            let place = Place {
                session,
                kind: &kind,
                number,
                label,
                key: None,
            };
            insert_run(transaction, place, record)?;
            count_results(transaction, session, 1)?;
            Ok(number)
        })
    }

    /// Records how a session ended, and stores its report's content other than its runs: one JSON document of the
    /// caller's, given back as it is by [`load`](Store::load).
    pub fn finish(
        &self,
        session: SessionId,
        outcome: SessionOutcome,
        context: Option<&str>,
    ) -> Result<()> {
        self.writing(|transaction| {
            self.must_exist(transaction, session)?;
            update_outcome(transaction, session, outcome, context)
        })?;
        self.still_there().map_err(|fault| fault.at(self.path()))
    }

    /// A session of a single run, begun, kept and finished at once: for a person who waits for the prompt. On stable
    /// storage when this returns, with three flushes of the disk where three calls cost seven
    /// (docs/decisions/0009-one-write-a-run.md).
    pub fn keep(
        &self,
        session: &NewSession,
        label: &str,
        record: &RunRecord,
        outcome: SessionOutcome,
    ) -> Result<SessionId> {
        let keep = |transaction: &Transaction<'_>| {
            let id = insert_session(transaction, session)?;
            let place = Place {
                session: id,
                kind: session.kind.name(),
                number: 1,
                label,
                key: None,
            };
            insert_run(transaction, place, record)?;
            count_results(transaction, id, 1)?;
            update_outcome(transaction, id, outcome, None)?;
            Ok(id)
        };
        let flush = |fault: Fault| fault.at(self.path());
        if !self.has_log().map_err(flush)? {
            return self.writing(keep);
        }
        self.flush(Flush::Never).map_err(flush)?;
        let kept = self.writing(keep);
        self.flush(Flush::EachWrite).map_err(flush)?;
        let id = kept?;
        if !self.empty_log().map_err(flush)? {
            // Another connection reads an older state, so the log cannot be emptied: a write with a flush takes all before
            // it along.
            self.writing(|transaction| seal_session(transaction, id))?;
        }
        self.still_there().map_err(flush)?;
        Ok(id)
    }

    /// Waits for the disk no longer: for a database that a bench fills, which a power cut may spoil.
    pub fn skip_flushes(&self) -> Result<()> {
        self.flush(Flush::Never)
            .map_err(|fault| fault.at(self.path()))
    }

    /// All that is done in it, or nothing.
    pub(crate) fn writing<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Fault>,
    ) -> Result<T> {
        let all = || {
            let transaction = self.write()?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        };
        all().map_err(|fault: Fault| fault.at(self.path()))
    }

    /// The same for many rows at once that this crate created together: SQLite compares none of them with its parent
    /// nor with the lists of its CHECK constraints, which takes longer than to insert it.
    pub(crate) fn unchecked<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Fault>,
    ) -> Result<T> {
        let checks = |on: bool| -> Result<()> {
            let set = |name, value| self.connection.pragma_update(None, name, value);
            let both = set("foreign_keys", on).and(set("ignore_check_constraints", !on));
            both.map_err(|error| Fault::Sql(error).at(self.path()))
        };
        checks(false)?;
        let done = self.writing(work);
        checks(true)?;
        done
    }

    /// Does work that writes much without the write-ahead log, in which every page would be written twice and read once
    /// more. Where another program has the database open, it stays with its log, so that this one can read meanwhile.
    pub fn without_log<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let journal = |mode: &str| -> rusqlite::Result<String> {
            let set = format!("PRAGMA journal_mode = {mode}");
            self.connection.query_row(&set, [], |row| row.get(0))
        };
        let has_log = self.has_log().map_err(|fault| fault.at(self.path()))?;
        if !has_log {
            return work();
        }
        let patience = |time| {
            let set = self.connection.busy_timeout(time);
            set.map_err(|error| Fault::Sql(error).at(self.path()))
        };
        patience(Duration::ZERO)?;
        let is_alone = journal("DELETE").is_ok_and(|mode| mode == "delete");
        patience(PATIENCE)?;
        let done = work();
        if is_alone {
            // Where another program has it open by now, the next one that opens it brings the log back.
            let _ = journal("WAL");
        }
        done
    }

    /// Returns its kind, or an error that lists the sessions.
    pub(crate) fn must_exist(
        &self,
        transaction: &Transaction<'_>,
        session: SessionId,
    ) -> Result<String, Fault> {
        let mut kind = transaction.prepare_cached("SELECT kind FROM sessions WHERE id = ?1")?;
        let id = i64::try_from(session.0).unwrap_or(-1);
        let there: Option<String> = kind.query_row([id], |row| row.get(0)).optional()?;
        if let Some(kind) = there {
            return Ok(kind);
        }
        let known = transaction.query_row("SELECT min(id), max(id) FROM sessions", [], |row| {
            let ends: (Option<u64>, Option<u64>) = (row.get(0)?, row.get(1)?);
            Ok(ends.0.zip(ends.1))
        })?;
        Err(Fault::Named(StoreError::NoSession {
            path: self.path().to_owned(),
            read: session,
            known: known.map(|(first, last)| (SessionId(first), SessionId(last))),
        }))
    }
}

pub(crate) fn insert_session(
    transaction: &Transaction<'_>,
    session: &NewSession,
) -> Result<SessionId, Fault> {
    let NewSession {
        kind,
        command,
        tool_version,
        started_utc,
        target,
        notes,
    } = session;
    transaction.execute(
        "INSERT INTO sessions (kind, started_utc_ns, command_json, tool_version, target)
         VALUES (?1, ?2, ?3, ?4, ?5)",
        params![
            kind.name(),
            signed("started_utc", started_utc.0)?,
            document("the command line", command)?,
            tool_version,
            target
        ],
    )?;
    let id = transaction.last_insert_rowid();
    let session = SessionId(u64::try_from(id).expect("SQLite counts rows from 1"));
    let of = RunName { session, run: None };
    insert_notes(transaction, of, notes)?;
    seal_session(transaction, session)?;
    Ok(session)
}

fn update_outcome(
    transaction: &Transaction<'_>,
    session: SessionId,
    outcome: SessionOutcome,
    context: Option<&str>,
) -> Result<(), Fault> {
    transaction.execute(
        "UPDATE sessions SET outcome = ?2, context = ?3 WHERE id = ?1",
        params![session.0, outcome.name(), context],
    )?;
    seal_session(transaction, session)
}

/// After every change of a session's own row.
pub(crate) fn seal_session(transaction: &Transaction<'_>, session: SessionId) -> Result<(), Fault> {
    let id = signed("session", session.0)?;
    let seal = seal::of_session(transaction, id)?;
    transaction
        .prepare_cached("UPDATE sessions SET crc = ?2 WHERE id = ?1")?
        .execute([id, i64::from(seal)])?;
    summary::write_session(transaction, session)
}

/// After every result that came or went: a session knows how many it has, so that a lost one is missed.
pub(crate) fn count_results(
    transaction: &Transaction<'_>,
    session: SessionId,
    more: i64,
) -> Result<(), Fault> {
    transaction
        .prepare_cached("UPDATE sessions SET results = results + ?2 WHERE id = ?1")?
        .execute([signed("session", session.0)?, more])?;
    seal_session(transaction, session)
}

/// SQLite's integers end at 2^63 - 1; a count beyond that is a mistake, and is reported rather than changed.
pub(crate) fn signed(what: &'static str, value: u64) -> Result<i64, Fault> {
    i64::try_from(value).map_err(|_| Fault::Named(StoreError::TooLarge { what, read: value }))
}

pub(crate) fn document(what: &str, value: &impl serde::Serialize) -> Result<String, Fault> {
    written(what, serde_json::to_string(value))
}

/// A document, or which one cannot be written and why.
pub(crate) fn written(what: &str, text: serde_json::Result<String>) -> Result<String, Fault> {
    text.map_err(|error| {
        Fault::Named(StoreError::Text {
            what: what.to_owned(),
            reason: error.to_string(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SessionKind;
    use model::Nanos;

    #[test]
    fn the_log_is_left_only_by_a_program_that_is_alone() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("s.sqlite");
        let store = Store::open(&path).expect("a new store");
        let log = |store: &Store| store.has_log().expect("a mode");
        assert!(!store.without_log(|| Ok(log(&store))).expect("work"));
        assert!(log(&store), "it is back");
        let other = Store::open(&path).expect("the same store");
        other.has_sessions().expect("a read");
        assert!(store.without_log(|| Ok(log(&store))).expect("work"));
        assert!(log(&other));
        drop(other);
        let failed: Result<()> = store.without_log(|| Err(StoreError::Full { path: path.clone() }));
        assert!(failed.is_err() && log(&store));
    }

    #[test]
    fn a_full_disk_is_reported_and_loses_nothing_stored_before() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("s.sqlite");
        let store = Store::open(&path).expect("a new store");
        let session = |target| NewSession {
            kind: SessionKind::new("run"),
            command: vec![],
            tool_version: String::new(),
            started_utc: Nanos(1),
            target,
            notes: vec![],
        };
        store.begin(&session("small".to_owned())).expect("room");
        // SQLite answers a page limit as it answers a full disk: SQLITE_FULL.
        let pages = "PRAGMA max_page_count = 1";
        store
            .connection
            .query_row(pages, [], |_| Ok(()))
            .expect("a limit");
        let reported = store.begin(&session("large".repeat(100_000)));
        assert_eq!(reported, Err(StoreError::Full { path }));
        assert_eq!(store.sessions(None).expect("a list").len(), 1);
    }
}
