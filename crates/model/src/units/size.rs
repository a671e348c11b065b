//! Sizes: a count of bytes, and its text.

use super::{UnitError, error};
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

const SIZE_FORM: &str =
    "must be a whole number with K, M, G or T after it (4K = 4096 bytes), or plain bytes";
const SIZE_DECIMAL: &str =
    "KB, MB and GB mean 1000 to some and 1024 to others: write 4K or 4KiB for 4096, or plain bytes";
const SIZE_LARGE: &str = "must be at most 16383P, that is 2^64 - 1 bytes";

const SIZE_UNITS: [(&str, u64); 5] = [
    ("P", 1 << 50),
    ("T", 1 << 40),
    ("G", 1 << 30),
    ("M", 1 << 20),
    ("K", 1 << 10),
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
            let reported = text.parse::<Bytes>().unwrap_err().to_string();
            assert!(
                reported.starts_with(&format!("invalid value '{text}': ")),
                "{reported}"
            );
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

    proptest! {
        #[test]
        fn sizes_read_back_as_printed(n in any::<u64>(), shift in 0u32..50) {
            let bytes = Bytes((n >> shift) << shift);
            prop_assert_eq!(bytes.to_string().parse(), Ok(bytes));
        }
    }
}
