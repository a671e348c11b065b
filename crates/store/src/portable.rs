//! Whole sessions as one JSON document, which another machine imports: the rows of the database as they are.
//!
//! A document has the versions of its form and of the schema, and a checksum over the sessions, so that a newer, a truncated
//! and a changed one are refused. Blobs are hexadecimal. Omitted: what belongs to the database and not to a session, as in
//! [`copy_from`](Store::copy_from).

use crate::error::Fault;
use crate::schema::SCHEMA_VERSION;
use crate::seal::crc32;
use crate::session::SessionId;
use crate::{Result, Store, StoreError};
use rusqlite::Transaction;
use rusqlite::types::{Value as Cell, ValueRef};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::path::Path;

/// The version of the form.
const FORM: u64 = 1;
/// The key by which a document is recognized, the first one.
const KEY: &str = "fathom_sessions";
/// So many bytes at the beginning have the key.
const HEAD: usize = 4096;

const OF_RUN: &str = "run_id IN (SELECT id FROM runs WHERE session_id = ?1)";
const OF_LINE: &str = "headline_id IN (SELECT id FROM headlines WHERE session_id = ?1)";
/// The tables and which rows of them belong to a session, parents before their children.
const TABLES: [(&str, &str); 14] = [
    ("sessions", "id = ?1"),
    ("runs", "session_id = ?1"),
    ("targets", OF_RUN),
    ("threads", OF_RUN),
    ("tallies", OF_RUN),
    ("errors", OF_RUN),
    ("headlines", "session_id = ?1"),
    ("figures", OF_LINE),
    ("percentiles", OF_LINE),
    ("imported", OF_LINE),
    ("files", OF_LINE),
    ("watches", OF_LINE),
    ("tags", "session_id = ?1"),
    ("notes", "session_id = ?1"),
];

#[derive(Serialize)]
struct Document<'a> {
    fathom_sessions: u64,
    store_schema: u32,
    checksum: String,
    sessions: &'a [Value],
}

impl Store {
    /// Returns these sessions as one document.
    ///
    /// # Errors
    /// A session is missing or damaged, or the file cannot be read.
    pub fn portable(&self, sessions: &[SessionId]) -> Result<String> {
        if !self.is_current() {
            return Err(StoreError::Unwritable {
                path: self.path().to_owned(),
                reason: "it is read-only, and of an older version".to_owned(),
            });
        }
        let read = || -> Result<Vec<Value>, Fault> {
            let transaction = self.read()?;
            let each = sessions.iter().map(|session| {
                self.must_exist(&transaction, *session)?;
                let (_, damage) = self.check_session(&transaction, *session);
                match damage.into_iter().next() {
                    Some(what) => Err(Fault::Damaged(what)),
                    None => rows_of(&transaction, *session),
                }
            });
            each.collect()
        };
        let sessions = read().map_err(|fault| fault.at(self.path()))?;
        let document = Document {
            fathom_sessions: FORM,
            store_schema: SCHEMA_VERSION,
            checksum: checksum(&sessions),
            sessions: &sessions,
        };
        Ok(serde_json::to_string_pretty(&document).expect("all keys are text") + "\n")
    }

    /// Opens a document as a database in memory. `name` is for messages.
    ///
    /// # Errors
    /// It is truncated, changed, or of a newer version; or it is no document of sessions.
    pub fn of_portable(name: &Path, document: &[u8]) -> Result<Store> {
        let refused = |reason: String| StoreError::Refused {
            path: name.to_owned(),
            reason,
        };
        let document: Value = serde_json::from_slice(document).map_err(|error| {
            refused(match error.is_eof() {
                true => format!("it is truncated: it ends within line {}", error.line()),
                false => format!("it is no JSON: {error}"),
            })
        })?;
        let version = |key: &str| document[key].as_u64().unwrap_or(0);
        for (key, known) in [(KEY, FORM), ("store_schema", SCHEMA_VERSION.into())] {
            let read = version(key);
            if !(1..=known).contains(&read) {
                return Err(refused(format!(
                    "its {key} is version {read}, and this fathom reads versions from 1 to {known}; hint: use the fathom that \
                     wrote it, or a newer one"
                )));
            }
        }
        let sessions = document["sessions"]
            .as_array()
            .map_or(&[][..], Vec::as_slice);
        let expected = checksum(sessions);
        let found = document["checksum"].as_str().unwrap_or_default();
        if found != expected {
            return Err(refused(format!(
                "its sessions were changed after they were written: their checksum is {expected}, and {found:?} was written"
            )));
        }
        let schema = u32::try_from(version("store_schema")).unwrap_or(SCHEMA_VERSION);
        let fill = |transaction: &Transaction<'_>| {
            sessions
                .iter()
                .try_for_each(|session| insert(transaction, session))
        };
        let store = Store::in_memory_with(name, schema, &fill).map_err(|error| match error {
            StoreError::Damaged { what, .. } => refused(what),
            StoreError::Sql { reason, .. } => {
                refused(format!("a row of it fits no table: {reason}"))
            }
            other => other,
        })?;
        let all = store.sessions(None)?;
        let transaction = store.read().map_err(|fault| fault.at(name))?;
        let each = all
            .iter()
            .flat_map(|one| store.check_session(&transaction, one.id).1);
        let damage: Vec<String> = each.collect();
        drop(transaction);
        match damage.into_iter().next() {
            Some(what) => Err(refused(what)),
            None => Ok(store),
        }
    }
}

