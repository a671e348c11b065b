//! Times: whole nanoseconds, and their text.

use super::{UnitError, error};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A span of time in nanoseconds, or a moment counted from a clock's own origin.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(transparent)]
pub struct Nanos(pub u64);

const TIME_FORM: &str = "must be a number with its unit: 500ms, 90s, 3m, 1h, or joined as in 1m30s";
const TIME_FINE: &str = "must have at most nine decimals";
const TIME_LARGE: &str = "must be at most 584 years";

/// Each with its nanoseconds. All letters between two numbers are one unit, so that `ms` is not read as `m`.
const TIME_UNITS: [(&str, u64); 7] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

impl Nanos {
    /// The longest span there is; used as "no limit".
    pub const MAX: Nanos = Nanos(u64::MAX);

    /// Whole seconds.
    pub const fn seconds(n: u64) -> Self {
        Nanos(n * 1_000_000_000)
    }
    /// Whole milliseconds.
    pub const fn millis(n: u64) -> Self {
        Nanos(n * 1_000_000)
    }
    /// Whole microseconds.
    pub const fn micros(n: u64) -> Self {
        Nanos(n * 1_000)
    }
    /// Divides an amount by this time, per second; 0 over no time at all, because nothing was measured then.
    pub fn rate_of(self, amount: f64) -> f64 {
        match self.0 {
            0 => 0.0,
            _ => amount / self.as_seconds(),
        }
    }
    /// As seconds, for rates.
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / 1e9
    }
    /// Sum that stops at the top instead of wrapping.
    #[must_use]
    pub const fn plus(self, other: Nanos) -> Nanos {
        Nanos(self.0.saturating_add(other.0))
    }
    /// Difference that stops at zero instead of wrapping.
    #[must_use]
    pub const fn minus(self, other: Nanos) -> Nanos {
        Nanos(self.0.saturating_sub(other.0))
    }
    /// For the standard library's sleeps and timeouts.
    pub const fn as_duration(self) -> std::time::Duration {
        std::time::Duration::from_nanos(self.0)
    }
}

impl FromStr for Nanos {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        if text.is_empty() {
            return Err(error(text, TIME_FORM));
        }
        let mut rest = text;
        let mut total: u128 = 0;
        while !rest.is_empty() {
            let (value, after_number) = take_decimal(rest).map_err(|why| error(text, why))?;
            let letters = after_number
                .find(|c: char| c.is_ascii_digit() || c == '.')
                .unwrap_or(after_number.len());
            let (unit, tail) = after_number.split_at(letters);
            let scale = TIME_UNITS
                .iter()
                .find(|(name, _)| unit == *name)
                .ok_or_else(|| error(text, TIME_FORM))?
                .1;
            let scaled = value.scaled(scale).ok_or_else(|| error(text, TIME_LARGE))?;
            total = total
                .checked_add(scaled)
                .ok_or_else(|| error(text, TIME_LARGE))?;
            rest = tail;
        }
        u64::try_from(total)
            .map(Nanos)
            .map_err(|_| error(text, TIME_LARGE))
    }
}

impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact = ["h", "m", "s", "ms", "us"].iter().find_map(|name| {
            let scale = TIME_UNITS.iter().find(|(n, _)| n == name)?.1;
            (self.0 > 0 && self.0.is_multiple_of(scale)).then(|| (self.0 / scale, *name))
        });
        match exact {
            Some((count, name)) => write!(f, "{count}{name}"),
            None if self.0 == 0 => write!(f, "0s"),
            None => write!(f, "{}ns", self.0),
        }
    }
}

/// A decimal fraction kept exact: `digits` × 10^-`places`.
struct Decimal {
    digits: u64,
    places: u32, // in [0, 9]
}

impl Decimal {
    fn scaled(&self, scale: u64) -> Option<u128> {
        u128::from(self.digits)
            .checked_mul(u128::from(scale))
            .map(|scaled| scaled / 10u128.pow(self.places))
    }
}

fn take_decimal(text: &str) -> Result<(Decimal, &str), &'static str> {
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let dotted = number.contains('.');
    if whole.is_empty() || (dotted && fraction.is_empty()) || fraction.contains('.') {
        return Err(TIME_FORM);
    }
    let places = u32::try_from(fraction.len())
        .ok()
        .filter(|&places| places <= 9);
    let digits = format!("{whole}{fraction}")
        .parse()
        .map_err(|_| TIME_LARGE)?;
    Ok((
        Decimal {
            digits,
            places: places.ok_or(TIME_FINE)?,
        },
        rest,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn times_need_their_unit() {
        for (text, ns) in [
            ("90s", 90_000_000_000),
            ("1m30s", 90_000_000_000),
            ("1.5s", 1_500_000_000),
            ("500ms", 500_000_000),
            ("10us", 10_000),
            ("10µs", 10_000),
            ("7ns", 7),
            ("0s", 0),
            ("1h", 3_600_000_000_000),
        ] {
            assert_eq!(text.parse(), Ok(Nanos(ns)), "{text}");
        }
        for text in [
            "",
            "10",
            "s",
            "1.s",
            ".5s",
            "1..5s",
            "10 s",
            "-1s",
            "1d",
            "600000000h",
            "1s5",
        ] {
            assert!(text.parse::<Nanos>().is_err(), "{text}");
        }
    }

    #[test]
    fn times_beyond_the_scale_say_so() {
        for (text, word) in [
            ("99999999999999999999h", "584 years"),
            ("0.0000000001s", "nine decimals"),
        ] {
            assert!(
                text.parse::<Nanos>()
                    .unwrap_err()
                    .to_string()
                    .contains(word),
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn times_read_back_as_printed(n in any::<u64>()) {
            prop_assert_eq!(Nanos(n).to_string().parse(), Ok(Nanos(n)));
        }
    }
}
