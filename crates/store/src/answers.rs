//! The answer of a session's report: verdict, headline and device, as lists show them, and the verdict of each result.
//!
//! Form, fixed for good, as in `blob`: the letter `A`, a version byte, the session's number (from version 2 on), three texts,
//! the results (from version 3 on: their count; of each its number, two texts, and its findings), a CRC-32. A damaged one hides nothing, because it follows from the results. Deliberately absent: making it (`cli`).

use crate::blob::{Damage, Reader, put, seal, text};
use crate::error::Fault;
use crate::session::SessionId;
use crate::{Result, Store};
use model::ResultRow;
use model::record::RowVerdict;
use rusqlite::{OptionalExtension, Transaction, params};

/// The last version without the session's number.
const WITHOUT_SESSION: u8 = 1;
/// The last version without verdicts of results.
const WITHOUT_RESULTS: u8 = 2;
const VERSION: u8 = 3;

/// What a list shows of a session's report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionAnswer {
    /// `VALID`, `CAUTION`, `INVALID`, `NOT CHECKED`; empty where it is not known.
    pub validity: String,
    /// The most important figures, in a sentence.
    pub headline: String,
    /// The device below the target, `nvme0n1`; empty where none is known, or there are several.
    pub device: String,
    /// The verdict of each result, by its number. None are read for a list of sessions.
    pub results: Vec<(u32, RowVerdict)>,
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
        match blob.map(|blob| decode(session, blob, false)) {
            None => StoredAnswer::Missing,
            Some(Err(_)) => StoredAnswer::Damaged,
            Some(Ok(answer)) => StoredAnswer::Read(answer),
        }
    }
}

/// Sets the verdicts of a session's results from its answer. A damaged or missing one leaves them unknown.
pub(crate) fn judge(session: SessionId, blob: Option<&[u8]>, rows: &mut [ResultRow]) {
    let answer = blob.and_then(|blob| decode(session, blob, true).ok());
    let mut results = answer.map(|answer| answer.results).unwrap_or_default();
    results.sort_by_key(|(number, _)| *number);
    for row in rows {
        let place = results.binary_search_by_key(&row.number, |(number, _)| *number);
        row.verdict = place.ok().map(|at| std::mem::take(&mut results[at].1));
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
            write_verdicts(transaction, session, &answer.results)
        })
    }

    /// The results of a session as [`Store::rows`] gives them, with the stored verdict of each.
    ///
    /// # Errors
    /// The session is missing or damaged.
    pub fn judged_rows(&self, session: SessionId) -> Result<Vec<ResultRow>> {
        let read = || -> Result<Vec<ResultRow>, Fault> {
            let transaction = self.read()?;
            let mut rows = self.rows_of(&transaction, session)?;
            let blob = self.answer_blob(&transaction, session)?;
            judge(session, blob.as_deref(), &mut rows);
            Ok(rows)
        };
        read().map_err(|fault| fault.at(self.path()))
    }

    pub(crate) fn answer_of(
        &self,
        transaction: &Transaction<'_>,
        session: SessionId,
    ) -> Result<StoredAnswer, Fault> {
        let blob = self.answer_blob(transaction, session)?;
        Ok(StoredAnswer::of(session, blob.as_deref()))
    }

    fn answer_blob(
        &self,
        transaction: &Transaction<'_>,
        session: SessionId,
    ) -> Result<Option<Vec<u8>>, Fault> {
        if !self.has_answers() {
            return Ok(None);
        }
        let mut select =
            transaction.prepare_cached("SELECT answer FROM answers WHERE session_id = ?1")?;
        let blob = select.query_row([session.0], |row| row.get(0));
        Ok(blob.optional()?)
    }
}

/// Removes the answer of a session that changed.
pub(crate) fn forget(transaction: &Transaction<'_>, session: SessionId) -> Result<(), Fault> {
    transaction.execute("DELETE FROM answers WHERE session_id = ?1", [session.0])?;
    write_verdicts(transaction, session, &[])
}

