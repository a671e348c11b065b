//! B against A: what changed, by how much, how sure that is, and what else differs between them.
//!
//! Read in this order: `compared` (what is taken of each result), `pair` (which belong together), `spread` (how far a
//! figure of one run may be off), `change` (the ratio of two), `figure` (of a cell, and of all), `answer` (the first line),
//! `condition` (its conditions), `build` (all of it together). Deliberately absent: reading results, and layout.

#[cfg(test)]
mod agreement;
mod answer;
mod between;
mod build;
mod change;
mod compared;
mod condition;
mod figure;
mod metric;
mod pair;
mod shared_limit;
mod spread;
#[cfg(test)]
pub(crate) mod tests;
mod versions;
mod workloads;

use between::BetweenRuns;
pub use build::{compare_report, compare_with_history};
pub use compared::Compared;
pub use condition::{Condition, ConditionOutcome, ConditionReport};
pub use metric::{METRICS, Metric};

use crate::columns::short;
use crate::{Estimate, FieldValue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// As it was given: `12`, `12.3`, `tag:before`.
    pub name: String,
    /// Its results. // at least one
    pub results: Vec<Compared>,
}

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "fathom compare report")]
pub struct CompareReport {
    /// The result, in one sentence.
    pub answer: String,
    /// The same in one word.
    pub verdict: Verdict,
    /// Of a result, or of the cells, without a difference: the largest change of the rate that their intervals contain, as a
    /// share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_difference_above_share: Option<f64>,
    /// From where it is known how far one run is from the next; of several cells the least.
    #[serde(default = "unknown_between")]
    pub between_runs: BetweenRuns,
    /// Reference result.
    pub a: SideReport,
    /// Result to compare: ratios are B over A.
    pub b: SideReport,
    /// Every figure that both sides have, over all cells.
    pub overall: Vec<ChangeReport>,
    /// How many cells changed, by the rate.
    pub cell_counts: CellCounts,
    /// Of two surveys: each workload that both have, at the highest rate that either side reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workloads: Vec<CellChange>,
    /// The fields that distinguish cells.
    pub fields: Vec<String>,
    /// Every cell of both sides, in the order of the fields that distinguish them.
    pub cells: Vec<CellChange>,
    /// Differences other than the figures.
    pub differences: Vec<Difference>,
    /// Results that only one side has.
    #[serde(flatten)]
    pub unmatched: Unmatched,
    /// Notes on the use of the figures.
    pub notes: Vec<String>,
    /// The conditions that were set, and their results.
    pub conditions: Vec<ConditionReport>,
}

/// Results that the other side has no counterpart of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unmatched {
    /// Results of A that B has nothing for.
    pub only_a: Vec<String>,
    /// Results of B that A has nothing for.
    pub only_b: Vec<String>,
}

/// The result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// B does more a second.
    Faster,
    /// B does less a second.
    Slower,
    /// As much a second, and I/Os of B took less time.
    WaitsLess,
    /// As much a second, and I/Os of B took more time.
    WaitsMore,
    /// Neither is significant, and the interval excludes a large difference.
    NoDifference,
    /// The same results on both sides.
    Identical,
    /// Of several cells some do more a second, others less.
    Mixed,
    /// The data are inconclusive.
    Inconclusive,
}

fn unknown_between() -> BetweenRuns {
    BetweenRuns::Unknown
}

/// A change in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// B does more per second, or its I/Os take less time.
    Faster,
    /// B does less per second, or its I/Os take more time.
    Slower,
    /// Not significant, and the interval excludes a large difference.
    NoDifference,
    /// The data are inconclusive.
    Inconclusive,
}

/// One side in words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SideReport {
    /// As it was given.
    pub name: String,
    /// How many results it has.
    pub results: u64,
    /// What they are, in words.
    pub what: String,
}

/// A figure on both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChangeReport {
    /// The figure, as the field of a table is called.
    pub metric: String,
    /// The same in sentences: `IOPS`, `p99`.
    pub short: String,
    /// Its value in A, in the unit of its field: 1/s, bytes/s or ns; over several runs or cells their geometric mean.
    pub a: f64,
    /// The same in B.
    pub b: f64,
    /// B over A, with its 95% interval; none where a side is 0.
    pub ratio: Option<Estimate>,
    /// Whether it is significant; none if the data are inconclusive. In a cell of many, at the level at which one in twenty
    /// of the changes that are claimed is none.
    pub differs: Option<bool>,
    /// The same in one word.
    pub outcome: Outcome,
    /// The largest change that the interval contains, as a share; none without an interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most_share: Option<f64>,
    /// The smallest change, as a share, that 80 of 100 comparisons would detect; none if no change can be detected.
    pub minimum_detectable_share: Option<f64>,
    /// Why there is no ratio, or none with an interval.
    pub cannot: Option<String>,
    /// Over how many cells: only those that have this figure on both sides.
    pub cells: u64,
}

/// How many cells changed, by the rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CellCounts {
    /// Of both sides.
    pub paired: u64,
    /// Faster in B than chance would have it in as many cells.
    pub faster: u64,
    /// Slower in B, likewise.
    pub slower: u64,
    /// No significant difference, and none above a quarter.
    pub no_difference: u64,
    /// No interval, or one that contains a difference above a quarter.
    pub inconclusive: u64,
}

/// One cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CellChange {
    /// Fields that distinguish it from the others.
    pub values: Vec<FieldValue>,
    /// Its results in A.
    pub a: Vec<String>,
    /// Its results in B.
    pub b: Vec<String>,
    /// Every figure that both sides have.
    pub changes: Vec<ChangeReport>,
    /// Why a side has no result, where one has none.
    pub missing: Option<String>,
    /// Which side is CAUTION or INVALID, and why; none where neither is.
    #[serde(default)]
    pub doubt: Option<String>,
}

impl Difference {
    /// Returns its name over values with their units: `tool version`, `block` for `block_bytes`.
    pub fn words(&self) -> String {
        short(&self.what).replace('_', " ")
    }
}

/// A difference other than the figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// The field, or what else.
    pub what: String,
    /// Its value in A.
    pub a: String,
    /// Its value in B.
    pub b: String,
    /// Whether the requested work differs, not place and time.
    pub of_work: bool,
}
