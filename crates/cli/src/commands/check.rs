//! `fathom check`: what to put right before a target is measured. Also the first thing that a survey does.
//!
//! Looks and reads only. Deliberately absent: what is judged how (`analysis`), and refusing a run.

use crate::args::CheckArgs;
use crate::environment::Environment;
use crate::failure::Ending;
use crate::report::Form;
use crate::{output, report};
use analysis::{Preflight, PreflightAnswer, PreflightFacts};
use host::{CounterReader, Root};
use model::{CommandError, CounterWindow, HostRecord, Location, Nanos, TargetFacts};
use session::clock::Stopwatch;
use std::path::Path;
use tools::Reader;

/// How long a survey looks for other load: its budget is for measuring.
pub(crate) const LOOK_SHORT: Nanos = Nanos::seconds(1);
const LOOK_MIN: Nanos = Nanos::seconds(1);
const LOOK_MAX: Nanos = Nanos::seconds(60);

/// Looks, and says what was found.
pub(crate) fn check(args: &CheckArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let look = args.duration.parse::<Nanos>().ok();
    let look = look.filter(|look| (LOOK_MIN..=LOOK_MAX).contains(look));
    let look = look.ok_or_else(|| {
        let read = &args.duration;
        CommandError::refused(format!(
            "invalid value '{read}' for --duration: must be 1s to 60s"
        ))
    })?;
    let root = Root::live();
    let host = host::host_record(&root);
    let target = target_of(&root, &args.target)?;
    let found = preflight(&root, &host, &target, look);
    output::print(&report::preflight(
        &found,
        Form::of_list(args.json, environment),
    ))?;
    Ok(match found.answer {
        PreflightAnswer::Ready | PreflightAnswer::Caution => Ending::Good,
        PreflightAnswer::NotReady => Ending::Denied,
    })
}

/// The target as it would be measured: `sim:ssd` is no file of that name.
fn target_of(root: &Root, target: &Path) -> Result<TargetFacts, CommandError> {
    let mut reader = Reader::default();
    let location = reader.location(target);
    Ok(match reader.finish(location)? {
        Location::Path(path) => host::target_facts(root, &path),
        Location::Null(behaviour) => TargetFacts::null(&behaviour),
        Location::Simulated(device) => TargetFacts::simulated(&device),
    })
}

/// Checks everything, for other load so long.
pub(crate) fn preflight(
    root: &Root,
    host: &HostRecord,
    target: &TargetFacts,
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
        health: &health,
        time_source: time_source.as_deref(),
        window: &CounterWindow { before, after },
    })
}

/// The same for a command that measures then: a line for the answer, and one for each thing that calls for something.
pub(crate) fn tell_preflight(root: &Root, host: &HostRecord, target: &TargetFacts) {
    let found = preflight(root, host, target, LOOK_SHORT);
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
