//! The page that people open: one document, with everything that was requested.
//!
//! A page shows one *part* an ID that was named: a run, a survey, a sweep, an import. A part has cells, one a result on the
//! database, and a cell has its fields (those of `columns`, so that the page and `fathom export` are equal) and, where
//! its whole record was read, its detail: the time series, the latency distribution, the request. Read in this order: here
//! (the content of the document), `build` (how it is put together), `detail` (one record), `loads`, `curves`,
//! `ceiling`, `panel`, `tiles`, `table` and `messages` (what follows from the cells of a part), `diet` (how it stays
//! small enough for a mail). Deliberately absent: layout, digits and colours, which are the page's own.

mod build;
mod comparisons;
mod curves;
mod detail;
mod diet;
mod loads;
mod messages;
mod panel;
mod reports;
mod roof;
mod series;
mod table;
#[cfg(test)]
mod tests;
mod tiles;

pub use build::PageBuilder;
pub(crate) use curves::workload_in_words;
pub use detail::{
    CellDetail, CounterLine, CounterTrack, Counters, DetailTimes, DistributionCurve, HeatMap,
    SteadyWindow, TimeMark, TimePause,
};

use crate::columns::Unit;
use crate::compare::{ChangeReport, Difference, Outcome};
use crate::estimate::{Estimate, NotKnown};
use crate::facts::{EngineDigest, HostDigest, TargetDigest};
use crate::findings::{Confidence, Evidence, Group, RuleId, Severity};
use crate::goal_check::GoalReport;
use crate::latency::Latency;
use crate::verdict::Validity;
use schemars::JsonSchema;
use serde::Serialize;

/// All that a page shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "fathom page")]
pub struct PageDocument {
    /// What it is, and when and by what it was written.
    #[serde(flatten)]
    pub stamp: PageStamp,
    /// The specified results, in that order. // at least one
    pub parts: Vec<PagePart>,
    /// The fields of cells, in the order of their values.
    pub columns: Vec<PageColumn>,
    /// Names of those fields of the request in which cells differ, outermost first.
    pub axes: Vec<String>,
    /// Every result, part by part.
    pub cells: Vec<PageCell>,
    /// The loads that a survey ran more than once: in charts each is one point, with the figures of all its runs.
    pub loads: Vec<PageLoad>,
    /// Findings of the rules, the most severe first; one entry per rule, part and severity.
    pub findings: Vec<PageFinding>,
    /// Rate and latency over a growing number of I/Os outstanding.
    pub curves: Vec<PageCurve>,
    /// Ceilings of the rate at each block size.
    pub roofs: Vec<PageRoof>,
    /// The first part against each of the others; empty where there is one part.
    pub comparisons: Vec<PageComparison>,
    /// Parts that the page omits, in sentences; empty if it is complete.
    pub left_out: Vec<String>,
}

/// Form, title and origin of a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct PageStamp {
    /// Version of this form of document; 2.
    pub schema_version: u32,
    /// Title of the page.
    pub title: String,
    /// Wall clock at its creation: nanoseconds since 1970 in UTC.
    pub made_utc_ns: u64,
    /// Version of fathom that wrote it.
    pub tool_version: String,
}

/// One ID that was named.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct PagePart {
    /// As it was named: `12`, `12.3`.
    pub name: String,
    /// `run`, `survey`, `sweep` or `import`.
    pub kind: String,
    /// Files and devices.
    pub target: String,
    /// Whether it may be used, and its findings.
    pub verdict: PageVerdict,
    /// The most important figures.
    pub panel: Vec<PanelItem>,
    /// What was to be reached.
    pub goals: Vec<GoalReport>,
    /// The figures of each workload, operation or result; none where there are too many results for a first screen.
    pub table: Option<PageTable>,
    /// When and by what it was measured.
    #[serde(flatten)]
    pub origin: PartOrigin,
    /// Notes on the use of the figures.
    pub notes: Vec<String>,
    /// Models of all cells, in sentences: ceilings, service time, knees.
    pub models: Vec<String>,
    /// How many cells there are of each kind.
    pub counts: PageCounts,
    /// What it was measured on.
    #[serde(flatten)]
    pub machine: PartMachine,
}

/// When and by what a part was measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct PartOrigin {
    /// Wall clock at its start: nanoseconds since 1970 in UTC; none if unknown.
    pub started_utc_ns: Option<u64>,
    /// `complete`, `interrupted`, `failed`, or `unfinished`: still running, or killed.
    pub outcome: String,
    /// The command line as it was given, program name first.
    pub command: Vec<String>,
    /// Version of the tool that measured it.
    pub tool_version: String,
    /// Tags that a user gave it.
    pub tags: Vec<String>,
}

