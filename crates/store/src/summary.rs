//! Summaries: all that `fathom list` prints of a session and `fathom table` of a result, in one small blob each.
//!
//! Form, fixed for good, as in `blob`: a letter (`S` session, `R` result), a version byte, values, a CRC-32. What may be
//! missing is a number, plus one, or 0; a text is its length and its bytes. A summary is built from the rows that it
//! repeats, in the same transaction; where it is damaged or missing, these are read, so it can hide nothing. Omitted:
//! tags, which change by themselves.

use crate::Notice;
use crate::blob::{Damage, Reader, put, seal, text};
use crate::error::Fault;
use crate::headline::CACHE_MODES;
use crate::load::{SELECT_SESSIONS, session_of};
use crate::rows::lines;
use crate::session::{SessionId, SessionKind, SessionOutcome, SessionSummary};
use model::{Bytes, Nanos, Origin, ResultRow, RowFigures, RowTimes, RowWork};
use rusqlite::{Transaction, params};

const VERSION: u8 = 1;

/// Quantiles that take one byte; others are written out. The order is part of the form.
const QUANTILES: [f64; 9] = [0.5, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99999, 0.25, 0.75];

/// Sessions between two reports of a migration.
const STEP: u64 = 500;

/// After every change of a session's own row.
pub(crate) fn write_session(
    transaction: &Transaction<'_>,
    session: SessionId,
) -> Result<(), Fault> {
    let mut select = transaction.prepare_cached(&format!("{SELECT_SESSIONS} WHERE s.id = ?1"))?;
    let mut rows = select.query([session.0])?;
    let Some(row) = rows.next()? else {
        return Ok(());
    };
    let summary = encode_session(&session_of(row)?);
    transaction
        .prepare_cached(
            "INSERT INTO session_summaries (session_id, summary) VALUES (?1, ?2)
             ON CONFLICT DO UPDATE SET summary = excluded.summary",
        )?
        .execute(params![session.0, summary])?;
    Ok(())
}

/// Once the line of a result is there, of which `row` is a copy.
pub(crate) fn insert_result(transaction: &Transaction<'_>, row: &ResultRow) -> Result<(), Fault> {
    transaction
        .prepare_cached(
            "INSERT INTO result_summaries (session_id, number, summary) VALUES (?1, ?2, ?3)",
        )?
        .execute(params![row.session, row.number, encode_result(row)])?;
    Ok(())
}

/// Summaries of all that was stored before there were any. What is damaged gets none, and is reported when it is read.
pub(crate) fn fill(
    transaction: &Transaction<'_>,
    report: &mut dyn FnMut(Notice),
) -> Result<(), Fault> {
    // The migration to version 4 wrote some, of lines that it had just created.
    transaction.execute("DELETE FROM result_summaries", [])?;
    let mut select = transaction.prepare("SELECT id FROM sessions ORDER BY id")?;
    let ids = select.query_map([], |row| row.get(0).map(SessionId))?;
    let ids: Vec<SessionId> = ids.collect::<rusqlite::Result<_>>()?;
    let sessions = ids.len() as u64;
    for (done, id) in (1..).zip(ids) {
        match write_session(transaction, id) {
            Ok(()) | Err(Fault::Damaged(_)) => {}
            Err(other) => return Err(other),
        }
        match lines(transaction, id, None) {
            Ok(rows) => {
                for row in rows {
                    insert_result(transaction, &row)?;
                }
            }
            Err(Fault::Damaged(_)) => {}
            Err(other) => return Err(other),
        }
        if done % STEP == 0 || done == sessions {
            report(Notice::Migrating { done, sessions });
        }
    }
    Ok(())
}

fn number(out: &mut Vec<u8>, value: Option<u64>) {
    put(out, value.map_or(0, |value| u128::from(value) + 1));
}

fn maybe_text(out: &mut Vec<u8>, value: Option<&str>) {
    put(out, value.map_or(0, |value| value.len() as u128 + 1));
    out.extend_from_slice(value.unwrap_or_default().as_bytes());
}

