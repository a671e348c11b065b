//! Reads the list of sessions, and whole sessions. A contradiction, or one with the checksum, is an error.

use crate::documents::{FILES, IMPORTED, WATCHES};
use crate::error::Fault;
use crate::notes::notes_for;
use crate::record::{Later, load_run, seal_of_run};
use crate::rows::lines;
use crate::seal::Seal;
use crate::session::{
    Name, RunName, Session, SessionId, SessionKind, SessionOutcome, SessionSummary, StoredResult,
    StoredRun,
};
use crate::{Result, Store, StoreError};
use model::Nanos;
use rusqlite::{OptionalExtension, Row, Transaction, params};
use serde::de::DeserializeOwned;

impl Store {
    /// The sessions in the database, newest first; all of them without a limit.
    ///
    /// Errors: the first that is damaged; [`Store::listing`] goes around it.
    pub fn sessions(&self, limit: Option<u32>) -> Result<Vec<SessionSummary>> {
        let list = || {
            let transaction = self.read()?;
            let query = format!("{} ORDER BY s.id DESC LIMIT ?1", self.select_sessions());
            let mut select = transaction.prepare(&query)?;
            let mut rows = select.query([limit.map_or(-1, i64::from)])?; // -1 is no limit
            let mut sessions = Vec::new();
            while let Some(row) = rows.next()? {
                sessions.push(self.summary(&transaction, row)?);
            }
            Ok(sessions)
        };
        list().map_err(|fault: Fault| fault.at(self.path()))
    }

    /// Returns the session or the result that a name means now.
    ///
    /// # Errors
    /// There are not so many sessions.
    pub fn resolve(&self, name: Name) -> Result<RunName> {
        let (back, run) = match name {
            Name::Number(name) => return Ok(name),
            Name::FromNewest { back, run } => (back, run),
        };
        let read = || -> Result<_, Fault> {
            let query = "SELECT id FROM sessions ORDER BY id DESC LIMIT 1 OFFSET ?1";
            let id = self.read()?.query_row(query, [back - 1], |row| row.get(0));
            Ok(id.optional()?)
        };
        let id: Option<u64> = read().map_err(|fault: Fault| fault.at(self.path()))?;
        let session = id
            .map(SessionId)
            .ok_or(StoreError::NotSoMany { read: back })?;
        Ok(RunName { session, run })
    }

    /// What `fathom list` shows of one session, without its results.
    pub fn summary_of(&self, session: SessionId) -> Result<SessionSummary> {
        let read = || {
            let transaction = self.read()?;
            self.must_exist(&transaction, session)?;
            Ok(self.load_summary(&transaction, session)?.0)
        };
        read().map_err(|fault: Fault| fault.at(self.path()))
    }

    /// A session with all its results. A missing one is an error that lists the existing ones.
    pub fn load(&self, session: SessionId) -> Result<Session> {
        self.load_session(session, None)
            .map_err(|fault| fault.at(self.path()))
    }

    /// A session with one of its results, or with none where it has no such number: its other content is not read, so
    /// that it may be damaged.
    pub fn load_one(&self, session: SessionId, number: u32) -> Result<Session> {
        self.load_session(session, Some(number))
            .map_err(|fault| fault.at(self.path()))
    }

    /// One result of a session, `None` where it has no such number. Nothing else of the session is read, whose answer may be
    /// as long as all of its results.
    pub fn load_result(&self, session: SessionId, number: u32) -> Result<Option<StoredRun>> {
        let read = || {
            let transaction = self.read()?;
            self.must_exist(&transaction, session)?;
            let runs = self.load_runs(&transaction, session, Some(number))?;
            Ok(runs.into_iter().next())
        };
        read().map_err(|fault: Fault| fault.at(self.path()))
    }

    fn load_session(&self, session: SessionId, only: Option<u32>) -> Result<Session, Fault> {
        let transaction = self.read()?;
        self.must_exist(&transaction, session)?;
        let (summary, context) = self.load_summary(&transaction, session)?;
        let runs = self.load_runs(&transaction, session, only)?;
        if only.is_none() {
            all_there(&summary, runs.len())?;
        }
        Ok(Session {
            summary,
            context,
            runs,
        })
    }

