//! Copies sessions from one database to another, row by row: what was kept next to a database that could not be written,
//! and what `fathom import` reads of another database.
//!
//! A session gets a new number; all else of it stays as it is. Omitted: baselines and proofs, which belong to their database, and
//! answers, which contain the number.

use crate::error::Fault;
use crate::headline;
use crate::record::{Later, seal_of_run};
use crate::rows::lines;
use crate::save::seal_session;
use crate::session::{SessionId, SessionSummary};
use crate::{Result, Store, StoreError, summary};
use rusqlite::types::Value;
use rusqlite::{OptionalExtension, Transaction, params_from_iter};
use std::path::PathBuf;

/// Most files that are kept next to one database.
const KEPT_MAX: u32 = 1000;

/// Tables whose rows belong to a session, to a run and to a line, parents before their children.
const OF_RUN: [&str; 4] = ["targets", "threads", "tallies", "errors"];
const OF_LINE: [&str; 5] = ["figures", "percentiles", "imported", "files", "watches"];
const OF_SESSION: [&str; 2] = ["tags", "notes"];

impl Store {
    /// Copies a session of another database into this one, whole or not at all, and returns its number here.
    ///
    /// # Errors
    /// The session is damaged, or one of both files cannot be read or written.
    pub fn copy_from(&self, other: &Store, session: SessionId) -> Result<SessionId> {
        if !other.is_current() {
            return Err(StoreError::Unwritable {
                path: other.path().to_owned(),
                reason: "it is read-only, and of an older version".to_owned(),
            });
        }
        let from = other.read().map_err(|fault| fault.at(other.path()))?;
        let (_, damage) = other.check_session(&from, session);
        if let Some(what) = damage.into_iter().next() {
            let path = other.path().to_owned();
            return Err(StoreError::Damaged { path, what });
        }
        self.writing(|to| copy_session(&from, to, session))
    }

    /// Returns the session here that equals one of another database: of the same command, begun at the same time, with as many
    /// results.
    ///
    /// # Errors
    /// One of both files cannot be read.
    pub fn find_copy(&self, other: &Store, session: SessionId) -> Result<Option<SessionId>> {
        let find = || -> Result<Option<SessionId>, Fault> {
            let own =
                "SELECT kind, started_utc_ns, command_json, tool_version, target, results, outcome
                       FROM sessions WHERE id = ?1";
            let read = other.read()?;
            let values = read.query_row(own, [session.0], |row| {
                (0..7)
                    .map(|at| row.get(at))
                    .collect::<rusqlite::Result<Vec<Value>>>()
            })?;
            let here = "SELECT max(id) FROM sessions WHERE kind = ?1 AND started_utc_ns = ?2 AND command_json = ?3
                        AND tool_version = ?4 AND target = ?5 AND results = ?6 AND outcome IS ?7";
            let found: Option<Option<u64>> = (self.read()?)
                .query_row(here, params_from_iter(values), |row| row.get(0))
                .optional()?;
            Ok(found.flatten().map(SessionId))
        };
        find().map_err(|fault| fault.at(self.path()))
    }

    /// Opens a database next to this one, which could not be written, with all that this one has of a session. Returns it
    /// with the session's number there; without one where nothing of it can be read.
    ///
    /// # Errors
    /// It cannot be created, neither there nor in the current folder.
    pub fn keep_beside(&self, session: Option<SessionId>) -> Result<(Store, Option<SessionId>)> {
        let beside = self.first_free(|suffix| self.neighbour(suffix));
        let kept = beside.and_then(|path| Store::open(&path)).or_else(|why| {
            let name = self.path().file_name().unwrap_or_default().to_owned();
            let here = self.first_free(|suffix| {
                let mut name = name.clone();
                name.push(suffix);
                PathBuf::from(name)
            });
            here.and_then(|path| Store::open(&path)).map_err(|_| why)
        })?;
        let _ = kept.leave_log(); // one file, also while it is written
        let session = session.and_then(|session| kept.copy_from(self, session).ok());
        Ok((kept, session))
    }

