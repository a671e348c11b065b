//! How far the mean of a correlated series may be from the mean of a longer one, and whether the series shows it.
//!
//! The noise of a run is what comes I/O by I/O, which is independent from step to step, and what other users, caches and
//! clocks add, which stays for a time: white noise and a first-order autoregressive process (Ornstein and Uhlenbeck) whose
//! correlation time and size are not known. Their spectrum is compared with that of the series, ordinate by ordinate
//! (Whittle, "Estimation and information in stationary time series", Arkiv för Matematik 2 (1953); the ordinates are of the
//! cosine transform, which takes a mean and a trend out of the ends: Müller and Watson, "Testing models of low-frequency
//! variability", Econometrica 76 (2008)). Every pair of correlation time and size of a grid is a hypothesis; each has the
//! weight that the series gives it, and the interval is that of their mixture (Müller, "HAC corrections for strongly
//! autocorrelated time series", Journal of Business and Economic Statistics 32 (2014), for why a prior on the correlation time
//! is what decides). Where the weight of noise that stays for more than a fourteenth of the series is large, the series is
//! too short, and the error is *not known*: what such noise adds to all steps equally, none of them shows.
//!
//! The grid, its prior and the limit were chosen by `cargo xtask coverage`. Omitted: bursts of a limit, which are
//! `batch_means`'s.

use crate::spread::t_95;
use std::f64::consts::PI;
use std::sync::OnceLock;

/// Longer series are put together by neighbours.
const POINTS_MAX: usize = 60;
/// Correlation times, as shares of the series.
const TIMES: [f64; 10] = [0.012, 0.02, 0.033, 0.066, 0.125, 0.25, 0.5, 1.0, 2.0, 5.0];
/// Variance of the mean by noise that stays, over that by noise that does not.
const SIZES: [f64; 9] = [0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1e3, 1e4];
/// Weight of no noise that stays, before the series is seen.
const INDEPENDENT: f64 = 0.8;
/// Noise that stays for more than this share of the series makes it too short.
const TIME_MAX: f64 = 0.07;
/// Where noise that stays adds less, it does not matter how long it stays.
const SIZE_MIN: f64 = 1.0;
/// The largest weight of such noise with which an interval is known.
const TOO_SHORT: f64 = 0.4;
/// A hypothesis with less weight changes nothing.
const WEIGHT_MIN: f64 = 1e-5;
/// The point of the normal distribution for 95%.
const NORMAL: f64 = 1.959_964;

/// How far the mean of a series may be off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Error {
    /// Variance of the mean. // at least 0
    pub(super) variance: f64,
    /// Half of the 95% interval of the mean.
    pub(super) half_width: f64,
    /// So many independent values it is worth. // in [1, 60]
    pub(super) worth: f64,
    /// The series is long enough to show it.
    pub(super) is_known: bool,
}

/// One correlation time and one size of the noise that stays.
struct Hypothesis {
    /// The spectrum, as a multiple of that of the noise that does not stay.
    spectrum: Vec<f64>,
    /// Half the sum of its logarithms, less the logarithm of the prior.
    cost: f64,
    /// Variance of the mean, in the unit of the spectrum.
    variance: f64,
    is_too_short: bool,
}

/// What is the same for all series of one length.
struct Grid {
    cosines: Vec<Vec<f64>>,
    hypotheses: Vec<Hypothesis>,
}

/// Of a series about 0, whose mean is that of all its values. // at least 10
pub(super) fn error(series: &[f64]) -> Error {
    let each = series.len().div_ceil(POINTS_MAX);
    let points: Vec<f64> = series
        .rchunks_exact(each)
        .map(|part| part.iter().sum::<f64>() / each as f64)
        .collect();
    static GRIDS: [OnceLock<Grid>; POINTS_MAX + 1] = [const { OnceLock::new() }; POINTS_MAX + 1];
    let grid = GRIDS[points.len()].get_or_init(|| Grid::of(points.len()));
    grid.error(&points)
}