/// Machine, targets and I/O engine of a part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct PartMachine {
    /// The machine; none if unknown.
    pub host: Option<HostDigest>,
    /// The target, as far as it is known.
    pub targets: Vec<TargetDigest>,
    /// I/O engine and clock, from the first cell; none if unknown.
    pub engine: Option<EngineDigest>,
    /// The device's counters compared with the tool's, in sentences; each once.
    pub device_checks: Vec<String>,
}

/// How far a part may be used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PageVerdict {
    /// In one word; none if unknown, as for imported results.
    pub validity: Option<Validity>,
    /// The same in a line.
    pub headline: String,
    /// The cause with the largest effect, without the verdict.
    pub cause: String,
    /// What to do about it; none where nothing is to be done.
    pub advice: Option<String>,
    /// Of a device that exists in a model only.
    pub simulated: bool,
    /// The result, its limit, its certainty. // at most three
    pub sentences: Vec<String>,
}

/// How many cells there are of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PageCounts {
    /// Points that were requested; none if unknown.
    pub planned: Option<u64>,
    /// With a result.
    pub done: u64,
    /// Tried without a result, or ended by a failed I/O.
    pub failed: u64,
    /// Stopped from outside.
    pub interrupted: u64,
    /// Results that may be used as they are.
    pub valid: u64,
    /// Results that may be used with care.
    pub caution: u64,
    /// Results that may not be used.
    pub invalid: u64,
    /// Results beyond the first of the same request.
    pub repeated: u64,
}

/// The figures that answer, one row a workload, an operation, an I/O path or a result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct PageTable {
    /// What a row is.
    pub rows_are: String,
    /// The heads of the figures.
    pub heads: Vec<PageHead>,
    /// The rows, in the order of display.
    pub rows: Vec<PageRow>,
    /// Legend of headings and marks.
    pub note: String,
    /// What the line of each row shows; empty where no row has one.
    pub trend: String,
}

/// The head of a column of the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PageHead {
    /// What it is.
    pub label: String,
    /// Unit of its values.
    pub unit: Unit,
}

/// One row of the table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct PageRow {
    /// The workload, operation or I/O path; empty where the fields of the cell name it.
    pub name: String,
    /// The cell that it is from, by its place among the cells of the page; none where it is from several.
    pub cell: Option<usize>,
    /// One a head; empty where there is no figure.
    pub figures: Vec<PageFigure>,
    /// Values of the row's line, from left to right; empty where there is one.
    pub trend: Vec<f64>,
    /// Why there is no figure.
    pub gap: Option<String>,
}

/// One figure of the table.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PageFigure {
    /// In the unit of its head.
    pub value: PageValue,
    /// `*` doubtful, `!` invalid, `~` fewer than ten tail samples, or no interval known; empty otherwise.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub mark: &'static str,
    /// The reason of a `~`, for the note below the table.
    #[serde(skip)]
    pub(super) doubt: Option<NotKnown>,
}

/// One figure of the panel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct PanelItem {
    /// A name for programs: `peak_rate`, `knee`; of a survey `answer WORKLOAD`.
    pub id: String,
    /// What it is, in a few words.
    pub label: String,
    /// Unit of the estimate.
    pub unit: Unit,
    /// The figure; none if unknown or given in words.
    pub estimate: Option<Estimate>,
    /// A value in words.
    pub text: Option<String>,
    /// The cell that it is from, by its place among the cells of the page.
    pub cell: Option<usize>,
    /// Its subject; or why it is unknown.
    pub note: String,
}

/// A field of cells.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PageColumn {
    /// Its name, as CSV has it: `latency_p99_ns`.
    pub name: &'static str,
    /// The same without its unit: `latency_p99`.
    pub short: &'static str,
    /// Kind of its values.
    pub unit: Unit,
    /// Its meaning in one line.
    pub about: &'static str,
    /// Set where all cells have the same value; cells then leave it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alike: Option<PageValue>,
}

/// A value of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum PageValue {
    /// Not known.
    Nothing,
    /// A whole number in the field's unit.
    Whole(u64),
    /// A number in the field's unit.
    Real(f64),
    /// Yes or no.
    Truth(bool),
    /// Words, a name, or a moment in ISO 8601.
    Text(String),
}

/// One result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct PageCell {
    /// Which part it belongs to, by its place.
    pub part: usize,
    /// Its name in the database: `12.3`.
    pub id: String,
    /// What it was for.
    pub label: String,
    /// Whether it may be used; none if unknown.
    pub validity: Option<Validity>,
    /// Why it is not valid, or why it has no result.
    pub reasons: Vec<String>,
    /// Set where it has no figures that may be shown: tried without a result, or ended by a failed I/O.
    pub failed: bool,
    /// The values of those fields that are not equal in all cells, in the order of the columns.
    pub values: Vec<PageValue>,
    /// IOPS with their interval; none without a result.
    pub iops_estimate: Option<Estimate>,
    /// Median latency in nanoseconds with its interval; none where there are too few I/Os.
    pub latency_p50_estimate: Option<Estimate>,
    /// Bytes a second with their interval; none without a result.
    pub bytes_per_s_estimate: Option<Estimate>,
    /// The command that repeats this cell alone; none if unknown.
    pub command: Option<String>,
    /// The inside of it; none of imported results and where the page would have become too large.
    pub detail: Option<Box<CellDetail>>,
}