    fn first_free(&self, name: impl Fn(&str) -> PathBuf) -> Result<PathBuf> {
        let mut names = (1..=KEPT_MAX).map(|number| name(&format!(".kept-{number}")));
        let free = names.find(|path| path.symlink_metadata().is_err());
        free.ok_or_else(|| StoreError::Exists {
            path: name(".kept-1"),
        })
    }

    /// The sessions in it, oldest first.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn oldest_first(&self) -> Result<Vec<SessionSummary>> {
        let mut sessions = self.sessions(None)?;
        sessions.sort_by_key(|session| session.id);
        Ok(sessions)
    }
}

fn copy_session(
    from: &Transaction<'_>,
    to: &Transaction<'_>,
    session: SessionId,
) -> Result<SessionId, Fault> {
    let old = i64::try_from(session.0).unwrap_or(-1);
    let copied = copy_rows(from, to, "sessions", Key("id", old, None))?;
    let [(_, new)] = copied.as_slice() else {
        return Err(Fault::Damaged(format!("session {session} is missing")));
    };
    let new = *new;
    for (run, copy) in copy_rows(from, to, "runs", Key("session_id", old, Some(new)))? {
        for table in OF_RUN {
            copy_rows(from, to, table, Key("run_id", run, Some(copy)))?;
        }
    }
    for (line, copy) in copy_rows(from, to, "headlines", Key("session_id", old, Some(new)))? {
        for table in OF_LINE {
            copy_rows(from, to, table, Key("headline_id", line, Some(copy)))?;
        }
    }
    for table in OF_SESSION {
        copy_rows(from, to, table, Key("session_id", old, Some(new)))?;
    }
    let id = SessionId(u64::try_from(new).expect("SQLite counts rows from 1"));
    for row in lines(to, id, None)? {
        summary::insert_result(to, &row)?;
    }
    // The checksum of a run covers its session's number.
    let mut select = to.prepare(
        "SELECT h.id, h.number FROM headlines h JOIN runs r USING (session_id, number) WHERE session_id = ?1",
    )?;
    let runs = select.query_map([new], |row| Ok((row.get(0)?, row.get(1)?)))?;
    for (line, number) in runs.collect::<rusqlite::Result<Vec<(i64, u32)>>>()? {
        let seal = seal_of_run(to, id, number, Later::ALL)?;
        headline::seal_record(to, line, seal)?;
    }
    seal_session(to, id)?;
    Ok(id)
}

/// A column by which rows are found, its value, and the value that they get.
struct Key<'a>(&'a str, i64, Option<i64>);

/// Copies the rows of a key; they get numbers of their own. Returns both numbers of each, where it has one.
fn copy_rows(
    from: &Transaction<'_>,
    to: &Transaction<'_>,
    table: &str,
    Key(key, old, new): Key<'_>,
) -> Result<Vec<(i64, i64)>, Fault> {
    let mut select = from.prepare_cached(&format!("SELECT * FROM {table} WHERE {key} = ?1"))?;
    let names: Vec<String> = select.column_names().map(str::to_owned).collect();
    let id = names.iter().position(|name| name == "id");
    let kept = || (0..names.len()).filter(|at| Some(*at) != id);
    let columns: Vec<&str> = kept().map(|at| names[at].as_str()).collect();
    let insert = format!(
        "INSERT INTO {table} ({}) VALUES ({})",
        columns.join(", "),
        vec!["?"; columns.len()].join(", ")
    );
    let mut insert = to.prepare_cached(&insert)?;
    let mut copied = Vec::new();
    let mut rows = select.query([old])?;
    while let Some(row) = rows.next()? {
        let values = kept().map(|at| match new {
            Some(new) if names[at] == key => Ok(Value::Integer(new)),
            _ => row.get(at),
        });
        insert.execute(params_from_iter(
            values.collect::<rusqlite::Result<Vec<Value>>>()?,
        ))?;
        if let Some(id) = id {
            copied.push((row.get(id)?, to.last_insert_rowid()));
        }
    }
    Ok(copied)
}
