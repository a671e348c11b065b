//! Laws of random places that are not equally likely. Omitted: how a place is drawn by them (`engine`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How often the blocks come that are not equally likely. Numbers are in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Skew {
    /// Zipf's law: the block of rank *k* comes in proportion to *k* to the power of minus this. // above 0, not 1
    Zipf(u32),
    /// Pareto's law: this share of the blocks gets all but this share of the I/Os. // in (0, 1)
    Pareto(u32),
    /// The sum of uniform draws, which is nearly normal, with a uniform one of so many percent added. // in [0, 100]
    Normal(u32),
}

impl Skew {
    /// What its numbers are parts of.
    pub const ONE: u32 = 1_000_000;

    /// Reads `zipf:1.2`, `pareto:0.2` or `normal:20`; none if it is none of them, or its number out of range.
    pub fn read(text: &str) -> Option<Skew> {
        let (law, number) = text.split_once(':')?;
        let number: f64 = number.parse().ok()?;
        let parts = (number * f64::from(Self::ONE)).round();
        let parts = (0.0..=100.0 * f64::from(Self::ONE))
            .contains(&parts)
            .then_some(parts as u32)?;
        match law {
            "zipf" if parts > 0 && parts != Self::ONE => Some(Skew::Zipf(parts)),
            "pareto" if (1..Self::ONE).contains(&parts) => Some(Skew::Pareto(parts)),
            "normal" => Some(Skew::Normal(parts)),
            _ => None,
        }
    }
}

impl fmt::Display for Skew {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (law, parts) = match self {
            Skew::Zipf(parts) => ("zipf", parts),
            Skew::Pareto(parts) => ("pareto", parts),
            Skew::Normal(parts) => ("normal", parts),
        };
        write!(f, "{law}:{}", f64::from(*parts) / f64::from(Self::ONE))
    }
}