impl Grid {
    fn of(points: usize) -> Grid {
        let angle = |ordinate: usize| PI * ordinate as f64 / points as f64;
        let cosines = (1..points).map(|ordinate| {
            let at = |point: usize| (angle(ordinate) * (point as f64 + 0.5)).cos();
            (0..points).map(at).collect()
        });
        let independent = Hypothesis {
            spectrum: vec![1.0; points - 1],
            cost: -INDEPENDENT.ln(),
            variance: 1.0 / points as f64,
            is_too_short: false,
        };
        let pairs = TIMES
            .iter()
            .flat_map(|time| SIZES.iter().map(move |size| (*time, *size)));
        let prior = (1.0 - INDEPENDENT) / (TIMES.len() * SIZES.len()) as f64;
        let slow = pairs.map(|(time, size)| {
            let count = points as f64;
            let kept = (-1.0 / (time * count)).exp();
            let left = 1.0 - kept;
            // Of a mean of values with variance 1; Box, Jenkins and Reinsel, Time Series Analysis, 3.2.
            let variance = ((1.0 + kept) / left
                - 2.0 * kept * (1.0 - kept.powf(count)) / (count * left * left))
                / count;
            let of = |ordinate| {
                let power =
                    (1.0 - kept * kept) / (1.0 - 2.0 * kept * angle(ordinate).cos() + kept * kept);
                1.0 + size * power / (count * variance)
            };
            let spectrum: Vec<f64> = (1..points).map(of).collect();
            Hypothesis {
                cost: spectrum.iter().map(|power| power.ln()).sum::<f64>() / 2.0 - prior.ln(),
                spectrum,
                variance: (1.0 + size) / count,
                is_too_short: time > TIME_MAX && size >= SIZE_MIN,
            }
        });
        Grid {
            cosines: cosines.collect(),
            hypotheses: std::iter::once(independent).chain(slow).collect(),
        }
    }

    fn error(&self, points: &[f64]) -> Error {
        let count = points.len() as f64;
        let free = count - 1.0;
        let squares: Vec<f64> = self
            .cosines
            .iter()
            .map(|cosines| {
                let sum: f64 = cosines
                    .iter()
                    .zip(points)
                    .map(|(cosine, point)| cosine * point)
                    .sum();
                sum * sum * 2.0 / count
            })
            .collect();
        let all: f64 = squares.iter().sum();
        if all <= 0.0 {
            return Error {
                variance: 0.0,
                half_width: 0.0,
                worth: count,
                is_known: true,
            };
        }
        // The logarithm of each weight, and the variance of the mean.
        let of = |hypothesis: &Hypothesis| {
            let parts = squares.iter().zip(&hypothesis.spectrum);
            let sum: f64 = parts.map(|(square, power)| square / power).sum();
            let weight = -hypothesis.cost - free / 2.0 * (sum / all).ln();
            (weight, hypothesis.variance * sum / free)
        };
        let mut weighed: Vec<(f64, f64)> = self.hypotheses.iter().map(of).collect();
        let most = weighed
            .iter()
            .map(|(weight, _)| *weight)
            .fold(f64::MIN, f64::max);
        weighed
            .iter_mut()
            .for_each(|(weight, _)| *weight = (*weight - most).exp());
        let sum: f64 = weighed.iter().map(|(weight, _)| weight).sum();
        weighed.iter_mut().for_each(|(weight, _)| *weight /= sum);
        let numbered = weighed.iter().zip(&self.hypotheses);
        let too_short: f64 = numbered
            .filter(|(_, one)| one.is_too_short)
            .map(|((weight, _), _)| weight)
            .sum();
        let independent = all / free / count;
        let variance: f64 = weighed
            .iter()
            .map(|(weight, variance)| weight * variance)
            .sum();
        Error {
            variance,
            half_width: half_width(&weighed, points.len()),
            worth: (count * independent / variance).clamp(1.0, count),
            is_known: too_short <= TOO_SHORT,
        }
    }
}

