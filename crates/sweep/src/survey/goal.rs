//! Which arrival rate to try next, on the way to the highest one that keeps a latency.
//!
//! The first is well below saturation. Then the bracket of [`analysis::Bracket`] is narrowed: the next rate stands where
//! the latency is likely to be crossed, but never so near to either end that a noisy end could delay it. Once enough
//! tries lie near the answer for a line ([`analysis::Crossing`]), the next ones stand on either side of where it crosses,
//! until its interval is narrow. Source of the search over load instead of depth: VMFleet.

use super::climb::Why;
use crate::Measured;
use analysis::{Bracket, Crossing, Goal, Trial};

/// The first rate, as a share of the best that a closed loop reached.
const FIRST_SHARE: f64 = 0.7;
/// A bracket this narrow, as a share of its lower end, needs no line.
const NARROW: f64 = 0.005;
/// Half an interval this narrow, as a share of the rate, is an answer.
const SURE: f64 = 0.02;
/// Distance of the next rates from the crossing, in turn, by what changes the latency about e times.
const BESIDE: [f64; 4] = [-0.25, 0.2, -0.1, 0.1];
/// Of the way from the crossing to the best rate, at most.
const ROOM: f64 = 0.5;
/// The next rate keeps this share of the bracket away from either end.
const AWAY: f64 = 0.15;
/// A rate that low, as a share of the best, counts as none.
const NONE_SHARE: f64 = 0.005;
/// Rates tried, at most.
pub(crate) const TRIES_MAX: usize = 16;
/// Rates that it is likely to take: for sharing out the time.
pub(crate) const TRIES_LIKELY: usize = 9;

/// What was tried for a workload.
pub(crate) fn tries(label: &str, goal: &Goal, done: &[Measured]) -> Vec<Trial> {
    let mine = done.iter().filter(|cell| cell.label == label);
    mine.filter_map(|cell| Trial::of(&cell.record, goal))
        .collect()
}

/// The next rate, or `None` when the answer is known as well as it can be. `best` is the best rate of a closed loop.
pub(crate) fn next(goal: &Goal, best: f64, tries: &[Trial]) -> Option<(u64, Why)> {
    if tries.len() >= TRIES_MAX {
        return None;
    }
    let bracket = Bracket::of(goal, tries);
    let rate = match (tries, &bracket.line) {
        ([], _) => FIRST_SHARE * best,
        (_, Some(line)) => beside(line, tries.len(), best)?,
        _ => between(&bracket, best)?,
    };
    let rate = rate.round().max(1.0) as u64;
    let tried = tries.iter().any(|other| other.iops == rate as f64);
    (!tried).then_some((rate, Why::Goal))
}

/// Whether the answer is known well enough, or as well as it will ever be.
pub(crate) fn is_sure(goal: &Goal, tries: &[Trial]) -> bool {
    let line = Crossing::of(goal, tries);
    tries.len() >= TRIES_MAX || line.is_some_and(|line| is_narrow(&line))
}

fn is_narrow(line: &Crossing) -> bool {
    line.half_width_per_s <= SURE * line.iops
}

fn beside(line: &Crossing, tries: usize, best: f64) -> Option<f64> {
    if is_narrow(line) {
        return None;
    }
    let away = BESIDE[tries % BESIDE.len()] * line.reach_per_s;
    let room = ROOM * (best - line.iops).max(0.0);
    Some(line.iops + away.min(room))
}

fn between(bracket: &Bracket, best: f64) -> Option<f64> {
    let low = bracket.kept.map_or(0.0, |kept| kept.iops);
    let high = bracket.lost.map_or(best, |lost| lost.iops);
    if high <= NONE_SHARE * best || high - low <= NARROW * low {
        return None;
    }
    if bracket.kept.is_none() {
        return Some(high / 2.0);
    }
    let share = bracket.crossing().unwrap_or(0.5).clamp(AWAY, 1.0 - AWAY);
    Some(low + share * (high - low))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Nanos;

    /// A single server: response times are exponential with mean 1/(served - rate).
    fn answer(served: f64, wanted_ms: u64) -> (f64, usize) {
        let goal = Goal {
            quantile: 0.99,
            latency: Nanos::millis(wanted_ms),
        };
        let mut tries = Vec::new();
        while let Some((rate, _)) = next(&goal, served, &tries) {
            let iops = rate as f64;
            let latency_ns = (iops < served).then(|| 100f64.ln() / (served - iops) * 1e9);
            tries.push(Trial { iops, latency_ns });
        }
        let found = Bracket::of(&goal, &tries).answer(tries.len());
        (found.map_or(0.0, |found| found.value), tries.len())
    }

    #[test]
    fn the_rate_is_found_within_its_bracket() {
        for (served, wanted_ms) in [(10_000.0, 5), (10_000.0, 1), (200.0, 100), (50_000.0, 50)] {
            let truth = served - 100f64.ln() / (wanted_ms as f64 / 1e3);
            let (found, tries) = answer(served, wanted_ms);
            assert!((found / truth - 1.0).abs() < 0.02, "{found} for {truth}");
            assert!(tries <= TRIES_LIKELY + 1, "{tries} tries for {truth}");
        }
    }

    #[test]
    fn a_latency_that_no_rate_keeps_is_given_up() {
        let (found, tries) = answer(100.0, 1);
        assert_eq!(found, 0.0);
        assert!(tries < TRIES_MAX, "{tries}");
    }
}
