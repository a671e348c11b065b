//! The checks before a target is measured: by themselves for `fathom check`, and the first thing that a survey does.
//!
//! Counts and reads only. Omitted: what is judged how (`analysis`).

use crate::output;
use analysis::{Preflight, PreflightAnswer, PreflightFacts};
use host::{CounterReader, Root};
use model::{CounterWindow, DeviceHealth, HostRecord, Nanos, TargetFacts};
use serde::{Deserialize, Serialize};
use session::clock::Stopwatch;

/// How long a survey looks for other load: its budget is for measuring.
const LOOK_SHORT: Nanos = Nanos::seconds(1);

/// Whether a survey of the target would start.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Start {
    pub(super) refused: Vec<String>,
    pub(super) read_only: bool,
}

/// What one host found.
#[derive(Serialize, Deserialize)]
pub(super) struct Found {
    host: HostRecord,
    pub(super) target: TargetFacts,
    start: Start,
    health: Vec<DeviceHealth>,
    time_source: Option<String>,
    window: CounterWindow,
}

impl Found {
    /// Reads everything, and the counters of other load for so long.
    pub(super) fn read(root: &Root, target: TargetFacts, start: Start, look: Nanos) -> Found {
        let devices = host::chain_devices(&target);
        let mut counters = CounterReader::open(root, &devices);
        let since = Stopwatch::start();
        let before = counters.read(&mut || since.elapsed());
        std::thread::sleep(look.as_duration());
        let after = counters.read(&mut || since.elapsed());
        Found {
            host: host::host_record(root),
            health: host::device_health(root, &devices),
            time_source: host::time_source(root),
            window: CounterWindow { before, after },
            target,
            start,
        }
    }

    pub(super) fn judged(&self) -> Preflight {
        analysis::preflight(&PreflightFacts {
            host: &self.host,
            target: &self.target,
            refused: &self.start.refused,
            starts_read_only: self.start.read_only,
            health: &self.health,
            time_source: self.time_source.as_deref(),
            window: &self.window,
        })
    }
}

/// The same for a command that measures then: a line for the answer, and one for each thing that calls for something.
pub(super) fn tell_preflight(root: &Root, target: &TargetFacts) {
    let found = Found::read(root, target.clone(), Start::default(), LOOK_SHORT).judged();
    if found.answer == PreflightAnswer::Ready {
        return;
    }
    output::tell(&format!("check: {}", views::preflight_headline(&found)));
    for remark in found.calling() {
        let remedy = remark.remedy.as_deref().unwrap_or_default();
        output::tell(&format!(
            "check: {}: {} → {remedy}",
            remark.topic, remark.found
        ));
    }
}
