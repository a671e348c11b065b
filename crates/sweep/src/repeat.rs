//! When a cell has been repeated often enough.
//!
//! What one run says differs from what the next one says by more than its own time series shows, because caches, places
//! on the device and neighbours differ between runs. So a rule for stopping looks at whole runs: the interval that holds
//! the mean rate (`analysis::relative_half_width`) has to be narrow enough. Looking after each run and stopping at the
//! first good moment makes that interval a little too narrow; three runs at least keep this small.
//! Deliberately absent: ending a single run early.

/// How often a cell is run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Repeat {
    /// At least. // at least 1
    pub least: u32,
    /// At most. // at least `least`
    pub most: u32,
    /// The half width of the 95 % interval of the mean rate, as a share of it, at which it is enough; without it every
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
