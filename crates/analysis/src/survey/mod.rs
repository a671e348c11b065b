//! The report of a survey: one row a workload, and whether the whole may be believed.
//!
//! The types stand here, what fills them in `build`, a row in `row`, whether it may be used in `judge`, the answer in
//! `answer`, the first line in `headline`, the end of a ladder in `ladder`, which runs are of
//! one load in `visits` and what they come to in `joined`, which load is the peak in `peak`, from where more I/Os in flight
//! bring little in `knee`, what limits a workload in `limit`, the cache check and the raw device in `beside`, stalls of all points in `stalls`. A survey
//! is judged by the cells that its table shows: the best of each workload and the one at depth 1. Deliberately absent:
//! what to run next, which is `sweep`'s.

mod answer;
mod beside;
mod build;
mod headline;
mod joined;
mod judge;
mod knee;
mod ladder;
mod limit;
mod peak;
mod row;
mod stalls;
#[cfg(test)]
mod tests;
mod visits;

pub use answer::{SurveyAnswer, SurveyAnswerSide};
pub use beside::{CacheLook, raw_label};
pub use build::{survey_report, survey_report_knowing};
pub use knee::{KNEE_SHARE, Reached, SurveyKnee};
pub(crate) use peak::UNKNOWN_WIDTH;
pub use peak::{RunLoad, surely};

