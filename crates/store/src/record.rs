//! Reads the record of one run from its row and the rows that belong to it, with its checksum.
//!
//! The checksum covers the values of all rows in the order in which they are read here; form in `seal`. So a run is read
//! once, whether it is only loaded or checked, too.

use crate::blob::{decode_histogram, decode_intervals};
use crate::error::Fault;
use crate::load::{damaged, document};
use crate::seal::Seal;
use crate::series::decode_series;
use crate::session::SessionId;
use model::{
    Bytes, ErrorCount, LifetimeCount, Nanos, Operation, PhaseTimes, RunRecord, Series, Tally,
    TargetFacts, ThreadRecord,
};
use rusqlite::types::ValueRef;
use rusqlite::{Row, Transaction, params};
use std::collections::BTreeMap;
use std::fmt::Display;

/// Columns that came after version 1. A file of an older version that cannot be written has none.
#[derive(Clone, Copy)]
pub(crate) struct Later {
    pub(crate) response: bool,
    pub(crate) series: bool,
}

impl Later {
    /// Of the newest version.
    pub(crate) const ALL: Later = Later {
        response: true,
        series: true,
    };

    fn run(self) -> &'static str {
        if self.series { RUN } else { RUN_OF_OLD }
    }

    fn tallies(self) -> &'static str {
        if self.response {
            TALLIES
        } else {
            TALLIES_OF_OLD
        }
    }
}

/// The row of a run. The checksum covers its columns up to `outcome_json`; their order is part of its form.
const RUN: &str = "
    SELECT session_id, number, label, started_utc_ns, outcome, backend, block_bytes, queue_depth, threads,
           write_percent, access, ios, bytes, errors, measured_ns, measured_from_ns, measured_to_ns, drained_ns,
           tool_version, command_json, plan_json, host_json, engine_json, window_json, lifetime_json,
           outcome_json, series, id
    FROM runs WHERE session_id = ?1 AND number = ?2";
const RUN_OF_OLD: &str = "
    SELECT session_id, number, label, started_utc_ns, outcome, backend, block_bytes, queue_depth, threads,
           write_percent, access, ios, bytes, errors, measured_ns, measured_from_ns, measured_to_ns, drained_ns,
           tool_version, command_json, plan_json, host_json, engine_json, window_json, lifetime_json,
           outcome_json, NULL, id
    FROM runs WHERE session_id = ?1 AND number = ?2";
const RUN_COLUMNS: usize = 26;
const SERIES: usize = RUN_COLUMNS;
const ID: usize = RUN_COLUMNS + 1;

const TARGETS: &str =
    "SELECT target, path, size_bytes, facts_json FROM targets WHERE run_id = ?1 ORDER BY target";
const THREADS: &str =
    "SELECT place, thread, target, abandoned FROM threads WHERE run_id = ?1 ORDER BY place";
const TALLIES: &str = "
    SELECT place, operation, ios, bytes, short_ios, latency_mean_ns, lifetime_ios, lifetime_bytes, latency,
           intervals, response
    FROM tallies WHERE run_id = ?1 ORDER BY place, operation";
const TALLIES_OF_OLD: &str = "
    SELECT place, operation, ios, bytes, short_ios, latency_mean_ns, lifetime_ios, lifetime_bytes, latency,
           intervals, NULL
    FROM tallies WHERE run_id = ?1 ORDER BY place, operation";
const ERRORS: &str = "
    SELECT place, operation, rank, errno, count FROM errors WHERE run_id = ?1
    ORDER BY place, operation, rank";

/// The record of a run with its checksum; `None` where there is no such run.
///
/// Errors: what of it cannot be read.
pub(crate) fn load_run(
    transaction: &Transaction<'_>,
    session: SessionId,
    number: u32,
    later: Later,
) -> Result<Option<(RunRecord, u32)>, Fault> {
    let mut select = transaction.prepare_cached(later.run())?;
    let mut rows = select.query(params![session.0, number])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let mut seal = Seal::default();
    seal.first(row, RUN_COLUMNS)?;
    let name = format!("run {session}.{number}");
    let mut of = Parts {
        transaction,
        name: &name,
        run: row.get(ID)?,
        seal: &mut seal,
    };
    let nanos = |column| -> Result<Nanos, Fault> { Ok(Nanos(row.get(column)?)) };
    let record = RunRecord {
        tool_version: row.get(18)?,
        command: document(&name, row, 19, "command_json")?,
        started_utc: nanos(3)?,
        plan: document(&name, row, 20, "plan_json")?,
        host: document(&name, row, 21, "host_json")?,
        engine: document(&name, row, 22, "engine_json")?,
        phases: PhaseTimes {
            measured_from: nanos(15)?,
            measured_to: nanos(16)?,
            drained: nanos(17)?,
        },
        window: document(&name, row, 23, "window_json")?,
        lifetime: document(&name, row, 24, "lifetime_json")?,
        outcome: document(&name, row, 25, "outcome_json")?,
        series: load_series(&name, row)?,
        // In the order of the checksum.
        targets: of.targets()?,
        threads: of.threads(later)?,
    };
    seal_series(row, &mut seal)?;
    Ok(Some((record, seal.value())))
}

/// Latencies and counters over time, where they were kept.
fn load_series(name: &str, row: &Row<'_>) -> Result<Series, Fault> {
    let blob = row.get_ref(SERIES)?.as_blob_or_null();
    let blob = blob.map_err(|_| Fault::Damaged("series is no blob".to_owned()))?;
    let series = blob.map_or_else(|| Ok(Series::default()), decode_series);
    series.map_err(|damage| damaged(name, &format!("series: {damage}")))
}

