//! The answer of a session's report: verdict, headline and device, as lists show them.
//!
//! Form, fixed for good, as in `blob`: the letter `A`, a version byte, three texts, a CRC-32. A damaged one counts as missing,
//! because it follows from the results. Deliberately absent: making it (`cli`).

use crate::blob::{Damage, Reader, seal, text};
use crate::error::Fault;
use crate::session::SessionId;
use crate::{Result, Store};
use rusqlite::{OptionalExtension, Transaction, params};

const VERSION: u8 = 1;

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
                params![session.0, encode(answer)],
            )?;
            Ok(())
        })
    }

    /// The answer of one session, where it has one.
    pub(crate) fn answer_of(
        &self,
        transaction: &Transaction<'_>,
        session: SessionId,
    ) -> Result<Option<SessionAnswer>, Fault> {
        if !self.has_answers() {
            return Ok(None);
        }
        let blob: Option<Vec<u8>> = transaction
            .prepare_cached("SELECT answer FROM answers WHERE session_id = ?1")?
            .query_row([session.0], |row| row.get(0))
            .optional()?;
        Ok(blob.and_then(|blob| decode(&blob).ok()))
    }
}

/// Removes the answer of a session that changed.
pub(crate) fn forget(transaction: &Transaction<'_>, session: SessionId) -> Result<(), Fault> {
    transaction.execute("DELETE FROM answers WHERE session_id = ?1", [session.0])?;
    Ok(())
}

fn encode(answer: &SessionAnswer) -> Vec<u8> {
    let SessionAnswer {
        validity,
        headline,
        device,
    } = answer;
    let mut out = vec![b'A', VERSION];
    for said in [validity, headline, device] {
        text(&mut out, said);
    }
    seal(out)
}

/// Reads an answer.
///
/// Errors: the blob is damaged.
pub(crate) fn decode(blob: &[u8]) -> Result<SessionAnswer, Damage> {
    let (_, mut from) = Reader::open(blob, b'A', &[VERSION])?;
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
    fn an_answer_reads_back_and_a_changed_bit_makes_it_missing() {
        let answer = SessionAnswer {
            validity: "NOT CHECKED".to_owned(),
            headline: "48.5k IOPS ü".to_owned(),
            device: String::new(),
        };
        let blob = encode(&answer);
        assert_eq!(decode(&blob), Ok(answer));
        for bit in 0..blob.len() * 8 {
            let mut blob = blob.clone();
            blob[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(&blob).is_err(), "{bit}");
        }
    }
}
