//! Onto the shelf: sessions begin, get runs, and finish.

use crate::blob::{encode_histogram, encode_intervals};
use crate::error::Fault;
use crate::headline::{self, Place, next_number};
use crate::open::Flush;
use crate::seal;
use crate::series::encode_series;
use crate::session::{NewSession, SessionId, SessionOutcome};
use crate::{Result, Store, StoreError};
use model::{
    Access, LifetimeCount, Operation, Outcome, Plan, ResultRow, RunRecord, Tally, TargetFacts,
    ThreadRecord, Workload,
};
use rusqlite::{OptionalExtension, Transaction, named_params, params};

impl Store {
    /// Begins a session. Until [`finish`](Store::finish) it counts as cut short.
    pub fn begin(&self, session: &NewSession) -> Result<SessionId> {
        self.writing(|transaction| insert_session(transaction, session))
    }

    /// Puts a run into a session, whole or not at all, and answers with its number there, from 1.
    pub fn save(&self, session: SessionId, label: &str, record: &RunRecord) -> Result<u32> {
        self.writing(|transaction| {
            self.must_exist(transaction, session)?;
            let number = next_number(transaction, session)?;
            let place = Place {
                session,
                number,
                label,
                key: None,
            };
            insert_run(transaction, place, record)?;
            count_results(transaction, session, 1)?;
            Ok(number)
        })
    }

    /// Says how a session ended, and keeps what its report says beside its runs: one JSON document of the caller's,
    /// given back as it is by [`load`](Store::load).
    pub fn finish(
        &self,
        session: SessionId,
        outcome: SessionOutcome,
        context: Option<&str>,
    ) -> Result<()> {
        self.writing(|transaction| {
            self.must_exist(transaction, session)?;
            update_outcome(transaction, session, outcome, context)
        })
    }

    /// A session of a single run, begun, kept and finished at once: for a person who waits for the prompt. On stable
    /// storage when this returns, with three flushes of the disk where three calls cost seven
    /// (docs/decisions/0009-one-write-a-run.md).
    pub fn keep(
        &self,
        session: &NewSession,
        label: &str,
        record: &RunRecord,
        outcome: SessionOutcome,
    ) -> Result<SessionId> {
        let keep = |transaction: &Transaction<'_>| {
            let id = insert_session(transaction, session)?;
            let place = Place {
                session: id,
                number: 1,
                label,
                key: None,
            };
            insert_run(transaction, place, record)?;
            count_results(transaction, id, 1)?;
            update_outcome(transaction, id, outcome, None)?;
            Ok(id)
        };
        let flush = |fault: Fault| fault.at(self.path());
        if !self.has_log().map_err(flush)? {
            return self.writing(keep);
        }
        self.flush(Flush::Never).map_err(flush)?;
        let kept = self.writing(keep);
        self.flush(Flush::EachWrite).map_err(flush)?;
        let id = kept?;
        if !self.empty_log().map_err(flush)? {
            // Somebody reads an older state, so the log cannot be emptied: a write with a flush takes all before it along.
            self.writing(|transaction| seal_session(transaction, id))?;
        }
        Ok(id)
    }

    /// All that is done in it, or nothing.
    pub(crate) fn writing<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Fault>,
    ) -> Result<T> {
        let all = || {
            let transaction = self.write()?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        };
        all().map_err(|fault: Fault| fault.at(self.path()))
    }

    /// Or says which sessions do.
    pub(crate) fn must_exist(
        &self,
        transaction: &Transaction<'_>,
        session: SessionId,
    ) -> Result<(), Fault> {
        let there: Option<i64> = transaction
            .query_row(
                "SELECT 1 FROM sessions WHERE id = ?1",
                [i64::try_from(session.0).unwrap_or(-1)],
                |row| row.get(0),
            )
            .optional()?;
        if there.is_some() {
            return Ok(());
        }
        let known = transaction.query_row("SELECT min(id), max(id) FROM sessions", [], |row| {
            let ends: (Option<u64>, Option<u64>) = (row.get(0)?, row.get(1)?);
            Ok(ends.0.zip(ends.1))
        })?;
        Err(Fault::Told(StoreError::NoSession {
            path: self.path().to_owned(),
            read: session,
            known: known.map(|(first, last)| (SessionId(first), SessionId(last))),
        }))
    }
}

