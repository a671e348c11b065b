//! Stores results of which the whole record is one document, each in the table of its kind: steps of work with
//! files, device activity, runs of other tools. Each is a result of its session, with a row as every result
//! has one.
//!
//! Deliberately absent: runs of fathom, whose record is rows and blobs (`save`).

use crate::error::Fault;
use crate::headline::{self, Place, next_number};
use crate::save::{count_results, document, insert_session, written};
use crate::seal;
use crate::session::{NewSession, SessionId};
use crate::{Result, Store};
use model::{FilesRecord, ImportedRun, ResultRow, WatchRecord};
use rusqlite::{Transaction, params};
use serde::Serialize;
use std::io;
use std::sync::mpsc::sync_channel;
use std::thread;

/// The tables of documents. Who reads them asks for these too.
pub(crate) const FILES: &str = "files";
pub(crate) const WATCHES: &str = "watches";
pub(crate) const IMPORTED: &str = "imported";

impl Store {
    /// Puts a step of work with files into a session, whole or not at all, and answers with its number there, from 1.
    pub fn save_files(&self, session: SessionId, record: &FilesRecord) -> Result<u32> {
        self.save_one(session, FILES, ResultRow::of_files(record), record)
    }

    /// Puts a stretch of watching into a session, whole or not at all, and answers with its number there, from 1.
    pub fn save_watch(&self, session: SessionId, record: &WatchRecord) -> Result<u32> {
        self.save_one(session, WATCHES, ResultRow::of_watch(record), record)
    }

    /// Stores runs of other tools in a session of their own, all or none; `None` where there is no run. `runs` passes one
    /// after the other, on a thread of its own: a file is read while what was read before is stored. After a failure
    /// nothing more of what it passes is stored.
    pub fn import(
        &self,
        new: &NewSession,
        runs: impl FnOnce(&mut dyn FnMut(&ImportedRun)) + Send,
    ) -> Result<Option<SessionId>> {
        self.unchecked(|transaction| {
            thread::scope(|scope| {
                let (send, receive) = sync_channel(BATCHES_WAITING_MAX);
                scope.spawn(move || {
                    let mut batch = Batch::new();
                    runs(&mut |run| {
                        batch.push(Imported::of(run));
                        if batch.len() == BATCH_RUNS {
                            // Where storing has failed there is no receiver.
                            let _ = send.send(std::mem::take(&mut batch));
                        }
                    });
                    let _ = send.send(batch);
                });
                store_imported(transaction, new, receive.into_iter().flatten())
            })
        })
    }

    /// The oldest complete session with the runs of a file with this fingerprint.
    pub fn find_import(&self, fingerprint: &str) -> Result<Option<SessionId>> {
        let find = || {
            if !self.has_lines() {
                return Ok(None);
            }
            let query =
                "SELECT min(id) FROM sessions WHERE kind = 'import' AND outcome = 'complete'
                         AND instr(fingerprint, ?1) > 0";
            let found: Option<u64> =
                self.connection
                    .query_row(query, params![fingerprint], |row| row.get(0))?;
            Ok(found.map(SessionId))
        };
        find().map_err(|fault: Fault| fault.at(self.path()))
    }

    fn save_one(
        &self,
        session: SessionId,
        table: &str,
        row: ResultRow,
        record: &impl Serialize,
    ) -> Result<u32> {
        self.writing(|transaction| {
            let place = Place {
                session,
                kind: &self.must_exist(transaction, session)?,
                number: next_number(transaction, session)?,
                label: &row.label.clone(),
                key: None,
            };
            let document = document(&format!("the record ({table})"), record)?;
            insert(transaction, place, table, &document, row)?;
            count_results(transaction, session, 1)?;
            Ok(place.number)
        })
    }
}

/// An imported run as it is stored.
struct Imported {
    document: String,
    seal: u32,
    row: ResultRow,
}

type Batch = Vec<Result<Imported, Fault>>;

/// Runs that one message between the threads passes: a message each would wake a thread each.
const BATCH_RUNS: usize = 64;

/// Bounds what is read ahead of what is stored.
const BATCHES_WAITING_MAX: usize = 4;

impl Imported {
    fn of(run: &ImportedRun) -> Result<Imported, Fault> {
        let document = without_nulls(run)?;
        Ok(Imported {
            seal: seal::of_text(&document),
            document,
            row: ResultRow::of_imported(run),
        })
    }
}

/// Stores the runs in a session, which begins with the first of them.
fn store_imported(
    transaction: &Transaction<'_>,
    new: &NewSession,
    runs: impl Iterator<Item = Result<Imported, Fault>>,
) -> Result<Option<SessionId>, Fault> {
    let mut found = None;
    let mut count = 0;
    for run in runs {
        let Imported {
            document,
            seal,
            row,
        } = run?;
        let session = match found {
            Some(session) => session,
            None => *found.insert(insert_session(transaction, new)?),
        };
        count += 1;
        let place = Place {
            session,
            kind: new.kind.name(),
            number: count,
            label: &row.label.clone(),
            key: None,
        };
        let headline = headline::insert(transaction, place, row, Some(seal))?;
        insert_document(transaction, IMPORTED, headline, &document)?;
    }
    if let Some(session) = found {
        count_results(transaction, session, i64::from(count))?;
    }
    Ok(found)
}