use crate::device_check::DeviceCheck;
use crate::estimate::Estimate;
use crate::facts::{EngineDigest, HostDigest, TargetDigest};
use crate::findings::{Confidence, Finding};
use crate::goal_check::GoalReport;
use crate::latency::Latency;
use crate::models::KneeModels;
use crate::rows::ErrorRow;
use crate::run::OutcomeReport;
use crate::verdict::{Validity, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Facts of a survey other than its records. From the database only a part is known; the rest is `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SurveyContext {
    /// Labels in the order of display; labels of cells that are not among them follow.
    pub workloads: Vec<String>,
    /// Time and space.
    #[serde(flatten)]
    pub scope: SurveyScope,
    /// Cells that were still wanted when the survey ended.
    pub cells_left: Option<u64>,
    /// Deepest rung of the ladder, over all threads.
    pub queue_depth_max: Option<u64>,
    /// Workloads whose knee and peak were found.
    pub settled: Vec<String>,
    /// What was not run of the whole grid.
    pub left_out: Vec<LoadsLeft>,
    /// The latency that was to be kept, in nanoseconds, and by which share of the I/Os.
    pub goal: Option<(u64, f64)>,
    /// Half of the interval of a rate, as a share of it, that was asked for.
    pub precision: Option<f64>,
    /// Stopped from outside.
    pub interrupted: bool,
    /// Why the survey ended early, in a sentence, where it did by a failure outside of a cell's own record.
    pub failure: Option<String>,
}

/// Time and space of a survey, as far as they are known without its cells.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SurveyScope {
    /// Time that was given, without making the file.
    pub budget_ns: Option<u64>,
    /// Time that was used, without making the file.
    pub elapsed_ns: Option<u64>,
    /// Workloads that write were omitted on request.
    pub read_only: Option<bool>,
    /// Size of the range that was measured.
    pub size_bytes: Option<u64>,
    /// Why this size: `half of free space`.
    pub size_reason: Option<String>,
    /// What was filled before, where something was.
    pub filled: Option<Filled>,
}

/// Loads of one workload that were not run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LoadsLeft {
    /// Its name.
    pub workload: String,
    /// How many loads of the whole grid.
    pub loads: u64,
    /// Why, in one sentence.
    pub why: String,
}

/// The highest arrival rate within a latency limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GoalAnswer {
    /// The latency limit, in nanoseconds, from the scheduled start of an I/O.
    pub latency_ns: u64,
    /// The share of the I/Os that were to keep it. // in (0, 1)
    pub quantile: f64,
    /// IOPS within that limit, with the bracket of the rates that were tried: no upper end if every rate was within it,
    /// 0 if no rate was; none if nothing was tried.
    pub iops_estimate: Option<Estimate>,
}

/// The filling of the file before the survey.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Filled {
    /// How much was written.
    pub bytes: u64,
    /// How long it took, in nanoseconds.
    pub elapsed_ns: u64,
}

/// Result of a survey, and its reliability.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "fathom survey report")]
pub struct SurveyReport {
    /// Whether the result may be used, with the reasons.
    pub verdict: Verdict,
    /// The result, in one sentence; none if no row may be used.
    pub answer: Option<String>,
    /// The same as figures: small random I/O first, then large sequential I/O.
    #[serde(default)]
    pub answers: Vec<SurveyAnswer>,
    /// The target; none without any cell.
    pub target: Option<TargetDigest>,
    /// One row per workload, in the order of display.
    pub rows: Vec<SurveyRow>,
    /// What is to be known of its figures.
    #[serde(flatten)]
    pub remarks: SurveyRemarks,
    /// The block layer's counts compared with the tool's, summed over all cells.
    pub device_check: DeviceCheck,
    /// What of the grid was run.
    #[serde(flatten)]
    pub coverage: SurveyCoverage,
    /// Requested extra checks, one sentence each: whether caches keep their promises, cost of the file system.
    #[serde(default)]
    pub beside: Vec<String>,
    /// Every cell, in the order in which they ran.
    pub cells: Vec<CellReport>,
    /// The loads that were run more than once, all runs of each together: rows and curves are of these, not of their runs.
    #[serde(default)]
    pub joined: Vec<CellReport>,
    /// When, where and by what it was measured.
    #[serde(flatten)]
    pub origin: SurveyOrigin,
}

/// Notes, findings and goals of a survey.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SurveyRemarks {
    /// Notes on the use of the figures.
    pub notes: Vec<String>,
    /// Workloads that did not reach the requested precision, in one sentence; none if all did.
    #[serde(default)]
    pub loose: Option<String>,
    /// Findings of all its runs together, by severity.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// Goals of its workloads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<GoalReport>,
}

/// What of the grid of a survey was run, and in which time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SurveyCoverage {
    /// Time given and used, and the size of the range.
    pub budget: SurveyBudget,
    /// Points of the whole grid that were not run, and why.
    pub left_out: Vec<LoadsLeft>,
    /// How many cells were run.
    pub cell_counts: SurveyCells,
}

/// When, where and by what a survey was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SurveyOrigin {
    /// Wall clock at the start of the first cell: nanoseconds since 1970 in UTC; none without any cell.
    pub started_utc_ns: Option<u64>,
    /// The machine; none without any cell.
    pub host: Option<HostDigest>,
    /// The I/O engine of the first cell; none without any cell.
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
    pub validity: Validity,
    /// Why it is not valid; empty for a valid row.
    pub reasons: Vec<String>,
    /// The cell that surely reaches the most (its rate less one standard error is the highest) among those that did not
    /// fail, or of those like it (within 3% and within their intervals) the one in the middle; none where there is none.
    pub best: Option<CellReport>,
    /// Median latency at depth 1 in nanoseconds; none where it was not measured.
    pub qd1_latency_p50_ns: Option<u64>,
    /// Exact mean latency at depth 1 in nanoseconds; none where it was not measured.
    pub qd1_latency_mean_ns: Option<f64>,
    /// Smallest depth that reaches 95% of the best rate: deeper mostly costs latency.
    pub knee_depth: Option<u64>,
    /// Where more depth stops to pay, by Kneedle and by the scalability law; none without cells.
    pub knee: Option<KneeModels>,
    /// Highest arrival rate within the requested latency; none if none was requested.
    pub goal: Option<GoalAnswer>,
    /// Limit at its best rate; none without a result.
    #[serde(default)]
    pub limit: Option<Limit>,
    /// How the ladder of depths ended.
    pub ladder: Ladder,
}

/// Limit of a workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Limit {
    /// In one word.
    pub kind: LimitKind,
    /// In a sentence with its numbers.
    pub sentence: String,
    /// How far the evidence carries it.
    pub confidence: Confidence,
}

/// Limit of a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LimitKind {
    /// A cache above the device answered.
    Cache,
    /// fathom or a processor.
    Tool,
    /// A rate limit that is configured or was observed.
    Cap,
    /// None yet: the rate may rise beyond the deepest load that was run.
    Depth,
    /// The same bytes per second at every size.
    Bandwidth,
    /// The same IOPS at every size.
    Rate,
    /// More in flight is slower.
    Cliff,
    /// The device's own time for an I/O.
    Service,
}

impl LimitKind {
    /// Names the limit in at most 15 letters, as the tables do.
    pub const fn word(self) -> &'static str {
        match self {
            LimitKind::Cache => "page cache",
            LimitKind::Tool => "CPU",
            LimitKind::Cap => "QoS limit",
            LimitKind::Depth => "queue depth",
            LimitKind::Bandwidth => "bandwidth",
            LimitKind::Rate => "IOPS ceiling",
            LimitKind::Cliff => "throughput drop",
            LimitKind::Service => "device latency",
        }
    }
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
    /// Knee and peak were found: more depth brought nothing.
    GainEnded,
    /// The deepest rung was reached, or no load was run beyond the one that reaches the best rate.
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
    /// Its load.
    #[serde(flatten)]
    pub load: CellLoad,
    /// How far it may be used.
    pub validity: Validity,
    /// How it ended.
    pub outcome: OutcomeReport,
    /// Runs of this load that are taken together here; 1 of a single run.
    #[serde(default = "one")]
    pub runs: u64,
    /// Runs of these whose latencies are in `latency`: fewer if a record contains none.
    #[serde(default = "one")]
    pub latency_runs: u64,
    /// What it completed in the measured time.
    #[serde(flatten)]
    pub throughput: CellThroughput,
    /// How long each took, reads and writes together; of several runs those of all I/Os.
    pub latency: Latency,
    /// The same from the moment at which each was to start; only in an open loop.
    pub response: Option<Latency>,
    /// I/Os in flight on average, by Little's law; none when nothing was measured.
    pub in_flight_mean: Option<f64>,
    /// Failures, by errno; not part of the I/Os.
    pub errors: Vec<ErrorRow>,
    /// Findings of the rules in it, by severity.
    pub findings: Vec<Finding>,
}

/// I/Os and bytes of a cell, reads and writes together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CellThroughput {
    /// Time that was measured, in nanoseconds; all rates are over this time.
    pub measured_ns: u64,
    /// I/Os completed without error.
    pub ios: u64,
    /// Bytes that they transferred.
    pub bytes: u64,
    /// IOPS, reads and writes together.
    pub iops: f64,
    /// The same with its 95% interval.
    pub iops_estimate: Estimate,
    /// Bytes a second, reads and writes together.
    pub bytes_per_s: f64,
}

/// The load of a cell, as requested.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CellLoad {
    /// Its workload.
    pub workload: String,
    /// I/Os in flight over all threads, as requested: threads by the queue depth of each.
    #[serde(rename = "total_queue_depth")]
    pub queue_depth: u64,
    /// Threads that shared them.
    pub threads: u64,
    /// Writes among its I/Os, in percent, as requested.
    #[serde(default)]
    pub write_percent: u8,
    /// IOPS that were to start, in an open loop; none in a closed one.
    pub target_iops: Option<u64>,
}

/// Of a document of before there was the field.
const fn one() -> u64 {
    1
}

/// Time and space of a survey.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SurveyBudget {
    /// Budget, in nanoseconds, without creating the file.
    pub budget_ns: Option<u64>,
    /// Time that was used, in nanoseconds, without creating the file.
    pub elapsed_ns: Option<u64>,
    /// Sum of the measured times, in nanoseconds.
    pub measured_ns: u64,
    /// Size of the range that was measured, in bytes.
    pub size_bytes: Option<u64>,
    /// Why this size.
    pub size_reason: Option<String>,
    /// Whether workloads that write were omitted on request.
    pub read_only: Option<bool>,
    /// Files that were filled before.
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
    /// Points that were missing when the survey ended; none if unknown.
    pub left: Option<u64>,
}
