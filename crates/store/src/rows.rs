//! Reads the rows of sessions without their records.
//!
//! A line is read from its summary; where that is damaged or missing, from the rows that it repeats. Either is compared with
//! its checksum. A file of an older version that cannot be written has neither; there lines are built from the records.

use crate::error::Fault;
use crate::headline::CACHE_MODES;
use crate::load::{all_there, damaged};
use crate::notes::notes_for;
use crate::seal::{FIGURES, LINE, PERCENTILES, Seal};
use crate::session::{SessionId, StoredResult};
use crate::summary::{Depth, decode_result};
use crate::{Result, Store};
use model::{Bytes, Nanos, Origin, ResultRow, RowFigures, RowTimes, RowWork};
use rusqlite::{Row, Transaction, params};
use std::collections::BTreeMap;

impl Store {
    /// The results of sessions as lines, in the order of the sessions as given and of their numbers.
    ///
    /// Errors: the first session that is missing or damaged.
    pub fn rows(&self, sessions: &[SessionId]) -> Result<Vec<ResultRow>> {
        let read = || {
            let transaction = self.read()?;
            let mut rows = Vec::new();
            for session in sessions {
                rows.extend(self.rows_of(&transaction, *session)?);
            }
            Ok(rows)
        };
        read().map_err(|fault: Fault| fault.at(self.path()))
    }

    pub(crate) fn rows_of(
        &self,
        transaction: &Transaction<'_>,
        session: SessionId,
    ) -> Result<Vec<ResultRow>, Fault> {
        self.must_exist(transaction, session)?;
        if !self.has_lines() {
            return self.lines_of_old(transaction, session);
        }
        let summary = self.summary_or_row(transaction, session)?;
        let mut found = match self.has_summaries() {
            true => summaries(transaction, session)?,
            false => None,
        };
        if found
            .as_ref()
            .is_none_or(|rows| rows.len() != summary.runs as usize)
        {
            found = Some(lines(transaction, session, None)?);
        }
        let mut rows = found.unwrap_or_default();
        all_there(&summary, rows.len())?;
        add_tags(transaction, session, &mut rows)?;
        let noted = self.noted(transaction, session)?;
        rows.iter_mut()
            .for_each(|row| row.notes = notes_for(&noted, row.number));
        Ok(rows)
    }

    fn lines_of_old(
        &self,
        transaction: &Transaction<'_>,
        session: SessionId,
    ) -> Result<Vec<ResultRow>, Fault> {
        let (summary, _) = self.load_summary(transaction, session)?;
        let runs = self.load_runs(transaction, session, None)?;
        let row = |run: crate::StoredRun| {
            let StoredResult::Run(record) = run.result else {
                return None; // came with the lines
            };
            Some(ResultRow {
                session: session.0,
                number: run.number,
                kind: summary.kind.name().to_owned(),
                label: run.label,
                ..ResultRow::of_record(&record)
            })
        };
        Ok(runs.into_iter().filter_map(row).collect())
    }
}

/// The lines of one session by their summaries, without tags; `None` where one is damaged.
pub(crate) fn summaries(
    transaction: &Transaction<'_>,
    session: SessionId,
) -> Result<Option<Vec<ResultRow>>, Fault> {
    let mut select = transaction.prepare_cached(
        "SELECT number, summary FROM result_summaries WHERE session_id = ?1 ORDER BY number",
    )?;
    let mut rows = select.query([session.0])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let (number, blob) = (row.get(0)?, row.get_ref(1)?.as_blob().unwrap_or_default());
        let mut row = ResultRow::default();
        match decode_result(session, number, blob, Depth::All, &mut row) {
            Ok(()) => found.push(row),
            Err(_) => return Ok(None),
        }
    }
    Ok(Some(found))
}

