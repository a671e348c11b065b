//! The Universal Scalability Law: `rate(N) = λ N / (1 + σ (N - 1) + κ N (N - 1))` over the I/Os in flight N.
//!
//! λ is what one I/O at a time does, σ the share that waits in line, κ what each pair costs each other. It is linear in its
//! unknowns as `N / rate`, fitted by least squares of relative errors, with σ and κ at least 0. The rate peaks at
//! `√((1 - σ) / κ)`; the knee is where the line without waiting, λ N, meets the peak (the bound N* of Lazowska and others,
//! Quantitative System Performance, chapter 5). Sources: Gunther, "A general theory of computational scalability based on
//! rational functions", arXiv 0808.1431; Guerrilla Capacity Planning, chapter 5, which asks for at least six points.
//! Deliberately absent: other laws to fall back on.

use super::Refused;
use super::squares::least_squares;
use crate::say;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const POINTS_MIN: usize = 6;
/// Beyond this mean relative error the law is not used.
const RESIDUAL_MAX: f64 = 0.10;

/// A peak so many times deeper than was measured is no finding.
const BEYOND_MAX: f64 = 16.0;

/// The law as fitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UslFit {
    /// λ: the rate of one I/O at a time, a second.
    pub single_per_s: f64,
    /// σ: the share of the work that waits in line. // at least 0
    pub contention: f64,
    /// κ: cost of each pair in flight. // at least 0
    pub coherency: f64,
    /// I/Os in flight at which the rate peaks; none where it does not.
    pub peak_depth: Option<f64>,
    /// The rate there, or towards which it goes, a second; none where it grows without bound.
    pub peak_per_s: Option<f64>,
    /// I/Os in flight at which no-waiting would reach that rate; none where it grows without bound.
    pub knee_depth: Option<f64>,
    /// Whether points beyond the peak were measured; otherwise the peak is extrapolated.
    pub peak_measured: bool,
    /// How far the points lie from the curve: root of the mean square, as a share of the rate.
    pub residual_share: f64,
    /// Points that it rests on.
    pub points: u64,
}

/// Of (I/Os in flight, rate a second), one point a depth, in rising order.
///
/// Errors: fewer than six points; points that do not follow it.
pub fn usl(points: &[(f64, f64)]) -> Result<UslFit, Refused> {
    if points.len() < POINTS_MIN {
        return Err(Refused::TooFew(format!(
            "the scalability law takes six depths; there are {}",
            points.len()
        )));
    }
    let no_fit = |why: String| Refused::NoFit(format!("the scalability law does not fit: {why}"));
    let [start, line, pair] =
        solve(points).ok_or_else(|| no_fit("the depths do not determine it".to_owned()))?;
    let fitted = |n: f64| n / (start + line * (n - 1.0) + pair * n * (n - 1.0));
    let squares: f64 = points
        .iter()
        .map(|(n, rate)| (fitted(*n) / rate - 1.0).powi(2))
        .sum();
    let residual_share = (squares / points.len() as f64).sqrt();
    if residual_share.is_nan() || residual_share > RESIDUAL_MAX {
        return Err(no_fit(format!(
            "points lie {} off",
            say::percent(residual_share)
        )));
    }
    let (contention, coherency) = (line / start, pair / start);
    let deepest = points.last().map_or(0.0, |(n, _)| *n);
    let peak_depth = (coherency > 0.0 && contention < 1.0)
        .then(|| ((1.0 - contention) / coherency).sqrt().max(1.0));
    let peak_depth = peak_depth.filter(|depth| *depth <= BEYOND_MAX * deepest);
    let peak_per_s = match peak_depth {
        Some(depth) => Some(fitted(depth)),
        None if line > 0.0 => Some(1.0 / line),
        None => None,
    };
    Ok(UslFit {
        single_per_s: 1.0 / start,
        contention,
        coherency,
        peak_measured: peak_depth.is_some_and(|depth| depth <= deepest),
        peak_depth,
        knee_depth: peak_per_s.map(|peak| (peak * start).max(1.0)),
        peak_per_s,
        residual_share,
        points: points.len() as u64,
    })
}

