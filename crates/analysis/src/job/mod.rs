//! The report of a job: what the ranks of a run on many hosts measured together, a row for each, and which one differs.
//!
//! Counts are added and histograms merged; percentiles never are. IOPS are the sum of the hosts' own, each over its own
//! measured time. Where each rank moves an amount, these times differ, and a sum of such rates was never reached: there the
//! rate is the amount of all by the time from the first start to the last end, as IOR has it. Omitted: how hosts agree on their start (`job`), and layout (`views`).

mod differs;
mod phase;
mod rows;
pub(crate) mod seen;

pub use phase::{PhaseFigures, job_phase};
pub use rows::JobOperation;
pub use seen::RankRow;
use seen::{JobSeen, StartReport};

use crate::checks::Checks;
use crate::findings::{Finding, NOISY_NEIGHBOUR, job_findings};
use crate::run::RunReport;
use crate::run::run_report;
use crate::verdict::Verdict;
use model::{HostRecord, JobLayout, RunRecord};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The rank in a label, with what is before it: `depth=4, rank 1, n1`, or nothing: `rank 1, n1`.
pub struct RankLabel<'a> {
    /// That of the cell; empty in a session that has one.
    pub cell: &'a str,
    /// Its number, from 0.
    pub rank: u32,
    /// Its host.
    pub host: &'a str,
}

impl<'a> RankLabel<'a> {
    /// Reads a label; `None` where it has no rank.
    pub fn of(label: &'a str) -> Option<RankLabel<'a>> {
        let after = label.rsplit_once(", rank ");
        let (cell, rest) = after.or_else(|| Some(("", label.strip_prefix("rank ")?)))?;
        let (rank, host) = rest.split_once(", ")?;
        Some(RankLabel {
            cell,
            rank: rank.parse().ok()?,
            host,
        })
    }
}

/// One rank, with its record or why there is none.
#[derive(Clone, Copy, Debug)]
pub struct JobPart<'a> {
    /// Its number.
    pub rank: u32,
    /// Name of its host.
    pub host: &'a str,
    /// Its number in the session, where it is stored.
    pub run: Option<u32>,
    /// Its record, or why there is none.
    pub outcome: Result<&'a RunRecord, &'a str>,
}

/// What the ranks of a job measured together.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JobReport {
    /// Whether the result may be used, with the reasons.
    pub verdict: Verdict,
    /// Which job it was.
    pub job: JobDigest,
    /// When rank 0 began: nanoseconds since 1970 in UTC.
    pub started_utc_ns: u64,
    /// Reads and writes as far as there were any, and the total: all ranks together.
    pub operations: Vec<JobOperation>,
    /// Each rank, in order.
    pub hosts: Vec<RankRow>,
    /// Each rank while no other one measured, where that was requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alone: Vec<RankRow>,
    /// How far their starts and windows agree.
    pub start: StartReport,
    /// Jain's index of the IOPS of all ranks: 1 where all are equal, 1/n where one does everything. None below two ranks.
    pub fairness: Option<f64>,
    /// Findings of the rules, by severity.
    pub findings: Vec<Finding>,
    /// Version of fathom that ran it.
    pub tool_version: String,
    /// The command line as it was given, program name first.
    pub command: Vec<String>,
}

/// What a job is besides the results of its ranks together.
#[derive(Clone, Copy, Debug, Default)]
pub struct JobContext<'a> {
    /// The same ranks before, each while no other one measured.
    pub alone: &'a [JobPart<'a>],
    /// Hosts that own the target, as specified by the user. Where there are none, those that reach it without a network
    /// while others need one.
    pub owners: &'a [String],
}

/// Which job it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JobDigest {
    /// Its random number.
    pub id: String,
    /// Transport of the messages between its ranks.
    pub transport: String,
    /// How the ranks shared the target.
    pub layout: JobLayout,
    /// How many ranks there were.
    pub ranks: u32,
    /// Ranks on hosts that own the target; none where that is unknown or there is no difference.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub owners: Vec<u32>,
}