/// Writes the verdicts for SQL, which cannot read a blob, in the place of those before.
fn write_verdicts(
    transaction: &Transaction<'_>,
    session: SessionId,
    results: &[(u32, RowVerdict)],
) -> Result<(), Fault> {
    transaction.execute("DELETE FROM verdicts WHERE session_id = ?1", [session.0])?;
    let mut insert = transaction.prepare_cached(
        "INSERT INTO verdicts (session_id, number, verdict, reason, findings) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for (number, verdict) in results {
        let findings = verdict.findings.join(" ");
        insert.execute(params![
            session.0,
            number,
            verdict.validity,
            verdict.reason,
            findings
        ])?;
    }
    Ok(())
}

/// Writes the verdicts of the answers that are stored; a damaged one has none.
pub(crate) fn fill(transaction: &Transaction<'_>) -> Result<(), Fault> {
    let mut select = transaction.prepare("SELECT session_id, answer FROM answers")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let session = SessionId(row.get(0)?);
        if let Ok(answer) = decode(session, row.get_ref(1)?.as_blob().unwrap_or_default(), true) {
            write_verdicts(transaction, session, &answer.results)?;
        }
    }
    Ok(())
}

fn encode(session: SessionId, answer: &SessionAnswer) -> Vec<u8> {
    let SessionAnswer {
        validity,
        headline,
        device,
        results,
    } = answer;
    let mut out = vec![b'A', VERSION];
    put(&mut out, session.0.into());
    for said in [validity, headline, device] {
        text(&mut out, said);
    }
    put(&mut out, results.len() as u128);
    for (number, verdict) in results {
        let RowVerdict {
            validity,
            reason,
            findings,
        } = verdict;
        put(&mut out, u128::from(*number));
        text(&mut out, validity);
        text(&mut out, reason);
        put(&mut out, findings.len() as u128);
        findings.iter().for_each(|id| text(&mut out, id));
    }
    seal(out)
}

/// Reads an answer, with or without the verdicts of its results.
///
/// Errors: the blob is damaged, or of another session.
fn decode(session: SessionId, blob: &[u8], with_results: bool) -> Result<SessionAnswer, Damage> {
    let (version, mut from) =
        Reader::open(blob, b'A', &[WITHOUT_SESSION, WITHOUT_RESULTS, VERSION])?;
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
    match (version, with_results) {
        (VERSION, false) => return Ok(answer), // the checksum was compared
        (VERSION, true) => answer.results = decode_results(&mut from)?,
        _ => {}
    }
    from.close()?;
    Ok(answer)
}

fn decode_results(from: &mut Reader<'_>) -> Result<Vec<(u32, RowVerdict)>, Damage> {
    let mut results = Vec::with_capacity(from.length(4)?);
    for _ in 0..results.capacity() {
        let number = u32::try_from(from.number()?).map_err(|_| "a number too large")?;
        let mut verdict = RowVerdict::default();
        from.text(&mut verdict.validity)?;
        from.text(&mut verdict.reason)?;
        verdict.findings.resize_with(from.length(1)?, String::new);
        for id in &mut verdict.findings {
            from.text(id)?;
        }
        results.push((number, verdict));
    }
    Ok(results)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_reads_back_and_a_changed_bit_or_session_is_noticed() {
        let verdict = RowVerdict {
            validity: "INVALID".to_owned(),
            reason: "page cache".to_owned(),
            findings: vec!["page-cache".to_owned(), "short".to_owned()],
        };
        let answer = SessionAnswer {
            validity: "NOT CHECKED".to_owned(),
            headline: "48.5k IOPS ü".to_owned(),
            device: String::new(),
            results: vec![(7, verdict.clone())],
        };
        let session = SessionId(300);
        let blob = encode(session, &answer);
        let decode = |session, blob: &[u8]| super::decode(session, blob, true);
        let row = |number| ResultRow {
            number,
            ..ResultRow::default()
        };
        let mut rows = [row(6), row(7)];
        judge(session, Some(&blob), &mut rows);
        assert_eq!(rows.map(|row| row.verdict), [None, Some(verdict)]);
        assert_eq!(decode(session, &blob), Ok(answer));
        assert!(decode(SessionId(301), &blob).is_err());
        for bit in 0..blob.len() * 8 {
            let mut blob = blob.clone();
            blob[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(session, &blob).is_err(), "{bit}");
        }
    }
}