fn real(out: &mut Vec<u8>, value: Option<f64>) {
    out.push(u8::from(value.is_some()));
    if let Some(value) = value {
        out.extend_from_slice(&value.to_le_bytes());
    }
}

impl<'a> Reader<'a> {
    fn maybe(&mut self) -> Result<Option<u64>, Damage> {
        Ok(self.number()?.checked_sub(1))
    }

    fn small<T: TryFrom<u64>>(&mut self) -> Result<Option<T>, Damage> {
        let value = self.maybe()?.map(T::try_from);
        value.transpose().map_err(|_| "a number too large")
    }

    fn nanos(&mut self) -> Result<Option<Nanos>, Damage> {
        Ok(self.maybe()?.map(Nanos))
    }

    fn maybe_text(&mut self, into: &mut Option<String>) -> Result<(), Damage> {
        match (self.maybe_word()?, &mut *into) {
            (Some(word), Some(text)) => {
                text.clear();
                text.push_str(word);
            }
            (word, _) => *into = word.map(str::to_owned),
        }
        Ok(())
    }

    fn maybe_word(&mut self) -> Result<Option<&'a str>, Damage> {
        let length = self.maybe()?.map(usize::try_from);
        let length = length.transpose().map_err(|_| "a number too large")?;
        length.map(|length| self.letters(length)).transpose()
    }

    fn float(&mut self) -> Result<f64, Damage> {
        let bytes = self.bytes(8)?.try_into().map_err(|_| "cut short")?;
        Ok(f64::from_le_bytes(bytes))
    }

    fn real(&mut self) -> Result<Option<f64>, Damage> {
        match self.number()? {
            0 => Ok(None),
            _ => self.float().map(Some),
        }
    }
}

fn encode_session(session: &SessionSummary) -> Vec<u8> {
    let SessionSummary {
        id,
        kind,
        started_utc,
        command,
        tool_version,
        target,
        outcome,
        runs,
        tags: _,   // change by themselves
        notes: _,  // so do these
        answer: _, // and this
    } = session;
    let mut out = vec![b'S', VERSION];
    put(&mut out, u128::from(id.0));
    text(&mut out, kind.name());
    put(&mut out, u128::from(started_utc.0));
    put(&mut out, command.len() as u128);
    command.iter().for_each(|word| text(&mut out, word));
    text(&mut out, tool_version);
    text(&mut out, target);
    maybe_text(&mut out, outcome.map(SessionOutcome::name));
    put(&mut out, u128::from(*runs));
    seal(out)
}

/// Reads the session of a summary into the memory of another one; its tags and notes are left as they are. It has to be this one.
///
/// Errors: the summary is damaged; then `into` is of no use.
pub(crate) fn decode_session(
    own_id: SessionId,
    blob: &[u8],
    into: &mut SessionSummary,
) -> Result<(), Damage> {
    let SessionSummary {
        id,
        kind,
        started_utc,
        command,
        tool_version,
        target,
        outcome,
        runs,
        tags: _,   // change by themselves
        notes: _,  // so do these
        answer: _, // and this
    } = into;
    let (_, mut from) = Reader::open(blob, b'S', &[VERSION])?;
    if from.number()? != own_id.0 {
        return Err("it is another session's");
    }
    *id = own_id;
    *kind = SessionKind::from_name(from.word()?).ok_or("a kind that is not known")?;
    *started_utc = Nanos(from.number()?);
    let words = from.length(1)?;
    command.resize_with(words, String::new);
    for word in command {
        from.text(word)?;
    }
    from.text(tool_version)?;
    from.text(target)?;
    *outcome = match from.maybe_word()? {
        Some(name) => Some(SessionOutcome::from_name(name).ok_or("an outcome that is not known")?),
        None => None,
    };
    *runs = u32::try_from(from.number()?).map_err(|_| "a number too large")?;
    from.close()
}

