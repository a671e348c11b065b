//! The checks before a target is measured: by themselves for `fathom check`, and the first thing that a survey does.
//!
//! Counts and reads only. Omitted: what is judged how (`analysis`).

use crate::output;
use analysis::{Preflight, PreflightAnswer, PreflightFacts};
use host::{CounterReader, Root};
use model::{CounterWindow, HostRecord, Nanos, TargetFacts};
use session::clock::Stopwatch;

/// How long a survey looks for other load: its budget is for measuring.
const LOOK_SHORT: Nanos = Nanos::seconds(1);

/// Whether a survey of the target would start.
#[derive(Default)]
pub(super) struct Start {
    pub(super) refused: Vec<String>,
    pub(super) read_only: bool,
}

/// Checks everything, for other load so long.
pub(super) fn preflight(
    root: &Root,
    host: &HostRecord,
    target: &TargetFacts,
    start: &Start,
    look: Nanos,
) -> Preflight {
    let devices = host::chain_devices(target);
    let health = host::device_health(root, &devices);
    let time_source = host::time_source(root);
    let mut counters = CounterReader::open(root, &devices);
    let since = Stopwatch::start();
    let before = counters.read(&mut || since.elapsed());
    std::thread::sleep(look.as_duration());
    let after = counters.read(&mut || since.elapsed());
    analysis::preflight(&PreflightFacts {
        host,
        target,
        refused: &start.refused,
        starts_read_only: start.read_only,
        health: &health,
        time_source: time_source.as_deref(),
        window: &CounterWindow { before, after },
    })
}

/// The same for a command that measures then: a line for the answer, and one for each thing that calls for something.
pub(super) fn tell_preflight(root: &Root, host: &HostRecord, target: &TargetFacts) {
    let found = preflight(root, host, target, &Start::default(), LOOK_SHORT);
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
