//! The schema, its versions, and the way forward from each.
//!
//! A version is a [`Step`]: a script, and what SQL cannot do (reading histograms, writing summaries). All of them are one
//! transaction, so that a file is either as it was or up to date; before it, the whole file is copied. The next version is
//! one more step at the end.

use crate::backup::keep_old;
use crate::error::Fault;
use crate::headline::{self, Place};
use crate::record::{Later, load_run};
use crate::save::seal_session;
use crate::session::SessionId;
use crate::{Notice, StoreError, answers, notes, summary};
use model::{Bytes, Nanos, ResultRow, RowFigures, RowWork};
use rusqlite::{Connection, Row, Transaction, TransactionBehavior};
use std::collections::BTreeMap;
use std::path::Path;

/// Application id of a fathom store in SQLite's header: the letters `FTHM`.
pub const APPLICATION_ID: u32 = u32::from_be_bytes(*b"FTHM");

type Fill = fn(&Transaction<'_>, &mut dyn FnMut(Notice)) -> Result<(), Fault>;

/// The way from one version to the next.
struct Step {
    script: &'static str,
    /// What follows once all scripts were run: it meets the newest schema.
    fill: Option<Fill>,
}

const fn script(script: &'static str) -> Step {
    Step { script, fill: None }
}

/// Oldest first: the step to version 1, and so on.
const STEPS: [Step; 14] = [
    script(include_str!("schema/0001-runs.sql")),
    script(include_str!("schema/0002-spread.sql")),
    script(include_str!("schema/0003-response.sql")),
    Step {
        script: include_str!("schema/0004-database.sql"),
        fill: Some(fill_lines),
    },
    script(include_str!("schema/0005-series.sql")),
    script(include_str!("schema/0006-baselines.sql")),
    script(include_str!("schema/0007-files.sql")),
    script(include_str!("schema/0008-watches.sql")),
    Step {
        script: include_str!("schema/0009-summaries.sql"),
        fill: Some(summary::fill),
    },
    script(include_str!("schema/0010-proofs.sql")),
    script(include_str!("schema/0011-iops.sql")),
    script(include_str!("schema/0012-notes.sql")),
    script(include_str!("schema/0013-answers.sql")),
    Step {
        script: include_str!("schema/0014-fields.sql"),
        fill: Some(fill_fields),
    },
];

/// The newest version of the schema that this fathom knows.
pub const SCHEMA_VERSION: u32 = STEPS.len() as u32;

/// The version that brought response times.
pub(crate) const RESPONSE_FROM: u32 = 3;

/// The version that brought the series over time.
pub(crate) const SERIES_FROM: u32 = 5;

/// The version that brought lines.
pub(crate) const LINES_FROM: u32 = 4;

/// The version that brought baselines.
pub(crate) const BASELINES_FROM: u32 = 6;

/// The version that brought summaries.
pub(crate) const SUMMARIES_FROM: u32 = 9;

/// The version that brought notes.
pub(crate) const NOTES_FROM: u32 = 12;

/// The version that brought answers.
pub(crate) const ANSWERS_FROM: u32 = 13;

/// How often a migration begins again because another process wrote while the file was copied.
const TRIES: u32 = 5;

/// Takes the steps that the file has not taken yet. The application id is set in the same transaction: there is no
/// moment at which a file of ours lacks it.
pub(crate) fn bring_up_to_date(
    connection: &Connection,
    path: &Path,
    report: &mut dyn FnMut(Notice),
) -> Result<(), Fault> {
    let found = version_of_ours(connection, path)?;
    if found == SCHEMA_VERSION {
        return Ok(());
    }
    // A table that others refer to cannot be replaced under their eyes; all is checked again at the end.
    connection.pragma_update(None, "foreign_keys", false)?;
    for _ in 0..TRIES {
        let before = state(connection)?;
        let kept = match found {
            0 => None,
            _ => Some(keep_old(connection, path, found, SCHEMA_VERSION, report)?),
        };
        let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
        if version(&transaction, path)? == SCHEMA_VERSION {
            return Ok(()); // another program was faster
        }
        if kept.is_some() && state(&transaction)? != before {
            continue; // the copy lacks what another program wrote since
        }
        take_steps(&transaction, found, report)?;
        return Ok(transaction.commit()?);
    }
    Err(Fault::Named(StoreError::Busy {
        path: path.to_owned(),
    }))
}

/// Another number after each write of another program.
fn state(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "data_version", |row| row.get(0))
}