/// One load of a survey that was run more than once, all runs together.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PageLoad {
    /// Its runs, by their place among the cells; the first, which reached the most, represents the load in charts. // at
    /// least one
    pub cells: Vec<usize>,
    /// IOPS: the mean of the runs.
    pub iops: f64,
    /// Bytes a second: the mean of the runs.
    pub bytes_per_s: f64,
    /// How long the I/Os of all runs took.
    pub latency: Latency,
}

/// Finding of a rule in one cell or in many.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PageFinding {
    /// Name of the rule.
    #[schemars(with = "String")]
    pub id: RuleId,
    /// What it is about.
    pub group: Group,
    /// How serious it is.
    pub severity: Severity,
    /// How sure it is.
    pub confidence: Confidence,
    /// The finding in the first of these cells, in one sentence.
    pub sentence: String,
    /// The numbers behind the sentence.
    pub evidence: Vec<Evidence>,
    /// What to do next.
    pub advice: String,
    /// The rule whose finding explains this one.
    #[schemars(with = "Option<String>")]
    pub because: Option<RuleId>,
    /// The cells that it was found in, by their place; empty for findings on all cells of a part together.
    pub cells: Vec<usize>,
}

/// The first part against another one.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PageComparison {
    /// Name of the first part.
    pub a: String,
    /// Name of the other one; ratios are it over the first.
    pub b: String,
    /// The result, in one sentence.
    pub answer: String,
    /// Every figure that both have, over all cells.
    pub overall: Vec<ChangeReport>,
    /// The rate of every cell that both have.
    pub cells: Vec<PageChange>,
    /// Differences other than the figures.
    pub differences: Vec<Difference>,
    /// Notes on the use of the figures.
    pub notes: Vec<String>,
}

/// The rate of one cell in both.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PageChange {
    /// Fields that distinguish it from the others: `block=4K depth=8`; empty if there is one.
    pub name: String,
    /// Its results in the first part.
    pub a: Vec<String>,
    /// Its results in the other.
    pub b: Vec<String>,
    /// IOPS in the first part and in the other; none where a side has none.
    pub rates: Option<(f64, f64)>,
    /// Why a side is doubtful; none where neither is.
    pub doubt: Option<String>,
    /// The rate in the other over that in the first, with its 95% interval; none where a side has none.
    pub ratio: Option<Estimate>,
    /// Whether it is significant; none if the data are inconclusive.
    pub differs: Option<bool>,
    /// The same in one word; none where a side has no rate.
    pub outcome: Option<Outcome>,
    /// The largest change that the interval contains, as a share; none without an interval.
    pub at_most_share: Option<f64>,
}

/// One workload with growing numbers of I/Os outstanding, all with the same number of threads.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct PageCurve {
    /// Which part it belongs to.
    pub part: usize,
    /// The workload, without threads: `4 KiB random reads`.
    pub workload: String,
    /// Threads.
    pub threads: u32,
    /// From the fewest I/Os outstanding to the most. // at least two
    pub points: Vec<CurvePoint>,
    /// Where more I/Os outstanding begin to cost latency and bring little.
    pub knee: Option<CurveMark>,
    /// A ceiling of the rate.
    pub cap: Option<CurveMark>,
}

/// One load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CurvePoint {
    /// I/Os outstanding over all threads.
    pub outstanding: u64,
    /// The cell; of several with this load the one with the median rate, or the one that represents it in
    /// `loads`.
    pub cell: usize,
    /// How many cells have this load.
    pub runs: u64,
}

/// A place on a curve.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CurveMark {
    /// I/Os outstanding there; none of a mark that is a rate alone.
    pub outstanding: Option<f64>,
    /// IOPS there.
    pub iops: Option<f64>,
    /// How it was found, in a sentence.
    pub how: String,
}

/// Reads, writes or both: the highest rates, and the cells under them.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PageRoof {
    /// Which part it belongs to.
    pub part: usize,
    /// `reads`, `writes` or `reads and writes`.
    pub name: String,
    /// Most IOPS, at any size.
    pub iops: f64,
    /// The cell that it is from.
    pub iops_cell: usize,
    /// Most bytes per second, at any size.
    pub bytes_per_s: f64,
    /// The cell that it is from.
    pub bytes_cell: usize,
    /// All cells of this kind that may be used; of the runs of one load in `loads` the one that represents it.
    pub cells: Vec<usize>,
}
