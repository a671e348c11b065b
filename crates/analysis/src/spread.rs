//! How far the mean of a few runs may be from the mean of many: the usual interval for a mean.
//!
//! Source: Student's t distribution, two-sided 95%; Montgomery, Design and Analysis of Experiments, section 2.4 and
//! its table of percentage points. It takes runs for independent and their rates for roughly normal; a drift makes it
//! too narrow, which is why a sweep shuffles. Deliberately absent: anything from within one run.

/// Points of the t distribution for 1 to 30 degrees of freedom.
const T_95: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
];

/// Half the width of the 95% interval of the mean, as a share of the mean; `None` for fewer than two values or a mean
/// that is not above 0. Beyond 31 values it is wider than it need be by at most 4%.
pub fn relative_half_width(values: &[f64]) -> Option<f64> {
    let count = values.len();
    if count < 2 {
        return None;
    }
    let mean = mean(values);
    if mean <= 0.0 {
        return None;
    }
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let deviation = (squares / (count - 1) as f64).sqrt();
    Some(t_95(count - 1) * deviation / (count as f64).sqrt() / mean)
}

/// The point of the t distribution for so many degrees of freedom, taken as 1 to 30.
pub(crate) fn t_95(degrees: usize) -> f64 {
    T_95[degrees.clamp(1, T_95.len()) - 1]
}

/// The same for the mean of so many values, rounded down to a whole number of them.
pub(crate) fn t_95_of(values: f64) -> f64 {
    t_95((values.max(2.0) as usize) - 1)
}

/// 0 for no values.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_the_one_of_the_textbook() {
        // Mean 5, sample deviation 1.5811, five values: 2.776 * 1.5811 / sqrt(5) = 1.9629.
        let width = relative_half_width(&[3.0, 4.0, 5.0, 6.0, 7.0]).unwrap();
        assert!((width - 1.9629 / 5.0).abs() < 1e-4, "{width}");
    }

    #[test]
    fn one_value_or_no_rate_has_no_interval() {
        assert_eq!(relative_half_width(&[5.0]), None);
        assert_eq!(relative_half_width(&[0.0, 0.0]), None);
        assert_eq!(relative_half_width(&[2.0, 2.0]), Some(0.0));
    }
}
