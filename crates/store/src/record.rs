//! Off the shelf: the record of one run of fathom's, put together from its row and what hangs on it.

use crate::blob::{decode_histogram, decode_intervals};
use crate::error::Fault;
use crate::load::{damaged, document};
use crate::series::decode_series;
use crate::session::SessionId;
use model::{
    Bytes, ErrorCount, LifetimeCount, Nanos, Operation, PhaseTimes, RunRecord, Series, Tally,
    TargetFacts, ThreadRecord,
};
use rusqlite::{Row, Transaction, params};

/// The record in a row of `runs`.
pub(crate) fn load_run(
    transaction: &Transaction<'_>,
    session: SessionId,
    row: &Row<'_>,
) -> Result<RunRecord, Fault> {
    let (run, number): (i64, u32) = (row.get("id")?, row.get("number")?);
    let name = format!("run {session}.{number}");
    Ok(RunRecord {
        tool_version: row.get("tool_version")?,
        command: document(&name, row, "command_json")?,
        started_utc: Nanos(row.get("started_utc_ns")?),
        plan: document(&name, row, "plan_json")?,
        host: document(&name, row, "host_json")?,
        targets: load_targets(transaction, &name, run)?,
        engine: document(&name, row, "engine_json")?,
        phases: PhaseTimes {
            measured_from: Nanos(row.get("measured_from_ns")?),
            measured_to: Nanos(row.get("measured_to_ns")?),
            drained: Nanos(row.get("drained_ns")?),
        },
        threads: load_threads(transaction, &name, run)?,
        window: document(&name, row, "window_json")?,
        lifetime: document(&name, row, "lifetime_json")?,
        series: load_series(&name, row)?,
        outcome: document(&name, row, "outcome_json")?,
    })
}

/// Latencies and counters over time, where they were kept.
fn load_series(name: &str, row: &Row<'_>) -> Result<Series, Fault> {
    let Some(blob) = later_blob(row, "series")? else {
        return Ok(Series::default());
    };
    decode_series(blob).map_err(|damage| damaged(name, &format!("series: {damage}")))
}

fn load_targets(
    transaction: &Transaction<'_>,
    name: &str,
    run: i64,
) -> Result<Vec<TargetFacts>, Fault> {
    let mut select = transaction
        .prepare_cached("SELECT facts_json FROM targets WHERE run_id = ?1 ORDER BY target")?;
    let mut rows = select.query([run])?;
    let mut targets = Vec::new();
    while let Some(row) = rows.next()? {
        targets.push(document(name, row, "facts_json")?);
    }
    Ok(targets)
}

fn load_threads(
    transaction: &Transaction<'_>,
    name: &str,
    run: i64,
) -> Result<Vec<ThreadRecord>, Fault> {
    let mut select = transaction.prepare_cached(
        "SELECT place, thread, target, abandoned FROM threads WHERE run_id = ?1 ORDER BY place",
    )?;
    let mut rows = select.query([run])?;
    let mut threads = Vec::new();
    while let Some(row) = rows.next()? {
        let place: i64 = row.get("place")?;
        let tally = |operation| load_tally(transaction, name, (run, place, operation));
        let (read, write) = (tally(Operation::Read)?, tally(Operation::Write)?);
        threads.push(ThreadRecord {
            thread: row.get("thread")?,
            target: row.get("target")?,
            measured: [read.0, write.0], // in the order of `Operation::ALL`
            lifetime: [read.1, write.1],
            abandoned: row.get("abandoned")?,
        });
    }
    Ok(threads)
}

fn load_tally(
    transaction: &Transaction<'_>,
    name: &str,
    (run, place, operation): (i64, i64, Operation),
) -> Result<(Tally, LifetimeCount), Fault> {
    let mut select = transaction.prepare_cached(
        "SELECT * FROM tallies WHERE run_id = ?1 AND place = ?2 AND operation = ?3",
    )?;
    let mut rows = select.query(params![run, place, operation.name()])?;
    let lost = |what: &str| {
        let operation = operation.name();
        damaged(name, &format!("thread {place}, {operation}: {what}"))
    };
    let row = rows.next()?.ok_or_else(|| lost("its counts are missing"))?;
    let blob = |column| -> Result<&[u8], Fault> {
        row.get_ref(column)?
            .as_blob()
            .map_err(|_| lost(&format!("{column} is no blob")))
    };
    let tally = Tally {
        ios: row.get("ios")?,
        bytes: Bytes(row.get("bytes")?),
        short_ios: row.get("short_ios")?,
        errors: load_errors(transaction, (run, place, operation))?,
        latency: decode_histogram(blob("latency")?)
            .map_err(|damage| lost(&format!("latency: {damage}")))?,
        response: match later_blob(row, "response")? {
            Some(blob) => Some(
                decode_histogram(blob).map_err(|damage| lost(&format!("response: {damage}")))?,
            ),
            None => None,
        },
        intervals: decode_intervals(blob("intervals")?)
            .map_err(|damage| lost(&format!("intervals: {damage}")))?,
    };
    let lifetime = LifetimeCount {
        ios: row.get("lifetime_ios")?,
        bytes: Bytes(row.get("lifetime_bytes")?),
    };
    Ok((tally, lifetime))
}

/// A column that came after version 1. A shelf of an older version that cannot be written has none.
fn later_blob<'row>(row: &'row Row<'_>, column: &str) -> Result<Option<&'row [u8]>, Fault> {
    match row.get_ref(column) {
        Ok(value) => value
            .as_blob_or_null()
            .map_err(|_| Fault::Damaged(format!("{column} is no blob"))),
        Err(rusqlite::Error::InvalidColumnName(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn load_errors(
    transaction: &Transaction<'_>,
    (run, place, operation): (i64, i64, Operation),
) -> Result<Vec<ErrorCount>, Fault> {
    let mut select = transaction.prepare_cached(
        "SELECT errno, count FROM errors WHERE run_id = ?1 AND place = ?2 AND operation = ?3 ORDER BY rank",
    )?;
    let rows = select.query_map(params![run, place, operation.name()], |row| {
        Ok(ErrorCount {
            errno: row.get("errno")?,
            count: row.get("count")?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
