//! How like one trace is to another: fourteen properties of the I/Os and of their times.
//!
//! Omitted: how distances are computed (`traces`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A property of a trace. Latency is not one: it depends on the target.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum TraceProperty {
    /// Share of reads.
    Reads,
    /// Sizes by operation.
    Sizes,
    /// The next operation after each.
    NextOperation,
    /// Distances from the end of an I/O to the next one.
    Jumps,
    /// I/Os by 1024 parts of the addresses.
    Zones,
    /// Share of the accesses on the most used blocks.
    Popularity,
    /// Hit ratio of an LRU cache by its size.
    Reuse,
    /// Lengths of sequential runs.
    Runs,
    /// Gaps between arrivals.
    Gaps,
    /// I/Os by second.
    Seconds,
    /// Variance over mean of counts at ten scales, from 1 ms to 0.5 s.
    Bursts,
    /// Autocorrelation of counts in 8 ms and 1 s, lags 1 to 20.
    Autocorrelation,
    /// I/Os in flight over time.
    InFlight,
    /// Writes between flushes.
    Flushes,
}

impl TraceProperty {
    /// All, in the order of reports.
    pub const ALL: [TraceProperty; 14] = [
        TraceProperty::Reads,
        TraceProperty::Sizes,
        TraceProperty::NextOperation,
        TraceProperty::Jumps,
        TraceProperty::Zones,
        TraceProperty::Popularity,
        TraceProperty::Reuse,
        TraceProperty::Runs,
        TraceProperty::Gaps,
        TraceProperty::Seconds,
        TraceProperty::Bursts,
        TraceProperty::Autocorrelation,
        TraceProperty::InFlight,
        TraceProperty::Flushes,
    ];

    /// Returns the name, as JSON has it.
    pub const fn name(self) -> &'static str {
        match self {
            TraceProperty::Reads => "reads",
            TraceProperty::Sizes => "sizes",
            TraceProperty::NextOperation => "next_operation",
            TraceProperty::Jumps => "jumps",
            TraceProperty::Zones => "zones",
            TraceProperty::Popularity => "popularity",
            TraceProperty::Reuse => "reuse",
            TraceProperty::Runs => "runs",
            TraceProperty::Gaps => "gaps",
            TraceProperty::Seconds => "seconds",
            TraceProperty::Bursts => "bursts",
            TraceProperty::Autocorrelation => "autocorrelation",
            TraceProperty::InFlight => "in_flight",
            TraceProperty::Flushes => "flushes",
        }
    }

    /// Returns what it is, for people.
    pub const fn title(self) -> &'static str {
        match self {
            TraceProperty::Reads => "share of reads",
            TraceProperty::Sizes => "sizes",
            TraceProperty::NextOperation => "next operation",
            TraceProperty::Jumps => "jumps between I/Os",
            TraceProperty::Zones => "parts of the addresses",
            TraceProperty::Popularity => "most used blocks",
            TraceProperty::Reuse => "hits of an LRU cache",
            TraceProperty::Runs => "sequential runs",
            TraceProperty::Gaps => "gaps between arrivals",
            TraceProperty::Seconds => "I/Os by second",
            TraceProperty::Bursts => "bursts (variance/mean)",
            TraceProperty::Autocorrelation => "autocorrelation",
            TraceProperty::InFlight => "I/Os in flight",
            TraceProperty::Flushes => "writes between flushes",
        }
    }
}

/// Meaning of a distance.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum PropertyVerdict {
    /// At most the original's distance from itself, or 0.01.
    Same,
    /// At most twice that.
    Similar,
    /// More.
    Differs,
    /// One of both has too little of it.
    NotCompared,
}

impl PropertyVerdict {
    /// All with the names that texts and options use.
    pub const ALL: [(&str, PropertyVerdict); 4] = [
        ("same", PropertyVerdict::Same),
        ("similar", PropertyVerdict::Similar),
        ("differs", PropertyVerdict::Differs),
        ("not compared", PropertyVerdict::NotCompared),
    ];

    /// Returns the name.
    pub const fn name(self) -> &'static str {
        Self::ALL[self as usize].0
    }
}

/// The distance in one property.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PropertyDistance {
    /// Which.
    pub property: TraceProperty,
    /// From the original to the other trace. // total variation, or the largest vertical distance: in [0, 1]
    pub distance: Option<f64>,
    /// From one half of the original to the other, at most so much in 95% of 200 random splits of its time.
    pub own_distance: Option<f64>,
    /// What it means.
    pub verdict: PropertyVerdict,
}

/// How like a trace is to the original.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fidelity {
    /// Reads and writes of the original.
    pub original_ios: u64,
    /// Reads and writes of the other trace.
    pub other_ios: u64,
    /// Properties that are the same.
    pub same: usize,
    /// Properties that are similar.
    pub similar: usize,
    /// Properties that differ.
    pub differs: usize,
    /// Each property.
    pub compared: Vec<PropertyDistance>,
}

impl Fidelity {
    /// Counts the verdicts.
    pub fn of(properties: Vec<PropertyDistance>, original_ios: u64, other_ios: u64) -> Fidelity {
        let count = |verdict| {
            let with = properties.iter().filter(|one| one.verdict == verdict);
            with.count()
        };
        Fidelity {
            original_ios,
            other_ios,
            same: count(PropertyVerdict::Same),
            similar: count(PropertyVerdict::Similar),
            differs: count(PropertyVerdict::Differs),
            compared: properties,
        }
    }

    /// Returns the properties with this verdict.
    pub fn with(&self, verdict: PropertyVerdict) -> impl Iterator<Item = TraceProperty> + '_ {
        let with = self
            .compared
            .iter()
            .filter(move |one| one.verdict == verdict);
        with.map(|one| one.property)
    }
}
