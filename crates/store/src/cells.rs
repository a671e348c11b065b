//! Stores what has a key: the cells of a sweep.
//!
//! A key exists once in its session. A constraint of the file ensures it, so that no two programs can store a cell twice.

use crate::error::Fault;
use crate::headline::{self, Place, next_number};
use crate::run::insert_run;
use crate::save::{count_results, seal_session};
use crate::session::{SessionId, StoredCell};
use crate::{Result, Store, StoreError};
use model::{Origin, ResultRow, RunRecord};
use rusqlite::{OptionalExtension, Transaction, params};

/// A cell that the ranks of a job measured together.
#[derive(Clone, Copy, Debug)]
pub struct RanksCell<'a> {
    /// Its name.
    pub label: &'a str,
    /// Its key in the session.
    pub key: &'a str,
    /// Each rank, from rank 0 on.
    pub ranks: &'a [RankLine<'a>],
    /// Why the ranks have no result together, where they have none.
    pub missing: Option<&'a str>,
}

/// The result of one rank.
#[derive(Clone, Debug)]
pub struct RankLine<'a> {
    /// Its name in the session.
    pub label: String,
    /// Its record, or why there is none.
    pub outcome: std::result::Result<&'a RunRecord, &'a str>,
}

impl Store {
    /// Stores the results of all ranks of a cell under numbers that follow one another, whole or not at all. The key is that
    /// of rank 0's; a cell that is missing has a line of its own with it. Returns the number that has the key.
    ///
    /// Errors: as [`Store::save_cell`].
    pub fn save_ranks(&self, session: SessionId, cell: RanksCell<'_>) -> Result<u32> {
        self.writing(|transaction| {
            let kind = self.must_exist(transaction, session)?;
            number_of_cell(transaction, session, cell.key)?; // a line that it has as missing goes
            let first = next_number(transaction, session)?;
            let place = |number, label, key| Place {
                session,
                kind: &kind,
                number,
                label,
                key,
            };
            let mut number = first;
            for rank in cell.ranks {
                let key = (number == first && cell.missing.is_none()).then_some(cell.key);
                let place = place(number, rank.label.as_str(), key);
                match rank.outcome {
                    Ok(record) => insert_run(transaction, place, record)?,
                    Err(reason) => insert_missing(transaction, place, reason)?,
                }
                count_results(transaction, session, 1)?;
                number += 1;
            }
            let Some(reason) = cell.missing else {
                return Ok(first);
            };
            insert_missing(
                transaction,
                place(number, cell.label, Some(cell.key)),
                reason,
            )?;
            count_results(transaction, session, 1)?;
            Ok(number)
        })
    }

    /// Puts a run into a session as the cell of this key, whole or not at all, and answers with its number. A cell that
    /// was missing gets its result under the number that it has.
    ///
    /// Errors: [`StoreError::CellTwice`] where the cell has a result already, which stays.
    pub fn save_cell(
        &self,
        session: SessionId,
        label: &str,
        key: &str,
        record: &RunRecord,
    ) -> Result<u32> {
        self.put_cell(session, label, key, |transaction, place| {
            insert_run(transaction, place, record)
        })
    }

    /// Records that the cell of this key has no result, and why; returns its number. A reason that was given
    /// before is replaced.
    ///
    /// Errors: as [`Store::save_cell`].
    pub fn save_missing(
        &self,
        session: SessionId,
        label: &str,
        key: &str,
        reason: &str,
    ) -> Result<u32> {
        self.put_cell(session, label, key, |transaction, place| {
            insert_missing(transaction, place, reason)
        })
    }

    fn put_cell(
        &self,
        session: SessionId,
        label: &str,
        key: &str,
        insert: impl FnOnce(&Transaction<'_>, Place<'_>) -> Result<(), Fault>,
    ) -> Result<u32> {
        self.writing(|transaction| {
            let kind = self.must_exist(transaction, session)?;
            let number = number_of_cell(transaction, session, key)?;
            let place = Place {
                session,
                kind: &kind,
                number,
                label,
                key: Some(key),
            };
            insert(transaction, place)?;
            count_results(transaction, session, 1)?;
            Ok(number)
        })
    }

