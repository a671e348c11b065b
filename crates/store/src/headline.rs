//! Stores the row of a result, with its figures and percentiles. Omitted: its record (`save`).

use crate::error::Fault;
use crate::save::signed;
use crate::seal::{FIGURES, LINE, PERCENTILES, Seal};
use crate::session::SessionId;
use crate::summary;
use model::{CacheMode, Nanos, ResultRow, RowFigures};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Transaction, params, params_from_iter};
use std::sync::LazyLock;

/// Where a line goes.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) session: SessionId,
    pub(crate) kind: &'a str, // of the session
    pub(crate) number: u32,
    pub(crate) label: &'a str,
    pub(crate) key: Option<&'a str>,
}

/// The number of the next result of a session.
pub(crate) fn next_number(transaction: &Transaction<'_>, session: SessionId) -> Result<u32, Fault> {
    let query = "SELECT coalesce(max(number), 0) + 1 FROM headlines WHERE session_id = ?1";
    let mut select = transaction.prepare_cached(query)?;
    Ok(select.query_row([session.0], |row| row.get(0))?)
}

/// Inserts the line; answers with its id. `record` is the checksum of its content other than its line, if that is known
/// already; [`seal_record`] brings it later.
pub(crate) fn insert(
    transaction: &Transaction<'_>,
    place: Place<'_>,
    row: ResultRow,
    record: Option<u32>,
) -> Result<i64, Fault> {
    let row = as_read_back(row, place);
    let line = line_of(&row)?;
    let mut seal = Seal::default();
    seal.values(&line);
    let (figures, percentiles) = (figures_of(&row)?, percentiles_of(&row)?);
    figures.iter().for_each(|one| seal.values(one));
    percentiles.iter().for_each(|one| seal.values(one));

    let whole = |number| Some(ValueRef::Integer(number));
    let record = record.map_or(ValueRef::Null, |seal| ValueRef::Integer(i64::from(seal)));
    let session = whole(signed("session", place.session.0)?);
    let seals = [ValueRef::Integer(i64::from(seal.value())), record];
    let values = session.into_iter().chain(line).chain(seals);
    let mut insert = transaction.prepare_cached(&INSERT[0][0])?;
    insert.execute(params_from_iter(values.map(ToSqlOutput::Borrowed)))?;
    let id = transaction.last_insert_rowid();
    insert_all(transaction, &INSERT[1], id, &figures)?;
    insert_all(transaction, &INSERT[2], id, &percentiles)?;
    summary::insert_result(transaction, &row)?;
    Ok(id)
}

/// The row as it will be read: SQLite has no NaN and no negative zero, percentiles are in order, each once.
fn as_read_back(row: ResultRow, place: Place<'_>) -> ResultRow {
    let mut row = ResultRow {
        session: place.session.0,
        number: place.number,
        kind: place.kind.to_owned(),
        label: place.label.to_owned(),
        key: place.key.map(str::to_owned),
        tags: Vec::new(),
        notes: Vec::new(),
        ..row
    };
    for figures in [&mut row.total, &mut row.read, &mut row.write] {
        for rate in [&mut figures.ios_per_s, &mut figures.bytes_per_s] {
            *rate = rate.filter(|rate| !rate.is_nan()).map(|rate| rate + 0.0);
        }
        figures.response.sd = None; // has no column
        for times in [&mut figures.latency, &mut figures.response] {
            let percentiles = &mut times.percentiles;
            percentiles.retain(|(quantile, _)| !quantile.is_nan());
            percentiles
                .iter_mut()
                .for_each(|(quantile, _)| *quantile += 0.0);
            percentiles.sort_by(|(one, _), (other, _)| one.total_cmp(other));
            percentiles.dedup_by_key(|(quantile, _)| quantile.to_bits());
        }
    }
    row
}

/// Computes the checksum of a result's content other than its line.
pub(crate) fn seal_record(
    transaction: &Transaction<'_>,
    headline: i64,
    seal: Option<u32>,
) -> Result<(), Fault> {
    transaction
        .prepare_cached("UPDATE headlines SET record_crc = ?2 WHERE id = ?1")?
        .execute(params![headline, seal])?;
    Ok(())
}

