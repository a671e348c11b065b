//! Stores one run of fathom: its row, and its record, which is a row and the rows that belong to it. `record` reads it
//! back.
//!
//! Deliberately absent: sessions and transactions (`save`, `cells`).

use crate::blob::{encode_histogram, encode_intervals};
use crate::error::Fault;
use crate::headline::{self, Place, whole};
use crate::record::{Later, seal_of_run};
use crate::save::{document, signed};
use crate::series::encode_series;
use model::{Operation, ResultRow, RunRecord, Tally, TargetFacts, ThreadRecord};
use rusqlite::{Transaction, named_params, params};

/// A run's line and its record.
pub(crate) fn insert_run(
    transaction: &Transaction<'_>,
    place: Place<'_>,
    record: &RunRecord,
) -> Result<(), Fault> {
    let row = ResultRow::of_record(record);
    let headline = headline::insert(transaction, place, row.clone(), None)?;
    let run = insert_record(transaction, place, &row, record)?;
    for (at, facts) in record.targets.iter().enumerate() {
        insert_target(transaction, run, at, facts)?;
    }
    for (at, thread) in record.threads.iter().enumerate() {
        insert_thread(transaction, run, at, thread)?;
    }
    let seal = seal_of_run(transaction, place.session, place.number, Later::ALL)?;
    headline::seal_record(transaction, headline, seal)
}

/// The row in `runs`, for queries by hand with the same words and counts as its line; answers with its id.
fn insert_record(
    transaction: &Transaction<'_>,
    place: Place<'_>,
    row: &ResultRow,
    record: &RunRecord,
) -> Result<i64, Fault> {
    let RunRecord {
        tool_version,
        command,
        started_utc,
        plan,
        host,
        targets: _, // rows of their own, as are the threads' counts
        engine,
        phases,
        threads: _,
        window,
        lifetime,
        series,
        outcome,
    } = record;
    let (work, total) = (&row.work, &row.total);
    transaction
        .prepare_cached(INSERT_RUN)?
        .execute(named_params! {
            ":session": place.session.0,
            ":number": place.number,
            ":label": place.label,
            ":started": signed("started_utc", started_utc.0)?,
            ":outcome": row.outcome,
            ":backend": engine.backend,
            ":block": whole("block", work.block.map(|block| block.0))?,
            ":depth": work.queue_depth,
            ":threads": work.threads,
            ":write": work.write_percent,
            ":access": work.pattern,
            ":ios": whole("ios", total.ios)?,
            ":bytes": whole("bytes", total.bytes.map(|bytes| bytes.0))?,
            ":errors": whole("errors", total.errors)?,
            ":measured": signed("measured", phases.measured().0)?,
            ":from": signed("measured_from", phases.measured_from.0)?,
            ":to": signed("measured_to", phases.measured_to.0)?,
            ":drained": signed("drained", phases.drained.0)?,
            ":version": tool_version,
            ":command": document("the command line", command)?,
            ":plan": document("the plan", plan)?,
            ":host": document("the facts of the machine", host)?,
            ":engine": document("the engine's record", engine)?,
            ":window": document("the counters", window)?,
            ":lifetime": document("the counters", lifetime)?,
            ":ended": document("the outcome", outcome)?,
            ":series": encode_series(series),
        })?;
    Ok(transaction.last_insert_rowid())
}

const INSERT_RUN: &str = "
    INSERT INTO runs (
        session_id, number, label, started_utc_ns, outcome, backend,
        block_bytes, queue_depth, threads, write_percent, access,
        ios, bytes, errors, measured_ns, measured_from_ns, measured_to_ns, drained_ns,
        tool_version, command_json, plan_json, host_json, engine_json, window_json, lifetime_json, outcome_json,
        series
    ) VALUES (
        :session, :number, :label, :started, :outcome, :backend,
        :block, :depth, :threads, :write, :access,
        :ios, :bytes, :errors, :measured, :from, :to, :drained,
        :version, :command, :plan, :host, :engine, :window, :lifetime, :ended,
        :series
    )";

fn insert_target(
    transaction: &Transaction<'_>,
    run: i64,
    place: usize,
    facts: &TargetFacts,
) -> Result<(), Fault> {
    transaction
        .prepare_cached(
            "INSERT INTO targets (run_id, target, path, size_bytes, facts_json) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![
            run,
            signed("targets", place as u64)?,
            facts.path.to_string_lossy(),
            signed("size", facts.size.0)?,
            document("the facts of the target", facts)?
        ])?;
    Ok(())
}

fn insert_thread(
    transaction: &Transaction<'_>,
    run: i64,
    place: usize,
    record: &ThreadRecord,
) -> Result<(), Fault> {
    let ThreadRecord {
        thread,
        target,
        measured: _, // rows of their own
        lifetime: _,
        abandoned,
    } = record;
    let place = signed("threads", place as u64)?;
    transaction
        .prepare_cached(
            "INSERT INTO threads (run_id, place, thread, target, abandoned) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![run, place, thread, target, abandoned])?;
    for operation in Operation::ALL {
        insert_tally(transaction, run, place, operation, record)?;
    }
    Ok(())
}

fn insert_tally(
    transaction: &Transaction<'_>,
    run: i64,
    place: i64,
    operation: Operation,
    record: &ThreadRecord,
) -> Result<(), Fault> {
    let Tally {
        ios,
        bytes,
        short_ios,
        errors,
        latency,
        response,
        intervals,
    } = &record.measured[operation.index()];
    let lifetime = record.lifetime[operation.index()];
    transaction
        .prepare_cached(
            "INSERT INTO tallies (run_id, place, operation, ios, bytes, short_ios, latency_mean_ns,
                                  lifetime_ios, lifetime_bytes, latency, intervals, response)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?
        .execute(params![
            run,
            place,
            operation.name(),
            signed("ios", *ios)?,
            signed("bytes", bytes.0)?,
            signed("short_ios", *short_ios)?,
            latency.mean_ns(),
            signed("lifetime ios", lifetime.ios)?,
            signed("lifetime bytes", lifetime.bytes.0)?,
            encode_histogram(latency),
            encode_intervals(intervals),
            response.as_ref().map(encode_histogram)
        ])?;
    let mut insert = transaction.prepare_cached(
        "INSERT INTO errors (run_id, place, operation, rank, errno, count) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for (rank, error) in errors.iter().enumerate() {
        let (rank, count) = (
            signed("errors", rank as u64)?,
            signed("errors", error.count)?,
        );
        insert.execute(params![
            run,
            place,
            operation.name(),
            rank,
            error.errno,
            count
        ])?;
    }
    Ok(())
}