    /// The cells of a session that have a key, in the order of their numbers, without reading their content.
    pub fn cells(&self, session: SessionId) -> Result<Vec<StoredCell>> {
        let read = || {
            let transaction = self.read()?;
            self.must_exist(&transaction, session)?;
            if !self.has_lines() {
                return Ok(Vec::new());
            }
            let mut select = transaction.prepare(
                "SELECT number, label, key, reason FROM headlines
                 WHERE session_id = ?1 AND key IS NOT NULL ORDER BY number",
            )?;
            let cells = select.query_map([session.0], |row| {
                Ok(StoredCell {
                    number: row.get(0)?,
                    label: row.get(1)?,
                    key: row.get(2)?,
                    missing: row.get(3)?,
                })
            })?;
            Ok(cells.collect::<rusqlite::Result<_>>()?)
        };
        read().map_err(|fault: Fault| fault.at(self.path()))
    }

    /// Takes back how a session ended, so that it goes on: it counts as cut short again until it is finished.
    pub fn reopen(&self, session: SessionId) -> Result<()> {
        self.change(
            session,
            "UPDATE sessions SET outcome = NULL WHERE id = ?1",
            None,
        )
    }

    /// Stores what distinguishes a sweep from others: the same for the same cells on the same target.
    pub fn set_fingerprint(&self, session: SessionId, fingerprint: &str) -> Result<()> {
        let change = "UPDATE sessions SET fingerprint = ?2 WHERE id = ?1";
        self.change(session, change, Some(fingerprint))
    }

    /// Whether a session has this fingerprint.
    pub fn has_fingerprint(&self, session: SessionId, fingerprint: &str) -> Result<bool> {
        let query = "SELECT count(*) FROM sessions WHERE id = ?1 AND fingerprint = ?2";
        let count = self
            .connection
            .query_row(query, params![session.0, fingerprint], |row| {
                row.get::<_, u32>(0)
            });
        count
            .map(|count| count > 0)
            .map_err(|error| Fault::Sql(error).at(self.path()))
    }

    /// The newest session of this fingerprint that is not complete: cut short, interrupted or failed.
    pub fn find_sweep(&self, fingerprint: &str) -> Result<Option<SessionId>> {
        let find = || {
            if !self.has_lines() {
                return Ok(None);
            }
            let found: Option<u64> = self.connection.query_row(
                "SELECT max(id) FROM sessions WHERE fingerprint = ?1 AND outcome IS NOT 'complete'",
                [fingerprint],
                |row| row.get(0),
            )?;
            Ok(found.map(SessionId))
        };
        find().map_err(|fault: Fault| fault.at(self.path()))
    }

    /// One change of a session's own row.
    fn change(&self, session: SessionId, change: &str, value: Option<&str>) -> Result<()> {
        self.writing(|transaction| {
            self.must_exist(transaction, session)?;
            match value {
                Some(value) => transaction.execute(change, params![session.0, value])?,
                None => transaction.execute(change, [session.0])?,
            };
            seal_session(transaction, session)
        })
    }
}

fn insert_missing(
    transaction: &Transaction<'_>,
    place: Place<'_>,
    reason: &str,
) -> Result<(), Fault> {
    let query = "SELECT target FROM sessions WHERE id = ?1";
    let target = transaction.query_row(query, [place.session.0], |row| row.get(0))?;
    let row = ResultRow {
        origin: Origin::Missing,
        tool: "fathom".to_owned(),
        target,
        reason: Some(reason.to_owned()),
        ..ResultRow::default()
    };
    headline::insert(transaction, place, row, None).map(|_| ())
}

/// The number that the cell of a key gets: a new one, or that under which it is missing; its old line goes.
fn number_of_cell(
    transaction: &Transaction<'_>,
    session: SessionId,
    key: &str,
) -> Result<u32, Fault> {
    let query = "SELECT id, number, origin FROM headlines WHERE session_id = ?1 AND key = ?2";
    let found: Option<(i64, u32, String)> = transaction
        .prepare_cached(query)?
        .query_row(params![session.0, key], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .optional()?;
    let Some((id, number, origin)) = found else {
        return next_number(transaction, session);
    };
    if origin != Origin::Missing.name() {
        return Err(Fault::Named(StoreError::CellTwice {
            read: key.to_owned(),
            session,
            number,
        }));
    }
    transaction.execute("DELETE FROM headlines WHERE id = ?1", [id])?;
    count_results(transaction, session, -1)?;
    Ok(number)
}
