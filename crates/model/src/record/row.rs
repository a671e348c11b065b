//! One result as one line: what it was, what was asked, its result, whichever tool measured it.
//!
//! A run of fathom, an imported one and a cell that has no result make the same row, so that one list, one filter and
//! one table serve all of them. What is not known is `None`. Nothing here is derived but percentiles, which are read
//! from the histogram when a run is kept; rates are `analysis`'s.

use crate::plan::{CacheMode, Operation};
use crate::units::{Bytes, Nanos};
use serde::{Deserialize, Serialize};
use std::fmt;

/// One line of the database.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ResultRow {
    /// Number of its session.
    pub session: u64,
    /// Its number there: 3 of `12.3`.
    pub number: u32,
    /// Which command filled the session: `run`, `survey`, `sweep`, `files`.
    pub kind: String,
    /// What the run was for.
    pub label: String,
    /// What a sweep knows the cell by.
    pub key: Option<String>,
    /// Words that a person gave it or its session, in order.
    pub tags: Vec<String>,
    /// Notes that a person added to it or its session, by field.
    pub notes: Vec<Note>,
    /// What its report concludes; `None` where that was not read or is not stored.
    pub verdict: Option<RowVerdict>,
    /// Where the figures come from.
    pub origin: Origin,
    /// Who measured: `fathom`, `diskspd`, `fio`.
    pub tool: String,
    /// Its version.
    pub tool_version: Option<String>,
    /// Name of the file that it was imported from.
    pub source: Option<String>,
    /// Nanoseconds since 1970 in UTC.
    pub started_utc: Option<Nanos>,
    /// The machine.
    pub host: Option<String>,
    /// Files and devices, joined by a space.
    pub target: String,
    /// `complete`, `interrupted` or `failed`; not known of most imported runs.
    pub outcome: Option<String>,
    /// Why there is no result.
    pub reason: Option<String>,
    /// What was asked.
    pub work: RowWork,
    /// How long was counted.
    pub measured: Option<Nanos>,
    /// Reads and writes together.
    pub total: RowFigures,
    /// Reads alone.
    pub read: RowFigures,
    /// Writes alone.
    pub write: RowFigures,
}

/// Whether a result may be used, in the words of its report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowVerdict {
    /// `VALID`, `CAUTION`, `INVALID`, `NOT CHECKED`; empty of what has none.
    pub validity: String,
    /// The cause that the first line names; empty of a valid result.
    pub reason: String,
    /// Ids of its findings, the most important first.
    pub findings: Vec<String>,
}

/// One field of the notes that a person adds to a session or a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Name of the option that gives it, without dashes: `medium`.
    pub field: String,
    /// As it was given: `hdd:12`.
    pub value: String,
}

impl Note {
    /// The field of goals, of which a note may have several.
    pub const GOALS: &str = "goal";
    /// Separates the goals of a note.
    pub const GOAL_SEPARATOR: &str = "; ";

    /// Returns what was given: the goals one by one, every other value whole.
    pub fn values(&self) -> Vec<&str> {
        match self.field == Self::GOALS {
            true => self.value.split(Self::GOAL_SEPARATOR).collect(),
            false => vec![&self.value],
        }
    }
}

/// As `medium=hdd:12`.
impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.field, self.value)
    }
}

/// Where the figures of a row come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Measured by fathom.
    #[default]
    Measured,
    /// Read from another tool's result.
    Imported,
    /// There are none: the cell failed before it had any.
    Missing,
}

impl Origin {
    /// All of them.
    pub const ALL: [Origin; 3] = [Origin::Measured, Origin::Imported, Origin::Missing];

    /// As it stands in the store and in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Origin::Measured => "measured",
            Origin::Imported => "imported",
            Origin::Missing => "missing",
        }
    }
}

/// What was asked; a field is `None` where it is not known or the targets of one run differ in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowWork {
    /// Size of one I/O.
    pub block: Option<Bytes>,
    /// Most I/Os outstanding of each thread.
    pub queue_depth: Option<u32>,
    /// Threads of the whole run.
    pub threads: Option<u32>,
    /// Share of I/Os that write. // in [0, 100]
    pub write_percent: Option<u8>,
    /// `random`, `sequential`, `mixed` or `stripe`.
    pub pattern: Option<String>,
    /// Share of I/Os that go to a random place: 0 is sequential. // in [0, 100]
    pub random_percent: Option<u8>,
    /// Caches between the I/O and the device.
    pub cache: Option<CacheMode>,
    /// Whether a write was complete only when it was durable.
    pub write_through: Option<bool>,
    /// Length of the range that was used, of all targets together.
    pub size: Option<Bytes>,
    /// I/Os that were to start a second, where that was asked.
    pub target_iops: Option<u64>,
    /// I/O engine.
    pub engine: Option<String>,
}

/// The result of one operation, or of both together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowFigures {
    /// I/Os completed without error.
    pub ios: Option<u64>,
    /// Bytes that they transferred.
    pub bytes: Option<Bytes>,
    /// I/Os that failed.
    pub errors: Option<u64>,
    /// IOPS as printed; of runs of fathom it follows from `ios`.
    pub ios_per_s: Option<f64>,
    /// Bytes a second as printed; of runs of fathom it follows from `bytes`.
    pub bytes_per_s: Option<f64>,
    /// From submission to completion.
    pub latency: RowTimes,
    /// From the moment at which an I/O was to start; only where a rate was asked.
    pub response: RowTimes,
}

/// How long I/Os took.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowTimes {
    /// Mean.
    pub mean: Option<Nanos>,
    /// Standard deviation; of runs of fathom only of the time from submission, and where all of the time series have it.
    pub sd: Option<Nanos>,
    /// Smallest.
    pub min: Option<Nanos>,
    /// Largest.
    pub max: Option<Nanos>,
    /// (Quantile in 0…1, time), ascending, no deeper than the count supports; of imported runs, as printed.
    pub percentiles: Vec<(f64, Nanos)>,
}

impl RowTimes {
    /// The percentile at just this quantile.
    pub fn at(&self, quantile: f64) -> Option<Nanos> {
        let found = self
            .percentiles
            .iter()
            .find(|(at, _)| (at - quantile).abs() < 1e-9);
        found.map(|(_, time)| *time)
    }
}

impl ResultRow {
    /// How a person names it: `12.3`.
    pub fn name(&self) -> String {
        format!("{}.{}", self.session, self.number)
    }

    /// The figures of one operation, or of both together.
    pub fn figures(&self, operation: Option<Operation>) -> &RowFigures {
        match operation {
            None => &self.total,
            Some(Operation::Read) => &self.read,
            Some(Operation::Write) => &self.write,
        }
    }
}
