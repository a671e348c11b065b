//! What a sweep will do, printed before it starts. `cli` fills it in; here is only what it consists of.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What will be run, for how long, and what will be written where.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "fathom sweep forecast")]
pub struct SweepForecast {
    /// Cells of the matrix.
    pub cells: u64,
    /// Cells that have a result already, from the sweep that is resumed.
    pub cells_done: u64,
    /// Runs that are still to come, at least.
    pub runs_least: u64,
    /// Runs that are still to come, at most; more than at least only where a precision decides.
    pub runs_most: u64,
    /// `given`, `shuffled` or `interleaved`.
    pub order: String,
    /// Seed of the shuffling; none where nothing is shuffled.
    pub shuffle_seed: Option<u64>,
    /// The fields that distinguish cells, with the number of different values of each.
    pub axes: Vec<AxisForecast>,
    /// How long it takes, and when it ends.
    #[serde(flatten)]
    pub time: ForecastTime,
    /// Each target, and how it is used.
    pub targets: Vec<TargetForecast>,
    /// The file in which the results are stored; none if nothing is stored.
    pub store: Option<String>,
    /// Number of the session that is resumed; none for a new one.
    pub goes_on_with: Option<u64>,
}

/// Time of a sweep that has not begun.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ForecastTime {
    /// How long all of it takes, at least, in nanoseconds.
    pub duration_least_ns: u64,
    /// How long all of it takes, at most, in nanoseconds.
    pub duration_most_ns: u64,
    /// Warm-up, measuring and cool-down of the least runs, in nanoseconds.
    pub phases_ns: u64,
    /// Of the clock, what these take, in nanoseconds: simulated time takes less; an estimate until the first run.
    pub load_ns: u64,
    /// Of that, pauses between runs, in nanoseconds.
    pub rest_ns: u64,
    /// Of that, overhead of each run (opening, counters, storing), in nanoseconds: an estimate until the first run.
    pub around_ns: u64,
    /// Of that, creating files, in nanoseconds: an estimate until the first was created.
    pub filling_ns: u64,
    /// Wall clock at its end at the earliest: nanoseconds since 1970 in UTC.
    pub ends_least_utc_ns: u64,
    /// Wall clock at its end at the latest: nanoseconds since 1970 in UTC.
    pub ends_most_utc_ns: u64,
}

/// An axis before the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AxisForecast {
    /// The field.
    pub field: String,
    /// Its different values, in the order given.
    pub values: Vec<String>,
}

/// A target before the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TargetForecast {
    /// As it was given.
    pub path: String,
    /// Bytes that are written first, to make or complete the file; 0 where it serves as it is.
    pub fill_bytes: u64,
    /// Whether it does not exist yet.
    pub made: bool,
    /// Whether any cell writes to it.
    pub written: bool,
    /// Whether all of it is read first, to prove that it contains only what fathom wrote.
    pub proven: bool,
}
