//! Shares: whole percent, and their text.

use super::{UnitError, error};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

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

const RATIO_FORM: &str = "must be a whole number from 0 to 100";

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

    #[test]
    fn ratios_are_whole_percents() {
        assert_eq!("30".parse(), Ok(Ratio(30)));
        assert_eq!("30%".parse(), Ok(Ratio(30)));
        for text in ["", "%", "101", "-1", "+1", "0.5", "300"] {
            assert!(text.parse::<Ratio>().is_err(), "{text}");
        }
    }
}
