//! How far a mean over a run may be off, from the means of its parts: batch means.
//!
//! Neighbouring steps of a time series hang together, so their spread says too little. The series is cut into 30 to 10
//! equal batches: as many as leave neighbouring batch means nearly uncorrelated (lag-1 correlation up to 0.1), else ten.
//! What correlation is left widens the variance by (1 + r) / (1 - r). Half the 95 % interval is t(k - 1) · s / √k.
//! Sources: Law, Simulation Modeling and Analysis, section 9.5.3 (batch means, and why 10 to 30); Student's t as in
//! `crate::spread`. A ratio of two sums (latency over I/Os) is taken by its residuals: Cochran, Sampling Techniques,
//! section 6.4, which also makes rate and mean latency of a closed loop agree about how sure they are. Deliberately
//! absent: what is summed, which is the caller's.

use crate::spread::t_95;

const BATCHES_MAX: usize = 30;
/// Fewest batches whose spread is worth looking at, and so the fewest steps.
pub(crate) const BATCHES_MIN: usize = 10;
const CORRELATION_SMALL: f64 = 0.1;
const CORRELATION_MAX: f64 = 0.9;

/// How far a ratio of two sums over a series may be off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    /// Variance of the ratio. // at least 0
    pub(crate) variance: f64,
    /// Batches behind it. // in [10, 30]
    pub(crate) batches: usize,
    /// Half the width of the 95 % interval of the ratio.
    pub(crate) half_width: f64,
}

/// Of the sum of `parts` over the sum of `wholes`, which are as long. None with fewer than ten steps, or where the wholes
/// add up to nothing.
pub(crate) fn spread(parts: &[f64], wholes: &[f64]) -> Option<Spread> {
    let steps = parts.len().min(wholes.len());
    let whole: f64 = wholes.iter().sum();
    if steps < BATCHES_MIN || whole <= 0.0 {
        return None;
    }
    let ratio = parts.iter().sum::<f64>() / whole;
    let residuals: Vec<f64> = parts
        .iter()
        .zip(wholes)
        .map(|(part, of)| part - ratio * of)
        .collect();
    let (sums, correlation) = batched(&residuals)?;
    let batches = sums.len();
    let count = batches as f64;
    // Steps in front that fill no batch are left out here, so the mean whole of a batch is scaled to the batches.
    let per_batch = whole / steps as f64 * (steps / batches) as f64;
    let mean = sums.iter().sum::<f64>() / count;
    let squares: f64 = sums.iter().map(|sum| (sum - mean).powi(2)).sum();
    let widened = (1.0 + correlation) / (1.0 - correlation);
    let variance = squares / (count - 1.0) / count * widened / (per_batch * per_batch);
    Some(Spread {
        variance,
        batches,
        half_width: t_95(batches - 1) * variance.sqrt(),
    })
}

/// Sums over the shortest batches whose neighbours are nearly uncorrelated, and the correlation that is left.
fn batched(values: &[f64]) -> Option<(Vec<f64>, f64)> {
    let shortest = values.len().div_ceil(BATCHES_MAX);
    let longest = values.len() / BATCHES_MIN;
    let mut found = None;
    for length in shortest..=longest {
        let fitting = values.len() / length * length;
        let sums: Vec<f64> = values[values.len() - fitting..]
            .chunks_exact(length)
            .map(|batch| batch.iter().sum())
            .collect();
        let correlation = correlation(&sums);
        let small = correlation <= CORRELATION_SMALL;
        found = Some((sums, correlation));
        if small {
            break;
        }
    }
    found
}

/// Lag-1 correlation without the bias of short series (Marriott and Pope, Biometrika 41 (1954)); 0 where it is negative.
fn correlation(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let pairs = values.windows(2);
    let products: f64 = pairs.map(|two| (two[0] - mean) * (two[1] - mean)).sum();
    if squares <= 0.0 {
        return 0.0;
    }
    let seen = products / squares;
    (seen + (1.0 + 4.0 * seen) / count).clamp(0.0, CORRELATION_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn independent_steps_give_the_interval_of_the_textbook() {
        // Ten steps of one second: deviation 1.0541 around 5, and neighbours that alternate.
        let parts = [4.0, 6.0, 4.0, 6.0, 4.0, 6.0, 4.0, 6.0, 4.0, 6.0];
        let told = spread(&parts, &[1.0; 10]).unwrap();
        assert_eq!(told.batches, 10);
        assert!(
            (told.half_width - 2.262 * 1.0541 / 10f64.sqrt()).abs() < 1e-3,
            "{told:?}"
        );
    }

    #[test]
    fn steps_that_hang_together_are_put_into_longer_batches() {
        let slow: Vec<f64> = (0..120)
            .map(|n| if n / 20 % 2 == 0 { 1.0 } else { 2.0 })
            .collect();
        let told = spread(&slow, &[1.0; 120]).unwrap();
        assert!(told.batches < 30, "{told:?}");
        assert_eq!(spread(&slow[..9], &[1.0; 9]), None);
        assert_eq!(spread(&[0.0; 20], &[0.0; 20]), None);
        assert_eq!(spread(&[3.0; 20], &[1.0; 20]).unwrap().half_width, 0.0);
    }
}