/// Reads of a summary only the id of its session, which has to be this one, and how many results that has.
///
/// Errors: the summary is damaged.
pub(crate) fn decode_runs(
    own_id: SessionId,
    blob: &[u8],
    into: &mut SessionSummary,
) -> Result<(), Damage> {
    let (_, mut from) = Reader::open(blob, b'S', &[VERSION])?;
    if from.number()? != own_id.0 {
        return Err("it is another session's");
    }
    from.skip_text()?; // its kind
    from.number()?; // when it started
    // Its command, the version of the tool, its target.
    for _ in 0..from.length(1)? + 2 {
        from.skip_text()?;
    }
    let outcome = from.maybe()?.map_or(Ok(0), usize::try_from);
    from.bytes(outcome.map_err(|_| "a number too large")?)?;
    into.id = own_id;
    into.runs = u32::try_from(from.number()?).map_err(|_| "a number too large")?;
    from.close()
}

fn encode_result(row: &ResultRow) -> Vec<u8> {
    let ResultRow {
        session,
        number: own_number,
        kind,
        label,
        key,
        tags: _,    // change by themselves
        notes: _,   // so do these
        verdict: _, // and this
        origin,
        tool,
        tool_version,
        source,
        started_utc,
        host,
        target,
        outcome,
        reason,
        work,
        measured,
        total,
        read,
        write,
    } = row;
    let mut out = vec![b'R', VERSION];
    put(&mut out, u128::from(*session));
    put(&mut out, u128::from(*own_number));
    put(&mut out, place(&Origin::ALL, origin) as u128);
    for said in [kind, label, tool, target] {
        text(&mut out, said);
    }
    for said in [key, tool_version, source, host, outcome, reason] {
        maybe_text(&mut out, said.as_deref());
    }
    number(&mut out, started_utc.map(|ns| ns.0));
    number(&mut out, measured.map(|ns| ns.0));
    encode_work(&mut out, work);
    for figures in [total, read, write] {
        encode_figures(&mut out, figures);
    }
    seal(out)
}

fn place<T: PartialEq>(all: &[T], one: &T) -> usize {
    all.iter()
        .position(|other| other == one)
        .expect("all are listed")
}

fn encode_work(out: &mut Vec<u8>, work: &RowWork) {
    let RowWork {
        block,
        queue_depth,
        threads,
        write_percent,
        pattern,
        random_percent,
        cache,
        write_through,
        size,
        target_iops,
        engine,
    } = work;
    let mode = cache.map(|cache| CACHE_MODES.iter().position(|(_, mode)| *mode == cache));
    for value in [
        block.map(|bytes| bytes.0),
        queue_depth.map(u64::from),
        threads.map(u64::from),
        write_percent.map(u64::from),
        random_percent.map(u64::from),
        mode.flatten().map(|at| at as u64),
        write_through.map(u64::from),
        size.map(|bytes| bytes.0),
        *target_iops,
    ] {
        number(out, value);
    }
    maybe_text(out, pattern.as_deref());
    maybe_text(out, engine.as_deref());
}

fn encode_figures(out: &mut Vec<u8>, figures: &RowFigures) {
    let none = *figures == RowFigures::default();
    out.push(u8::from(!none));
    if none {
        return;
    }
    let RowFigures {
        ios,
        bytes,
        errors,
        ios_per_s,
        bytes_per_s,
        latency,
        response,
    } = figures;
    number(out, *ios);
    number(out, bytes.map(|bytes| bytes.0));
    number(out, *errors);
    real(out, *ios_per_s);
    real(out, *bytes_per_s);
    for times in [latency, response] {
        let RowTimes {
            mean,
            sd,
            min,
            max,
            percentiles,
        } = times;
        for time in [mean, sd, min, max] {
            number(out, time.map(|ns| ns.0));
        }
        put(out, percentiles.len() as u128);
        for (quantile, ns) in percentiles {
            match QUANTILES
                .iter()
                .position(|known| known.to_bits() == quantile.to_bits())
            {
                Some(at) => put(out, at as u128 + 1),
                None => {
                    put(out, 0);
                    out.extend_from_slice(&quantile.to_le_bytes());
                }
            }
            put(out, u128::from(ns.0));
        }
    }
}

