//! The report of a sweep: one row a cell, and which cells are best.
//!
//! A cell that ran several times has one row: the mean of its rates, and the latencies of the run whose rate stands in
//! the middle. Latencies of several runs are not averaged: an average of percentiles is no percentile of anything.
//! Deliberately absent: what to run next and how often, which is `sweep`'s.

mod best;
mod build;
mod forecast;
mod headline;
mod points;
mod ranks;
#[cfg(test)]
mod tests;

pub use build::{sweep_report, sweep_report_knowing};
pub use forecast::{AxisForecast, ForecastTime, SweepForecast, TargetForecast};
pub use ranks::{SweepHost, SweepRanks};

use crate::facts::HostDigest;
use crate::findings::Finding;
use crate::goal_check::GoalReport;
use crate::job::{JobDigest, RankRow};
use crate::known::Known;
use crate::models::SeriesModels;
use crate::rows::per_second;
use crate::run::Reading;
use crate::verdict::Answer;
use crate::verdict::{Validity, Verdict};
use model::{Nanos, ResultRow, RunRecord};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Facts of a sweep other than its cells. From the database only a part is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SweepContext {
    /// The fields that distinguish cells, outermost first.
    pub axes: Vec<String>,
    /// Cells of the whole matrix; none where only what was kept is known.
    pub cells_planned: Option<u64>,
    /// How cells followed each other, in a word.
    pub order: Option<String>,
    /// Pause between cells.
    pub rest_ns: Option<u64>,
    /// Time that was used in this call, with the making of files.
    pub elapsed_ns: Option<u64>,
    /// Stopped from outside.
    pub interrupted: bool,
    /// Why it ended early, in a sentence, where it did by a failure outside of a cell.
    pub failure: Option<String>,
    /// The target, as it was specified.
    pub target: String,
    /// The machine.
    pub host: Option<HostDigest>,
    /// Wall clock at its start: nanoseconds since 1970 in UTC.
    pub started_utc_ns: Option<u64>,
    /// Version of fathom that ran it.
    pub tool_version: String,
    /// The command line as it was given, program name first.
    pub command: Vec<String>,
}

/// A cell with its result.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepCell {
    /// Its place in the matrix. // from 1
    pub number: u64,
    /// Its group, where there are several.
    pub group: Option<String>,
    /// Field and value, of the fields that distinguish cells.
    pub values: Vec<(String, String)>,
    /// In the order in which they ran; empty for a cell that is still to come.
    pub runs: Vec<SweepRun>,
}

/// One run of a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepRun {
    /// Its number in the database: the 3 of `12.3`.
    pub stored: Option<u32>,
    /// Its result, or why nothing did.
    pub result: Result<SweepResult, String>,
}

/// Result of a cell's run.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepResult {
    /// Its figures.
    pub row: ResultRow,
    /// How far it may be used; `None` where only its row was read.
    pub validity: Option<Validity>,
    /// Why it is not valid.
    pub reasons: Vec<String>,
    /// What it read is not what was written.
    pub corrupt: bool,
    /// The ranks that measured it together; none of a run alone, and where only its row was read.
    pub ranks: Option<SweepRanks>,
}

impl SweepCell {
    /// Whether what one of its runs read is not what was written.
    pub fn is_corrupt(&self) -> bool {
        let mut results = self.runs.iter().filter_map(|run| run.result.as_ref().ok());
        results.any(|result| result.corrupt)
    }
}

impl SweepResult {
    /// From the whole record, judged with the user's hints on the target.
    pub fn of(record: &RunRecord, known: &Known) -> SweepResult {
        let read = Reading::of(record, known);
        let verdict = read.report.verdict;
        SweepResult {
            row: read.row,
            validity: Some(verdict.validity),
            corrupt: record.is_corrupt(),
            ranks: None,
            reasons: match verdict.validity {
                Validity::Valid => Vec::new(),
                Validity::NotChecked | Validity::Caution | Validity::Invalid => verdict.reasons,
            },
        }
    }

    /// IOPS of measured time.
    pub fn iops(&self) -> Option<f64> {
        let measured = self.row.measured.filter(|time| *time > Nanos(0))?;
        Some(per_second(self.row.total.ios? as f64, measured))
    }

    /// Bytes a second of measured time.
    pub fn bytes_per_s(&self) -> Option<f64> {
        let measured = self.row.measured.filter(|time| *time > Nanos(0))?;
        Some(per_second(self.row.total.bytes?.0 as f64, measured))
    }
}