/// What is below 0 is omitted, and the rest fitted again. None where λ would not be above 0.
fn solve(points: &[(f64, f64)]) -> Option<[f64; 3]> {
    let fit = |which: [bool; 3]| {
        let rows: Vec<_> = points
            .iter()
            .map(|(n, rate)| {
                let all = [1.0, n - 1.0, n * (n - 1.0)];
                let factors: Vec<f64> = all
                    .into_iter()
                    .zip(which)
                    .filter(|(_, is)| *is)
                    .map(|(f, _)| f)
                    .collect();
                (factors, n / rate, (rate / n).powi(2))
            })
            .collect();
        let values = least_squares(&rows)?.values;
        let mut values = values.into_iter();
        Some(which.map(|is| {
            if is {
                values.next().unwrap_or(0.0)
            } else {
                0.0
            }
        }))
    };
    let full = fit([true; 3]).filter(|all| all.iter().all(|value| *value >= 0.0));
    let fewer = || {
        [
            [true, true, false],
            [true, false, true],
            [true, false, false],
        ]
    };
    let found = full.or_else(|| {
        let tried = fewer()
            .into_iter()
            .filter_map(fit)
            .filter(|all| all.iter().all(|value| *value >= 0.0));
        let off = |all: &[f64; 3]| -> f64 {
            points
                .iter()
                .map(|(n, rate)| {
                    ((all[0] + all[1] * (n - 1.0) + all[2] * n * (n - 1.0)) * rate / n - 1.0)
                        .powi(2)
                })
                .sum()
        };
        tried.min_by(|one, other| off(one).total_cmp(&off(other)))
    });
    found.filter(|all| all[0] > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(contention: f64, coherency: f64) -> Vec<(f64, f64)> {
        (0..9)
            .map(|power| f64::from(1 << power))
            .map(|n| {
                (
                    n,
                    1000.0 * n / (1.0 + contention * (n - 1.0) + coherency * n * (n - 1.0)),
                )
            })
            .collect()
    }

    #[test]
    fn the_law_comes_back_from_its_own_points() {
        let fit = usl(&curve(0.05, 0.0005)).unwrap();
        assert!(
            (fit.contention - 0.05).abs() < 1e-6 && (fit.coherency - 0.0005).abs() < 1e-8,
            "{fit:?}"
        );
        assert!((fit.peak_depth.unwrap() - 43.589).abs() < 0.01, "{fit:?}");
        assert!(fit.peak_measured);
        let flat = usl(&curve(0.1, 0.0)).unwrap();
        assert_eq!(flat.peak_depth, None);
        assert!((flat.knee_depth.unwrap() - 10.0).abs() < 0.01, "{flat:?}");
    }

    #[test]
    fn few_points_and_large_residuals_are_refused() {
        assert!(matches!(
            usl(&curve(0.1, 0.0)[..5]),
            Err(Refused::TooFew(_))
        ));
        let mut wild = curve(0.1, 0.0);
        wild[4].1 *= 3.0;
        wild[6].1 /= 3.0;
        assert!(matches!(usl(&wild), Err(Refused::NoFit(_))));
    }

    #[test]
    fn what_grows_in_proportion_has_no_peak() {
        let fit = usl(&curve(0.0, 0.0)).unwrap();
        assert_eq!(
            (fit.peak_depth, fit.knee_depth.filter(|knee| *knee < 1e6)),
            (None, None)
        );
    }

    #[test]
    fn points_may_lie_a_tenth_off() {
        let zigzag = |off: f64| {
            let mut points = curve(0.05, 0.0005);
            for (place, (_, rate)) in points.iter_mut().enumerate() {
                *rate *= if place % 2 == 0 { 1.0 + off } else { 1.0 - off };
            }
            usl(&points)
        };
        assert!(zigzag(0.05).is_ok());
        assert!(matches!(zigzag(0.2), Err(Refused::NoFit(_))));
    }
}