/// The lines of one session, or the one of this number, by the rows that they consist of; without tags.
pub(crate) fn lines(
    transaction: &Transaction<'_>,
    session: SessionId,
    only: Option<u32>,
) -> Result<Vec<ResultRow>, Fault> {
    let which = (session, only);
    let mut found: BTreeMap<i64, Line> = BTreeMap::new(); // by headlines.id
    read_lines(transaction, which, &mut found)?;
    read_figures(transaction, which, &mut found)?;
    read_percentiles(transaction, which, &mut found)?;
    let mut rows = Vec::with_capacity(found.len());
    for line in found.into_values() {
        if line
            .sealed
            .is_some_and(|sealed| sealed != line.seal.value())
        {
            let name = format!("result {}", line.row.name());
            return Err(damaged(name, "the checksum of its line does not match"));
        }
        rows.push(line.row);
    }
    rows.sort_by_key(|row| row.number);
    Ok(rows)
}

/// Which lines: those of a session, or one of them.
type Which = (SessionId, Option<u32>);

struct Line {
    row: ResultRow,
    sealed: Option<u32>,
    seal: Seal,
}

fn read_lines(
    transaction: &Transaction<'_>,
    (session, only): Which,
    found: &mut BTreeMap<i64, Line>,
) -> Result<(), Fault> {
    let query = format!(
        "SELECT id, line_crc, (SELECT kind FROM sessions WHERE id = session_id) AS kind, {LINE}
         FROM headlines WHERE session_id = ?1 AND number BETWEEN coalesce(?2, 1) AND coalesce(?2, 4294967295)"
    );
    let mut select = transaction.prepare_cached(&query)?;
    let mut rows = select.query(params![session.0, only])?;
    while let Some(row) = rows.next()? {
        let mut seal = Seal::default();
        seal.row(row, 3)?;
        let line = Line {
            row: line(row, session)?,
            sealed: row.get(1)?,
            seal,
        };
        found.insert(row.get(0)?, line);
    }
    Ok(())
}

/// The columns of [`LINE`], which begin behind three others.
fn line(row: &Row<'_>, session: SessionId) -> Result<ResultRow, Fault> {
    let number = row.get(3)?;
    let origin: String = row.get(4)?;
    let origin = Origin::ALL.into_iter().find(|o| o.name() == origin);
    let name = || format!("result {session}.{number}");
    let origin = origin.ok_or_else(|| damaged(name(), "its origin is unknown"))?;
    let cache: Option<String> = row.get(21)?;
    let cache = cache.and_then(|cache| CACHE_MODES.iter().find(|(known, _)| *known == cache));
    let nanos = |column: usize| nanos(row, column);
    let bytes = |column: usize| bytes(row, column);
    Ok(ResultRow {
        session: session.0,
        number,
        kind: row.get(2)?,
        label: row.get(5)?,
        key: row.get(6)?,
        tags: Vec::new(),
        notes: Vec::new(),
        verdict: None,
        origin,
        reason: row.get(7)?,
        tool: row.get(8)?,
        tool_version: row.get(9)?,
        source: row.get(10)?,
        started_utc: nanos(11)?,
        host: row.get(12)?,
        target: row.get(13)?,
        outcome: row.get(14)?,
        work: RowWork {
            block: bytes(15)?,
            queue_depth: row.get(16)?,
            threads: row.get(17)?,
            write_percent: row.get(18)?,
            pattern: row.get(19)?,
            random_percent: row.get(20)?,
            cache: cache.map(|(_, mode)| *mode),
            write_through: row.get(22)?,
            size: bytes(23)?,
            target_iops: row.get(24)?,
            engine: row.get(25)?,
        },
        measured: nanos(26)?,
        total: RowFigures::default(),
        read: RowFigures::default(),
        write: RowFigures::default(),
    })
}

