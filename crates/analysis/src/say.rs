//! Numbers as words inside sentences: three significant digits and the unit that fits.
//!
//! The one implementation of number → text. It is below `views`, because a finding is a sentence with
//! its numbers in it; `views::number` adds only widths and columns to this text. Deliberately
//! absent: alignment, colours, other languages' decimal marks.

/// Writes three significant digits, and all digits before the point: `0.42`, `83.4`, `2178`. // value finite, at least 0
pub fn digits(value: f64) -> String {
    match value {
        v if !v.is_finite() => "-".to_owned(),
        v if v >= 99.95 => fixed(v, 0),
        v if v >= 9.995 => fixed(v, 1),
        v if v >= 0.005 => fixed(v, 2),
        v if v > 0.0 => "<0.01".to_owned(),
        _ => "0".to_owned(),
    }
}

/// Writes a value of 0 or more as `format!` with up to two decimals does, by whole numbers: tables have many figures.
fn fixed(value: f64, decimals: usize) -> String {
    const SCALES: [f64; 3] = [1.0, 10.0, 100.0];
    let scaled = value * SCALES[decimals];
    // So near to a tie the product does not decide; beyond 2^53 it has no digits behind the point.
    if scaled >= 9e15 || (scaled.fract() - 0.5).abs() < 1e-6 {
        return format!("{value:.decimals$}");
    }
    let mut text = (scaled.round() as u64).to_string();
    if decimals > 0 {
        while text.len() <= decimals {
            text.insert(0, '0');
        }
        text.insert(text.len() - decimals, '.');
    }
    text
}

/// Writes a whole number in full: `1234567`.
pub fn count(number: u64) -> String {
    number.to_string()
}

/// `create, stat and read`.
pub fn listed(names: &[impl AsRef<str>]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.as_slice() {
        [front @ .., last] if !front.is_empty() => format!("{} and {last}", front.join(", ")),
        _ => names.concat(),
    }
}

/// A count or a rate without its unit: in full below 10000, then in k, M, G: `83.4k`.
pub fn rate(value: f64) -> String {
    const STEPS: [(f64, &str); 6] = [
        (1e18, "E"),
        (1e15, "P"),
        (1e12, "T"),
        (1e9, "G"),
        (1e6, "M"),
        (1e3, "k"),
    ];
    if value < 9999.5 {
        return digits(value);
    }
    match STEPS.iter().find(|(scale, _)| value >= scale * 0.9995) {
        Some((scale, letter)) => format!("{}{letter}", digits(value / scale)),
        None => digits(value),
    }
}

/// A span of time from nanoseconds: `85.2 µs`, `1.23 ms`, `60 s`.
pub fn time(ns: f64) -> String {
    const STEPS: [(f64, &str, f64); 5] = [
        (1.0, "ns", 999.5),
        (1e3, "µs", 999.5),
        (1e6, "ms", 999.5),
        (1e9, "s", 9999.5),
        (3.6e12, "h", 9999.5),
    ];
    let step = STEPS.iter().find(|(scale, _, top)| ns / scale < *top);
    let (scale, unit) = step.map_or((3.155_76e16, "years"), |(scale, unit, _)| (*scale, *unit));
    let value = ns / scale;
    if value.fract() == 0.0 {
        return format!("{value:.0} {unit}");
    }
    let mut text = digits(value);
    text.push(' ');
    text.push_str(unit);
    text
}

/// A size: `4 KiB`, `1.5 GiB`, `8 GiB`; whole numbers stay whole.
pub fn bytes(bytes: u64) -> String {
    const STEPS: [(u64, &str); 6] = [
        (1 << 60, "EiB"),
        (1 << 50, "PiB"),
        (1 << 40, "TiB"),
        (1 << 30, "GiB"),
        (1 << 20, "MiB"),
        (1 << 10, "KiB"),
    ];
    match STEPS.iter().find(|(scale, _)| bytes >= *scale) {
        Some((scale, unit)) if bytes.is_multiple_of(*scale) => {
            format!("{} {unit}", count(bytes / scale))
        }
        Some((scale, unit)) => format!("{} {unit}", digits(bytes as f64 / *scale as f64)),
        None => format!("{bytes} B"),
    }
}

/// Bytes a second as a number of MiB/s, without the unit: `2432`.
pub fn mib_per_s(bytes_per_s: f64) -> String {
    let mib = bytes_per_s / f64::from(1u32 << 20);
    if mib < 99_999.5 {
        digits(mib)
    } else {
        rate(mib)
    }
}

/// A share as percent: `0.02%`, `37.2%`, `100%`. // share finite, at least 0
pub fn percent(share: f64) -> String {
    let text = digits(share * 100.0);
    let short = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    format!("{short}%")
}

/// A ratio as a change: `+5.1%`, `-12%`, `0%`. // ratio finite, at least 0
pub fn change(ratio: f64) -> String {
    match ratio - 1.0 {
        share if share.abs() < 5e-5 => "0%".to_owned(),
        share if share > 0.0 => format!("+{}", percent(share)),
        share => format!("-{}", percent(-share)),
    }
}

/// `1 read`, `2 reads`, `2 flushes`.
pub fn counted(number: u64, singular: &str) -> String {
    let s = match number {
        1 => "",
        _ if singular.ends_with("sh") || singular.ends_with("ss") => "es",
        _ => "s",
    };
    format!("{} {singular}{s}", count(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_fixed_number_is_that_of_format(value in 0.005..2e16f64, hundredths in 1u32..1_000_000, decimals in 0usize..3) {
            for value in [value, value % 100.0, f64::from(hundredths) / 100.0, f64::from(hundredths) / 8.0] {
                prop_assert_eq!(fixed(value, decimals), format!("{value:.decimals$}"));
            }
        }
    }

    #[test]
    fn numbers_keep_three_digits_and_the_unit_that_fits() {
        let rates = [
            0.0, 0.004, 0.5, 9.996, 83.4, 1234.0, 9999.4, 9999.6, 83_400.0, 999_960.0,
        ];
        let said: Vec<String> = rates.iter().map(|v| rate(*v)).collect();
        let wanted = [
            "0", "<0.01", "0.50", "10.0", "83.4", "1234", "9999", "10.0k", "83.4k", "1.00M",
        ];
        assert_eq!(said, wanted);
        let times = [0.0, 7.0, 85_200.0, 999_960.0, 1_234_567.0, 6e10, 1e18];
        let said: Vec<String> = times.iter().map(|v| time(*v)).collect();
        assert_eq!(
            said,
            [
                "0 ns",
                "7 ns",
                "85.2 µs",
                "1.00 ms",
                "1.23 ms",
                "60 s",
                "31.7 years"
            ]
        );
        let sizes = [0, 512, 4096, 8 << 30, (3 << 30) / 2];
        let said: Vec<String> = sizes.iter().map(|v| bytes(*v)).collect();
        assert_eq!(said, ["0 B", "512 B", "4 KiB", "8 GiB", "1.50 GiB"]);
        let shares = [0.0, 0.0002, 0.372, 1.0, 12.0];
        let said: Vec<String> = shares.iter().map(|v| percent(*v)).collect();
        assert_eq!(said, ["0%", "0.02%", "37.2%", "100%", "1200%"]);
    }

    proptest! {
        #[test]
        fn cells_stay_narrow_whatever_the_number(n in any::<u64>()) {
            let value = n as f64;
            for text in [rate(value), time(value), mib_per_s(value), bytes(n)] {
                prop_assert!(text.chars().count() <= 10, "{}", text);
            }
        }
    }
}
