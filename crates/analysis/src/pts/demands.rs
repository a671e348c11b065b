//! What the specification demands of a test, each with the fact that shows whether it was met.
//!
//! A demand whose fact the system does not report is unknown, never met. Omitted: steady state, which has a finding of its
//! own, and the sentence about all of them (`findings::pts`).

use super::definition::{PtsDefinition, PtsPartKind};
use super::measured::PtsRun;
use super::progress::{PtsContext, PtsProgress, PtsPurge};
use crate::facts::TargetDigest;
use crate::findings::NOISY_NEIGHBOUR;
use crate::say;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A demand of the specification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PtsDemand {
    /// What is demanded.
    pub demand: String,
    /// Whether it was met.
    pub state: PtsState,
    /// The fact that shows it.
    pub fact: String,
}

/// Whether a demand was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PtsState {
    /// It was.
    Met,
    /// It was not.
    NotMet,
    /// The system does not report it.
    Unknown,
}

impl PtsState {
    /// As tables have it.
    pub const fn name(self) -> &'static str {
        match self {
            PtsState::Met => "met",
            PtsState::NotMet => "NOT MET",
            PtsState::Unknown => "unknown",
        }
    }

    const fn of(met: bool) -> PtsState {
        if met { PtsState::Met } else { PtsState::NotMet }
    }
}

/// What is judged.
pub(super) struct Judged<'a> {
    pub(super) definition: &'a PtsDefinition,
    pub(super) context: &'a PtsContext,
    pub(super) runs: &'a [PtsRun],
    pub(super) parts: &'a [PtsProgress<'a>],
    pub(super) target: Option<&'a TargetDigest>,
    /// Longest and all rests between runs, in nanoseconds.
    pub(super) rests: Rests,
}

/// Times between runs in which the drive did nothing, though the test did not ask for it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rests {
    pub(super) count: u64,
    pub(super) sum_ns: u64,
}

/// Every demand, in the order of a test.
pub(super) fn demands(judged: &Judged<'_>) -> Vec<PtsDemand> {
    let rows: [fn(&Judged<'_>) -> Option<PtsDemand>; 11] = [
        purge,
        whole_drive,
        active_range,
        write_cache,
        direct,
        data,
        preconditioning,
        times,
        sizes,
        uninterrupted,
        nothing_else,
    ];
    rows.iter().filter_map(|row| row(judged)).collect()
}

fn demand(demand: &str, state: PtsState, fact: impl Into<String>) -> Option<PtsDemand> {
    Some(PtsDemand {
        demand: demand.to_owned(),
        state,
        fact: fact.into(),
    })
}

fn purge(judged: &Judged<'_>) -> Option<PtsDemand> {
    let fact = judged.context.purge.statement();
    let state = PtsState::of(judged.context.purge == PtsPurge::Done);
    demand("purge before the test", state, fact)
}

fn whole_drive(judged: &Judged<'_>) -> Option<PtsDemand> {
    let name = "a whole drive";
    let Some(target) = judged.target else {
        return demand(name, PtsState::Unknown, "no run was measured");
    };
    if let Some(file_system) = &target.file_system {
        return demand(name, PtsState::NotMet, format!("a file on {file_system}"));
    }
    match target.chain.as_slice() {
        [one] if one.kind == "disk" => demand(name, PtsState::Met, one.name.clone()),
        [first, ..] => demand(
            name,
            PtsState::NotMet,
            format!("{}: {}", first.name, first.kind),
        ),
        [] => demand(name, PtsState::Unknown, "the device is not known"),
    }
}

fn active_range(judged: &Judged<'_>) -> Option<PtsDemand> {
    let (range, capacity) = (judged.context.range_bytes, judged.context.capacity_bytes);
    // Less than a block of the largest size may be over.
    let whole = range.saturating_add(1 << 20) > capacity;
    let fact = format!("{} of {}", say::bytes(range), say::bytes(capacity));
    demand("active range 100%", PtsState::of(whole), fact)
}

fn write_cache(judged: &Judged<'_>) -> Option<PtsDemand> {
    let name = "write cache off";
    let device = judged.target.and_then(|target| target.chain.last());
    let simulated = judged.runs.iter().any(|run| run.simulated.is_some());
    match device.and_then(|device| device.write_cache.as_deref()) {
        Some("write through") => demand(name, PtsState::Met, "write through"),
        Some(other) => demand(
            name,
            PtsState::NotMet,
            format!("{other}; hdparm -W0 or nvme set-feature switch it off"),
        ),
        None if simulated => demand(name, PtsState::Met, "the simulated drive has none"),
        None => demand(name, PtsState::Unknown, "the system does not report it"),
    }
}

fn direct(_: &Judged<'_>) -> Option<PtsDemand> {
    demand("no cache of the host", PtsState::Met, "direct I/O")
}

fn data(_: &Judged<'_>) -> Option<PtsDemand> {
    demand(
        "random data",
        PtsState::Met,
        "incompressible, each block its own",
    )
}

fn preconditioning(judged: &Judged<'_>) -> Option<PtsDemand> {
    let fills = judged.parts.iter();
    let fills: Vec<&PtsProgress<'_>> = fills
        .filter(|part| part.part.kind == PtsPartKind::Precondition)
        .collect();
    let name = "preconditioning with twice the range";
    let least = fills
        .iter()
        .map(|part| part.counted().map(|run| run.written_bytes).sum::<u64>())
        .min()?;
    let ranges = least as f64 / (judged.context.range_bytes as f64).max(1.0);
    let fact = format!("{} times the range", say::digits(ranges));
    demand(name, PtsState::of(ranges >= 1.99), fact)
}

fn times(judged: &Judged<'_>) -> Option<PtsDemand> {
    let scale = judged.context.scale();
    let fact = match scale < 1.0 {
        true => format!("scaled to {} of them", say::percent(scale)),
        false => "as specified".to_owned(),
    };
    demand(
        "times of the specification",
        PtsState::of(scale >= 1.0),
        fact,
    )
}

fn sizes(judged: &Judged<'_>) -> Option<PtsDemand> {
    let omitted = &judged.definition.omitted;
    let fact = match omitted.is_empty() {
        true => "as specified".to_owned(),
        false => format!("omitted, too small for the target: {}", omitted.join(", ")),
    };
    demand("all block sizes", PtsState::of(omitted.is_empty()), fact)
}

fn uninterrupted(judged: &Judged<'_>) -> Option<PtsDemand> {
    let rests = judged.rests;
    let fact = match rests.count {
        0 => "no interruption".to_owned(),
        count => format!(
            "{}, {} together",
            say::counted(count, "interruption"),
            say::time(rests.sum_ns as f64)
        ),
    };
    demand("no interruption", PtsState::of(rests.count == 0), fact)
}

fn nothing_else(judged: &Judged<'_>) -> Option<PtsDemand> {
    let name = "nothing else on the drive";
    let mut findings = judged.runs.iter().flat_map(|run| &run.findings);
    if let Some(other) = findings.find(|finding| finding.id == NOISY_NEIGHBOUR) {
        return demand(name, PtsState::NotMet, other.sentence.clone());
    }
    let counted = !judged.runs.is_empty() && judged.runs.iter().all(|run| run.counters_agree);
    match counted {
        true => demand(name, PtsState::Met, "the device's counters match fathom's"),
        false => demand(
            name,
            PtsState::Unknown,
            "the device has no counters, or they do not match fathom's in each run",
        ),
    }
}