/// How much of a line is read; its checksum is compared either way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// All but its result.
    Words,
    All,
}

/// Reads the line of a summary into the memory of another one; its tags and notes are left as they are. It has to be this result's.
///
/// Errors: the summary is damaged; then `into` is of no use.
pub(crate) fn decode_result(
    own_session: SessionId,
    own_number: u32,
    blob: &[u8],
    depth: Depth,
    into: &mut ResultRow,
) -> Result<(), Damage> {
    let ResultRow {
        session,
        number,
        kind,
        label,
        key,
        tags: _,    // change by themselves
        notes: _,   // so do these
        verdict: _, // and this
        origin,
        tool,
        tool_version,
        source,
        started_utc,
        host,
        target,
        outcome,
        reason,
        work,
        measured,
        total,
        read,
        write,
    } = into;
    let (_, mut from) = Reader::open(blob, b'R', &[VERSION])?;
    if (from.number()?, from.number()?) != (own_session.0, u64::from(own_number)) {
        return Err("it is another result's");
    }
    (*session, *number) = (own_session.0, own_number);
    let at = usize::try_from(from.number()?).ok();
    let known = at.and_then(|at| Origin::ALL.get(at).copied());
    *origin = known.ok_or("an origin that is not known")?;
    for text in [kind, label, tool, target] {
        from.text(text)?;
    }
    for text in [key, tool_version, source, host, outcome, reason] {
        from.maybe_text(text)?;
    }
    *started_utc = from.nanos()?;
    *measured = from.nanos()?;
    decode_work(&mut from, work)?;
    if depth == Depth::Words {
        return Ok(());
    }
    for figures in [total, read, write] {
        decode_figures(&mut from, figures)?;
    }
    from.close()
}

fn decode_work(from: &mut Reader<'_>, into: &mut RowWork) -> Result<(), Damage> {
    let RowWork {
        block,
        queue_depth,
        threads,
        write_percent,
        pattern,
        random_percent,
        cache,
        write_through,
        size,
        target_iops,
        engine,
    } = into;
    *block = from.maybe()?.map(Bytes);
    *queue_depth = from.small()?;
    *threads = from.small()?;
    *write_percent = from.small()?;
    *random_percent = from.small()?;
    let mode = from.small::<usize>()?.map(|at| CACHE_MODES.get(at));
    let mode = mode.map(|mode| mode.ok_or("a cache mode that is not known"));
    *cache = mode.transpose()?.map(|(_, mode)| *mode);
    *write_through = from.maybe()?.map(|yes| yes != 0);
    *size = from.maybe()?.map(Bytes);
    *target_iops = from.maybe()?;
    from.maybe_text(pattern)?;
    from.maybe_text(engine)
}

fn decode_figures(from: &mut Reader<'_>, into: &mut RowFigures) -> Result<(), Damage> {
    let RowFigures {
        ios,
        bytes,
        errors,
        ios_per_s,
        bytes_per_s,
        latency,
        response,
    } = into;
    if from.number()? == 0 {
        *into = RowFigures::default();
        return Ok(());
    }
    *ios = from.maybe()?;
    *bytes = from.maybe()?.map(Bytes);
    *errors = from.maybe()?;
    *ios_per_s = from.real()?;
    *bytes_per_s = from.real()?;
    decode_times(from, latency)?;
    decode_times(from, response)
}

