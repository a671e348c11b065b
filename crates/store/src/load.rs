//! Off the shelf: the list of sessions, and sessions whole. What contradicts itself is an error.

use crate::blob::{decode_histogram, decode_intervals};
use crate::error::Fault;
use crate::session::{Session, SessionId, SessionKind, SessionOutcome, SessionSummary, StoredRun};
use crate::{Result, Store};
use model::{
    Bytes, ErrorCount, LifetimeCount, Nanos, Operation, PhaseTimes, RunRecord, Tally, TargetFacts,
    ThreadRecord,
};
use rusqlite::{Row, Transaction, params};

impl Store {
    /// The sessions on the shelf, newest first; all of them without a limit.
    pub fn sessions(&self, limit: Option<u32>) -> Result<Vec<SessionSummary>> {
        let list = || {
            let transaction = self.read()?;
            let mut select = transaction.prepare(&format!(
                "{SELECT_SESSIONS} ORDER BY s.id DESC LIMIT ?1" // -1 is no limit
            ))?;
            let mut rows = select.query([limit.map_or(-1, i64::from)])?;
            let mut sessions = Vec::new();
            while let Some(row) = rows.next()? {
                sessions.push(summary(row)?);
            }
            Ok(sessions)
        };
        list().map_err(|fault: Fault| fault.at(self.path()))
    }

    /// A session with all its runs. A missing one is an error that says which there are.
    pub fn load(&self, session: SessionId) -> Result<Session> {
        self.load_session(session)
            .map_err(|fault| fault.at(self.path()))
    }

    fn load_session(&self, session: SessionId) -> Result<Session, Fault> {
        let transaction = self.read()?;
        self.must_exist(&transaction, session)?;
        let mut select = transaction.prepare(&format!("{SELECT_SESSIONS} WHERE s.id = ?1"))?;
        let mut rows = select.query([session.0])?;
        let row = rows
            .next()?
            .ok_or_else(|| damaged(session, "it vanished"))?;
        let (summary, context) = (summary(row)?, row.get("context")?);
        let mut select =
            transaction.prepare("SELECT * FROM runs WHERE session_id = ?1 ORDER BY number")?;
        let mut rows = select.query([session.0])?;
        let mut runs = Vec::new();
        while let Some(row) = rows.next()? {
            runs.push(load_run(&transaction, session, row)?);
        }
        Ok(Session {
            summary,
            context,
            runs,
        })
    }
}

const SELECT_SESSIONS: &str = "
    SELECT s.id, s.kind, s.started_utc_ns, s.command_json, s.tool_version, s.target, s.outcome, s.context,
           (SELECT count(*) FROM runs r WHERE r.session_id = s.id) AS runs
    FROM sessions s";

fn summary(row: &Row<'_>) -> Result<SessionSummary, Fault> {
    let id = SessionId(row.get("id")?);
    let name = format!("session {id}");
    let kind: String = row.get("kind")?;
    let outcome: Option<String> = row.get("outcome")?;
    let outcome = outcome.map(|word| {
        SessionOutcome::from_name(&word)
            .ok_or_else(|| damaged(&name, &format!("its outcome is `{word}`")))
    });
    Ok(SessionSummary {
        id,
        kind: SessionKind::from_name(&kind)
            .ok_or_else(|| damaged(&name, &format!("its kind is `{kind}`")))?,
        started_utc: Nanos(row.get("started_utc_ns")?),
        command: document(&name, row, "command_json")?,
        tool_version: row.get("tool_version")?,
        target: row.get("target")?,
        outcome: outcome.transpose()?,
        runs: row.get("runs")?,
    })
}

fn load_run(
    transaction: &Transaction<'_>,
    session: SessionId,
    row: &Row<'_>,
) -> Result<StoredRun, Fault> {
    let (run, number): (i64, u32) = (row.get("id")?, row.get("number")?);
    let name = format!("run {session}.{number}");
    let record = RunRecord {
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
        outcome: document(&name, row, "outcome_json")?,
    };
    Ok(StoredRun {
        number,
        label: row.get("label")?,
        record,
    })
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
        response: match response(row)? {
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

/// Response times, where there are any. A shelf of version 1 or 2 that cannot be written has no such column.
fn response<'row>(row: &'row Row<'_>) -> Result<Option<&'row [u8]>, Fault> {
    match row.get_ref("response") {
        Ok(value) => value
            .as_blob_or_null()
            .map_err(|_| Fault::Damaged("response is no blob".to_owned())),
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

fn document<T: serde::de::DeserializeOwned>(
    name: &str,
    row: &Row<'_>,
    column: &str,
) -> Result<T, Fault> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text).map_err(|error| damaged(name, &format!("{column}: {error}")))
}

fn damaged(name: impl std::fmt::Display, what: &str) -> Fault {
    Fault::Damaged(format!("{name}: {what}"))
}
