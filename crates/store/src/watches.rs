//! Onto the shelf: what was seen of a device. Each is a result of its session, with a line as every result has one.

use crate::error::Fault;
use crate::headline::{self, Place, next_number};
use crate::save::{count_results, document};
use crate::seal;
use crate::session::SessionId;
use crate::{Result, Store};
use model::{ResultRow, WatchRecord};
use rusqlite::{Transaction, params};

impl Store {
    /// Puts a stretch of watching into a session, whole or not at all, and answers with its number there, from 1.
    pub fn save_watch(&self, session: SessionId, record: &WatchRecord) -> Result<u32> {
        self.writing(|transaction| {
            self.must_exist(transaction, session)?;
            let number = next_number(transaction, session)?;
            insert(transaction, (session, number), record)?;
            count_results(transaction, session, 1)?;
            Ok(number)
        })
    }
}

fn insert(
    transaction: &Transaction<'_>,
    (session, number): (SessionId, u32),
    record: &WatchRecord,
) -> Result<(), Fault> {
    let row = ResultRow::of_watch(record);
    let place = Place {
        session,
        number,
        label: &row.label,
        key: None,
    };
    let headline = headline::insert(transaction, place, &row)?;
    let document = document("what was seen of a device", record)?;
    transaction
        .prepare_cached("INSERT INTO watches (headline_id, document_json) VALUES (?1, ?2)")?
        .execute(params![headline, document])?;
    let sealed = seal::of_document(transaction, "watches", headline)?;
    headline::seal_record(transaction, headline, sealed)
}
