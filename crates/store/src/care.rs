//! Looking after the file: is it whole, a copy of it, a question in SQL; and the list that goes around damage.

use crate::error::Fault;
use crate::session::{SessionId, SessionSummary};
use crate::{Result, Store, StoreError};
use rusqlite::types::ValueRef;
use std::path::Path;

/// What a look at every byte found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Sessions that were looked at.
    pub sessions: u64,
    /// Results of theirs that are whole.
    pub results: u64,
    /// What is wrong, one sentence each; empty where nothing is.
    pub findings: Vec<String>,
}

/// The sessions that can be read, and what is said of the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Newest first.
    pub sessions: Vec<SessionSummary>,
    /// One sentence each.
    pub damaged: Vec<String>,
}

/// The answer to a question in SQL.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Row by row.
    pub rows: Vec<Vec<Cell>>,
}

/// One value of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// NULL.
    Nothing,
    /// A whole number.
    Whole(i64),
    /// A number.
    Real(f64),
    /// Text; what is not UTF-8 in it is replaced.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

/// How a statement begins that cannot write, here or into another file.
const QUESTIONS: [&str; 4] = ["SELECT", "WITH", "VALUES", "EXPLAIN"];

/// Most findings of SQLite's own that are told.
const FINDINGS_MAX: u32 = 20;

impl Store {
    /// Looks at the structure of the file and at every result in it.
    ///
    /// Errors: the file cannot be read at all. Damage is not an error here but a finding.
    pub fn check(&self) -> Result<Check> {
        let mut findings = self.structure();
        let Listing { sessions, damaged } = self.listing(None)?;
        findings.extend(damaged);
        let mut results = 0;
        for session in &sessions {
            let (whole, wrong) = self.check_session(session.id);
            results += whole;
            findings.extend(wrong);
        }
        Ok(Check {
            sessions: sessions.len() as u64,
            results,
            findings,
        })
    }

    /// What SQLite says of its own pages and of rows that hang in the air.
    fn structure(&self) -> Vec<String> {
        let mut findings = Vec::new();
        let told = |sql: &str, row: fn(&rusqlite::Row<'_>) -> rusqlite::Result<String>| {
            let mut select = self.connection.prepare(sql)?;
            let rows = select.query_map([], row)?;
            rows.collect::<rusqlite::Result<Vec<String>>>()
        };
        let integrity = format!("PRAGMA integrity_check({FINDINGS_MAX})");
        match told(&integrity, |row| row.get(0)) {
            Ok(lines) => findings.extend(lines.into_iter().filter(|line| line != "ok")),
            Err(error) => findings.push(format!("the structure of the file: {error}")),
        }
        let strays = told("PRAGMA foreign_key_check", |row| {
            let (table, row): (String, Option<i64>) = (row.get(0)?, row.get(1)?);
            let row = row.map_or_else(String::new, |row| format!(" {row}"));
            Ok(format!("{table}: row{row} belongs to nothing"))
        });
        match strays {
            Ok(lines) => findings.extend(lines.into_iter().take(FINDINGS_MAX as usize)),
            Err(error) => findings.push(format!("what belongs together: {error}")),
        }
        findings
    }

    /// How many results of a session are whole, and what is said of the others.
    fn check_session(&self, session: SessionId) -> (u64, Vec<String>) {
        let mut findings = Vec::new();
        let numbers = match self.numbers(session) {
            Ok(numbers) => numbers,
            Err(error) => return (0, vec![self.plain(session, error)]),
        };
        if let Err(error) = self.rows(&[session]) {
            findings.push(self.plain(session, error));
        }
        let mut whole = 0;
        for number in numbers {
            match self.load_one(session, number) {
                Ok(_) => whole += 1,
                Err(error) => findings.push(self.plain(session, error)),
            }
        }
        (whole, findings)
    }

    fn numbers(&self, session: SessionId) -> Result<Vec<u32>> {
        let table = self.lines_in();
        let query = format!("SELECT number FROM {table} WHERE session_id = ?1 ORDER BY number");
        let numbers = || {
            let mut select = self.connection.prepare_cached(&query)?;
            let rows = select.query_map([session.0], |row| row.get(0))?;
            rows.collect::<rusqlite::Result<Vec<u32>>>()
        };
        numbers().map_err(|error| Fault::Sql(error).at(self.path()))
    }

    /// What is wrong without the name of the file, which stands above all findings.
    fn plain(&self, session: SessionId, error: StoreError) -> String {
        match error {
            StoreError::Damaged { what, .. }
                if what.contains(' ') && !what.starts_with("database") =>
            {
                what
            }
            StoreError::Damaged { what, .. } => format!("session {session}: {what}"),
            other => format!("session {session}: {other}"),
        }
    }

