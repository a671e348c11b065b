//! The checks before a target is measured: by themselves for `fathom check`, and the first thing that a survey does.
//!
//! Counts and reads only. Omitted: what is judged how (`analysis`).

use crate::output;
use analysis::{Preflight, PreflightAnswer, PreflightFacts};
use host::{CounterReader, Root};
use model::{
    CommandError, CounterWindow, DeviceHealth, HostRecord, Nanos, TargetFacts, TargetKind,
    invalid_value,
};
use serde::{Deserialize, Serialize};
use session::clock::Stopwatch;
use std::path::PathBuf;

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

/// Refuses what cannot be read as a log when the run is over, all at once.
pub(super) fn check_event_files<'a>(
    files: &[PathBuf],
    targets: impl IntoIterator<Item = &'a TargetFacts>,
) -> Result<(), CommandError> {
    let wrong = |path: &PathBuf| {
        let why = match path.metadata() {
            Ok(facts) if facts.is_file() => return None,
            Ok(_) => "must be a regular file, because it is read when the run is over".to_owned(),
            Err(error) => format!("must be a file: {}", model::errno_text(&error)),
        };
        Some(invalid_value(&path.display().to_string(), "--events", &why))
    };
    let mut wrong: Vec<String> = files.iter().filter_map(wrong).collect();
    let is_model =
        |facts: &TargetFacts| matches!(facts.kind, TargetKind::Simulated | TargetKind::Null);
    if !files.is_empty() && targets.into_iter().all(is_model) {
        wrong.push(
            "--events: must not be specified for a simulated device, which has no events"
                .to_owned(),
        );
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(CommandError::refused_for(wrong)),
    }
}
