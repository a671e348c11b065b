//! When a cell is known well enough: within one run, which then ends before its time, and over several.
//!
//! The onlooker of a run asks after each reading. The rule is the one by which the result is judged afterwards (the
//! warm-up cut off, means of batches), so that a cell does not end by a looser measure than it is compared with. A rule that
//! is evaluated repeatedly is sometimes true too early by chance: so it must have been true over some readings in a
//! row. Source: Chow and Robbins, "On the asymptotic theory of fixed-width sequential confidence intervals for the mean",
//! Annals of Mathematical Statistics 36 (1965); the run of confirmations is our guard for small samples.
//!
//! The rate of one run differs from that of the next by more than its own time series shows, because caches, places
//! on the device and neighbours differ between runs. So a rule for stopping uses whole runs: the interval that contains
//! the mean rate (`analysis::relative_half_width`) has to be narrow enough. Looking after each run and stopping at the
//! first good moment makes that interval a little too narrow; three runs at least keep this small.

use model::Nanos;

/// Shortest time that gives a result: a rate that pauses every few hundred milliseconds must show it.
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

/// How often a cell is run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Repeat {
    /// At least. // at least 1
    pub least: u32,
    /// At most. // at least `least`
    pub most: u32,
    /// The half width of the 95% interval of the mean rate, as a share of it, at which it is enough; without it every
    /// cell is run `most` times.
    pub precision: Option<f64>,
}

impl Default for Repeat {
    fn default() -> Self {
        Repeat {
            least: 1,
            most: 1,
            precision: None,
        }
    }
}

impl Repeat {
    /// Whether a cell with these rates so far, in the order of its runs, needs no further run. A run without a rate
    /// counts as a run.
    pub fn is_enough(&self, rates: &[Option<f64>]) -> bool {
        let ran = u32::try_from(rates.len()).unwrap_or(u32::MAX);
        if ran >= self.most {
            return true;
        }
        let Some(precision) = self.precision.filter(|_| ran >= self.least) else {
            return false;
        };
        let known: Vec<f64> = rates.iter().copied().flatten().collect();
        // A cell that fails again and again does not become more precise.
        if known.is_empty() {
            return true;
        }
        analysis::relative_half_width(&known).is_some_and(|width| width <= precision)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNTIL: Repeat = Repeat {
        least: 3,
        most: 5,
        precision: Some(0.05),
    };

    #[test]
    fn without_a_precision_every_cell_runs_as_often_as_said() {
        let twice = Repeat {
            least: 2,
            most: 2,
            precision: None,
        };
        assert!(!twice.is_enough(&[Some(1.0)]));
        assert!(twice.is_enough(&[Some(1.0), Some(1.0)]));
    }

    #[test]
    fn a_cell_is_repeated_until_its_interval_is_narrow_or_the_most_is_reached() {
        let rates = |all: &[f64]| -> Vec<Option<f64>> { all.iter().copied().map(Some).collect() };
        assert!(!UNTIL.is_enough(&rates(&[100.0, 100.0])));
        assert!(UNTIL.is_enough(&rates(&[100.0, 100.5, 99.5])));
        assert!(!UNTIL.is_enough(&rates(&[100.0, 130.0, 70.0, 100.0])));
        assert!(UNTIL.is_enough(&rates(&[100.0, 130.0, 70.0, 100.0, 90.0])));
    }

    #[test]
    fn a_cell_that_never_has_a_rate_is_not_tried_for_ever() {
        assert!(UNTIL.is_enough(&[None, None, None]));
        assert!(!UNTIL.is_enough(&[None, None]));
    }
}
