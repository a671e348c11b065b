//! The schema, its versions, and the way forward from each.
//!
//! A version is a script; from version 4 on, what SQL cannot do (reading histograms) stands in [`fill_lines`]. All of it
//! is one transaction, so that a file is either as it was or up to date.

use crate::error::Fault;
use crate::headline::{self, Place};
use crate::record::load_run;
use crate::save::seal_session;
use crate::session::SessionId;
use crate::{StoreError, seal};
use model::{Bytes, Nanos, ResultRow, RowFigures, RowWork};
use rusqlite::{Connection, Row, Transaction, TransactionBehavior};
use std::path::Path;

/// What SQLite's header says of a fathom store: the letters `FTHM`.
pub const APPLICATION_ID: u32 = u32::from_be_bytes(*b"FTHM");

/// One script a version, oldest first.
pub(crate) const SCHEMA: [&str; 8] = [
    include_str!("schema/0001-runs.sql"),
    include_str!("schema/0002-spread.sql"),
    include_str!("schema/0003-response.sql"),
    include_str!("schema/0004-shelf.sql"),
    include_str!("schema/0005-series.sql"),
    include_str!("schema/0006-baselines.sql"),
    include_str!("schema/0007-files.sql"),
    include_str!("schema/0008-watches.sql"),
];

/// The newest version of the schema that this fathom knows.
pub const SCHEMA_VERSION: u32 = SCHEMA.len() as u32;

/// The version that brought lines.
pub(crate) const LINES_FROM: u32 = 4;

/// The version that brought baselines.
pub(crate) const BASELINES_FROM: u32 = 6;

/// Runs the scripts that the file does not have yet. The application id is set in the same transaction: there is no
/// moment at which a file of ours does not say so.
pub(crate) fn bring_up_to_date(connection: &Connection, path: &Path) -> Result<(), Fault> {
    if version(connection, path)? == SCHEMA_VERSION {
        return Ok(());
    }
    // A table that others refer to cannot be replaced under their eyes; all is checked again at the end.
    connection.pragma_update(None, "foreign_keys", false)?;
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    let found = version(&transaction, path)?; // another program may have been faster
    for script in &SCHEMA[found as usize..] {
        transaction.execute_batch(script)?;
    }
    if found < LINES_FROM {
        fill_lines(&transaction)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    Ok(transaction.commit()?)
}

/// The file's schema version, at most [`SCHEMA_VERSION`]; 0 for a new file.
pub(crate) fn version(connection: &Connection, path: &Path) -> Result<u32, Fault> {
    let read: i32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let read =
        u32::try_from(read).map_err(|_| Fault::Damaged(format!("its schema version is {read}")))?;
    if read > SCHEMA_VERSION {
        return Err(Fault::Told(StoreError::Newer {
            path: path.to_owned(),
            read,
            known: SCHEMA_VERSION,
        }));
    }
    Ok(read)
}

/// A line for each run that was kept before there were lines.
fn fill_lines(transaction: &Transaction<'_>) -> Result<(), Fault> {
    let mut select = transaction.prepare("SELECT * FROM runs ORDER BY session_id, number")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let (run, session) = (row.get("id")?, SessionId(row.get("session_id")?));
        let label: String = row.get("label")?;
        let place = Place {
            session,
            number: row.get("number")?,
            label: &label,
            key: None,
        };
        // A damaged run keeps the line that its own columns still give, and is told when somebody asks for it.
        let line = match load_run(transaction, session, row) {
            Ok(record) => ResultRow::of_record(&record),
            Err(_) => line_of_damaged(row).unwrap_or_default(),
        };
        let headline = headline::insert(transaction, place, &line)?;
        headline::seal_record(transaction, headline, seal::of_run(transaction, run)?)?;
    }
    transaction.execute_batch(
        "UPDATE sessions SET results = (SELECT count(*) FROM headlines h WHERE h.session_id = sessions.id)",
    )?;
    let mut select = transaction.prepare("SELECT id FROM sessions")?;
    let sessions = select.query_map([], |row| row.get(0))?;
    for session in sessions.collect::<rusqlite::Result<Vec<u64>>>()? {
        seal_session(transaction, SessionId(session))?;
    }
    Ok(())
}

fn line_of_damaged(row: &Row<'_>) -> rusqlite::Result<ResultRow> {
    let bytes = |column: &str| -> rusqlite::Result<Option<Bytes>> {
        Ok(row.get::<_, Option<u64>>(column)?.map(Bytes))
    };
    Ok(ResultRow {
        tool: "fathom".to_owned(),
        started_utc: Some(Nanos(row.get("started_utc_ns")?)),
        outcome: Some(row.get("outcome")?),
        work: RowWork {
            block: bytes("block_bytes")?,
            queue_depth: row.get("queue_depth")?,
            threads: row.get("threads")?,
            write_percent: row.get("write_percent")?,
            pattern: row.get("access")?,
            engine: row.get("backend")?,
            ..RowWork::default()
        },
        measured: Some(Nanos(row.get("measured_ns")?)),
        total: RowFigures {
            ios: row.get("ios")?,
            bytes: bytes("bytes")?,
            errors: row.get("errors")?,
            ..RowFigures::default()
        },
        ..ResultRow::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_has_a_comment() {
        let is_column = |line: &str| {
            ["INTEGER", "TEXT", "REAL", "BLOB"]
                .contains(&line.split_whitespace().nth(1).unwrap_or(""))
        };
        for line in SCHEMA.iter().flat_map(|script| script.lines()) {
            assert!(!is_column(line) || line.contains(" -- "), "{line}");
        }
    }
}
