//! A sweep on many hosts: the ranks of a cell as its result, and each rank over all cells.
//!
//! Counts are added and histograms merged, as in the report of a job. Omitted: which rank is slow in one cell, which that
//! report has.

use super::{SweepCell, SweepResult};
use crate::job::seen::median;
use crate::job::{JobContext, JobDigest, JobPart, RankRow, job_report};
use crate::verdict::Validity;
use model::{ResultRow, RunRecord};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The ranks that measured a cell together.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepRanks {
    /// Their job.
    pub job: JobDigest,
    /// Each of them.
    pub hosts: Vec<RankRow>,
}

/// One rank over all cells.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SweepHost {
    /// Its number.
    pub rank: u32,
    /// Name of its host.
    pub host: String,
    /// Cells in which it has a result.
    pub cells: u64,
    /// Its IOPS as a share of the median of all ranks: the median of that over all cells.
    pub of_median: Option<f64>,
    /// The smallest of these shares.
    pub lowest: Option<f64>,
    /// The cell of the smallest one.
    pub lowest_cell: Option<u64>,
    /// Facts that it does not share with most others: `kernel: Linux 6.1`.
    pub differs_in: Vec<String>,
}

impl SweepResult {
    /// The ranks of a cell together; `None` where one of them has no record.
    pub fn of_job(parts: &[JobPart<'_>]) -> Option<SweepResult> {
        let records: Vec<&RunRecord> = parts
            .iter()
            .map(|part| part.outcome.ok())
            .collect::<Option<_>>()?;
        let row = ResultRow::of_ranks(&records)?;
        let report = job_report(parts, JobContext::default())?;
        Some(SweepResult {
            row,
            validity: Some(report.verdict.validity),
            corrupt: records.iter().any(|record| record.is_corrupt()),
            reasons: match report.verdict.validity {
                Validity::Valid => Vec::new(),
                Validity::NotChecked | Validity::Caution | Validity::Invalid => {
                    report.verdict.reasons
                }
            },
            ranks: Some(SweepRanks {
                job: report.job,
                hosts: report.hosts,
            }),
        })
    }
}

/// The ranks of a cell's last run with a result.
pub(super) fn of_cell(cell: &SweepCell) -> Option<&SweepRanks> {
    let results = cell
        .runs
        .iter()
        .rev()
        .filter_map(|run| run.result.as_ref().ok());
    results.filter_map(|result| result.ranks.as_ref()).next()
}

/// The job of a sweep; `None` of a sweep alone.
pub(super) fn job(cells: &[SweepCell]) -> Option<JobDigest> {
    cells
        .iter()
        .find_map(of_cell)
        .map(|ranks| ranks.job.clone())
}

/// Each rank over all cells, in order.
pub(super) fn hosts(cells: &[SweepCell]) -> Vec<SweepHost> {
    let mut hosts: Vec<SweepHost> = Vec::new();
    let mut shares: Vec<Vec<f64>> = Vec::new();
    for cell in cells {
        for row in of_cell(cell).map_or(&[][..], |ranks| &ranks.hosts) {
            let place = hosts.iter().position(|one| one.rank == row.rank);
            let place = place.unwrap_or_else(|| {
                hosts.push(SweepHost {
                    rank: row.rank,
                    host: row.host.clone(),
                    ..SweepHost::default()
                });
                shares.push(Vec::new());
                hosts.len() - 1
            });
            let (host, shares) = (&mut hosts[place], &mut shares[place]);
            host.cells += 1;
            host.differs_in = row.differs_in.clone();
            if let Some(share) = row.of_median() {
                shares.push(share);
                if host.lowest.is_none_or(|lowest| share < lowest) {
                    (host.lowest, host.lowest_cell) = (Some(share), Some(cell.number));
                }
            }
        }
    }
    for (host, shares) in hosts.iter_mut().zip(shares) {
        host.of_median = median(shares);
    }
    hosts.sort_by_key(|host| host.rank);
    hosts
}
