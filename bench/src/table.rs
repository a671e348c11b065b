//! Numbers as text, in few columns.

/// Thousands of IOPS, in at most five columns.
pub(crate) fn rate(per_s: Option<f64>) -> String {
    per_s.map_or("-".to_owned(), |per_s| short(per_s / 1e3))
}

/// Three figures where they fit: `0.012`, `4.29`, `23.7`, `914`.
pub(crate) fn short(value: f64) -> String {
    match value {
        v if v >= 99.95 => format!("{v:.0}"),
        v if v >= 9.995 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

/// Microseconds, in at most four columns: `.012`, `4.29`, `23.7`.
pub(crate) fn micros(value: f64) -> String {
    if value < 0.9995 {
        format!("{value:.3}")[1..].to_owned()
    } else {
        short(value)
    }
}

pub(crate) fn ratio(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_wide_as_their_columns() {
        assert_eq!(micros(0.012), ".012");
        assert_eq!(micros(0.9999), "1.00");
        assert_eq!(micros(23.65), "23.6");
        assert_eq!(short(99.96), "100");
        assert_eq!(short(1.005), "1.00");
        assert_eq!(rate(Some(52_842_816.0)), "52843");
        assert_eq!(rate(None), "-");
    }
}
