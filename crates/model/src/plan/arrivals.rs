//! When I/Os are to start, where that does not wait for others to complete: an open loop.
//!
//! Without arrivals a free slot is used at once (a closed loop), so a target that stalls is asked less, and its stall
//! is in no latency but that of the I/Os in flight. With them it is asked all the same. Deliberately absent: the moments
//! themselves, which are the engine's.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How often I/Os are to start, over all threads together, and how they are spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Arrivals {
    /// IOPS over all threads, shared out evenly. // in [1, 1 000 000 000]
    pub per_s: u64,
    /// From one to the next.
    pub spacing: Spacing,
}

/// How arrivals are spaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Spacing {
    /// At equal distances, the threads' one between the others'.
    #[default]
    Constant,
    /// At random, as independent users come: exponential gaps.
    Poisson,
    /// At the times of a trace, of which the rate is the mean.
    Recorded,
}

impl Spacing {
    /// Those that can be requested by a name.
    pub const ALL: [(&str, Spacing); 2] = [
        ("constant", Spacing::Constant),
        ("poisson", Spacing::Poisson),
    ];

    /// As it is called in options and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Spacing::Constant => "constant",
            Spacing::Poisson => "poisson",
            Spacing::Recorded => "recorded",
        }
    }
}
