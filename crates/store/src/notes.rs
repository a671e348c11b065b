//! Notes that people add to sessions and results. A result has those of its session, too; its own ones outrank them.

use crate::answers::forget;
use crate::error::Fault;
use crate::session::{RunName, SessionId};
use crate::{Result, Store};
use model::Note;
use rusqlite::{Transaction, params};

/// All notes of a session: the result in it, or 0 for the whole session, and the note.
pub(crate) type Noted = Vec<(u32, Note)>;

impl Store {
    /// Sets notes of sessions and results, and removes the fields in `clear`, all or nothing. A field that is not there to be
    /// removed is no error.
    ///
    /// # Errors
    /// One of the names does not exist.
    pub fn note(&self, names: &[RunName], set: &[Note], clear: &[String]) -> Result<()> {
        self.writing(|transaction| {
            for name in names {
                self.must_be_there(transaction, *name)?;
                forget(transaction, name.session)?;
                for field in clear {
                    transaction.execute(
                        "DELETE FROM notes WHERE session_id = ?1 AND number = ?2 AND field = ?3",
                        params![name.session.0, name.run.unwrap_or(0), field],
                    )?;
                }
                insert_notes(transaction, *name, set)?;
            }
            Ok(())
        })
    }

    /// Returns the notes of a session, or those that apply to one of its results.
    ///
    /// # Errors
    /// There is no such session, or the file cannot be read.
    pub fn notes(&self, name: RunName) -> Result<Vec<Note>> {
        let read = || {
            let transaction = self.read()?;
            self.must_exist(&transaction, name.session)?;
            let noted = self.noted(&transaction, name.session)?;
            Ok(notes_for(&noted, name.run.unwrap_or(0)))
        };
        read().map_err(|fault: Fault| fault.at(self.path()))
    }

    /// By number and field; none where the file is of an older version that could not be brought up to date.
    pub(crate) fn noted(
        &self,
        transaction: &Transaction<'_>,
        session: SessionId,
    ) -> Result<Noted, Fault> {
        if !self.has_notes() {
            return Ok(Noted::new());
        }
        let mut select = transaction.prepare_cached(
            "SELECT number, field, value FROM notes WHERE session_id = ?1 ORDER BY number, field",
        )?;
        let notes = select.query_map([session.0], |row| {
            let (field, value) = (row.get(1)?, row.get(2)?);
            Ok((row.get(0)?, Note { field, value }))
        })?;
        Ok(notes.collect::<rusqlite::Result<_>>()?)
    }
}

pub(crate) fn insert_notes(
    transaction: &Transaction<'_>,
    of: RunName,
    notes: &[Note],
) -> Result<(), Fault> {
    for Note { field, value } in notes {
        transaction.execute(
            "INSERT OR REPLACE INTO notes (session_id, number, field, value) VALUES (?1, ?2, ?3, ?4)",
            params![
                of.session.0,
                of.run.unwrap_or(0),
                field,
                value
            ],
        )?;
    }
    Ok(())
}

/// Returns the session's notes for number 0, otherwise those that apply to this result, by field.
pub(crate) fn notes_for(noted: &[(u32, Note)], number: u32) -> Vec<Note> {
    let mut found: Vec<Note> = Vec::new();
    for (_, note) in noted.iter().filter(|(of, _)| *of == 0 || *of == number) {
        found.retain(|session| session.field != note.field);
        found.push(note.clone());
    }
    found.sort_by(|one, other| one.field.cmp(&other.field));
    found
}
