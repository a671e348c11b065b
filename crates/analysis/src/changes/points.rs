//! The rate over time as at most 120 points, and how much they are autocorrelated.
//!
//! Neighbours are averaged until no more than 120 are left: that keeps the work small, and averaged points are closer to
//! normal and less correlated. Source of the correction for correlation: of a first-order autoregressive series, the
//! variance of a mean is larger by (1 + r) / (1 - r), and the usual estimate of r is too small by (1 + 4 r) / n:
//! Marriott and Pope, "Bias in the estimation of autocorrelations", Biometrika 41 (1954). A fitted change takes more of the slow noise
//! away than a mean does: (3 + 6 r) / n is from series of 20 to 600 steps without a change, at r from 0 to 0.98.

use crate::intervals::IntervalRow;
use crate::rows::per_second;
use model::Nanos;

const POINTS_MAX: usize = 120;
const POINTS_MIN: usize = 10;
const IOS_MIN: u64 = 200;
/// From here on a series counts as a random walk, without a statement on it.
const CORRELATION_MAX: f64 = 0.97;

/// Equally long parts of the measured phase with their rates.
pub(super) struct Points {
    /// IOPS. // at least 10
    pub(super) rates: Vec<f64>,
    /// Length of each.
    pub(super) length: Nanos,
}

impl Points {
    /// None where the series is too short. The first steps that do not fill a point are omitted, not the last.
    pub(super) fn of(full: &[IntervalRow], step: Nanos) -> Option<Points> {
        let ios = full.iter().map(|row| row.ios).fold(0, u64::saturating_add);
        if full.len() < POINTS_MIN || ios < IOS_MIN {
            return None;
        }
        let each = full.len().div_ceil(POINTS_MAX);
        let length = Nanos(step.0.saturating_mul(each as u64));
        let sum = |rows: &[IntervalRow]| rows.iter().map(|row| row.ios as f64).sum::<f64>();
        let rates = full.chunks_exact(each);
        Some(Points {
            rates: rates.map(|rows| per_second(sum(rows), length)).collect(),
            length,
        })
    }

    /// Where the point with this number begins.
    pub(super) fn begins(&self, number: usize) -> Nanos {
        Nanos(self.length.0.saturating_mul(number as u64))
    }
}

/// Correlation of neighbours in a series about 0, without the bias of short series; 0 where it is negative.
pub(super) fn correlation(residuals: &[f64]) -> f64 {
    let squares: f64 = residuals.iter().map(|value| value * value).sum();
    let products: f64 = residuals.windows(2).map(|pair| pair[0] * pair[1]).sum();
    if squares <= 0.0 {
        return 0.0;
    }
    let seen = products / squares;
    let corrected = seen + (3.0 + 6.0 * seen) / residuals.len() as f64;
    corrected.clamp(0.0, CORRELATION_MAX)
}

/// Returns whether what a change leaves is like a random walk, in which any change is chance. Where it leaves next to nothing
/// (`left` of all squares), there is no noise.
pub(super) fn is_walk(residuals: &[f64], left: f64, squares: f64) -> bool {
    correlation(residuals) >= CORRELATION_MAX && left > LEFT_MAX * squares
}

/// Where a change leaves less than this share of all squares, it is one, however the rest is: a curve leaves residuals
/// that are autocorrelated, which the correction for correlation takes for a walk.
pub(super) const LEFT_MAX: f64 = 0.02;

/// Sum of the squared distances from the mean.
pub(super) fn squares(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

/// By how much the variance of a mean is larger than that of independent values.
pub(super) fn inflation(correlation: f64) -> f64 {
    (1.0 + correlation) / (1.0 - correlation)
}
