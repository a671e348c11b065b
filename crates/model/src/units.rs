//! Sizes and times with their unit in the type, and their text.
//!
//! Inside, everything is whole bytes and whole nanoseconds. Text is read here because every dialect
//! shares the arithmetic; how numbers are *shown* to a person is `views::number`'s business alone, so
//! `Display` prints the shortest exact form that `FromStr` reads back (a law tested below).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A count of bytes. Text: digits and one of `K M G T` (1024-based; `KiB` and so on mean the same).
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
pub struct Bytes(pub u64);

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

/// A share in whole percent. // in [0, 100]
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
pub struct Ratio(u8);

/// Text that is not a size, a time or a percentage, with what would have been.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("read `{read}`; {accepted}")]
pub struct UnitError {
    /// The text as it was given.
    pub read: String,
    /// One sentence on what is accepted here.
    pub accepted: &'static str,
}

const SIZE_FORM: &str =
    "a size is a whole number with K, M, G or T after it (4K = 4096 bytes), or plain bytes";
const SIZE_DECIMAL: &str =
    "KB, MB and GB mean 1000 to some and 1024 to others: write 4K or 4KiB for 4096, or plain bytes";
const SIZE_LARGE: &str = "a size is at most 16383P, that is 2^64 - 1 bytes";
const TIME_FORM: &str =
    "a time is a number with its unit: 500ms, 90s, 3m, 1h, or joined as in 1m30s";
const TIME_FINE: &str = "a time has at most nine decimals";
const TIME_LARGE: &str = "a time is at most 584 years";
const RATIO_FORM: &str = "a percentage is a whole number from 0 to 100";

const SIZE_UNITS: [(&str, u64); 5] = [
    ("P", 1 << 50),
    ("T", 1 << 40),
    ("G", 1 << 30),
    ("M", 1 << 20),
    ("K", 1 << 10),
];

/// Longest unit first where one is the head of another, so that `ms` is not read as `m`.
const TIME_UNITS: [(&str, u64); 7] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

impl Bytes {
    /// 1024 bytes times `n`.
    pub const fn kib(n: u64) -> Self {
        Bytes(n << 10)
    }
    /// 1024² bytes times `n`.
    pub const fn mib(n: u64) -> Self {
        Bytes(n << 20)
    }
    /// 1024³ bytes times `n`.
    pub const fn gib(n: u64) -> Self {
        Bytes(n << 30)
    }
    /// The largest multiple of `unit` that is not above this. `unit` 0 leaves it as it is.
    pub const fn floor_to(self, unit: Bytes) -> Bytes {
        if unit.0 == 0 {
            self
        } else {
            Bytes(self.0 - self.0 % unit.0)
        }
    }
    /// The same in whole units of which there are at least ten, for messages: 24 675 848K is about 23G.
    #[must_use]
    pub fn about(self) -> Bytes {
        let unit = SIZE_UNITS.iter().find(|(_, scale)| self.0 / scale >= 10);
        unit.map_or(self, |(_, scale)| self.floor_to(Bytes(*scale)))
    }
    /// Whether this is a whole number of `unit`s.
    pub const fn is_multiple_of(self, unit: Bytes) -> bool {
        unit.0 != 0 && self.0.is_multiple_of(unit.0)
    }
}

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

impl Ratio {
    /// `None` above 100.
    pub const fn percent(value: u8) -> Option<Ratio> {
        if value <= 100 {
            Some(Ratio(value))
        } else {
            None
        }
    }
    /// Nothing of it.
    pub const NONE: Ratio = Ratio(0);
    /// All of it.
    pub const ALL: Ratio = Ratio(100);
    /// In whole percent. // in [0, 100]
    pub const fn as_percent(self) -> u8 {
        self.0
    }
}

fn error(read: &str, accepted: &'static str) -> UnitError {
    UnitError {
        read: read.to_owned(),
        accepted,
    }
}

impl FromStr for Bytes {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, suffix) = text.split_at(digits);
        if number.is_empty() {
            return Err(error(text, SIZE_FORM));
        }
        let scale = match suffix.to_ascii_uppercase().as_str() {
            "" | "B" => 1,
            "KB" | "MB" | "GB" | "TB" | "PB" => return Err(error(text, SIZE_DECIMAL)),
            unit => {
                SIZE_UNITS
                    .iter()
                    .find(|(name, _)| unit == *name || unit == format!("{name}IB"))
                    .ok_or_else(|| error(text, SIZE_FORM))?
                    .1
            }
        };
        number
            .parse::<u64>()
            .ok()
            .and_then(|n| n.checked_mul(scale))
            .map(Bytes)
            .ok_or_else(|| error(text, SIZE_LARGE))
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match SIZE_UNITS
            .iter()
            .find(|(_, scale)| self.0 > 0 && self.0.is_multiple_of(*scale))
        {
            Some((name, scale)) => write!(f, "{}{name}", self.0 / scale),
            None => write!(f, "{}", self.0),
        }
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

impl FromStr for Ratio {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let number = text.strip_suffix('%').unwrap_or(text);
        let plain = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        plain
            .then(|| number.parse().ok().and_then(Ratio::percent))
            .flatten()
            .ok_or_else(|| error(text, RATIO_FORM))
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sizes_are_powers_of_1024() {
        for (text, bytes) in [
            ("512", 512),
            ("4K", 4096),
            ("4k", 4096),
            ("4KiB", 4096),
            ("1M", 1 << 20),
            ("2T", 2 << 40),
            ("0", 0),
        ] {
            assert_eq!(text.parse(), Ok(Bytes(bytes)), "{text}");
        }
    }

    #[test]
    fn bad_sizes_say_what_was_read_and_what_is_accepted() {
        for text in [
            "",
            "K",
            "-4K",
            "4X",
            "4 K",
            "1.5G",
            "0x10",
            "4KB",
            "16384P",
            "18446744073709551616",
        ] {
            let told = text.parse::<Bytes>().unwrap_err().to_string();
            assert!(told.starts_with(&format!("read `{text}`; ")), "{told}");
        }
        assert!(
            "4KB"
                .parse::<Bytes>()
                .unwrap_err()
                .to_string()
                .contains("1000 to some")
        );
    }

    #[test]
    fn about_keeps_at_least_two_digits() {
        for (exact, about) in [
            (24_675_848 << 10, "23G"),
            (512, "512"),
            (9 << 30, "9G"),
            ((9 << 30) + 5, "9G"),
            ((19 << 29) + 5, "9728M"),
            (0, "0"),
        ] {
            assert_eq!(Bytes(exact).about().to_string(), about);
        }
    }

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

    #[test]
    fn ratios_are_whole_percents() {
        assert_eq!("30".parse(), Ok(Ratio(30)));
        assert_eq!("30%".parse(), Ok(Ratio(30)));
        for text in ["", "%", "101", "-1", "+1", "0.5", "300"] {
            assert!(text.parse::<Ratio>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn sizes_read_back_as_printed(n in any::<u64>(), shift in 0u32..50) {
            let bytes = Bytes((n >> shift) << shift);
            prop_assert_eq!(bytes.to_string().parse(), Ok(bytes));
        }

        #[test]
        fn times_read_back_as_printed(n in any::<u64>()) {
            prop_assert_eq!(Nanos(n).to_string().parse(), Ok(Nanos(n)));
        }

        #[test]
        fn no_text_makes_the_parsers_panic(text in ".*") {
            let _ = (text.parse::<Bytes>(), text.parse::<Nanos>(), text.parse::<Ratio>());
        }
    }
}
