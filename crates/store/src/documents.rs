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
        self.writing(|transaction| {
            let kind = self.must_exist(transaction, session)?;
            let first = next_number(transaction, session)?;
            let mut count = 0;
            let mut failed = None;
            runs(&mut |run| {
                if failed.is_none() {
                    let place = (session, kind.as_str(), first + count);
                    let row = ResultRow::of_imported(run);
                    failed = insert(transaction, place, IMPORTED, row, run).err();
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
            insert(transaction, place, table, row, record)?;
            count_results(transaction, session, 1)?;
            Ok(number)
        })
    }
}

/// The line, the document and its seal.
fn insert(
    transaction: &Transaction<'_>,
    (session, kind, number): (SessionId, &str, u32),
    table: &str,
    row: ResultRow,
    record: &impl Serialize,
) -> Result<(), Fault> {
    let label = row.label.clone();
    let place = Place {
        session,
        kind,
        number,
        label: &label,
        key: None,
    };
    let document = document(&format!("the record ({table})"), record)?;
    let seal = seal::of_text(&document);
    let headline = headline::insert(transaction, place, row, Some(seal))?;
    transaction
        .prepare_cached(&format!(
            "INSERT INTO {table} (headline_id, document_json) VALUES (?1, ?2)"
        ))?
        .execute(params![headline, document])?;
    Ok(())
}
