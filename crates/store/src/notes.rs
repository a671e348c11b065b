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

/// Fields of goals that had other names until version 14.
const RENAMED: [(&str, &str); 4] = [
    ("rate", "target_iops"),
    ("throughput", "bytes_per_s"),
    ("read_throughput", "read_bytes_per_s"),
    ("write_throughput", "write_bytes_per_s"),
];

/// Writes stored goals in the names that fields have now.
pub(crate) fn rename_fields(transaction: &Transaction<'_>) -> Result<(), Fault> {
    let mut select =
        transaction.prepare("SELECT session_id, number, value FROM notes WHERE field = ?1")?;
    let goals = select.query_map([Note::GOALS], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?))
    })?;
    for (session, number, goal) in goals.collect::<rusqlite::Result<Vec<(u64, u32, String)>>>()? {
        transaction.execute(
            "UPDATE notes SET value = ?4 WHERE session_id = ?1 AND number = ?2 AND field = ?3",
            params![session, number, Note::GOALS, renamed(&goal)],
        )?;
    }
    Ok(())
}

/// Replaces old names of fields: words before an operator, outside quotes.
fn renamed(goal: &str) -> String {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let (mut text, mut quote) = (String::new(), None);
    let mut rest = goal;
    while let Some(letter) = rest.chars().next() {
        let end = match is_word(letter) && quote.is_none() {
            true => rest.find(|letter| !is_word(letter)).unwrap_or(rest.len()),
            false => letter.len_utf8(),
        };
        let (word, after) = rest.split_at(end);
        let compared = after.trim_start().starts_with(['=', '!', '<', '>', '~']);
        let same = |(old, _): &&(&str, &str)| old.eq_ignore_ascii_case(word);
        let new = RENAMED
            .iter()
            .find(same)
            .filter(|_| compared && quote.is_none());
        text.push_str(new.map_or(word, |(_, new)| new));
        quote = match (quote, letter) {
            (None, '\'' | '"') => Some(letter),
            (Some(open), letter) if open == letter => None,
            (open, _) => open,
        };
        rest = after;
    }
    text
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_in_old_names_are_translated_and_their_values_are_not() {
        for (old, new) in [
            (
                "throughput>500M and p99 < 5ms where depth = 4",
                "bytes_per_s>500M and p99 < 5ms where depth = 4",
            ),
            (
                "iops > 1 where label='rate = 4' and Rate != 3; read_throughput > 1M",
                "iops > 1 where label='rate = 4' and target_iops != 3; read_bytes_per_s > 1M",
            ),
            ("iops > 1 where label = rate", "iops > 1 where label = rate"),
        ] {
            assert_eq!(renamed(old), new);
        }
    }
}
