//! The answer of a session's report: verdict, headline and device, as lists show them.
//!
//! Form, fixed for good, as in `blob`: the letter `A`, a version byte, the session's number (from version 2 on), three texts,
//! a CRC-32. A damaged one hides nothing, because it follows from the results. Deliberately absent: making it (`cli`).

use crate::blob::{Damage, Reader, put, seal, text};
use crate::error::Fault;
use crate::session::SessionId;
use crate::{Result, Store};
use rusqlite::{OptionalExtension, Transaction, params};

/// The last version without the session's number.
const WITHOUT_SESSION: u8 = 1;
const VERSION: u8 = 2;

/// What a list shows of a session's report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionAnswer {
    /// `VALID`, `CAUTION`, `INVALID`, `NOT CHECKED`; empty where it is not known.
    pub validity: String,
    /// The most important figures, in a sentence.
    pub headline: String,
    /// The device below the target, `nvme0n1`; empty where none is known, or there are several.
    pub device: String,
}

/// The answer of a session, as it is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StoredAnswer {
    /// None was stored.
    #[default]
    Missing,
    /// What is stored is not what was written.
    Damaged,
    /// It was read.
    Read(SessionAnswer),
}

impl StoredAnswer {
    /// Returns what was read.
    pub fn read(&self) -> Option<&SessionAnswer> {
        match self {
            StoredAnswer::Read(answer) => Some(answer),
            StoredAnswer::Missing | StoredAnswer::Damaged => None,
        }
    }

    pub(crate) fn of(session: SessionId, blob: Option<&[u8]>) -> Self {
        match blob.map(|blob| decode(session, blob)) {
            None => StoredAnswer::Missing,
            Some(Err(_)) => StoredAnswer::Damaged,
            Some(Ok(answer)) => StoredAnswer::Read(answer),
        }
    }
}

impl Store {
    /// Stores the answer of a session in the place of the one before.
    ///
    /// # Errors
    /// There is no such session, or the file cannot be written.
    pub fn set_answer(&self, session: SessionId, answer: &SessionAnswer) -> Result<()> {
        self.writing(|transaction| {
            self.must_exist(transaction, session)?;
            transaction.execute(
                "INSERT OR REPLACE INTO answers (session_id, answer) VALUES (?1, ?2)",
                params![session.0, encode(session, answer)],
            )?;
            Ok(())
        })
    }

    pub(crate) fn answer_of(
        &self,
        transaction: &Transaction<'_>,
        session: SessionId,
    ) -> Result<StoredAnswer, Fault> {
        if !self.has_answers() {
            return Ok(StoredAnswer::Missing);
        }
        let blob: Option<Vec<u8>> = transaction
            .prepare_cached("SELECT answer FROM answers WHERE session_id = ?1")?
            .query_row([session.0], |row| row.get(0))
            .optional()?;
        Ok(StoredAnswer::of(session, blob.as_deref()))
    }
}

/// Removes the answer of a session that changed.
pub(crate) fn forget(transaction: &Transaction<'_>, session: SessionId) -> Result<(), Fault> {
    transaction.execute("DELETE FROM answers WHERE session_id = ?1", [session.0])?;
    Ok(())
}

fn encode(session: SessionId, answer: &SessionAnswer) -> Vec<u8> {
    let SessionAnswer {
        validity,
        headline,
        device,
    } = answer;
    let mut out = vec![b'A', VERSION];
    put(&mut out, session.0.into());
    for said in [validity, headline, device] {
        text(&mut out, said);
    }
    seal(out)
}

/// Reads an answer.
///
/// Errors: the blob is damaged, or of another session.
fn decode(session: SessionId, blob: &[u8]) -> Result<SessionAnswer, Damage> {
    let (version, mut from) = Reader::open(blob, b'A', &[WITHOUT_SESSION, VERSION])?;
    if version != WITHOUT_SESSION && from.number()? != session.0 {
        return Err("it is of another session");
    }
    let mut answer = SessionAnswer::default();
    for text in [
        &mut answer.validity,
        &mut answer.headline,
        &mut answer.device,
    ] {
        from.text(text)?;
    }
    from.close()?;
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_reads_back_and_a_changed_bit_or_session_is_noticed() {
        let answer = SessionAnswer {
            validity: "NOT CHECKED".to_owned(),
            headline: "48.5k IOPS ü".to_owned(),
            device: String::new(),
        };
        let session = SessionId(300);
        let blob = encode(session, &answer);
        assert_eq!(decode(session, &blob), Ok(answer));
        assert!(decode(SessionId(301), &blob).is_err());
        for bit in 0..blob.len() * 8 {
            let mut blob = blob.clone();
            blob[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(session, &blob).is_err(), "{bit}");
        }
    }
}
