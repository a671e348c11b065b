//! A question in SQL, and the list that goes around damage.

use crate::error::Fault;
use crate::session::{SessionId, SessionSummary};
use crate::{Result, Store, StoreError};
use rusqlite::types::ValueRef;

/// The sessions that can be read, and the errors of the others.
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

/// Most memory that the values of an answer take.
const ANSWER_BYTES_MAX: usize = 64 << 20;
const TOO_LONG: &str = "its answer takes more than 64 MiB of memory: ask for less, as with LIMIT";

impl Cell {
    /// Returns how much memory it takes, about.
    fn bytes(&self) -> usize {
        let behind = match self {
            Cell::Text(text) => text.len(),
            Cell::Blob(bytes) => bytes.len(),
            Cell::Nothing | Cell::Whole(_) | Cell::Real(_) => 0,
        };
        size_of::<Cell>() + behind
    }
}

/// How a statement begins that cannot write, here or into another file.
const QUESTIONS: [&str; 4] = ["SELECT", "WITH", "VALUES", "EXPLAIN"];

impl Store {
    /// What is wrong without the name of the file, which stands above all findings.
    pub(crate) fn plain(&self, session: SessionId, error: StoreError) -> String {
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

    /// All sessions, newest first, without summaries.
    pub(crate) fn listing_by_rows(&self) -> Result<Listing> {
        match self.sessions(None) {
            Ok(sessions) => Ok(Listing {
                sessions,
                damaged: Vec::new(),
            }),
            Err(StoreError::Damaged { .. }) => self.one_by_one(),
            Err(error) => Err(error),
        }
    }

    fn one_by_one(&self) -> Result<Listing> {
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
        for id in (1..=last.unwrap_or(0)).rev() {
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

    /// Answers a question in SQL. Nothing can be changed by it.
    ///
    /// Errors: SQLite's error for the statement; a statement that would write; more than one statement.
    pub fn ask(&self, sql: &str) -> Result<Answer> {
        let refused = |reason: String| StoreError::Question {
            read: sql.to_owned(),
            reason,
        };
        let first = sql.trim_start();
        let end = first.find(|c: char| !c.is_ascii_alphabetic());
        let first = first[..end.unwrap_or(first.len())].to_uppercase();
        if !QUESTIONS.contains(&first.as_str()) {
            let accepted = "must begin with SELECT, WITH, VALUES or EXPLAIN";
            return Err(refused(accepted.to_owned()));
        }
        self.connection
            .pragma_update(None, "query_only", true)
            .map_err(|error| Fault::Sql(error).at(self.path()))?;
        let answer = self.answer(sql);
        let answer = answer.map(|answer| answer.ok_or_else(|| refused(TOO_LONG.to_owned())));
        self.connection
            .pragma_update(None, "query_only", false)
            .map_err(|error| Fault::Sql(error).at(self.path()))?;
        answer.unwrap_or_else(|error| {
            Err(match Fault::Sql(error).at(self.path()) {
                StoreError::Sql { reason, .. } => refused(reason),
                StoreError::Unwritable { .. } => refused("it would change the store".to_owned()),
                other => other,
            })
        })
    }

    /// Returns the rows; `None` where they take more memory than an answer may.
    fn answer(&self, sql: &str) -> rusqlite::Result<Option<Answer>> {
        let mut select = self.connection.prepare(sql)?;
        let columns: Vec<String> = select.column_names().map(str::to_owned).collect();
        let mut rows = select.query([])?;
        let mut found = Vec::new();
        let mut bytes = 0;
        while let Some(row) = rows.next()? {
            let cells = (0..columns.len()).map(|column| row.get_ref(column).map(cell));
            let cells = cells.collect::<rusqlite::Result<Vec<Cell>>>()?;
            bytes += cells.iter().map(Cell::bytes).sum::<usize>();
            if bytes > ANSWER_BYTES_MAX {
                return Ok(None);
            }
            found.push(cells);
        }
        Ok(Some(Answer {
            columns,
            rows: found,
        }))
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
