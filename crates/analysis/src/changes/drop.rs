//! A step down in the rate: the moment, the level before and the level after.
//!
//! Every moment is tried; taken is the one whose two means leave the smallest sum of squares, which is the most likely
//! moment of one change of the mean. Source: Hinkley, "Inference about the change-point in a sequence of random variables",
//! Biometrika 57 (1970). It counts when the two means lie more than seven standard errors apart, with errors widened
//! for correlated neighbours. Looking at every moment needs more than the usual two: for the largest over all moments the
//! 1% point is 3.6 (Andrews, Econometrica 61 (1993), table I); the rest is for short series, whose
//! correlation is poorly known, and the test of false alarms confirms it.

use super::DROP_MIN;
use super::points::{Points, correlation, inflation, is_walk, squares};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const ERRORS_MIN: f64 = 7.0;
/// Fewest points on either side.
const SIDE_MIN: usize = 4;

/// A step down in the rate that did not recover.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RateDrop {
    /// When, in nanoseconds from the start of the measured time; within about a hundredth of it.
    pub at_ns: u64,
    /// IOPS before.
    pub iops_before: f64,
    /// IOPS after.
    pub iops_after: f64,
    /// The change as a share of the level before. // in [-1, -0.1]
    pub change_share: f64,
    /// How many standard errors the two levels lie apart; capped. // in [7, 1000]
    pub standard_errors: f64,
}

/// The drop, if there is one, with the sum of squares that it leaves.
pub(super) fn find(points: &Points) -> Option<(RateDrop, f64)> {
    let rates = &points.rates;
    let count = rates.len();
    let side = SIDE_MIN.max(count / 15);
    let total: f64 = rates.iter().sum();
    let mut before = 0.0;
    let mut best: Option<(usize, f64, f64)> = None; // moment, and the means on both sides
    let mut gain_max = 0.0;
    for (at, rate) in rates.iter().enumerate() {
        if at >= side && count - at >= side {
            let (few, rest) = (at as f64, (count - at) as f64);
            let (first, last) = (before / few, (total - before) / rest);
            let gain = few * rest / count as f64 * (last - first).powi(2);
            if gain > gain_max {
                gain_max = gain;
                best = Some((at, first, last));
            }
        }
        before += rate;
    }
    let (at, first, last) = best?;
    let level = |number: usize| if number < at { first } else { last };
    let residuals: Vec<f64> = (0..count).map(|n| rates[n] - level(n)).collect();
    let left: f64 = residuals.iter().map(|value| value * value).sum();
    let variance = left / (count - 2) as f64 * inflation(correlation(&residuals));
    let error = (variance * (1.0 / at as f64 + 1.0 / (count - at) as f64)).sqrt();
    let apart = if error > 0.0 {
        (first - last) / error
    } else {
        f64::INFINITY
    };
    // The step in which it fell is of both levels; medians do not see it.
    let (first, last) = (median(&rates[..at]), median(&rates[at..]));
    let change = (last - first) / first;
    let walk = is_walk(&residuals, left, squares(rates));
    let dropped = last < first && -change >= DROP_MIN && apart >= ERRORS_MIN && !walk;
    let drop = RateDrop {
        at_ns: points.begins(at).0,
        iops_before: first,
        iops_after: last,
        change_share: change,
        standard_errors: apart.min(1000.0),
    };
    dropped.then_some((drop, left))
}

fn median(rates: &[f64]) -> f64 {
    let mut sorted = rates.to_vec();
    sorted.sort_by(f64::total_cmp);
    f64::midpoint(sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2])
}
