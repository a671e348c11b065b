//! When a cell is known well enough to end before its time.
//!
//! The onlooker of a run asks after each reading. The rule is the one by which the result is judged afterwards (the
//! warm-up cut off, means of batches), so that a cell does not end by a looser measure than it is held to. A rule that is
//! asked again and again says yes too early now and then, by chance: so it must have been true over some readings in a row.
//! Source: Chow and Robbins, "On the asymptotic theory of fixed-width sequential confidence intervals for the mean",
//! Annals of Mathematical Statistics 36 (1965); the run of confirmations is our guard for small samples.

use model::Nanos;

/// Shortest time that tells anything: a rate that pauses every few hundred milliseconds must show it.
pub(crate) const LEAST: Nanos = Nanos::millis(400);
/// Fewest I/Os, over the share that is asked: one I/O more or less at either end is then a quarter of it.
const IOS_TIMES: f64 = 2.0;
/// Readings in a row for which it must be true.
const CONFIRMATIONS: usize = 3;

/// Whether a rate is known within this half width, as a share of it, from readings of (time since the start, I/Os since
/// then), both ascending. // half_width_share above 0
pub fn is_tight(readings: &[(Nanos, u64)], half_width_share: f64) -> bool {
    let Some((elapsed, ios)) = readings.last() else {
        return false;
    };
    let few = (*ios as f64) < IOS_TIMES / half_width_share;
    if *elapsed < LEAST || few || readings.len() <= CONFIRMATIONS {
        return false;
    }
    (0..CONFIRMATIONS).all(|back| {
        let width = width(&readings[..readings.len() - back]);
        width.is_some_and(|width| width <= half_width_share)
    })
}

/// Half of the interval of the rate as a share of it.
fn width(readings: &[(Nanos, u64)]) -> Option<f64> {
    let before = std::iter::once((Nanos(0), 0)).chain(readings.iter().copied());
    let steps: Vec<(f64, f64)> = before
        .zip(readings)
        .map(|((from, ios_before), (to, ios))| {
            (
                ios.saturating_sub(ios_before) as f64,
                to.minus(from).as_seconds(),
            )
        })
        .filter(|(_, seconds)| *seconds > 0.0)
        .collect();
    analysis::rate_of_steps(&steps)?.half_width_share()
}