    pub(crate) fn load_summary(
        &self,
        transaction: &Transaction<'_>,
        session: SessionId,
    ) -> Result<(SessionSummary, Option<String>), Fault> {
        let query = format!("{} WHERE s.id = ?1", self.select_sessions());
        let mut select = transaction.prepare_cached(&query)?;
        let mut rows = select.query([session.0])?;
        let row = rows
            .next()?
            .ok_or_else(|| damaged(format!("session {session}"), "it vanished"))?;
        Ok((self.summary(transaction, row)?, row.get("context")?))
    }

    /// A session's row with its tags, checked against its checksum.
    pub(crate) fn summary(
        &self,
        transaction: &Transaction<'_>,
        row: &Row<'_>,
    ) -> Result<SessionSummary, Fault> {
        let mut summary = session_of(row)?;
        if self.has_lines() {
            summary.tags = tags_of(transaction, summary.id, 0)?;
            summary.notes = notes_for(&self.noted(transaction, summary.id)?, 0);
            summary.answer = self.answer_of(transaction, summary.id)?;
            let mut own = Seal::default();
            own.first(row, SESSION_COLUMNS)?;
            if breaks(row.get("crc")?, own.value()) {
                return Err(damaged(format!("session {}", summary.id), BROKEN_SEAL));
            }
        }
        Ok(summary)
    }

    /// The results of a session, or the one that is asked for, in the order of their numbers.
    pub(crate) fn load_runs(
        &self,
        transaction: &Transaction<'_>,
        session: SessionId,
        only: Option<u32>,
    ) -> Result<Vec<StoredRun>, Fault> {
        if self.has_lines() {
            lines(transaction, session, only)?; // their checksums cover labels, keys and reasons
        }
        let mut select = transaction.prepare_cached(self.select_results())?;
        let mut rows = select.query(params![session.0, only])?;
        let mut runs = Vec::new();
        while let Some(row) = rows.next()? {
            runs.push(self.stored_run(transaction, session, row)?);
        }
        Ok(runs)
    }

    /// Gives what is wrong with each result of a session; returns how many are whole. Where a checksum covers a record, all
    /// of it is read and compared; a record of old without one is put together.
    ///
    /// Errors: their list cannot be read.
    pub(crate) fn check_results(
        &self,
        transaction: &Transaction<'_>,
        session: SessionId,
        note: &mut dyn FnMut(Fault),
    ) -> Result<u64, Fault> {
        let mut select = transaction.prepare_cached(self.select_results())?;
        let mut rows = select.query(params![session.0, None::<u32>])?;
        let mut whole = 0;
        while let Some(row) = rows.next()? {
            let good = || match row.get(6)? {
                Some(sealed) => check_record(transaction, session, row, self.later(), sealed),
                None => self.stored_run(transaction, session, row).map(|_| ()),
            };
            match good() {
                Ok(()) => whole += 1,
                Err(fault) => note(fault),
            }
        }
        Ok(whole)
    }

    fn select_results(&self) -> &'static str {
        match self.has_lines() {
            true => {
                "SELECT number, label, key, origin, reason, id, record_crc FROM headlines
                 WHERE session_id = ?1 AND number BETWEEN coalesce(?2, 1) AND coalesce(?2, 4294967295) ORDER BY number"
            }
            false => {
                "SELECT number, label, NULL AS key, 'measured' AS origin, NULL AS reason, NULL AS id,
                        NULL AS record_crc
                 FROM runs WHERE session_id = ?1 AND number BETWEEN coalesce(?2, 1) AND coalesce(?2, 4294967295) ORDER BY number"
            }
        }
    }

    fn stored_run(
        &self,
        transaction: &Transaction<'_>,
        session: SessionId,
        line: &Row<'_>,
    ) -> Result<StoredRun, Fault> {
        let number: u32 = line.get(0)?;
        Ok(StoredRun {
            number,
            label: line.get(1)?,
            key: line.get(2)?,
            result: load_result(transaction, session, line, self.later())?,
            tags: match self.has_lines() {
                true => tags_of(transaction, session, number)?,
                false => Vec::new(),
            },
        })
    }

    pub(crate) fn select_sessions(&self) -> &'static str {
        match self.has_lines() {
            true => SELECT_SESSIONS,
            false => SELECT_SESSIONS_OF_OLD,
        }
    }
}

