//! The report of a survey: one row a workload, and whether the whole may be believed.
//!
//! The types stand here, what fills them in `build`, the answer in `answer`, the first line in `headline`, the end
//! of a ladder in `ladder`. A survey is judged by
//! the cells that its table shows: the best of each workload and the one at depth 1. Deliberately absent:
//! what to run next, which is `sweep`'s.

mod answer;
mod build;
mod headline;
mod ladder;
#[cfg(test)]
mod tests;

pub use build::survey_report;

use crate::device_check::DeviceCheck;
use crate::facts::{EngineDigest, HostDigest, TargetDigest};
use crate::findings::Finding;
use crate::latency::Latency;
use crate::rows::ErrorRow;
use crate::run::OutcomeReport;
use crate::verdict::{Rank, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is known of a survey beside its records. From the shelf only a part is known; the rest is `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SurveyContext {
    /// Labels in the order of display; labels of cells that are not among them follow.
    pub workloads: Vec<String>,
    /// Time that was given, without making the file.
    pub budget_ns: Option<u64>,
    /// Time that was used, without making the file.
    pub elapsed_ns: Option<u64>,
    /// Workloads that write were left out on request.
    pub read_only: Option<bool>,
    /// Size of the range that was measured.
    pub size_bytes: Option<u64>,
    /// Why this size: `half of free space`.
    pub size_reason: Option<String>,
    /// What was filled before, where something was.
    pub filled: Option<Filled>,
    /// Cells that were still wanted when the survey ended.
    pub cells_left: Option<u64>,
    /// Deepest rung of the ladder, over all threads.
    pub queue_depth_max: Option<u64>,
    /// Stopped from outside.
    pub interrupted: bool,
    /// Why the survey ended early, in a sentence, where it did by a failure outside of a cell's own record.
    pub failure: Option<String>,
}

/// The filling of the file before the survey.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Filled {
    /// How much was written.
    pub bytes: u64,
    /// How long it took, in nanoseconds.
    pub elapsed_ns: u64,
}

/// What a survey says, and how far it may be trusted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "fathom survey report")]
pub struct SurveyReport {
    /// May the result be used, and why or why not.
    pub verdict: Verdict,
    /// What was found, in one sentence; none where no row may be used.
    pub answer: Option<String>,
    /// Version of this form of document; 1.
    pub report_version: u32,
    /// What was measured; none without any cell.
    pub target: Option<TargetDigest>,
    /// One row a workload, in the order of display.
    pub rows: Vec<SurveyRow>,
    /// What a person should know before using the numbers.
    pub notes: Vec<String>,
    /// The block layer's counts beside the tool's, summed over all cells.
    pub device_check: DeviceCheck,
    /// Time given and used, and the size of the range.
    pub budget: SurveyBudget,
    /// How many cells were run.
    pub cell_counts: SurveyCells,
    /// Every cell, in the order in which they ran.
    pub cells: Vec<CellReport>,
    /// Wall clock at the start of the first cell: nanoseconds since 1970 in UTC; none without any cell.
    pub started_utc_ns: Option<u64>,
    /// The machine; none without any cell.
    pub host: Option<HostDigest>,
    /// How the bytes were moved, as the first cell tells; none without any cell.
    pub engine: Option<EngineDigest>,
    /// Version of fathom that ran it; none without any cell.
    pub tool_version: Option<String>,
    /// The command line as it was given, program name first.
    pub command: Vec<String>,
}

/// One workload: its best cell, its cell at depth 1, and its ladder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SurveyRow {
    /// Its name.
    pub workload: String,
    /// How far the row may be used: the worse of its best cell and its cell at depth 1.
    pub rank: Rank,
    /// Why it is not valid; empty for a valid row.
    pub reasons: Vec<String>,
    /// The cell with the highest rate among those that did not fail; none where there is none.
    pub best: Option<CellReport>,
    /// Median latency at depth 1 in nanoseconds; none where it was not measured.
    pub depth_1_p50_ns: Option<u64>,
    /// Exact mean latency at depth 1 in nanoseconds; none where it was not measured.
    pub depth_1_mean_ns: Option<f64>,
    /// Smallest depth that reaches 95 % of the best rate: deeper mostly costs latency.
    pub knee_depth: Option<u64>,
    /// How the ladder of depths ended.
    pub ladder: Ladder,
}

/// The depths that were tried and why no deeper one was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ladder {
    /// I/Os outstanding over all threads, in the order of the runs.
    pub depths: Vec<u64>,
    /// Why it ended, in one word.
    pub end: LadderEnd,
    /// The same in a sentence.
    pub reason: String,
}

/// Why a ladder ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LadderEnd {
    /// Two doublings brought nothing.
    GainEnded,
    /// The deepest rung was reached.
    MaxDepth,
    /// The time was used up.
    Budget,
    /// A cell failed.
    Failed,
    /// The survey was stopped from outside.
    Interrupted,
    /// Not a single cell was run.
    NotRun,
}

/// One cell: a workload at one depth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CellReport {
    /// Its workload.
    pub workload: String,
    /// I/Os outstanding over all threads, as asked.
    pub queue_depth: u64,
    /// How far it may be used.
    pub rank: Rank,
    /// How it ended.
    pub outcome: OutcomeReport,
    /// Time that was measured, in nanoseconds; all rates are over this time.
    pub measured_ns: u64,
    /// I/Os completed without error.
    pub ios: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// I/Os a second, reads and writes together.
    pub rate_per_s: f64,
    /// Bytes a second, reads and writes together.
    pub bytes_per_s: f64,
    /// How long each took, reads and writes together.
    pub latency: Latency,
    /// I/Os in flight on average, by Little's law; none when nothing was measured.
    pub in_flight_mean: Option<f64>,
    /// Failures, by errno; not part of the I/Os.
    pub errors: Vec<ErrorRow>,
    /// What the rules found in it, the most important first.
    pub findings: Vec<Finding>,
}

/// Time and space of a survey.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SurveyBudget {
    /// Time that was given, in nanoseconds, without making the file.
    pub budget_ns: Option<u64>,
    /// Time that was used, in nanoseconds, without making the file.
    pub elapsed_ns: Option<u64>,
    /// Time in measured phases, in nanoseconds: what the numbers rest on.
    pub measured_ns: u64,
    /// Size of the range that was measured, in bytes.
    pub size_bytes: Option<u64>,
    /// Why this size.
    pub size_reason: Option<String>,
    /// Whether workloads that write were left out on request.
    pub read_only: Option<bool>,
    /// What was filled before.
    pub filled: Option<Filled>,
}

/// How many cells were run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SurveyCells {
    /// Run to their end.
    pub done: u64,
    /// Stopped from outside.
    pub interrupted: u64,
    /// Ended by a failed I/O.
    pub failed: u64,
    /// Still wanted when the survey ended; none where that is not known.
    pub left: Option<u64>,
}
