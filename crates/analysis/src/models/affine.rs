//! Time over size: a fixed part a I/O and a part a byte. `t = a + b · bytes`, with one I/O in flight.
//!
//! `a` is positioning, command and path; `1 / b` is the rate of the medium or link. Fitted by least squares of relative
//! errors, because times span powers of ten; intervals are Student's. Source: the affine model of Ruemmler and Wilkes, "An
//! introduction to disk drive modeling", IEEE Computer 27 (1994), page 17; Draper and Smith, Applied Regression Analysis,
//! chapter 1. Deliberately absent: which cells have one I/O in flight, which is `series`'s.

use super::Refused;
use super::squares::least_squares;
use crate::student::t_point;
use crate::{Estimate, say};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Beyond this mean relative error, time over size is no straight line.
const RESIDUAL_MAX: f64 = 0.15;
const SIZES_MIN: usize = 3;

/// The two parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AffineFit {
    /// The part that does not depend on the size, in nanoseconds.
    pub fixed_ns: Estimate,
    /// The rate of the part that does, in bytes per second; none where time does not grow with size.
    pub bytes_per_s_estimate: Option<Estimate>,
    /// How far the points lie from the line: root of the mean square, as a share of the time.
    pub residual_share: f64,
    /// Block sizes that it rests on.
    pub sizes: u64,
}

/// Of (bytes, nanoseconds of one I/O), one point a size.
///
/// Errors: fewer than three sizes; no straight line.
pub fn affine(points: &[(f64, f64)]) -> Result<AffineFit, Refused> {
    if points.len() < SIZES_MIN {
        let sizes = say::counted(points.len() as u64, "block size");
        return Err(Refused::TooFew(format!(
            "time over size takes three block sizes with one I/O in flight; there are {sizes}"
        )));
    }
    let rows: Vec<_> = points
        .iter()
        .map(|(bytes, ns)| (vec![1.0, *bytes], *ns, 1.0 / (ns * ns)))
        .collect();
    let crooked =
        |why: String| Refused::NoFit(format!("time over size is no straight line: {why}"));
    let solved =
        least_squares(&rows).ok_or_else(|| crooked("the sizes do not determine it".to_owned()))?;
    let (fixed, slope) = (solved.values[0], solved.values[1]);
    let squares: f64 = points
        .iter()
        .map(|(bytes, ns)| ((fixed + slope * bytes) / ns - 1.0).powi(2))
        .sum();
    let residual_share = (squares / points.len() as f64).sqrt();
    if residual_share > RESIDUAL_MAX {
        return Err(crooked(format!(
            "points lie {} off",
            say::percent(residual_share)
        )));
    }
    if fixed <= 0.0 {
        return Err(crooked("its fixed part would be below 0".to_owned()));
    }
    let point = t_point(0.05, points.len() as f64 - 2.0);
    let ends = |at: usize| {
        let variances = solved.variances.as_ref()?;
        let reach = point * variances[at].sqrt();
        Some((solved.values[at] - reach, solved.values[at] + reach))
    };
    let samples = points.len() as f64;
    Ok(AffineFit {
        fixed_ns: Estimate {
            value: fixed,
            low: ends(0).map(|(low, _)| low.max(0.0)),
            high: ends(0).map(|(_, high)| high),
            samples,
            not_known: None,
        },
        // Only where the slope is significant.
        bytes_per_s_estimate: ends(1)
            .filter(|(low, _)| *low > 0.0)
            .map(|(low, high)| Estimate {
                value: 1e9 / slope,
                low: Some(1e9 / high),
                high: Some(1e9 / low),
                samples,
                not_known: None,
            }),
        residual_share,
        sizes: points.len() as u64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_parts_of_a_rotating_disk_come_back() {
        // 8 ms of positioning, 150 MB/s.
        let points: Vec<(f64, f64)> = [4e3, 64e3, 256e3, 1e6, 4e6]
            .iter()
            .zip([1.01, 0.99, 1.0, 1.01, 0.99])
            .map(|(bytes, noise)| (*bytes, (8e6 + bytes / 150e6 * 1e9) * noise))
            .collect();
        let fit = affine(&points).unwrap();
        assert!((fit.fixed_ns.value / 8e6 - 1.0).abs() < 0.02, "{fit:?}");
        let rate = fit.bytes_per_s_estimate.unwrap();
        assert!(
            rate.low.unwrap() < 150e6 && rate.high.unwrap() > 150e6,
            "{rate:?}"
        );
        assert!(fit.residual_share < 0.02);
    }

    #[test]
    fn what_is_no_line_or_too_little_is_refused() {
        assert!(matches!(
            affine(&[(4e3, 1e5), (8e3, 1e5)]),
            Err(Refused::TooFew(_))
        ));
        let jump = [(4e3, 1e5), (8e3, 1e5), (16e3, 5e6), (32e3, 1e5)];
        assert!(matches!(affine(&jump), Err(Refused::NoFit(_))));
        let flat = affine(&[(4e3, 1e5), (8e3, 1.01e5), (16e3, 0.99e5), (32e3, 1e5)]).unwrap();
        assert_eq!(flat.bytes_per_s_estimate, None);
    }
}
