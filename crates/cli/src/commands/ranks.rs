//! What stored records come to: the verdict of one result, and the ranks of a job together.
//!
//! Omitted: how either is shown (`show`, `report`).

use crate::args::{RunArgs, known_by};
use crate::report;
use crate::subcommand::read_line;
use analysis::{
    JobContext, JobPart, JobReport, RankLabel, Validity, imported_report_knowing,
    run_report_knowing,
};
use model::record::RowVerdict;
use model::{CommandError, HostRecord, RankRecord, ResultRow, RunRecord};
use std::collections::HashSet;
use store::{SessionId, Store, StoredResult, StoredRun};

/// The verdict of one result, from its record; `None` where it has none of its own or cannot be read.
pub(crate) fn verdict_of(store: &Store, row: &ResultRow) -> Option<RowVerdict> {
    let known = known_by(&row.notes).ok()?;
    let stored = store.load_result(SessionId(row.session), row.number);
    let (verdict, findings) = match stored.ok()??.result {
        StoredResult::Run(record) => {
            let report = run_report_knowing(&record, &known);
            (report.verdict, report.findings)
        }
        StoredResult::Imported(run) => {
            let report = imported_report_knowing(&run, &known);
            (report.verdict, report.findings)
        }
        StoredResult::Files(_) | StoredResult::Watch(_) | StoredResult::Missing(_) => return None,
    };
    let reason = verdict.reasons.into_iter().next();
    let reason = reason.filter(|_| verdict.validity != Validity::Valid);
    Some(RowVerdict {
        validity: verdict.validity.word().to_owned(),
        reason: reason.unwrap_or_default(),
        findings: findings.iter().map(|one| one.id.to_string()).collect(),
    })
}

/// The results of a session of ranks only. A rank that cannot be read is one without a result.
pub(super) struct Ranks {
    id: SessionId,
    pub(super) rows: Vec<ResultRow>,
    results: Vec<Result<RunRecord, String>>, // of each row
}

impl Ranks {
    /// `None` of a session with other results.
    pub(super) fn read(store: &Store, id: SessionId) -> Result<Option<Ranks>, CommandError> {
        let rows = store.rows(&[id]).map_err(CommandError::refused)?;
        let of_rank = |row: &ResultRow| RankLabel::of(&row.label).is_some();
        if rows.is_empty() || !rows.iter().all(of_rank) {
            return Ok(None);
        }
        let results = rows.iter().map(|row| result_of(store, id, row)).collect();
        Ok(Some(Ranks { id, rows, results }))
    }

    pub(super) fn steps(&self) -> Vec<(&str, Vec<JobPart<'_>>)> {
        let mut steps: Vec<(&str, Vec<JobPart<'_>>)> = Vec::new();
        for (row, result) in self.rows.iter().zip(&self.results) {
            let Some(label) = RankLabel::of(&row.label) else {
                continue;
            };
            let part = JobPart {
                rank: label.rank,
                host: label.host,
                run: Some(row.number),
                outcome: result.as_ref().map_err(String::as_str),
            };
            match steps.last_mut() {
                Some((step, parts)) if *step == label.cell => parts.push(part),
                _ => steps.push((label.cell, vec![part])),
            }
        }
        steps
    }

    /// The numbers of results whose rank shared its machine with another one while it measured.
    pub(super) fn neighbours(&self) -> HashSet<u32> {
        let steps = self.steps();
        let together = steps.iter().filter(|(step, _)| *step != RankRecord::ALONE);
        together.flat_map(|(_, parts)| sharing(parts)).collect()
    }

    /// The report of each step in which all ranks measured together, by its name.
    pub(super) fn reports(&self, store: &Store) -> Result<Vec<(String, JobReport)>, CommandError> {
        if let Some(report) = self.report(store)? {
            return Ok(vec![("run".to_owned(), report)]);
        }
        let steps = self.steps();
        let together = steps.iter().filter(|(step, _)| *step != RankRecord::ALONE);
        together
            .map(|(step, parts)| {
                let report = report::job_of(parts, JobContext::default())?;
                Ok(((*step).to_owned(), report))
            })
            .collect()
    }

    /// The report of the one run of all ranks; `None` where there are several, or only runs of single ranks.
    pub(super) fn report(&self, store: &Store) -> Result<Option<JobReport>, CommandError> {
        let steps = self.steps();
        let (alone, parts): (&[JobPart<'_>], _) = match &steps[..] {
            [(RankRecord::ALONE, _)] => return Ok(None),
            [(_, parts)] => (&[], parts),
            [(RankRecord::ALONE, alone), ("", parts)] => (alone, parts),
            _ => return Ok(None),
        };
        let owners = owners(store, self.id)?;
        let context = JobContext {
            alone,
            owners: &owners,
        };
        report::job_of(parts, context).map(Some)
    }
}

/// The numbers of those of one step that share a machine.
fn sharing(parts: &[JobPart<'_>]) -> Vec<u32> {
    let all = parts.iter();
    let ran = all.filter_map(|part| part.run.zip(part.outcome.ok()));
    let hosts: Vec<_> = ran.map(|(run, record)| (run, &record.host)).collect();
    let shares = |(run, host): &&(u32, &HostRecord)| {
        let mut others = hosts.iter().filter(|(other, _)| other != run);
        others.any(|(_, other)| other.is_same_machine(host))
    };
    hosts.iter().filter(shares).map(|(run, _)| *run).collect()
}

/// Hosts that the command of a session named as owners of its target.
fn owners(store: &Store, id: SessionId) -> Result<Vec<String>, CommandError> {
    let summary = store.summary_of(id).map_err(CommandError::refused)?;
    match read_line::<RunArgs>("run", &summary.command) {
        Ok(run) => run.hosts.owners(),
        Err(_) => Ok(Vec::new()),
    }
}

/// The record of one rank, or why there is none.
fn result_of(store: &Store, id: SessionId, row: &ResultRow) -> Result<RunRecord, String> {
    if let Some(reason) = &row.reason {
        return Err(reason.clone());
    }
    let stored = store.load_result(id, row.number);
    let stored = stored.map_err(|error| format!("it cannot be read: {error}"))?;
    let record = stored.and_then(StoredRun::into_record);
    record.map_or_else(
        || Err("it is not there".to_owned()),
        |(_, record)| Ok(record),
    )
}