/// Computes the report; `None` where no rank has a record.
pub fn job_report(parts: &[JobPart<'_>], context: JobContext<'_>) -> Option<JobReport> {
    let records: Vec<&RunRecord> = parts.iter().filter_map(|part| part.outcome.ok()).collect();
    let first = *records.first()?;
    let rank = first.engine.rank()?;
    let reports: Vec<_> = records.iter().map(|record| run_report(record)).collect();
    let differences = differs::differences(&records);
    let hosts = rows::rank_rows(parts, &reports, &differences);
    let start = start(&records);
    let fairness = seen::fairness(&hosts);
    let alone = alone_rows(context.alone);
    let owners = owners(&records, context.owners);
    let seen = JobSeen {
        hosts: &hosts,
        machines: machines(&records),
        alone: &alone,
        owners: &owners,
        differences: &differences,
        start,
        fairness,
        measured_ns: first.phases.measured().0,
    };
    let mut findings = job_findings(&seen);
    findings.extend(of_ranks(&records, &reports));
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    Some(JobReport {
        verdict: Verdict::from_findings(&findings, checks(&reports)),
        job: JobDigest {
            id: rank.job.clone(),
            transport: rank.transport.clone(),
            layout: rank.layout,
            ranks: rank.size,
            owners,
        },
        started_utc_ns: first.started_utc.0,
        operations: rows::operations(&records),
        start,
        fairness,
        findings,
        tool_version: first.tool_version.clone(),
        command: first.command.clone(),
        hosts,
        alone,
    })
}

fn machines(records: &[&RunRecord]) -> usize {
    let mut machines: Vec<&HostRecord> = Vec::new();
    for record in records {
        if !machines
            .iter()
            .any(|known| known.is_same_machine(&record.host))
        {
            machines.push(&record.host);
        }
    }
    machines.len()
}

/// A row for each rank that measured alone.
fn alone_rows(parts: &[JobPart<'_>]) -> Vec<RankRow> {
    let records = parts.iter().filter_map(|part| part.outcome.ok());
    let reports: Vec<_> = records.map(run_report).collect();
    rows::rank_rows(parts, &reports, &[])
}

/// Ranks on hosts that own the target, by name or by its file system.
fn owners(records: &[&RunRecord], named: &[String]) -> Vec<u32> {
    let rank = |record: &&RunRecord| Some(record.engine.rank()?.rank);
    let is_named = |record: &&&RunRecord| {
        let host = &record.host.hostname;
        let short = host.split('.').next();
        named
            .iter()
            .any(|name| name == host || Some(name.as_str()) == short)
    };
    if !named.is_empty() {
        return records.iter().filter(is_named).filter_map(rank).collect();
    }
    let is_remote = |record: &&RunRecord| {
        let system = record.targets.first()?.file_system.as_ref()?;
        Some(system.is_network())
    };
    let remote: Vec<Option<bool>> = records.iter().map(is_remote).collect();
    let differ = remote.contains(&Some(true)) && remote.contains(&Some(false));
    let local = records.iter().zip(&remote);
    local
        .filter(|(_, remote)| differ && **remote == Some(false))
        .filter_map(|(record, _)| rank(record))
        .collect()
}

/// What passed on every rank.
fn checks(reports: &[crate::RunReport]) -> Checks {
    let everywhere = |check: &&String| {
        reports
            .iter()
            .all(|report| report.verdict.checks.contains(check))
    };
    let first = reports.first().map(|report| &report.verdict);
    Checks {
        passed: first.map_or(Vec::new(), |first| {
            first.checks.iter().filter(everywhere).cloned().collect()
        }),
        missing: first.map_or(Vec::new(), |first| first.unchecked.clone()),
        without_device: false,
    }
}

/// What the rules found in single ranks: each once, with the ranks that have it where not all do. The load of another rank
/// on the same machine is no other load, regardless of the names of their containers.
fn of_ranks(records: &[&RunRecord], reports: &[crate::RunReport]) -> Vec<Finding> {
    let mut found: Vec<(Finding, Vec<u32>)> = Vec::new();
    for (record, report) in records.iter().zip(reports) {
        let rank = record.engine.rank().map_or(0, |rank| rank.rank);
        let here = records.iter();
        let here = here.filter(|other| other.host.is_same_machine(&record.host));
        let shares_host = here.count() > 1;
        let report = match shares_host {
            true => &report.clone().beside_own_ranks(),
            false => report,
        };
        for finding in &report.findings {
            match found.iter_mut().find(|(known, _)| known.id == finding.id) {
                Some((known, ranks)) => {
                    ranks.push(rank);
                    known.severity = known.severity.max(finding.severity);
                }
                None => found.push((finding.clone(), vec![rank])),
            }
        }
    }
    let named = |(mut finding, ranks): (Finding, Vec<u32>)| {
        if ranks.len() < reports.len() {
            let numbers: Vec<String> = ranks.iter().take(8).map(u32::to_string).collect();
            let more = if ranks.len() > 8 { ", …" } else { "" };
            let noun = if ranks.len() == 1 { "rank" } else { "ranks" };
            finding.sentence = format!("{noun} {}{more}: {}", numbers.join(", "), finding.sentence);
        }
        finding
    };
    found.into_iter().map(named).collect()
}

impl RunReport {
    /// Returns the report of a rank that shared its machine with others of its job: their load is no other load.
    #[must_use]
    pub fn beside_own_ranks(mut self) -> RunReport {
        let found = self.findings.len();
        self.findings
            .retain(|finding| finding.id != NOISY_NEIGHBOUR);
        if self.findings.len() == found {
            return self;
        }
        let because = self.findings.iter_mut().map(|finding| &mut finding.because);
        because
            .filter(|because| **because == Some(NOISY_NEIGHBOUR))
            .for_each(|because| *because = None);
        let checks = Checks {
            passed: std::mem::take(&mut self.verdict.checks),
            missing: std::mem::take(&mut self.verdict.unchecked),
            without_device: false,
        };
        let simulated = self.verdict.simulated;
        self.verdict = Verdict::from_findings(&self.findings, checks).of_simulated(simulated);
        self
    }
}

/// Time 0 of each rank was the agreed moment on its own clock and a little later, which it counted itself; the agreed
/// moment differs between clocks by no more than their uncertainty.
fn start(records: &[&RunRecord]) -> StartReport {
    let placed = records.iter().filter_map(|record| {
        let rank = record.engine.rank()?;
        let offsets = [rank.clock_before?, rank.clock_after.or(rank.clock_before)?];
        let uncertainty = offsets.iter().map(|offset| offset.uncertainty.0).max();
        let from = rank.late.plus(record.phases.measured_from).0;
        let to = rank.late.plus(record.phases.measured_to).0;
        Some((rank.late.0, from, to, uncertainty.unwrap_or(0)))
    });
    let all: Vec<(u64, u64, u64, u64)> = placed.collect();
    let least = |of: fn(&(u64, u64, u64, u64)) -> u64| all.iter().map(of).min().unwrap_or(0);
    let most = |of: fn(&(u64, u64, u64, u64)) -> u64| all.iter().map(of).max().unwrap_or(0);
    let both = least(|one| one.2).saturating_sub(most(|one| one.1));
    let any = most(|one| one.2).saturating_sub(least(|one| one.1));
    StartReport {
        spread_ns: most(|one| one.0) - least(|one| one.0),
        uncertainty_ns: most(|one| one.3),
        overlap: if any == 0 {
            0.0
        } else {
            both as f64 / any as f64
        },
    }
}
