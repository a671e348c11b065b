//! A slow change of the rate in one direction: from when on, from which level to which.
//!
//! Whether there is a trend: Mann and Kendall's test, which counts pairs that rise against pairs that fall, so that one
//! wild step cannot make a trend; Mann, "Nonparametric tests against trend", Econometrica 13 (1945). Its variance is
//! widened for correlated values after Hamed and Rao, "A modified Mann-Kendall trend test for autocorrelated data",
//! Journal of Hydrology 204 (1998), with the correlations of a first-order series. How steep: the median of the slopes of
//! all pairs; Sen, "Estimates of the regression coefficient based on Kendall's tau", JASA 63 (1968). From when on: the
//! bend of a level that turns into a line, where the sum of squares is smallest; Hinkley, "Inference in two-phase
//! regression", JASA 66 (1971).

use super::DRIFT_MIN;
use super::points::{LEFT_MAX, Points, correlation, is_walk, squares};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Standard deviations of the test's sum that make a trend: one in 15000 by chance, if correlations are as estimated.
const DEVIATIONS_MIN: f64 = 4.0;

/// A slow change of the rate in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Drift {
    /// When it set in, in nanoseconds from the start of the measured phase; 0 where it was there from the start.
    pub from_ns: u64,
    /// IOPS when it set in.
    pub iops_before: f64,
    /// IOPS at the end of the measured phase.
    pub iops_after: f64,
    /// The change as a share of the level before; negative for a fall. // at least 0.05 either way
    pub change_share: f64,
    /// How many standard deviations the test's sum is from no trend. // at least 4, or a line leaves 2% of the squares or less
    pub standard_errors: f64,
}

/// The drift, if there is one, with the sum of squares that it leaves.
pub(super) fn find(points: &Points) -> Option<(Drift, f64)> {
    let rates = &points.rates;
    let (sum, slope) = pairs(rates);
    let bend = bend(rates);
    let residuals = bend.residuals(rates);
    let deviations = sum.abs() / deviation(rates.len(), correlation(&residuals));
    let all = squares(rates);
    let is_line = bend.left <= LEFT_MAX * all;
    let is_chance = deviations < DEVIATIONS_MIN && !is_line;
    if is_chance || is_walk(&residuals, bend.left, all) || sum * slope <= 0.0 {
        return None;
    }
    let change = (bend.last - bend.first) / bend.first;
    let moved = bend.first > 0.0 && change.abs() >= DRIFT_MIN && change * slope > 0.0;
    let drift = Drift {
        from_ns: points.begins(bend.at).0,
        iops_before: bend.first,
        iops_after: bend.last.max(0.0),
        change_share: change.max(-1.0),
        standard_errors: deviations,
    };
    moved.then_some((drift, bend.left))
}

/// Mann and Kendall's sum, and Sen's slope a point.
fn pairs(rates: &[f64]) -> (f64, f64) {
    let mut sum = 0.0;
    let mut slopes = Vec::with_capacity(rates.len() * rates.len() / 2);
    for (at, first) in rates.iter().enumerate() {
        for (apart, later) in (1u32..).zip(&rates[at + 1..]) {
            let rise = later - first;
            if rise != 0.0 {
                sum += rise.signum();
            }
            slopes.push(rise / f64::from(apart));
        }
    }
    let middle = slopes.len() / 2;
    let (_, median, _) = slopes.select_nth_unstable_by(middle, f64::total_cmp);
    (sum, *median)
}

/// Standard deviation of the sum without a trend, for neighbours with this correlation.
fn deviation(count: usize, correlation: f64) -> f64 {
    let n = count as f64;
    let independent = n * (n - 1.0) * (2.0 * n + 5.0) / 18.0;
    let mut power = 1.0;
    let mut weights = 0.0;
    for apart in 1..count.saturating_sub(2) {
        power *= correlation;
        let left = (count - apart) as f64;
        weights += left * (left - 1.0) * (left - 2.0) * power;
    }
    let wider = 1.0 + 2.0 / (n * (n - 1.0) * (n - 2.0)) * weights;
    (independent * wider).sqrt()
}

/// A level that turns into a line.
struct Bend {
    at: usize,
    first: f64,
    last: f64,
    left: f64, // sum of squares
}

impl Bend {
    fn residuals(&self, rates: &[f64]) -> Vec<f64> {
        let length = (rates.len() - 1 - self.at).max(1) as f64;
        let slope = (self.last - self.first) / length;
        let x = |place: usize| place.saturating_sub(self.at) as f64;
        let numbered = rates.iter().enumerate();
        numbered
            .map(|(place, rate)| rate - self.first - slope * x(place))
            .collect()
    }
}

/// Least squares over every place of the bend in the first two thirds; at 0 it is a plain line.
fn bend(rates: &[f64]) -> Bend {
    let places = 0..=rates.len() * 2 / 3;
    let fitted = places.map(|at| fit(rates, at));
    let best = fitted.min_by(|one, other| one.left.total_cmp(&other.left));
    best.expect("place 0 is always tried")
}

fn fit(rates: &[f64], at: usize) -> Bend {
    let x = |place: usize| place.saturating_sub(at) as f64;
    let count = rates.len() as f64;
    let x_mean = (0..rates.len()).map(x).sum::<f64>() / count;
    let y_mean = mean(rates);
    let (mut above, mut below, mut all) = (0.0, 0.0, 0.0);
    for (place, rate) in rates.iter().enumerate() {
        let (dx, dy) = (x(place) - x_mean, rate - y_mean);
        above += dx * dy;
        below += dx * dx;
        all += dy * dy;
    }
    let slope = if below > 0.0 { above / below } else { 0.0 };
    let first = y_mean - slope * x_mean;
    Bend {
        at,
        first,
        last: first + slope * x(rates.len() - 1),
        left: (all - slope * above).max(0.0),
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