/// Whether a file that begins like this is a document of sessions.
pub fn is_portable(first: &[u8]) -> bool {
    let first = &first[..first.len().min(HEAD)];
    let key = format!("\"{KEY}\"");
    let is_object = first.trim_ascii_start().starts_with(b"{");
    is_object
        && first
            .windows(key.len())
            .any(|bytes| bytes == key.as_bytes())
}

/// The checksum of the sessions in the form that has no blanks and sorted keys.
fn checksum(sessions: &[Value]) -> String {
    let bytes = serde_json::to_vec(sessions).expect("all keys are text");
    format!("{:08x}", crc32(&bytes))
}

/// The rows of a session, by table; tables without rows are omitted.
fn rows_of(transaction: &Transaction<'_>, session: SessionId) -> Result<Value, Fault> {
    let mut tables = Map::new();
    for (table, key) in TABLES {
        let query = format!("SELECT * FROM {table} WHERE {key}");
        let mut select = transaction.prepare(&query)?;
        let names: Vec<String> = select.column_names().map(str::to_owned).collect();
        let mut rows = select.query([session.0])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let cells = names.iter().enumerate().map(|(place, name)| {
                let value = of_cell(row.get_ref(place)?);
                Ok((name.clone(), value))
            });
            found.push(Value::Object(cells.collect::<Result<_, Fault>>()?));
        }
        if !found.is_empty() {
            tables.insert(table.to_owned(), Value::Array(found));
        }
    }
    Ok(Value::Object(tables))
}

fn of_cell(cell: ValueRef<'_>) -> Value {
    match cell {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => json!(number),
        ValueRef::Real(number) => json!(number),
        ValueRef::Text(text) => json!(String::from_utf8_lossy(text)),
        ValueRef::Blob(bytes) => {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            json!({ "hex": digits })
        }
    }
}

fn cell_of(value: &Value) -> Option<Cell> {
    Some(match value {
        Value::Null => Cell::Null,
        Value::String(text) => Cell::Text(text.clone()),
        Value::Number(number) => match number.as_i64() {
            Some(number) => Cell::Integer(number),
            None => Cell::Real(number.as_f64()?),
        },
        Value::Object(blob) => {
            let digits = blob.get("hex")?.as_str()?.as_bytes();
            let pair = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
            let bytes: Option<Vec<u8>> = digits.chunks(2).map(pair).collect();
            Cell::Blob(bytes?)
        }
        Value::Bool(_) | Value::Array(_) => return None,
    })
}

/// Inserts the rows of a session as they are.
fn insert(transaction: &Transaction<'_>, session: &Value) -> Result<(), Fault> {
    let odd = |what: &str| Fault::Damaged(format!("{what} is not as fathom writes it"));
    let tables = session.as_object().ok_or_else(|| odd("a session"))?;
    if let Some(name) = tables
        .keys()
        .find(|name| TABLES.iter().all(|(table, _)| table != name))
    {
        return Err(odd(&format!("table {name}")));
    }
    for (table, _) in TABLES {
        let Some(rows) = tables.get(table) else {
            continue;
        };
        let query = format!("SELECT * FROM {table} LIMIT 0");
        let select = transaction.prepare(&query)?;
        let known: Vec<String> = select.column_names().map(str::to_owned).collect();
        let places: Vec<&str> = known.iter().map(|_| "?").collect();
        let (columns, places) = (known.join(", "), places.join(", "));
        let mut insert = transaction.prepare(&format!(
            "INSERT INTO {table} ({columns}) VALUES ({places})"
        ))?;
        for row in rows.as_array().ok_or_else(|| odd(table))? {
            let row = row.as_object().filter(|row| row.len() == known.len());
            let cells = row.and_then(|row| {
                let cells = known.iter().map(|name| cell_of(row.get(name)?));
                cells.collect::<Option<Vec<Cell>>>()
            });
            let cells = cells.ok_or_else(|| odd(table))?;
            insert.execute(rusqlite::params_from_iter(cells))?;
        }
    }
    Ok(())
}