fn insert_session(transaction: &Transaction<'_>, session: &NewSession) -> Result<SessionId, Fault> {
    let NewSession {
        kind,
        command,
        tool_version,
        started_utc,
        target,
    } = session;
    transaction.execute(
        "INSERT INTO sessions (kind, started_utc_ns, command_json, tool_version, target)
         VALUES (?1, ?2, ?3, ?4, ?5)",
        params![
            kind.name(),
            signed("started_utc", started_utc.0)?,
            document("the command line", command)?,
            tool_version,
            target
        ],
    )?;
    let id = transaction.last_insert_rowid();
    let session = SessionId(u64::try_from(id).expect("SQLite counts rows from 1"));
    seal_session(transaction, session)?;
    Ok(session)
}

fn update_outcome(
    transaction: &Transaction<'_>,
    session: SessionId,
    outcome: SessionOutcome,
    context: Option<&str>,
) -> Result<(), Fault> {
    transaction.execute(
        "UPDATE sessions SET outcome = ?2, context = ?3 WHERE id = ?1",
        params![session.0, outcome.name(), context],
    )?;
    seal_session(transaction, session)
}

/// After every change of a session's own row.
pub(crate) fn seal_session(transaction: &Transaction<'_>, session: SessionId) -> Result<(), Fault> {
    let id = signed("session", session.0)?;
    let seal = seal::of_session(transaction, id)?;
    transaction
        .prepare_cached("UPDATE sessions SET crc = ?2 WHERE id = ?1")?
        .execute([id, i64::from(seal)])?;
    Ok(())
}

/// After every result that came or went: a session knows how many it has, so that a lost one is missed.
pub(crate) fn count_results(
    transaction: &Transaction<'_>,
    session: SessionId,
    more: i64,
) -> Result<(), Fault> {
    transaction
        .prepare_cached("UPDATE sessions SET results = results + ?2 WHERE id = ?1")?
        .execute([signed("session", session.0)?, more])?;
    seal_session(transaction, session)
}

/// A run's line and its record.
pub(crate) fn insert_run(
    transaction: &Transaction<'_>,
    place: Place<'_>,
    record: &RunRecord,
) -> Result<(), Fault> {
    let headline = headline::insert(transaction, place, &ResultRow::of_record(record))?;
    let run = insert_headline(
        transaction,
        (place.session, place.number, place.label),
        record,
    )?;
    for (at, facts) in record.targets.iter().enumerate() {
        insert_target(transaction, (run, at), facts)?;
    }
    for (at, thread) in record.threads.iter().enumerate() {
        insert_thread(transaction, (run, at), thread)?;
    }
    headline::seal_record(transaction, headline, seal::of_run(transaction, run)?)
}

