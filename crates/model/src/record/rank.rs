//! A run as one of many: which rank of which job, and its clock compared with that of rank 0.
//!
//! Omitted: what all ranks counted together, which is computed from their records.

use crate::units::Nanos;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The part of a job that a record is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Ranks {
    /// One rank.
    One(RankRecord),
    /// All of them together, by rank.
    All(Vec<JoinedRank>),
}

impl From<RankRecord> for Ranks {
    fn from(rank: RankRecord) -> Ranks {
        Ranks::One(rank)
    }
}

/// A run that was one rank of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RankRecord {
    /// The random number of the job, in hexadecimal digits: the same for all of its ranks.
    pub job: String,
    /// Which rank it was.
    pub rank: u32,
    /// How many there were. // above `rank`
    pub size: u32,
    /// How the ranks shared the target.
    pub layout: JobLayout,
    /// What moved their messages.
    pub transport: String,
    /// How long after the agreed moment time 0 of the run was, on this rank's clock.
    pub late: Nanos,
    /// By how much the clock of rank 0 was ahead before the run; none where the way to it was broken.
    pub clock_before: Option<ClockOffset>,
    /// The same after the run.
    pub clock_after: Option<ClockOffset>,
    /// Cores that the process could use.
    pub usable_cores: u32,
}

impl RankRecord {
    /// Begins the labels of the runs of one rank while all others waited: `alone, rank 1, n1`.
    pub const ALONE: &str = "alone";
}

/// One rank of a record that is that of all ranks together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JoinedRank {
    /// Name of its host.
    pub host: String,
    /// I/Os that it completed.
    pub ios: u64,
    /// Its measured time.
    pub measured: Nanos,
}

/// By how much the clock of rank 0 is ahead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClockOffset {
    /// Nanoseconds to add to this rank's clock.
    pub offset_ns: i64,
    /// It was within this, either way.
    pub uncertainty: Nanos,
    /// The shortest round trip to the rank above.
    pub shortest: Nanos,
    /// The median of the round trips.
    pub median: Nanos,
}

/// How the ranks of a job share what they measure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobLayout {
    /// Each has its own file or device.
    #[default]
    Own,
    /// One for all; each has a range of its own, one after another.
    Segments,
    /// One for all; each uses all of it.
    All,
    /// One for all; their ranges take turns. Called elsewhere: IOR's segments.
    Interleaved,
}

impl JobLayout {
    /// Every layout with its name.
    pub const ALL: [(JobLayout, &'static str); 4] = [
        (JobLayout::Own, "own"),
        (JobLayout::Segments, "segments"),
        (JobLayout::All, "all"),
        (JobLayout::Interleaved, "interleaved"),
    ];
}

impl fmt::Display for JobLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = JobLayout::ALL.iter().find(|(layout, _)| layout == self);
        f.write_str(row.expect("every layout has its row").1)
    }
}

impl FromStr for JobLayout {
    type Err = crate::UnitError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let given = &JobLayout::ALL[..3]; // ranges that take turns have a length of their own
        let row = given.iter().find(|(_, name)| *name == text);
        row.map(|(layout, _)| *layout)
            .ok_or_else(|| crate::UnitError {
                read: text.to_owned(),
                accepted: "must be own, segments, all or interleaved:SIZE",
            })
    }
}
