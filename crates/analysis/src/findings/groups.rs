//! Runs of a session that differ in one thing only: the ground of every rule that looks at several.
//!
//! Runs with errors, or without a rate, are left out. What is not known of both is taken to be the same: a session is of
//! one target and one machine.

use crate::observed::Observed;

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
    for run in runs.iter().filter(|run| is_sound(run)) {
        let mine = groups.iter_mut().find(|group| alike(group[0], run, vary));
        match mine {
            Some(group) => group.push(run),
            None => groups.push(vec![run]),
        }
    }
    groups
}

fn is_sound(run: &Observed) -> bool {
    let total = &run.total;
    total.rate_per_s.is_some_and(|rate| rate > 0.0) && total.errors.is_none_or(|errors| errors == 0)
}

fn alike(one: &Observed, other: &Observed, vary: Vary) -> bool {
    let same_size = one.block_bytes == other.block_bytes;
    let same_flight = one.asked_in_flight == other.asked_in_flight;
    let same_rest = one.target == other.target
        && one.write_share == other.write_share
        && one.random_share == other.random_share
        && one.cache == other.cache
        && one.write_through == other.write_through;
    same_rest
        && match vary {
            Vary::InFlight => same_size,
            Vary::Size => same_flight,
        }
}

/// `8 KiB random writes`: what a group is, for people.
pub(super) fn name(run: &Observed, with_size: bool) -> String {
    let size = run.block_bytes.filter(|_| with_size).map(crate::say::bytes);
    let place = match run.random_share {
        Some(share) if share >= 1.0 => Some("random"),
        Some(share) if share <= 0.0 => Some("sequential"),
        _ => None,
    };
    let what = match run.write_share {
        Some(share) if share >= 1.0 => "writes",
        Some(share) if share <= 0.0 => "reads",
        _ => "I/Os",
    };
    let parts: Vec<&str> = [size.as_deref(), place, Some(what)]
        .into_iter()
        .flatten()
        .collect();
    parts.join(" ")
}
