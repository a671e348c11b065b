//! Onto the shelf: steps of work with files. Each is a result of its session, with a line as every result has one.

use crate::error::Fault;
use crate::headline::{self, Place, next_number};
use crate::save::{count_results, document};
use crate::seal;
use crate::session::SessionId;
use crate::{Result, Store};
use model::{FilesRecord, ResultRow};
use rusqlite::{Transaction, params};

impl Store {
    /// Puts a step into a session, whole or not at all, and answers with its number there, from 1.
    pub fn save_files(&self, session: SessionId, record: &FilesRecord) -> Result<u32> {
        self.writing(|transaction| {
            self.must_exist(transaction, session)?;
            let number = next_number(transaction, session)?;
            insert_files(transaction, (session, number), record)?;
            count_results(transaction, session, 1)?;
            Ok(number)
        })
    }
}

fn insert_files(
    transaction: &Transaction<'_>,
    (session, number): (SessionId, u32),
    record: &FilesRecord,
) -> Result<(), Fault> {
    let row = ResultRow::of_files(record);
    let place = Place {
        session,
        number,
        label: &row.label,
        key: None,
    };
    let headline = headline::insert(transaction, place, &row)?;
    let document = document("a step of work with files", record)?;
    transaction
        .prepare_cached("INSERT INTO files (headline_id, document_json) VALUES (?1, ?2)")?
        .execute(params![headline, document])?;
    let sealed = seal::of_document(transaction, "files", headline)?;
    headline::seal_record(transaction, headline, sealed)
}
