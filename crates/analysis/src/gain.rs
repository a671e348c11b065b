//! Whether more depth still brings anything: the rule by which a ladder of depths ends.
//!
//! Depth doubles from rung to rung. Throughput over depth on a logarithmic axis is what Little's law (outstanding =
//! rate × latency) and the search for its knee work on; diskplorer doubles "till no gain" in the same way. We ask
//! for two doublings without a gain, because one flat step may be noise, and take 3% for a gain, the deviation
//! from which iotune warns and diskplorer drops a cell. Two rungs that fell far below the best do not end a climb:
//! a queue that is merely deeper costs a device little, so such a fall shows a disturbance.

/// A step counts as a gain when its rate is at least this many times the best before.
pub const GAIN_MIN: f64 = 1.03;
/// So many doublings without a gain end a ladder.
pub const STEPS_WITHOUT_GAIN: usize = 2;
/// Rates below this share of the best before are a disturbance and no plateau.
pub const PLATEAU_MIN: f64 = 0.85;

/// What the last doublings brought: their best rate over the best before them. `None` with too few rungs,
/// or without any rate before them. `rates` in the order of their depths.
pub fn gain_of_last_steps(rates: &[f64]) -> Option<f64> {
    let split = rates
        .len()
        .checked_sub(STEPS_WITHOUT_GAIN)
        .filter(|&before| before > 0)?;
    let best = |rates: &[f64]| rates.iter().copied().fold(0.0, f64::max);
    let before = best(&rates[..split]);
    (before > 0.0).then(|| best(&rates[split..]) / before)
}

/// Whether the climb is over.
pub fn gain_has_ended(rates: &[f64]) -> bool {
    gain_of_last_steps(rates).is_some_and(|gain| (PLATEAU_MIN..GAIN_MIN).contains(&gain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_flat_doublings_end_a_climb_and_one_does_not() {
        assert!(!gain_has_ended(&[100.0, 200.0, 201.0]));
        assert!(gain_has_ended(&[100.0, 200.0, 201.0, 202.0]));
        assert!(!gain_has_ended(&[100.0, 200.0, 201.0, 207.0]));
        assert!(!gain_has_ended(&[]) && !gain_has_ended(&[100.0, 100.0]));
    }

    #[test]
    fn a_fall_far_below_the_best_is_a_disturbance() {
        assert!(!gain_has_ended(&[12.0, 22.5, 17.0, 10.4]));
        assert!(gain_has_ended(&[12.0, 22.5, 20.0, 10.4]));
    }

    #[test]
    fn rungs_without_a_rate_say_nothing() {
        assert_eq!(gain_of_last_steps(&[0.0, 0.0, 0.0]), None);
    }
}