/// The line, the document and its seal.
fn insert(
    transaction: &Transaction<'_>,
    place: Place<'_>,
    table: &str,
    document: &str,
    row: ResultRow,
) -> Result<(), Fault> {
    let seal = seal::of_text(document);
    let headline = headline::insert(transaction, place, row, Some(seal))?;
    insert_document(transaction, table, headline, document)
}

fn insert_document(
    transaction: &Transaction<'_>,
    table: &str,
    headline: i64,
    document: &str,
) -> Result<(), Fault> {
    transaction
        .prepare_cached(&format!(
            "INSERT INTO {table} (headline_id, document_json) VALUES (?1, ?2)"
        ))?
        .execute(params![headline, document])?;
    Ok(())
}

/// Most documents are shorter.
const USUAL_BYTES: usize = 2048;

fn without_nulls(record: &impl Serialize) -> Result<String, Fault> {
    let mut lean = WithoutNulls(Vec::with_capacity(USUAL_BYTES));
    let done = serde_json::to_writer(&mut lean, record);
    let text = |()| String::from_utf8(lean.0).expect("serde_json writes UTF-8");
    written("the record (imported)", done.map(text))
}

/// A document as serde_json writes it, without fields that are null: most of an imported run are, and a missing one reads
/// back as `None`. The names of fields have no escapes. A piece that is `null` or a comma alone is never in a text behind
/// what is looked for here: within a text serde_json cuts at escapes alone, so that `":` and `{` are in one piece with what
/// follows them.
struct WithoutNulls(Vec<u8>);

impl io::Write for WithoutNulls {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.write_all(piece).map(|()| piece.len())
    }

    /// Inlined, because most pieces are constants of a byte or two.
    #[inline]
    fn write_all(&mut self, piece: &[u8]) -> io::Result<()> {
        match piece {
            b"null" => self.null(),
            b"," if self.0.ends_with(b"{") => {}
            _ => self.0.extend_from_slice(piece),
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl WithoutNulls {
    /// Takes the name of the field back, or writes a null that is no field.
    fn null(&mut self) {
        let name = self.0.strip_suffix(b"\":");
        match name.and_then(|name| name.iter().rposition(|byte| *byte == b'"')) {
            Some(quote) => {
                let comma = self.0[..quote].ends_with(b",");
                self.0.truncate(quote - usize::from(comma));
            }
            None => self.0.extend_from_slice(b"null"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_fields_that_are_null_are_removed() {
        for (document, lean) in [
            (r#"{"a":null}"#, "{}"),
            (r#"{"a":null,"b":1,"c":null}"#, r#"{"b":1}"#),
            (
                r#"{"a":{"b":null,"c":null},"d":null,"e":[]}"#,
                r#"{"a":{},"e":[]}"#,
            ),
            (
                r#"{"a":"b\":null,","c":[null]}"#,
                r#"{"a":"b\":null,","c":[null]}"#,
            ),
            (
                r#"{"a":null,"text":"\"b\":null"}"#,
                r#"{"text":"\"b\":null"}"#,
            ),
        ] {
            let value: serde_json::Value = serde_json::from_str(document).unwrap();
            assert_eq!(without_nulls(&value).unwrap(), lean);
        }
    }

    #[test]
    fn what_an_import_leaves_to_this_crate_is_checked_again_behind_it() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("s.sqlite")).unwrap();
        let none = r#"{"latency":{"percentiles":[],"histogram":[]}}"#;
        let run = format!(
            r#"{{"format":"dd_text","source":"","place":1,"line":1,"name":"","workload":{{"targets":[]}},"figures":{{"total":{none},
            "read":{none},"write":{none}}},"measured_ns":{},"rows":[],"notes":[],"text":""}}"#,
            u64::MAX // beyond SQLite's integers
        );
        let run: ImportedRun = serde_json::from_str(&run).unwrap();
        let session = NewSession {
            kind: crate::SessionKind::new("import"),
            command: Vec::new(),
            tool_version: String::new(),
            started_utc: model::Nanos(1),
            target: String::new(),
            notes: Vec::new(),
        };
        assert!(store.import(&session, |put| put(&run)).is_err());
        let mut ask = store
            .connection
            .prepare("SELECT foreign_keys, ignore_check_constraints FROM pragma_foreign_keys, pragma_ignore_check_constraints")
            .unwrap();
        let both = ask.query_row([], |row| Ok((row.get(0)?, row.get(1)?)));
        assert_eq!(both, Ok((true, false)));
    }
}