/// Inserts rows that belong to a line, as many at once as there are statements for.
fn insert_all<const COLUMNS: usize>(
    transaction: &Transaction<'_>,
    inserts: &[String],
    headline: i64,
    rows: &[[ValueRef<'_>; COLUMNS]],
) -> Result<(), Fault> {
    for rows in rows.chunks(inserts.len()) {
        let mut insert = transaction.prepare_cached(&inserts[rows.len() - 1])?;
        let id = [ValueRef::Integer(headline)];
        let values = rows.iter().flat_map(|row| id.into_iter().chain(*row));
        insert.execute(params_from_iter(values.map(ToSqlOutput::Borrowed)))?;
    }
    Ok(())
}

/// Rows that one statement inserts at most. SQLite makes the lists of its CHECK constraints once a statement, which takes
/// longer than a row.
const TOGETHER: [usize; 3] = [1, 3, 12];

/// Into `headlines`, `figures` and `percentiles`: statements of one row, two rows, and so on.
static INSERT: LazyLock<[Vec<String>; 3]> = LazyLock::new(|| {
    let tables = [
        (
            "headlines",
            format!("session_id, {LINE}, line_crc, record_crc"),
        ),
        ("figures", format!("headline_id, {FIGURES}")),
        ("percentiles", format!("headline_id, {PERCENTILES}")),
    ];
    let mut together = TOGETHER.into_iter();
    tables.map(|(table, columns)| {
        let row = format!("({})", vec!["?"; columns.split(',').count()].join(", "));
        let rows = 1..=together.next().unwrap_or(1);
        rows.map(|rows| {
            let rows = vec![row.as_str(); rows].join(", ");
            format!("INSERT INTO {table} ({columns}) VALUES {rows}")
        })
        .collect()
    })
});

/// The columns of [`LINE`].
fn line_of(row: &ResultRow) -> Result<[ValueRef<'_>; 24], Fault> {
    let work = &row.work;
    let small = |value: Option<u32>| {
        value.map_or(ValueRef::Null, |value| ValueRef::Integer(i64::from(value)))
    };
    Ok([
        ValueRef::Integer(i64::from(row.number)),
        row.origin.name().into(),
        row.label.as_str().into(),
        row.key.as_deref().into(),
        row.reason.as_deref().into(),
        row.tool.as_str().into(),
        row.tool_version.as_deref().into(),
        row.source.as_deref().into(),
        number("started_utc", row.started_utc.map(|t| t.0))?,
        row.host.as_deref().into(),
        row.target.as_str().into(),
        row.outcome.as_deref().into(),
        number("block", work.block.map(|b| b.0))?,
        small(work.queue_depth),
        small(work.threads),
        small(work.write_percent.map(u32::from)),
        work.pattern.as_deref().into(),
        small(work.random_percent.map(u32::from)),
        work.cache.map(cache_name).into(),
        small(work.write_through.map(u32::from)),
        number("size", work.size.map(|b| b.0))?,
        number("rate", work.target_iops)?,
        work.engine.as_deref().into(),
        time("measured", row.measured)?,
    ])
}

/// The operations that have figures, in the order in which a line is sealed.
fn operations(row: &ResultRow) -> impl Iterator<Item = (&'static str, &RowFigures)> {
    let all = [
        ("read", &row.read),
        ("total", &row.total),
        ("write", &row.write),
    ];
    let none = RowFigures::default();
    all.into_iter()
        .filter(move |(_, figures)| **figures != none)
}

/// The columns of [`FIGURES`].
fn figures_of(row: &ResultRow) -> Result<Vec<[ValueRef<'_>; 13]>, Fault> {
    let of = |(operation, figures): (&'static str, &RowFigures)| {
        let (latency, response) = (&figures.latency, &figures.response);
        let real = |value: Option<f64>| value.map_or(ValueRef::Null, ValueRef::Real);
        Ok([
            operation.into(),
            number("ios", figures.ios)?,
            number("bytes", figures.bytes.map(|b| b.0))?,
            number("errors", figures.errors)?,
            real(figures.ios_per_s),
            real(figures.bytes_per_s),
            time("latency", latency.mean)?,
            time("latency", latency.sd)?,
            time("latency", latency.min)?,
            time("latency", latency.max)?,
            time("response", response.mean)?,
            time("response", response.min)?,
            time("response", response.max)?,
        ])
    };
    operations(row).map(of).collect()
}

/// The columns of [`PERCENTILES`].
fn percentiles_of(row: &ResultRow) -> Result<Vec<[ValueRef<'_>; 4]>, Fault> {
    let mut found = Vec::new();
    for (operation, figures) in operations(row) {
        for (which, times) in [
            ("latency", &figures.latency),
            ("response", &figures.response),
        ] {
            for (quantile, ns) in &times.percentiles {
                let ns = time(which, Some(*ns))?;
                found.push([
                    operation.into(),
                    which.into(),
                    ValueRef::Real(*quantile),
                    ns,
                ]);
            }
        }
    }
    Ok(found)
}

pub(crate) const CACHE_MODES: [(&str, CacheMode); 3] = [
    ("unbuffered", CacheMode::Unbuffered),
    ("cached", CacheMode::Cached),
    ("local_off", CacheMode::LocalOff),
];

fn cache_name(mode: CacheMode) -> &'static str {
    let named = CACHE_MODES.iter().find(|(_, known)| *known == mode);
    named.expect("all modes are listed").0
}

fn time(what: &'static str, value: Option<Nanos>) -> Result<ValueRef<'static>, Fault> {
    number(what, value.map(|ns| ns.0))
}

fn number(what: &'static str, value: Option<u64>) -> Result<ValueRef<'static>, Fault> {
    Ok(whole(what, value)?.map_or(ValueRef::Null, ValueRef::Integer))
}

pub(crate) fn whole(what: &'static str, value: Option<u64>) -> Result<Option<i64>, Fault> {
    value.map(|value| signed(what, value)).transpose()
}