/// Reported for a checksum that does not match.
pub(crate) const BROKEN_SEAL: &str =
    "its checksum does not match: it was changed after it was stored";

/// Or returns how many results are lost.
pub(crate) fn all_there(summary: &SessionSummary, found: usize) -> Result<(), Fault> {
    if summary.runs as usize == found {
        return Ok(());
    }
    let what = format!("it had {} results, and {found} are found", summary.runs);
    Err(damaged(format!("session {}", summary.id), &what))
}

/// Whether there is a checksum and it is another one. Files of old have none.
fn breaks(sealed: Option<u32>, found: u32) -> bool {
    sealed.is_some_and(|sealed| sealed != found)
}

/// Compares the record of a line with its checksum.
fn check_record(
    transaction: &Transaction<'_>,
    session: SessionId,
    line: &Row<'_>,
    later: Later,
    sealed: u32,
) -> Result<(), Fault> {
    let number: u32 = line.get(0)?;
    let mut found = match line.get_ref(3)?.as_bytes().unwrap_or_default() {
        b"missing" => return Ok(()),
        b"imported" => None,
        _ => seal_of_run(transaction, session, number, later)?,
    };
    for table in [IMPORTED, FILES, WATCHES] {
        if found.is_none() && has_document(transaction, table, line)? {
            let query = format!("SELECT document_json FROM {table} WHERE headline_id = ?1");
            let mut seal = Seal::default();
            seal.rows(transaction, &query, line.get(5)?)?;
            found = Some(seal.value());
        }
    }
    let name = || format!("run {session}.{number}");
    match found {
        Some(found) if found == sealed => Ok(()),
        Some(_) => Err(damaged(name(), BROKEN_SEAL)),
        None => Err(damaged(name(), "its record is missing")),
    }
}

fn load_result(
    transaction: &Transaction<'_>,
    session: SessionId,
    line: &Row<'_>,
    later: Later,
) -> Result<StoredResult, Fault> {
    let number: u32 = line.get(0)?;
    let name = format!("run {session}.{number}");
    let origin: String = line.get(3)?;
    let sealed: Option<u32> = line.get(6)?;
    match origin.as_str() {
        "missing" => {
            let reason: Option<String> = line.get("reason")?;
            Ok(StoredResult::Missing(reason.unwrap_or_default()))
        }
        "imported" => {
            let run = load_document(transaction, &name, IMPORTED, line, sealed)?;
            Ok(StoredResult::Imported(Box::new(run)))
        }
        _ => {
            let Some((record, found)) = load_run(transaction, session, number, later)? else {
                if has_document(transaction, FILES, line)? {
                    let record = load_document(transaction, &name, FILES, line, sealed)?;
                    return Ok(StoredResult::Files(Box::new(record)));
                }
                if has_document(transaction, WATCHES, line)? {
                    let record = load_document(transaction, &name, WATCHES, line, sealed)?;
                    return Ok(StoredResult::Watch(Box::new(record)));
                }
                return Err(damaged(&name, "its record is missing"));
            };
            if breaks(sealed, found) {
                return Err(damaged(&name, BROKEN_SEAL));
            }
            Ok(StoredResult::Run(Box::new(record)))
        }
    }
}

/// Whether a line's record is in this table. A results database of an older version that cannot be brought up to date does
/// not have it.
fn has_document(transaction: &Transaction<'_>, table: &str, line: &Row<'_>) -> Result<bool, Fault> {
    let headline: Option<i64> = line.get("id")?;
    let known = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1)";
    let there: bool = transaction
        .prepare_cached(known)?
        .query_row([table], |row| row.get(0))?;
    if !there {
        return Ok(false);
    }
    let query = format!("SELECT EXISTS (SELECT 1 FROM {table} WHERE headline_id = ?1)");
    let mut select = transaction.prepare_cached(&query)?;
    Ok(select.query_row([headline], |row| row.get(0))?)
}

