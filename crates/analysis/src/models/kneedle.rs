//! The knee of a curve of rates over depth, by Kneedle.
//!
//! Both axes are scaled to 0…1, depth by its logarithm; the knee is where the curve stands highest above the diagonal,
//! accepted once it has come down by the mean step of the axis (sensitivity 1). Source: Satopää, Albrecht, Irwin and
//! Raghavan, "Finding a 'Kneedle' in a haystack", ICDCS workshops 2011. It may find none, and that is reported.
//! Deliberately absent: its smoothing, because a point a doubling is no noisy stream.

use super::Refused;

const POINTS_MIN: usize = 5;
/// A rate that varies less than this over all depths has no knee.
const RANGE_MIN: f64 = 0.10;
const SENSITIVITY: f64 = 1.0;

/// Of (I/Os in flight, rate a second), one point a depth, in rising order; answers with the depth.
///
/// Errors: fewer than five points; a curve without a knee.
pub fn kneedle(points: &[(f64, f64)]) -> Result<f64, Refused> {
    if points.len() < POINTS_MIN {
        return Err(Refused::TooFew(format!(
            "Kneedle takes five depths; there are {}",
            points.len()
        )));
    }
    let no_knee = |why: &str| Refused::NoFit(format!("Kneedle finds no knee: {why}"));
    let depths: Vec<f64> = points.iter().map(|(depth, _)| depth.log2()).collect();
    let rates = || points.iter().map(|(_, rate)| *rate);
    let (least, most) = (
        rates().fold(f64::INFINITY, f64::min),
        rates().fold(0.0, f64::max),
    );
    let span = depths[depths.len() - 1] - depths[0];
    if span <= 0.0 || most - least < RANGE_MIN * most {
        return Err(no_knee("the rate is nearly the same at every depth"));
    }
    let above: Vec<f64> = depths
        .iter()
        .zip(rates())
        .map(|(depth, rate)| (rate - least) / (most - least) - (depth - depths[0]) / span)
        .collect();
    let drop = SENSITIVITY / (points.len() - 1) as f64;
    let mut best: Option<usize> = None;
    for at in 0..above.len() {
        if best.is_none_or(|known| above[at] > above[known]) {
            best = Some(at);
        } else if let Some(known) = best
            && above[at] < above[known] - drop
            && above[known] > 0.0
        {
            return Ok(points[known].0);
        }
    }
    Err(no_knee("the rate still grows with depth"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(rates: &[f64]) -> Vec<(f64, f64)> {
        (0..)
            .map(|power| f64::from(1u32 << power))
            .zip(rates.iter().copied())
            .collect()
    }

    #[test]
    fn the_knee_is_where_more_depth_stops_to_pay() {
        let rates = [10.0, 20.0, 40.0, 78.0, 90.0, 92.0, 92.0, 92.0];
        let knee = kneedle(&points(&rates)).unwrap();
        assert!((8.0..=16.0).contains(&knee), "{knee}");
    }

    #[test]
    fn a_flat_and_an_endlessly_growing_curve_have_none() {
        assert!(matches!(
            kneedle(&points(&[100.0; 8])),
            Err(Refused::NoFit(_))
        ));
        let growing: Vec<f64> = (0..8).map(|power| f64::from(1u32 << power)).collect();
        assert!(matches!(kneedle(&points(&growing)), Err(Refused::NoFit(_))));
        assert!(matches!(
            kneedle(&points(&growing[..4])),
            Err(Refused::TooFew(_))
        ));
    }

    #[test]
    fn a_rate_that_hardly_varies_has_no_knee_whatever_its_shape() {
        let shape = [0.0, 0.3, 0.6, 0.9, 0.98, 1.0, 1.0, 1.0];
        let of_range = |range: f64| {
            let rates = shape.map(|height| 100.0 * (1.0 - range + range * height));
            kneedle(&points(&rates))
        };
        assert_eq!(of_range(0.15).ok(), Some(8.0));
        assert!(matches!(of_range(0.06), Err(Refused::NoFit(_))));
    }
}
