//! Groups the runs of a session that differ in one property only.
//!
//! Runs with errors, or without a rate, are omitted. What is not known of both is taken to be the same: a session is of
//! one target and one machine.

use crate::observed::Observed;
use std::collections::HashMap;
use std::hash::Hash;

/// What a group has in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vary {
    /// Only the I/Os in flight differ.
    InFlight,
    /// Only the size of an I/O differs.
    Size,
}

/// Groups in the order of their first runs; a run is in one group.
pub(super) fn groups(runs: &[Observed], vary: Vary) -> Vec<Vec<&Observed>> {
    let mut groups: Vec<Vec<&Observed>> = Vec::new();
    let mut places = HashMap::new();
    for run in runs.iter().filter(|run| is_sound(run)) {
        let place = *places.entry(in_common(run, vary)).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Vec::new());
        }
        groups[place].push(run);
    }
    groups
}

fn is_sound(run: &Observed) -> bool {
    let total = &run.total;
    total.iops.is_some_and(|rate| rate > 0.0) && total.errors.is_none_or(|errors| errors == 0)
}

/// What all runs of a group have: numbers by their bits, so that the search for a run's group does not grow with their
/// number.
fn in_common(run: &Observed, vary: Vary) -> impl Eq + Hash {
    let bits = |value: Option<f64>| value.map(f64::to_bits);
    let rest = match vary {
        Vary::InFlight => run.load.block_bytes,
        Vary::Size => bits(run.load.requested_in_flight),
    };
    let cache = run.load.cache.map(|cache| std::mem::discriminant(&cache));
    (
        rest,
        run.target.clone(),
        bits(run.load.write_share),
        bits(run.load.random_share),
        cache,
        run.load.write_through,
    )
}

/// The workload of a group, for people: `8 KiB random write`.
pub(super) fn name(run: &Observed, with_size: bool) -> String {
    let size = run
        .load
        .block_bytes
        .filter(|_| with_size)
        .map(crate::say::bytes);
    let place = match run.load.random_share {
        Some(share) if share >= 1.0 => Some("random"),
        Some(share) if share <= 0.0 => Some("sequential"),
        _ => None,
    };
    let what = match run.load.write_share {
        Some(share) if share >= 1.0 => "write",
        Some(share) if share <= 0.0 => "read",
        _ => "I/O",
    };
    let parts: Vec<&str> = [size.as_deref(), place, Some(what)]
        .into_iter()
        .flatten()
        .collect();
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn busy(work: impl FnOnce()) -> f64 {
        let ns = || -> f64 {
            let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
            text.split(' ').next().unwrap().parse().unwrap()
        };
        let before = ns();
        work();
        ns() - before
    }

    /// Each run has a target of its own, so each is a group of its own.
    #[test]
    fn h1_four_times_the_runs_take_four_times_as_long() {
        let runs = |count: u32| -> Vec<Observed> {
            let run = |number: u32| {
                let mut run = Observed {
                    target: format!("target-{number}"),
                    ..Observed::default()
                };
                run.total.iops = Some(1.0);
                run
            };
            (0..count).map(run).collect()
        };
        let (few, many) = (runs(5000), runs(20_000));
        let ratio = || {
            let [one, four] = [&few, &many].map(|runs| busy(|| drop(groups(runs, Vary::Size))));
            four / one
        };
        assert_eq!(groups(&many, Vary::InFlight).len(), many.len());
        assert!(
            (0..20).any(|_| ratio() < 10.0), // linear work is 4 and more where caches are shared, its square 16
            "it grows with the square of the runs"
        );
    }
}