/// Result of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "fathom sweep report")]
pub struct SweepReport {
    /// Whether the result may be used, with the reasons: of all cells together.
    pub verdict: Verdict,
    /// Goals of its runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<GoalReport>,
    /// The best cells in words; none where no cell may be used.
    pub answers: Vec<Answer>,
    /// What was varied, and on what.
    #[serde(flatten)]
    pub matrix: SweepMatrix,
    /// One row per cell, in the order of the matrix.
    pub rows: Vec<SweepRow>,
    /// The best cells, one for each kind of best.
    pub best: Vec<BestCell>,
    /// The ranks of a sweep on many hosts.
    #[serde(flatten)]
    pub ranks: SweepRanksReport,
    /// Models of all cells: ceilings, service time, knees; one set for each workload.
    pub models: Vec<SeriesModels>,
    /// Notes on the use of the figures.
    pub notes: Vec<String>,
    /// Findings of all its runs together, by severity.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// How it went.
    #[serde(flatten)]
    pub course: SweepCourse,
    /// When, where and by what it was measured.
    #[serde(flatten)]
    pub origin: SweepOrigin,
}

/// Target, axes and cells of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SweepMatrix {
    /// The target, as it was specified.
    pub target: String,
    /// The fields that distinguish cells, outermost first.
    pub axes: Vec<String>,
    /// How many cells there are of each kind.
    pub cell_counts: SweepCounts,
}

/// The job and its ranks, of a sweep on many hosts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SweepRanksReport {
    /// The job, of a sweep on many hosts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobDigest>,
    /// Each rank of the job, over all cells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<SweepHost>,
}

/// Order, pauses and time of a sweep; none if they are no longer known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SweepCourse {
    /// `given`, `shuffled` or `interleaved`; none if it is no longer known.
    pub order: Option<String>,
    /// Pause between cells in nanoseconds; none if it is no longer known.
    pub rest_ns: Option<u64>,
    /// Time that the last call used, with the creation of files, in nanoseconds; none if it is no longer known.
    pub elapsed_ns: Option<u64>,
}

/// When, where and by what a sweep was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SweepOrigin {
    /// Wall clock at its start: nanoseconds since 1970 in UTC.
    pub started_utc_ns: Option<u64>,
    /// The machine; none if unknown.
    pub host: Option<HostDigest>,
    /// Version of fathom that ran it.
    pub tool_version: String,
    /// The command line as it was given, program name first.
    pub command: Vec<String>,
}

/// How many cells there are of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SweepCounts {
    /// Cells of the matrix.
    pub planned: u64,
    /// With a result.
    pub done: u64,
    /// Tried without a result.
    pub missing: u64,
    /// Not tried yet.
    pub left: u64,
    /// Runs of all cells, those without a result included.
    pub runs: u64,
}

/// One cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SweepRow {
    /// Its place in the matrix, from 1.
    pub cell: u64,
    /// Its group; none where there is only one.
    pub group: Option<String>,
    /// Its values of the fields that distinguish cells.
    pub values: Vec<FieldValue>,
    /// How often it has run; 0 for a cell that is still to come.
    pub runs: u64,
    /// Numbers of its runs in the database: the 3 of `12.3`.
    #[serde(rename = "numbers")]
    pub stored: Vec<u32>,
    /// Its figures; none without a result.
    pub figures: Option<CellFigures>,
    /// Why it has no result, where it was tried and has none.
    pub missing: Option<String>,
    /// The figure in which it is best of all.
    pub best_in: Vec<BestIn>,
    /// Each rank in its last run, of a sweep on many hosts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranks: Vec<RankRow>,
}

/// A field and its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FieldValue {
    /// As options name it.
    pub field: String,
    /// As options.
    pub value: String,
}

/// The result of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CellFigures {
    /// IOPS of measured time; over several runs their mean.
    pub iops: f64,
    /// Half the width of the 95% interval of that mean, as a share of it; none for a single run.
    pub iops_half_width_share: Option<f64>,
    /// Bytes a second of measured time; over several runs their mean.
    pub bytes_per_s: f64,
    /// Mean latency in nanoseconds of the run with the median rate; none without I/Os.
    pub latency_mean_ns: Option<u64>,
    /// Its median in nanoseconds; none if it has too few I/Os, as below.
    pub latency_p50_ns: Option<u64>,
    /// Its 99th percentile in nanoseconds.
    pub latency_p99_ns: Option<u64>,
    /// Its 99.9th percentile in nanoseconds.
    pub latency_p999_ns: Option<u64>,
    /// Its largest in nanoseconds.
    pub latency_max_ns: Option<u64>,
    /// Failed I/Os of all runs.
    pub errors: u64,
    /// How far the cell may be used: as its worst run; none where only a part of its record was read.
    pub validity: Option<Validity>,
    /// Why it is not valid.
    pub reasons: Vec<String>,
}

/// In what a cell may be best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BestIn {
    /// Most IOPS.
    Rate,
    /// Most bytes per second.
    Flow,
    /// Smallest 99th percentile.
    Latency,
}

/// A cell that is best of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BestCell {
    /// In what.
    pub in_what: BestIn,
    /// Its place in the matrix, from 1.
    pub cell: u64,
}
