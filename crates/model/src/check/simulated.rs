//! What a simulated target cannot be asked: nothing of the system is used, so nothing can be asked of the system for it.

use super::Problem;
use crate::plan::{CacheMode, EngineChoice, Hint, Location, Placement, Priority, Target, Timespan};

pub(super) fn check(span: &Timespan, problems: &mut Vec<Problem>) {
    let is_simulated = |target: &&Target| matches!(target.location, Location::Simulated(_));
    let simulated = span.targets.iter().filter(is_simulated).count();
    if simulated == 0 {
        return;
    }
    if simulated < span.targets.len() {
        problems.push(Problem::SimulatedMixed);
    }
    let any = |asks: fn(&Target) -> bool| span.targets.iter().filter(is_simulated).any(asks);
    let away = "omit it, or specify a file or device";
    for (asked, what, instead) in [
        (
            span.engine != EngineChoice::Auto || any(|target| target.engine.is_some()),
            "engine to choose",
            away,
        ),
        (span.polling.any(), "completions to poll for", away),
        (!span.queueing.is_default(), "queue of the system", away),
        (
            span.placement != Placement::default(),
            "cores to run on",
            away,
        ),
        (any(|target| target.create.is_some()), "file to make", away),
        (
            any(|target| target.cache != CacheMode::Unbuffered),
            "cache of the system before it",
            "omit it, or specify sim:…,page-cache=50%",
        ),
        (
            any(|target| !target.fsync.is_never() && !has_cache(target)),
            "written data to make durable",
            "omit it, or specify sim:…,volatile=1M",
        ),
        (
            any(|target| target.drop_cache || target.drop_cache_every.is_some()),
            "page cache to drop",
            "omit it, or specify sim:…,page-cache=50%",
        ),
        (
            any(|target| target.write_through && !has_cache(target)),
            "cache to write through",
            "omit it, or specify sim:…,volatile=1M",
        ),
        (any(|target| target.large_pages), "memory of its own", away),
        (
            any(|target| target.priority != Priority::Normal),
            "priority",
            away,
        ),
        (
            any(|target| target.hint != Hint::None),
            "hint about the pattern",
            away,
        ),
    ] {
        if asked {
            problems.push(Problem::SimulatedCannot { what, instead });
        }
    }
}

/// Whether what is durable differs from what is written.
fn has_cache(target: &Target) -> bool {
    match &target.location {
        Location::Simulated(device) => device.data.0 > 0 && device.cut.has_cache(),
        Location::Path(_) | Location::Null(_) => false,
    }
}
