//! Words that people give to sessions and results.

use crate::error::Fault;
use crate::save::signed;
use crate::session::RunName;
use crate::{Result, Store, StoreError};
use rusqlite::{OptionalExtension, Transaction, params};

/// Longest word.
const LETTERS_MAX: usize = 60;

impl Store {
    /// Gives words to sessions and results, and takes others away, all or nothing. A word that is there already, or that
    /// is not there to be taken, is no error.
    ///
    /// Errors: a name that there is not; a word that is none, see [`StoreError::Tag`].
    pub fn tag(&self, names: &[RunName], give: &[String], take: &[String]) -> Result<()> {
        self.writing(|transaction| {
            for word in give {
                check(word)?;
            }
            for name in names {
                self.must_be_there(transaction, *name)?;
                let (session, number) = (signed("session", name.session.0)?, name.run.unwrap_or(0));
                for word in give {
                    transaction.execute(
                        "INSERT OR IGNORE INTO tags (session_id, number, tag) VALUES (?1, ?2, ?3)",
                        params![session, number, word],
                    )?;
                }
                for word in take {
                    transaction.execute(
                        "DELETE FROM tags WHERE session_id = ?1 AND number = ?2 AND tag = ?3",
                        params![session, number, word],
                    )?;
                }
            }
            Ok(())
        })
    }

    /// Or lists the existing ones.
    pub(crate) fn must_be_there(
        &self,
        transaction: &Transaction<'_>,
        name: RunName,
    ) -> Result<(), Fault> {
        self.must_exist(transaction, name.session)?;
        let Some(number) = name.run else {
            return Ok(());
        };
        let table = self.lines_in();
        let query = format!("SELECT 1 FROM {table} WHERE session_id = ?1 AND number = ?2");
        let there: Option<i64> = transaction
            .query_row(&query, params![name.session.0, number], |row| row.get(0))
            .optional()?;
        if there.is_some() {
            return Ok(());
        }
        let query = format!("SELECT max(number) FROM {table} WHERE session_id = ?1");
        let last = transaction.query_row(&query, [name.session.0], |row| row.get(0))?;
        Err(Fault::Named(StoreError::NoResult { read: name, last }))
    }
}

/// Whether the command line, lists and the filter take it without quotes.
pub(crate) fn is_word(word: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "-_./:@#%".contains(c);
    let fits = !word.is_empty() && word.chars().count() <= LETTERS_MAX;
    fits && word.chars().all(plain) && !word.starts_with('-')
}

fn check(word: &str) -> Result<(), Fault> {
    if is_word(word) {
        return Ok(());
    }
    Err(Fault::Named(StoreError::Tag {
        read: word.to_owned(),
    }))
}