fn nanos(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Nanos>> {
    Ok(row.get::<_, Option<u64>>(column)?.map(Nanos))
}

fn bytes(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Bytes>> {
    Ok(row.get::<_, Option<u64>>(column)?.map(Bytes))
}

fn figures_of<'a>(row: &'a mut ResultRow, operation: &[u8]) -> &'a mut RowFigures {
    match operation {
        b"read" => &mut row.read,
        b"write" => &mut row.write,
        _ => &mut row.total,
    }
}

fn read_figures(
    transaction: &Transaction<'_>,
    (session, only): Which,
    found: &mut BTreeMap<i64, Line>,
) -> Result<(), Fault> {
    let query = format!(
        "SELECT headline_id, {FIGURES} FROM headlines h CROSS JOIN figures f ON f.headline_id = h.id
         WHERE h.session_id = ?1 AND h.number BETWEEN coalesce(?2, 1) AND coalesce(?2, 4294967295) ORDER BY f.headline_id, f.operation"
    );
    let mut select = transaction.prepare_cached(&query)?;
    let mut rows = select.query(params![session.0, only])?;
    while let Some(row) = rows.next()? {
        let Some(line) = found.get_mut(&row.get(0)?) else {
            continue;
        };
        line.seal.row(row, 1)?;
        // The columns of `FIGURES`, behind one other.
        let nanos = |column: usize| nanos(row, column);
        let operation = row.get_ref(1)?.as_bytes().unwrap_or_default();
        *figures_of(&mut line.row, operation) = RowFigures {
            ios: row.get(2)?,
            bytes: bytes(row, 3)?,
            errors: row.get(4)?,
            ios_per_s: row.get(5)?,
            bytes_per_s: row.get(6)?,
            latency: RowTimes {
                mean: nanos(7)?,
                sd: nanos(8)?,
                min: nanos(9)?,
                max: nanos(10)?,
                percentiles: Vec::new(),
            },
            response: RowTimes {
                mean: nanos(11)?,
                sd: None,
                min: nanos(12)?,
                max: nanos(13)?,
                percentiles: Vec::new(),
            },
        };
    }
    Ok(())
}

fn read_percentiles(
    transaction: &Transaction<'_>,
    (session, only): Which,
    found: &mut BTreeMap<i64, Line>,
) -> Result<(), Fault> {
    let query = format!(
        "SELECT headline_id, {PERCENTILES} FROM headlines h CROSS JOIN percentiles p ON p.headline_id = h.id
         WHERE h.session_id = ?1 AND h.number BETWEEN coalesce(?2, 1) AND coalesce(?2, 4294967295) ORDER BY p.headline_id, p.operation, p.time, p.quantile"
    );
    let mut select = transaction.prepare_cached(&query)?;
    let mut rows = select.query(params![session.0, only])?;
    while let Some(row) = rows.next()? {
        let Some(line) = found.get_mut(&row.get(0)?) else {
            continue;
        };
        line.seal.row(row, 1)?;
        let word = |column| -> rusqlite::Result<&[u8]> {
            Ok(row.get_ref(column)?.as_bytes().unwrap_or_default())
        };
        let figures = figures_of(&mut line.row, word(1)?);
        let times = match word(2)? {
            b"response" => &mut figures.response,
            _ => &mut figures.latency,
        };
        times.percentiles.push((row.get(3)?, Nanos(row.get(4)?)));
    }
    Ok(())
}

/// A result has its session's tags and its own.
fn add_tags(
    transaction: &Transaction<'_>,
    session: SessionId,
    rows: &mut [ResultRow],
) -> Result<(), Fault> {
    let mut select = transaction
        .prepare_cached("SELECT number, tag FROM tags WHERE session_id = ?1 ORDER BY tag")?;
    let tags = select.query_map([session.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let tags: Vec<(u32, String)> = tags.collect::<rusqlite::Result<_>>()?;
    for row in rows.iter_mut() {
        let own = tags.iter().filter(|(n, _)| *n == 0 || *n == row.number);
        row.tags = own.map(|(_, tag)| tag.clone()).collect();
        row.tags.dedup();
    }
    Ok(())
}