fn decode_times(from: &mut Reader<'_>, into: &mut RowTimes) -> Result<(), Damage> {
    let RowTimes {
        mean,
        sd,
        min,
        max,
        percentiles,
    } = into;
    for time in [mean, sd, min, max] {
        *time = from.nanos()?;
    }
    let count = from.length(2)?;
    percentiles.clear();
    percentiles.reserve_exact(count);
    for _ in 0..count {
        let quantile = match usize::try_from(from.number()?) {
            Ok(0) => from.float()?,
            Ok(at) => *QUANTILES
                .get(at - 1)
                .ok_or("a quantile that is not known")?,
            Err(_) => return Err("a quantile that is not known"),
        };
        percentiles.push((quantile, Nanos(from.number()?)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::CacheMode;

    fn row() -> ResultRow {
        let times = RowTimes {
            mean: Some(Nanos(300)),
            sd: None,
            min: Some(Nanos(0)),
            max: Some(Nanos(u64::MAX >> 1)),
            percentiles: vec![(0.5, Nanos(200)), (0.123, Nanos(4)), (0.999, Nanos(70_000))],
        };
        ResultRow {
            session: 12,
            number: 3,
            kind: "sweep".to_owned(),
            label: "4K ü".to_owned(),
            key: Some(String::new()),
            origin: Origin::Imported,
            tool: "fio".to_owned(),
            started_utc: Some(Nanos(1_700_000_000_123_456_789)),
            host: Some("h".to_owned()),
            work: RowWork {
                block: Some(Bytes(4096)),
                queue_depth: Some(u32::MAX),
                write_percent: Some(100),
                cache: Some(CacheMode::Cached),
                write_through: Some(false),
                ..RowWork::default()
            },
            total: RowFigures {
                ios: Some(0),
                ios_per_s: Some(0.1),
                latency: times.clone(),
                response: times,
                ..RowFigures::default()
            },
            ..ResultRow::default()
        }
    }

    fn decode_result(number: u32, blob: &[u8]) -> Result<ResultRow, Damage> {
        let mut read = ResultRow::default();
        super::decode_result(SessionId(12), number, blob, Depth::All, &mut read).map(|()| read)
    }

    #[test]
    fn a_line_reads_back_as_it_was_and_only_as_its_own() {
        let blob = encode_result(&row());
        assert_eq!(decode_result(3, &blob), Ok(row()));
        let other = decode_result(4, &blob);
        assert_eq!(other, Err("it is another result's"));
        for bit in 0..blob.len() * 8 {
            let mut blob = blob.clone();
            blob[bit / 8] ^= 1 << (bit % 8);
            assert!(decode_result(3, &blob).is_err(), "{bit}");
        }
        for length in 2..blob.len() - 4 {
            let cut = seal(blob[..length].to_vec());
            assert!(decode_result(3, &cut).is_err(), "{length}");
        }
    }

    #[test]
    fn nothing_of_the_line_before_stays() {
        let empty = ResultRow::default();
        for (before, after) in [(row(), empty.clone()), (empty, row())] {
            let mut read = before;
            let (session, blob) = (SessionId(after.session), encode_result(&after));
            super::decode_result(session, after.number, &blob, Depth::All, &mut read).unwrap();
            assert_eq!(read, after);
        }
    }

    #[test]
    fn a_session_reads_back_as_it_was_and_only_as_its_own() {
        let mut read = SessionSummary::empty();
        read.command = vec!["another".to_owned(); 3];
        let session = SessionSummary {
            id: SessionId(300),
            kind: SessionKind::new("layers"),
            started_utc: Nanos(5),
            command: vec!["fathom".to_owned(), "it's".to_owned()],
            tool_version: "1".to_owned(),
            target: "t".to_owned(),
            outcome: Some(SessionOutcome::Interrupted),
            runs: 70_000,
            tags: Vec::new(),
            notes: Vec::new(),
            answer: crate::StoredAnswer::Missing,
        };
        let blob = encode_session(&session);
        assert_eq!(decode_session(SessionId(300), &blob, &mut read), Ok(()));
        assert_eq!(read, session);
        let mut read = SessionSummary::empty();
        assert_eq!(decode_runs(SessionId(300), &blob, &mut read), Ok(()));
        assert_eq!((read.id, read.runs), (session.id, session.runs));
        assert!(decode_runs(SessionId(301), &blob, &mut read).is_err());
        assert!(decode_session(SessionId(301), &blob, &mut read).is_err());
    }
}