/// Half of the interval that contains 95% of a mixture of weights and variances. Student's distribution is taken as a normal
/// one that is as wide at 95%.
fn half_width(weighed: &[(f64, f64)], points: usize) -> f64 {
    let wider = t_95(points - 1) / NORMAL;
    let parts: Vec<(f64, f64)> = weighed
        .iter()
        .filter(|(weight, _)| *weight >= WEIGHT_MIN)
        .map(|(weight, variance)| (*weight, wider * variance.sqrt()))
        .collect();
    let outside = |half: f64| -> f64 {
        parts
            .iter()
            .map(|(weight, error)| weight * outside(half / error))
            .sum()
    };
    let ends = parts.iter().map(|(_, error)| NORMAL * error);
    let (mut low, mut high) = (
        ends.clone().fold(f64::MAX, f64::min),
        ends.fold(0.0, f64::max),
    );
    for _ in 0..24 {
        let middle = f64::midpoint(low, high);
        match outside(middle) > 0.05 {
            true => low = middle,
            false => high = middle,
        }
    }
    high
}

/// The share of a normal distribution further out than this on either side. Source: Abramowitz and Stegun, Handbook of
/// Mathematical Functions, 7.1.26 (absolute error below 1.5e-7).
fn outside(deviations: f64) -> f64 {
    let x = deviations * std::f64::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let factors = [
        0.254_829_592,
        -0.284_496_736,
        1.421_413_741,
        -1.453_152_027,
        1.061_405_429,
    ];
    t * factors.iter().rfold(0.0, |sum, factor| sum * t + factor) * (-x * x).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;

    /// Of so many series of 50 steps: how often an interval was known, and how often it was and was wrong. `steps` is the
    /// correlation time in steps, 0 for none; the noise that stays moves the mean by `size` times as much variance.
    fn tried(runs: u32, steps: f64, size: f64) -> (u32, u32, f64) {
        let mut chance = Chance(11);
        let (mut known, mut wrong, mut width) = (0, 0, 0.0);
        for _ in 0..runs {
            let kept = if steps > 0.0 {
                (-1.0 / steps).exp()
            } else {
                0.0
            };
            let fresh = (1.0 - kept * kept).sqrt();
            let mut state = chance.normal();
            let slow = if steps > 0.0 {
                (size / (2.0 * steps)).sqrt()
            } else {
                0.0
            };
            let series: Vec<f64> = (0..50)
                .map(|_| {
                    state = kept * state + fresh * chance.normal();
                    slow * state + chance.normal()
                })
                .collect();
            let mean = series.iter().sum::<f64>() / 50.0;
            let centred: Vec<f64> = series.iter().map(|value| value - mean).collect();
            let found = error(&centred);
            if found.is_known {
                known += 1;
                wrong += u32::from(mean.abs() > found.half_width);
                width +=
                    found.half_width / (NORMAL * ((1.0 + slow * slow * 2.0 * steps) / 50.0).sqrt());
            }
        }
        (known, wrong, width / f64::from(known.max(1)))
    }

    #[test]
    fn independent_noise_has_an_interval_at_most_1_3_times_as_wide_as_need_be() {
        let (known, wrong, width) = tried(400, 0.0, 0.0);
        assert!(
            known >= 380 && wrong <= 20 && width <= 1.3,
            "{known} {wrong} {width}"
        );
    }

    #[test]
    fn noise_that_stays_for_a_sixtieth_is_known_and_covered() {
        let (known, wrong, _) = tried(400, 50.0 / 60.0, 1e3);
        assert!(known >= 360 && wrong <= 32, "{known} {wrong}");
    }

    #[test]
    fn noise_that_stays_as_long_as_the_run_has_no_interval() {
        for steps in [5.0, 15.0, 50.0] {
            let (known, wrong, _) = tried(400, steps, 1e4);
            assert!(wrong <= 32 && known <= 140, "{steps}: {known} {wrong}");
        }
    }

    #[test]
    fn the_normal_distribution_is_that_of_the_table() {
        for (deviations, share) in [(0.0, 1.0), (1.0, 0.317_311), (NORMAL, 0.05), (4.0, 6.33e-5)] {
            assert!((outside(deviations) - share).abs() < 1e-6, "{deviations}");
        }
    }
}