    /// The sessions on the shelf, newest first; those that are damaged are told and do not hide the others.
    ///
    /// Errors: the file cannot be read at all.
    pub fn listing(&self, limit: Option<u32>) -> Result<Listing> {
        match self.sessions(limit) {
            Ok(sessions) => Ok(Listing {
                sessions,
                damaged: Vec::new(),
            }),
            Err(StoreError::Damaged { .. }) => self.one_by_one(limit),
            Err(error) => Err(error),
        }
    }

    fn one_by_one(&self, limit: Option<u32>) -> Result<Listing> {
        let mut listing = Listing {
            sessions: Vec::new(),
            damaged: Vec::new(),
        };
        let last: Option<u64> = self
            .connection
            .query_row(
                "SELECT seq FROM sqlite_sequence WHERE name = 'sessions'",
                [],
                |row| row.get(0),
            )
            .map_err(|error| Fault::Sql(error).at(self.path()))?;
        let limit = limit.map_or(usize::MAX, |limit| limit as usize);
        for id in (1..=last.unwrap_or(0)).rev() {
            if listing.sessions.len() >= limit {
                break;
            }
            match self.one(SessionId(id)) {
                Ok(found) => listing.sessions.extend(found),
                Err(error) => listing.damaged.push(self.plain(SessionId(id), error)),
            }
        }
        Ok(listing)
    }

    /// `None` for a number that is not there, as after a delete.
    fn one(&self, session: SessionId) -> Result<Option<SessionSummary>> {
        let one = || {
            let transaction = self.read()?;
            let query = format!("{} WHERE s.id = ?1", self.select_sessions());
            let mut select = transaction.prepare_cached(&query)?;
            let mut rows = select.query([session.0])?;
            match rows.next()? {
                Some(row) => self.summary(&transaction, row).map(Some),
                None => Ok(None),
            }
        };
        one().map_err(|fault: Fault| fault.at(self.path()))
    }

    /// Writes a whole copy of the shelf, as it is at this moment, into a new file; others may go on writing meanwhile.
    ///
    /// Errors: `to` exists; the copy cannot be written; the shelf is damaged.
    pub fn backup(&self, to: &Path) -> Result<()> {
        if to.symlink_metadata().is_ok() {
            return Err(StoreError::Exists {
                path: to.to_owned(),
            });
        }
        let name = to.to_str().ok_or_else(|| StoreError::Text {
            what: to.display().to_string(),
            reason: "this name is not UTF-8".to_owned(),
        })?;
        self.connection
            .execute("VACUUM INTO ?1", [name])
            .map_err(|error| Fault::Sql(error).of_copy(self.path(), to))?;
        let sync = std::fs::File::open(to).and_then(|file| file.sync_all());
        sync.map_err(|error| StoreError::Io {
            path: to.to_owned(),
            reason: error.to_string(),
        })
    }

    /// Answers a question in SQL. Nothing can be changed by it.
    ///
    /// Errors: what SQLite says of the question; a statement that would write; more than one statement.
    pub fn ask(&self, sql: &str) -> Result<Answer> {
        let refused = |reason: String| StoreError::Question {
            read: sql.to_owned(),
            reason,
        };
        let first = sql.trim_start();
        let end = first.find(|c: char| !c.is_ascii_alphabetic());
        let first = first[..end.unwrap_or(first.len())].to_uppercase();
        if !QUESTIONS.contains(&first.as_str()) {
            let accepted = "a question begins with SELECT, WITH, VALUES or EXPLAIN";
            return Err(refused(accepted.to_owned()));
        }
        self.connection
            .pragma_update(None, "query_only", true)
            .map_err(|error| Fault::Sql(error).at(self.path()))?;
        let answer = self.answer(sql);
        self.connection
            .pragma_update(None, "query_only", false)
            .map_err(|error| Fault::Sql(error).at(self.path()))?;
        answer.map_err(|error| match Fault::Sql(error).at(self.path()) {
            StoreError::Sql { reason, .. } => refused(reason),
            StoreError::Unwritable { .. } => refused("it would change the store".to_owned()),
            other => other,
        })
    }

    fn answer(&self, sql: &str) -> rusqlite::Result<Answer> {
        let mut select = self.connection.prepare(sql)?;
        let columns: Vec<String> = select.column_names().map(str::to_owned).collect();
        let mut rows = select.query([])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let cells = (0..columns.len()).map(|column| row.get_ref(column).map(cell));
            found.push(cells.collect::<rusqlite::Result<Vec<Cell>>>()?);
        }
        Ok(Answer {
            columns,
            rows: found,
        })
    }
}

fn cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Null => Cell::Nothing,
        ValueRef::Integer(number) => Cell::Whole(number),
        ValueRef::Real(number) => Cell::Real(number),
        ValueRef::Text(text) => Cell::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(blob) => Cell::Blob(blob.to_vec()),
    }
}