/// What hangs on a run, read in the order of the checksum.
struct Parts<'a> {
    transaction: &'a Transaction<'a>,
    name: &'a str,
    run: i64, // runs.id
    seal: &'a mut Seal,
}

/// By place of the thread and operation.
type Tallies = BTreeMap<(i64, usize), (Tally, LifetimeCount)>;

impl Parts<'_> {
    /// Gives each row of a query, which enters the checksum.
    fn each(
        &mut self,
        query: &str,
        mut each: impl FnMut(&str, &Row<'_>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut select = self.transaction.prepare_cached(query)?;
        let mut rows = select.query([self.run])?;
        while let Some(row) = rows.next()? {
            self.seal.row(row, 0)?;
            each(self.name, row)?;
        }
        Ok(())
    }

    fn targets(&mut self) -> Result<Vec<TargetFacts>, Fault> {
        let mut targets = Vec::new();
        self.each(TARGETS, |name, row| {
            targets.push(document(name, row, 3, "facts_json")?);
            Ok(())
        })?;
        Ok(targets)
    }

    fn threads(&mut self, later: Later) -> Result<Vec<ThreadRecord>, Fault> {
        let mut rows: Vec<(i64, u32, u32, u32)> = Vec::new();
        self.each(THREADS, |_, row| {
            rows.push((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
            Ok(())
        })?;
        let mut tallies = self.tallies(later)?;
        let mut threads = Vec::with_capacity(rows.len());
        for (place, thread, target, abandoned) in rows {
            let mut tally = |operation: Operation| {
                let found = tallies.remove(&(place, operation.index()));
                found.ok_or_else(|| lost(self.name, place, operation, "its counts are missing"))
            };
            let (read, write) = (tally(Operation::Read)?, tally(Operation::Write)?);
            threads.push(ThreadRecord {
                thread,
                target,
                measured: [read.0, write.0], // in the order of `Operation::ALL`
                lifetime: [read.1, write.1],
                abandoned,
            });
        }
        Ok(threads)
    }

    fn tallies(&mut self, later: Later) -> Result<Tallies, Fault> {
        let mut tallies = Tallies::new();
        self.each(later.tallies(), |name, row| {
            if let Some((place, operation)) = whose(row)? {
                let tally = load_tally(name, place, operation, row)?;
                tallies.insert((place, operation.index()), tally);
            }
            Ok(())
        })?;
        self.each(ERRORS, |_, row| {
            let of = whose(row)?.map(|(place, operation)| (place, operation.index()));
            if let Some((tally, _)) = of.and_then(|of| tallies.get_mut(&of)) {
                tally.errors.push(ErrorCount {
                    errno: row.get(3)?,
                    count: row.get(4)?,
                });
            }
            Ok(())
        })?;
        Ok(tallies)
    }
}

/// The place of the thread and the operation of a row; `None` where the operation is not known.
fn whose(row: &Row<'_>) -> Result<Option<(i64, Operation)>, Fault> {
    let name = row.get_ref(1)?.as_bytes().unwrap_or_default();
    let mut all = Operation::ALL.into_iter();
    let operation = all.find(|operation| operation.name().as_bytes() == name);
    let place = row.get(0)?;
    Ok(operation.map(|operation| (place, operation)))
}

fn lost(name: &str, place: i64, operation: Operation, what: &str) -> Fault {
    let operation = operation.name();
    damaged(name, &format!("thread {place}, {operation}: {what}"))
}

/// A row of [`TALLIES`], without its errors.
fn load_tally(
    name: &str,
    place: i64,
    operation: Operation,
    row: &Row<'_>,
) -> Result<(Tally, LifetimeCount), Fault> {
    let lost =
        |what: &str, damage: &dyn Display| lost(name, place, operation, &format!("{what}{damage}"));
    let blob = |column, what: &str| -> Result<&[u8], Fault> {
        let blob = row.get_ref(column)?.as_blob();
        blob.map_err(|_| lost(what, &" is no blob"))
    };
    let response = row.get_ref(10)?.as_blob_or_null();
    let response = response.map_err(|_| Fault::Damaged("response is no blob".to_owned()))?;
    let response = response.map(decode_histogram).transpose();
    let tally = Tally {
        ios: row.get(2)?,
        bytes: Bytes(row.get(3)?),
        short_ios: row.get(4)?,
        errors: Vec::new(),
        latency: decode_histogram(blob(8, "latency")?)
            .map_err(|damage| lost("latency: ", &damage))?,
        response: response.map_err(|damage| lost("response: ", &damage))?,
        intervals: decode_intervals(blob(9, "intervals")?)
            .map_err(|damage| lost("intervals: ", &damage))?,
    };
    let lifetime = LifetimeCount {
        ios: row.get(6)?,
        bytes: Bytes(row.get(7)?),
    };
    Ok((tally, lifetime))
}

/// The checksum of a run's record as it lies in its rows, whether these can be read or not; `None` where there is no such
/// run.
pub(crate) fn seal_of_run(
    transaction: &Transaction<'_>,
    session: SessionId,
    number: u32,
    later: Later,
) -> Result<Option<u32>, Fault> {
    let mut select = transaction.prepare_cached(later.run())?;
    let mut rows = select.query(params![session.0, number])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let mut seal = Seal::default();
    seal.first(row, RUN_COLUMNS)?;
    for query in [TARGETS, THREADS, later.tallies(), ERRORS] {
        seal.rows(transaction, query, row.get(ID)?)?;
    }
    seal_series(row, &mut seal)?;
    Ok(Some(seal.value()))
}

/// What came later changes no checksum of a run without it.
fn seal_series(row: &Row<'_>, seal: &mut Seal) -> rusqlite::Result<()> {
    let series = row.get_ref(SERIES)?;
    if series != ValueRef::Null {
        seal.values(&[series]);
    }
    Ok(())
}