fn take_steps(
    transaction: &Transaction<'_>,
    found: u32,
    report: &mut dyn FnMut(Notice),
) -> Result<(), Fault> {
    let steps = &STEPS[found as usize..];
    for step in steps {
        transaction.execute_batch(step.script)?;
    }
    if found > 0 {
        for fill in steps.iter().filter_map(|step| step.fill) {
            fill(transaction, report)?;
        }
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    Ok(())
}

/// Creates the schema in an empty database, after `fill` put rows into its version `found`.
pub(crate) fn create_filled(
    connection: &Connection,
    found: u32,
    fill: &dyn Fn(&Transaction<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    connection.pragma_update(None, "foreign_keys", false)?;
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    for step in &STEPS[..found as usize] {
        transaction.execute_batch(step.script)?;
    }
    fill(&transaction)?;
    take_steps(&transaction, found, &mut |_| ())?;
    Ok(transaction.commit()?)
}

/// The version of a file that is fathom's alone, both read from one state of it: another process may be creating it.
pub(crate) fn version_of_ours(connection: &Connection, path: &Path) -> Result<u32, Fault> {
    let state = connection.unchecked_transaction()?;
    let found = version(&state, path)?;
    must_be_ours(&state, path, found)?;
    Ok(found)
}

/// What a schema consists of: by kind and name the SQL, of which blanks and quotes do not count.
type Schema = BTreeMap<(String, String), String>;

/// Refuses a file with anything in its schema that fathom did not put there: a trigger or a view could change what a
/// statement does. The file may be of any version.
fn must_be_ours(connection: &Connection, path: &Path, version: u32) -> Result<(), Fault> {
    let found = schema_of(connection)?;
    let foreign = |what: String| {
        Err(Fault::Named(StoreError::ForeignSchema {
            path: path.to_owned(),
            what,
        }))
    };
    let known = match version {
        0 => Schema::new(),
        version => schema_of_version(version)?,
    };
    for (kind, name) in found.keys() {
        if !known.contains_key(&(kind.clone(), name.clone())) {
            return foreign(format!("it contains the {kind} `{name}`"));
        }
    }
    let id: u32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if id != APPLICATION_ID && version > 0 {
        return Err(Fault::Named(StoreError::Foreign {
            path: path.to_owned(),
            read: id,
        }));
    }
    for ((kind, name), sql) in &known {
        match found.get(&(kind.clone(), name.clone())) {
            Some(other) if other == sql => {}
            Some(_) => {
                return Err(Fault::Damaged(format!(
                    "its {kind} `{name}` is not defined as in version {version}"
                )));
            }
            None => return Err(Fault::Damaged(format!("its {kind} `{name}` is missing"))),
        }
    }
    Ok(())
}

fn schema_of(connection: &Connection) -> rusqlite::Result<Schema> {
    // Indexes of keys have no SQL; SQLite's own tables for numbers that were given out, and of ANALYZE.
    let mut select = connection.prepare(
        "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL
         AND NOT (type = 'table' AND name IN ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4'))",
    )?;
    let rows = select.query_map([], |row| {
        let sql: String = row.get(2)?;
        let plain = |c: &char| !c.is_whitespace() && *c != '"';
        Ok((
            (row.get(0)?, row.get(1)?),
            sql.chars().filter(plain).collect(),
        ))
    })?;
    rows.collect()
}

fn schema_of_version(version: u32) -> rusqlite::Result<Schema> {
    let memory = Connection::open_in_memory()?;
    memory.execute_batch("BEGIN")?;
    for step in &STEPS[..version as usize] {
        memory.execute_batch(step.script)?;
    }
    schema_of(&memory)
}

/// The file's schema version, at most [`SCHEMA_VERSION`]; 0 for a new file.
pub(crate) fn version(connection: &Connection, path: &Path) -> Result<u32, Fault> {
    let read: i32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let read =
        u32::try_from(read).map_err(|_| Fault::Damaged(format!("its schema version is {read}")))?;
    if read > SCHEMA_VERSION {
        return Err(Fault::Named(StoreError::Newer {
            path: path.to_owned(),
            read,
            known: SCHEMA_VERSION,
        }));
    }
    Ok(read)
}

/// A line for each run that was kept before there were lines.
fn fill_lines(transaction: &Transaction<'_>, _report: &mut dyn FnMut(Notice)) -> Result<(), Fault> {
    let mut select = transaction.prepare("SELECT * FROM runs ORDER BY session_id, number")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let session = SessionId(row.get("session_id")?);
        let label: String = row.get("label")?;
        let kind: String = transaction
            .prepare_cached("SELECT kind FROM sessions WHERE id = ?1")?
            .query_row([session.0], |row| row.get(0))?;
        let place = Place {
            session,
            kind: &kind,
            number: row.get("number")?,
            label: &label,
            key: None,
        };
        // A damaged run keeps the line that its own columns still give. It has no checksum, so that it is read, and
        // reported, whenever its record is asked for.
        let record = load_run(transaction, session, place.number, Later::ALL);
        let (line, seal) = match record {
            Ok(Some((record, seal))) => (ResultRow::of_record(&record), Some(seal)),
            _ => (line_of_damaged(row).unwrap_or_default(), None),
        };
        headline::insert(transaction, place, line, seal)?;
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

/// Verdicts that SQL could not read, and goals in names that fields had.
fn fill_fields(
    transaction: &Transaction<'_>,
    _report: &mut dyn FnMut(Notice),
) -> Result<(), Fault> {
    answers::fill(transaction)?;
    notes::rename_fields(transaction)
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
        for line in STEPS.iter().flat_map(|step| step.script.lines()) {
            assert!(!is_column(line) || line.contains(" -- "), "{line}");
        }
    }
}