/// A record that is one document, and sealed as it was saved.
fn load_document<T: DeserializeOwned>(
    transaction: &Transaction<'_>,
    name: &str,
    table: &str,
    line: &Row<'_>,
    sealed: Option<u32>,
) -> Result<T, Fault> {
    let headline: i64 = line.get("id")?;
    let query = format!("SELECT document_json FROM {table} WHERE headline_id = ?1");
    let mut select = transaction.prepare_cached(&query)?;
    let mut rows = select.query([headline])?;
    let row = rows.next()?;
    let row = row.ok_or_else(|| damaged(name, "its record is missing"))?;
    let record = document(name, row, 0, "document_json")?;
    let mut found = Seal::default();
    found.row(row, 0)?;
    if breaks(sealed, found.value()) {
        return Err(damaged(name, BROKEN_SEAL));
    }
    Ok(record)
}

pub(crate) fn tags_of(
    transaction: &Transaction<'_>,
    session: SessionId,
    number: u32,
) -> Result<Vec<String>, Fault> {
    let mut select = transaction.prepare_cached(
        "SELECT tag FROM tags WHERE session_id = ?1 AND number = ?2 ORDER BY tag",
    )?;
    let tags = select.query_map(params![session.0, number], |row| row.get(0))?;
    Ok(tags.collect::<rusqlite::Result<_>>()?)
}

pub(crate) const SELECT_SESSIONS: &str = "
    SELECT s.id, s.kind, s.started_utc_ns, s.command_json, s.tool_version, s.target, s.outcome, s.context,
           s.fingerprint, s.results AS runs, s.crc
    FROM sessions s";

/// How many of them the checksum covers, as in [`seal::SESSION`].
const SESSION_COLUMNS: usize = 10;

/// The same before there were lines.
const SELECT_SESSIONS_OF_OLD: &str = "
    SELECT s.id, s.kind, s.started_utc_ns, s.command_json, s.tool_version, s.target, s.outcome, s.context,
           (SELECT count(*) FROM runs r WHERE r.session_id = s.id) AS runs
    FROM sessions s";

/// A session's own row, without its tags; its checksum is not looked at.
pub(crate) fn session_of(row: &Row<'_>) -> Result<SessionSummary, Fault> {
    let id = SessionId(row.get("id")?);
    let name = format!("session {id}");
    let kind: String = row.get("kind")?;
    let outcome: Option<String> = row.get("outcome")?;
    let outcome = outcome.map(|word| {
        SessionOutcome::from_name(&word)
            .ok_or_else(|| damaged(&name, &format!("its outcome is `{word}`")))
    });
    Ok(SessionSummary {
        id,
        kind: SessionKind::from_name(&kind)
            .ok_or_else(|| damaged(&name, &format!("its kind is `{kind}`")))?,
        started_utc: Nanos(row.get("started_utc_ns")?),
        command: document(&name, row, 3, "command_json")?,
        tool_version: row.get("tool_version")?,
        target: row.get("target")?,
        outcome: outcome.transpose()?,
        runs: row.get("runs")?,
        tags: Vec::new(),
        notes: Vec::new(),
        answer: crate::StoredAnswer::Missing,
    })
}

/// A JSON document in a column, by its place and its name.
pub(crate) fn document<T: DeserializeOwned>(
    name: &str,
    row: &Row<'_>,
    place: usize,
    column: &str,
) -> Result<T, Fault> {
    let wrong = |error: &dyn std::fmt::Display| damaged(name, &format!("{column}: {error}"));
    let text = row.get_ref(place)?.as_str();
    let text = text.map_err(|error| wrong(&error))?;
    serde_json::from_str(text).map_err(|error| wrong(&error))
}

pub(crate) fn damaged(name: impl std::fmt::Display, what: &str) -> Fault {
    Fault::Damaged(format!("{name}: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A report reads its results one by one: each among all of its session would take quadratic time.
    #[test]
    fn one_result_is_found_by_its_number() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("s.sqlite")).unwrap();
        let query = format!("EXPLAIN QUERY PLAN {}", store.select_results());
        let mut select = store.connection.prepare(&query).unwrap();
        let steps = select.query_map(params![1, Option::<u32>::None], |row| row.get(3));
        let steps: Vec<String> = steps.unwrap().map(Result::unwrap).collect();
        assert!(steps[0].contains("number>? AND number<?"), "{steps:?}");
    }
}