/// The row in `runs`; answers with its id.
fn insert_headline(
    transaction: &Transaction<'_>,
    (session, number, label): (SessionId, u32, &str),
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
        threads,
        window,
        lifetime,
        series,
        outcome,
    } = record;
    // Not `RunRecord::total`: that adds up whole histograms and time series, of which nothing is needed here.
    let sum = |of: fn(&Tally) -> u64| {
        let tallies = threads.iter().flat_map(|thread| &thread.measured);
        tallies.fold(0, |sum: u64, tally| sum.saturating_add(of(tally)))
    };
    transaction
        .prepare_cached(INSERT_RUN)?
        .execute(named_params! {
            ":session": session.0,
            ":number": number,
            ":label": label,
            ":started": signed("started_utc", started_utc.0)?,
            ":outcome": outcome_name(outcome),
            ":backend": engine.backend,
            ":block": signed("block", common(plan, Workload::single_block).flatten().map_or(0, |block| block.0))?,
            ":depth": common(plan, |w| w.queue_depth.0),
            ":threads": plan.threads(),
            ":write": common(plan, |w| w.write.as_percent()),
            ":access": common(plan, |w| access_name(&w.access)),
            ":ios": signed("ios", sum(|tally| tally.ios))?,
            ":bytes": signed("bytes", sum(|tally| tally.bytes.0))?,
            ":errors": signed("errors", sum(Tally::errors_total))?,
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

/// A block of 0 bytes cannot be asked for, so it stands for targets that differ.
const INSERT_RUN: &str = "
    INSERT INTO runs (
        session_id, number, label, started_utc_ns, outcome, backend,
        block_bytes, queue_depth, threads, write_percent, access,
        ios, bytes, errors, measured_ns, measured_from_ns, measured_to_ns, drained_ns,
        tool_version, command_json, plan_json, host_json, engine_json, window_json, lifetime_json, outcome_json,
        series
    ) VALUES (
        :session, :number, :label, :started, :outcome, :backend,
        nullif(:block, 0), :depth, :threads, :write, :access,
        :ios, :bytes, :errors, :measured, :from, :to, :drained,
        :version, :command, :plan, :host, :engine, :window, :lifetime, :ended,
        :series
    )";

fn insert_target(
    transaction: &Transaction<'_>,
    (run, place): (i64, usize),
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
    (run, place): (i64, usize),
    record: &ThreadRecord,
) -> Result<(), Fault> {
    let ThreadRecord {
        thread,
        target,
        measured,
        lifetime,
        abandoned,
    } = record;
    let place = signed("threads", place as u64)?;
    transaction
        .prepare_cached(
            "INSERT INTO threads (run_id, place, thread, target, abandoned) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![run, place, thread, target, abandoned])?;
    for operation in Operation::ALL {
        let tally = &measured[operation.index()];
        let whole = &lifetime[operation.index()];
        insert_tally(transaction, (run, place, operation), tally, whole)?;
    }
    Ok(())
}

fn insert_tally(
    transaction: &Transaction<'_>,
    (run, place, operation): (i64, i64, Operation),
    tally: &Tally,
    lifetime: &LifetimeCount,
) -> Result<(), Fault> {
    let Tally {
        ios,
        bytes,
        short_ios,
        errors,
        latency,
        response,
        intervals,
    } = tally;
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

/// What all targets have in common, if they do.
fn common<T: PartialEq>(plan: &Plan, of: impl Fn(&Workload) -> T) -> Option<T> {
    let mut values = plan.targets.iter().map(|target| of(&target.workload));
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

/// For queries by hand: a DISKSPD walk goes by what most people would call it; the plan has all of it.
fn access_name(access: &Access) -> &'static str {
    match access {
        Access::Sequential => "sequential",
        Access::Random => "random",
        Access::Stripe(_) => "stripe",
        Access::Diskspd(walk) => match walk.random.as_percent() {
            0 => "sequential",
            100 => "random",
            _ => "mixed",
        },
        Access::Mixed(mixed) => match mixed.random().as_percent() {
            0 => "sequential",
            100 => "random",
            _ => "mixed",
        },
    }
}

fn outcome_name(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Complete => "complete",
        Outcome::Interrupted => "interrupted",
        Outcome::Failed(_) => "failed",
    }
}

/// SQLite's integers end at 2^63 - 1; a count beyond that is a mistake, and is told rather than bent.
pub(crate) fn signed(what: &'static str, value: u64) -> Result<i64, Fault> {
    i64::try_from(value).map_err(|_| Fault::Told(StoreError::TooLarge { what, read: value }))
}

pub(crate) fn document(what: &str, value: &impl serde::Serialize) -> Result<String, Fault> {
    serde_json::to_string(value).map_err(|error| {
        Fault::Told(StoreError::Text {
            what: what.to_owned(),
            reason: error.to_string(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SessionKind;
    use model::Nanos;

    #[test]
    fn a_full_disk_is_told_and_loses_nothing_stored_before() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("s.sqlite");
        let store = Store::open(&path).expect("a new store");
        let session = |target| NewSession {
            kind: SessionKind::Run,
            command: vec![],
            tool_version: String::new(),
            started_utc: Nanos(1),
            target,
        };
        store.begin(&session("small".to_owned())).expect("room");
        // SQLite answers a page limit as it answers a full disk: SQLITE_FULL.
        let pages = "PRAGMA max_page_count = 1";
        store
            .connection
            .query_row(pages, [], |_| Ok(()))
            .expect("a limit");
        let told = store.begin(&session("large".repeat(100_000)));
        assert_eq!(told, Err(StoreError::Full { path }));
        assert_eq!(store.sessions(None).expect("a list").len(), 1);
    }
}
