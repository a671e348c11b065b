//! Onto the shelf: results of which the whole record is one document, each in the table of its kind: steps of work with
//! files, what was seen of a device, runs of other tools. Each is a result of its session, with a line as every result
//! has one.
//!
//! Deliberately absent: runs of fathom's own, whose record is rows and blobs (`save`).

use crate::error::Fault;
use crate::headline::{self, Place, next_number};
use crate::save::{count_results, document};
use crate::seal;
use crate::session::SessionId;
use crate::{Result, Store};
use model::{FilesRecord, ImportedRun, ResultRow, WatchRecord};
use rusqlite::{Transaction, params};
use serde::Serialize;

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

    /// Puts runs of other tools into a session, all or none, and answers how many. `runs` hands on one after the other, so
    /// that they need not be in memory together; after a failure it is heard no more.
    pub fn import(
        &self,
        session: SessionId,
        runs: impl FnOnce(&mut dyn FnMut(&ImportedRun)),
    ) -> Result<u32> {
        self.unchecked(|transaction| {
            let kind = self.must_exist(transaction, session)?;
            let first = next_number(transaction, session)?;
            let mut count = 0;
            let mut failed = None;
            runs(&mut |run| {
                if failed.is_none() {
                    let place = (session, kind.as_str(), first + count);
                    let row = ResultRow::of_imported(run);
                    let put = |text: String| insert(transaction, place, (IMPORTED, &text), row);
                    let text = document("the record (imported)", run);
                    failed = text.and_then(|text| put(without_nulls(&text))).err();
                    count += 1;
                }
            });
            if let Some(fault) = failed {
                return Err(fault);
            }
            count_results(transaction, session, i64::from(count))?;
            Ok(count)
        })
    }

    fn save_one(
        &self,
        session: SessionId,
        table: &str,
        row: ResultRow,
        record: &impl Serialize,
    ) -> Result<u32> {
        self.writing(|transaction| {
            let kind = self.must_exist(transaction, session)?;
            let number = next_number(transaction, session)?;
            let place = (session, kind.as_str(), number);
            let document = document(&format!("the record ({table})"), record)?;
            insert(transaction, place, (table, &document), row)?;
            count_results(transaction, session, 1)?;
            Ok(number)
        })
    }
}

/// The line, the document and its seal.
fn insert(
    transaction: &Transaction<'_>,
    (session, kind, number): (SessionId, &str, u32),
    (table, document): (&str, &str),
    row: ResultRow,
) -> Result<(), Fault> {
    let label = row.label.clone();
    let place = Place {
        session,
        kind,
        number,
        label: &label,
        key: None,
    };
    let seal = seal::of_text(document);
    let headline = headline::insert(transaction, place, row, Some(seal))?;
    transaction
        .prepare_cached(&format!(
            "INSERT INTO {table} (headline_id, document_json) VALUES (?1, ?2)"
        ))?
        .execute(params![headline, document])?;
    Ok(())
}

/// A document of ours without fields that are null: most of an imported run are, and a missing one reads back as `None`.
/// The names of fields have no escapes; in a text, a backslash stands before a quote.
fn without_nulls(document: &str) -> String {
    const NULL: &str = "\":null";
    let own = document.find("\"text\":").unwrap_or(document.len()); // what follows is the original text
    let mut lean = String::with_capacity(document.len());
    let mut from = 0;
    for (at, _) in document[..own].match_indices(NULL) {
        let name = document[..at].trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let Some(before) = name.strip_suffix('"').filter(|_| name.len() < at) else {
            continue;
        };
        let after = &document[at + NULL.len()..];
        let kept = &document[from.min(before.len())..before.len()];
        lean.push_str(kept);
        from = match (after.strip_prefix(','), lean.ends_with(',')) {
            (Some(rest), _) => document.len() - rest.len(),
            (None, true) => {
                lean.pop();
                document.len() - after.len()
            }
            (None, false) => document.len() - after.len(),
        };
    }
    lean.push_str(&document[from..]);
    lean
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
            assert_eq!(without_nulls(document), lean);
        }
    }

    #[test]
    fn what_an_import_leaves_to_this_crate_is_checked_again_behind_it() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("s.sqlite")).unwrap();
        assert!(store.import(SessionId(1), |_| ()).is_err());
        let mut ask = store
            .connection
            .prepare("SELECT foreign_keys, ignore_check_constraints FROM pragma_foreign_keys, pragma_ignore_check_constraints")
            .unwrap();
        let both = ask.query_row([], |row| Ok((row.get(0)?, row.get(1)?)));
        assert_eq!(both, Ok((true, false)));
    }
}
