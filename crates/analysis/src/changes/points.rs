//! The rate over time as at most 120 points, and how much they are autocorrelated.
//!
//! Neighbours are averaged until no more than 120 are left: that keeps the work small, and averaged points are closer to
//! normal and less correlated. Source of the correction for correlation: of a first-order autoregressive series, the
//! variance of a mean is larger by (1 + r) / (1 - r), and the usual estimate of r is too small by (1 + 4 r) / n:
//! Marriott and Pope, "Bias in the estimation of autocorrelations", Biometrika 41 (1954).

use crate::intervals::IntervalRow;
use crate::rows::per_second;
use model::Nanos;

const POINTS_MAX: usize = 120;
const POINTS_MIN: usize = 10;
const IOS_MIN: u64 = 200;
/// Beyond this a series counts as a random walk, without a statement on it.
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
    let corrected = seen + (1.0 + 4.0 * seen) / residuals.len() as f64;
    corrected.clamp(0.0, CORRELATION_MAX)
}

/// By how much the variance of a mean is larger than that of independent values.
pub(super) fn inflation(correlation: f64) -> f64 {
    (1.0 + correlation) / (1.0 - correlation)
}
