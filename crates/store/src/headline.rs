//! Onto the shelf: the line of a result, with its figures and percentiles. Its record is `save`'s business.

use crate::error::Fault;
use crate::save::signed;
use crate::seal;
use crate::session::SessionId;
use crate::summary;
use model::{CacheMode, Nanos, ResultRow, RowFigures, RowTimes};
use rusqlite::{Transaction, named_params, params};

/// The operations by the names that they have in the tables.
pub(crate) const OPERATIONS: [&str; 3] = ["total", "read", "write"];

/// Where a line goes.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) session: SessionId,
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

/// Inserts the line; answers with its id. Its record is sealed apart, by [`seal_record`].
pub(crate) fn insert(
    transaction: &Transaction<'_>,
    place: Place<'_>,
    row: &ResultRow,
) -> Result<i64, Fault> {
    let work = &row.work;
    transaction.prepare_cached(INSERT)?.execute(named_params! {
        ":session": place.session.0,
        ":number": place.number,
        ":origin": row.origin.name(),
        ":label": place.label,
        ":key": place.key,
        ":reason": row.reason,
        ":tool": row.tool,
        ":tool_version": row.tool_version,
        ":source": row.source,
        ":started": whole("started_utc", row.started_utc.map(|t| t.0))?,
        ":host": row.host,
        ":target": row.target,
        ":outcome": row.outcome,
        ":block": whole("block", work.block.map(|b| b.0))?,
        ":depth": work.queue_depth,
        ":threads": work.threads,
        ":write": work.write_percent,
        ":pattern": work.pattern,
        ":random": work.random_percent,
        ":cache": work.cache.map(cache_name),
        ":write_through": work.write_through,
        ":size": whole("size", work.size.map(|b| b.0))?,
        ":rate": whole("rate", work.rate_per_s)?,
        ":engine": work.engine,
        ":measured": time("measured", row.measured)?,
    })?;
    let id = transaction.last_insert_rowid();
    for (operation, figures) in OPERATIONS.iter().zip([&row.total, &row.read, &row.write]) {
        if *figures != RowFigures::default() {
            insert_figures(transaction, (id, operation), figures)?;
        }
    }
    let seal = seal::of_line(transaction, id)?;
    transaction
        .prepare_cached("UPDATE headlines SET line_crc = ?2 WHERE id = ?1")?
        .execute([id, i64::from(seal)])?;
    summary::write_result(transaction, (place.session, place.number))?;
    Ok(id)
}

/// Seals what is kept of a result beside its line.
pub(crate) fn seal_record(
    transaction: &Transaction<'_>,
    headline: i64,
    seal: u32,
) -> Result<(), Fault> {
    transaction
        .prepare_cached("UPDATE headlines SET record_crc = ?2 WHERE id = ?1")?
        .execute([headline, i64::from(seal)])?;
    Ok(())
}

const INSERT: &str = "
    INSERT INTO headlines (
        session_id, number, origin, label, key, reason, tool, tool_version, source, started_utc_ns, host, target,
        outcome, block_bytes, queue_depth, threads, write_percent, pattern, random_percent, cache, write_through,
        size_bytes, rate_per_s, engine, measured_ns
    ) VALUES (
        :session, :number, :origin, :label, :key, :reason, :tool, :tool_version, :source, :started, :host, :target,
        :outcome, :block, :depth, :threads, :write, :pattern, :random, :cache, :write_through,
        :size, :rate, :engine, :measured
    )";

fn insert_figures(
    transaction: &Transaction<'_>,
    (id, operation): (i64, &str),
    figures: &RowFigures,
) -> Result<(), Fault> {
    let (latency, response) = (&figures.latency, &figures.response);
    transaction
        .prepare_cached(
            "INSERT INTO figures (headline_id, operation, ios, bytes, errors, ios_per_s, bytes_per_s,
                                  latency_mean_ns, latency_sd_ns, latency_min_ns, latency_max_ns,
                                  response_mean_ns, response_min_ns, response_max_ns)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        )?
        .execute(params![
            id,
            operation,
            whole("ios", figures.ios)?,
            whole("bytes", figures.bytes.map(|b| b.0))?,
            whole("errors", figures.errors)?,
            figures.ios_per_s,
            figures.bytes_per_s,
            time("latency", latency.mean)?,
            time("latency", latency.sd)?,
            time("latency", latency.min)?,
            time("latency", latency.max)?,
            time("response", response.mean)?,
            time("response", response.min)?,
            time("response", response.max)?,
        ])?;
    insert_percentiles(transaction, (id, operation, "latency"), latency)?;
    insert_percentiles(transaction, (id, operation, "response"), response)
}

fn insert_percentiles(
    transaction: &Transaction<'_>,
    (id, operation, which): (i64, &str, &'static str),
    times: &RowTimes,
) -> Result<(), Fault> {
    let mut insert = transaction.prepare_cached(
        "INSERT OR IGNORE INTO percentiles (headline_id, operation, time, quantile, ns) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for (quantile, ns) in &times.percentiles {
        insert.execute(params![
            id,
            operation,
            which,
            quantile,
            time(which, Some(*ns))?
        ])?;
    }
    Ok(())
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

fn time(what: &'static str, value: Option<Nanos>) -> Result<Option<i64>, Fault> {
    whole(what, value.map(|ns| ns.0))
}

pub(crate) fn whole(what: &'static str, value: Option<u64>) -> Result<Option<i64>, Fault> {
    value.map(|value| signed(what, value)).transpose()
}
