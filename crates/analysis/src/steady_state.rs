//! Steady state as SNIA's Solid State Storage Performance Test Specification (PTS 2.0.2) defines it, of any series of values.
//!
//! Over five values, largest minus smallest is at most 20% of their mean, and the least-squares line through them rises or
//! falls by at most 10% of the mean from the first to the last. Both bounds belong to steady state. The decision is free of
//! division, so that whole numbers are decided exactly. Source: the rule as TKperf's `StdyState.py` has it.
//!
//! Omitted: what the values are. A run has five windows at its end (`intervals`), a test of PTS has rounds (`pts`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Values that are judged together.
pub const STEADY_WINDOW: usize = 5;
/// Largest minus smallest value that a steady window has, as a share of the mean.
pub const STEADY_RANGE_MAX: f64 = 0.20;
/// Rise or fall of its line that a steady window has, as a share of the mean.
pub const STEADY_SLOPE_MAX: f64 = 0.10;

/// Five values, and how level they are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SteadyWindow {
    /// Whether both bounds are kept.
    pub steady: bool,
    /// Mean of the values.
    pub mean: f64,
    /// Smallest value.
    pub least: f64,
    /// Largest value.
    pub most: f64,
    /// Largest minus smallest value, as a share of the mean. // steady up to 0.2
    pub range_share: f64,
    /// Rise of the least-squares line from the first value to the last, as a share of the mean; negative for a fall. //
    /// steady from -0.1 to 0.1
    pub slope_share: f64,
    /// The least-squares line at the first value.
    pub line_first: f64,
    /// The same at the last value.
    pub line_last: f64,
}

impl SteadyWindow {
    /// Judges five values; none where a value is not finite, or their mean is not above 0.
    pub fn of(values: &[f64]) -> Option<SteadyWindow> {
        let sum: f64 = values.iter().sum();
        if values.len() != STEADY_WINDOW || !sum.is_finite() || sum <= 0.0 {
            return None;
        }
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // Places from -2 to 2: the sum of their squares is 10, and the line rises over four steps.
        let places = [-2.0, -1.0, 0.0, 1.0, 2.0];
        let moment: f64 = places.iter().zip(values).map(|(x, y)| x * y).sum();
        let (mean, rise) = (sum / 5.0, moment / 10.0 * 4.0);
        Some(SteadyWindow {
            // (most - least) <= 0.2 × sum/5, and |4 × moment/10| <= 0.1 × sum/5.
            steady: 25.0 * (most - least) <= sum && 20.0 * moment.abs() <= sum,
            mean,
            least,
            most,
            range_share: (most - least) / mean,
            slope_share: rise / mean,
            line_first: mean - rise / 2.0,
            line_last: mean + rise / 2.0,
        })
    }

    /// Judges the last five of a series; none where there are fewer.
    pub fn last(series: &[f64]) -> Option<SteadyWindow> {
        let from = series.len().checked_sub(STEADY_WINDOW)?;
        SteadyWindow::of(&series[from..])
    }
}

/// Returns how many values a series has when its last five are in steady state for the first time. With several series all
/// have to be.
pub fn first_steady(series: &[&[f64]]) -> Option<usize> {
    let shortest = series.iter().map(|values| values.len()).min()?;
    let steady = |values: &[f64]| SteadyWindow::last(values).is_some_and(|window| window.steady);
    (STEADY_WINDOW..=shortest).find(|&count| series.iter().all(|values| steady(&values[..count])))
}

#[cfg(test)]
mod tests;
