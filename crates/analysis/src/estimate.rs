//! A figure that travels with its uncertainty: value, interval, and what both rest on.
//!
//! How the interval was found is said where it is made; here is only what every such figure has in common.
//! Deliberately absent: digits and signs of display, which are `views`'s.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A value with its 95 % interval. The unit is the one that the name of the field says.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// The best guess. // finite
    pub value: f64,
    /// Lower end of the 95 % interval; none where the data cannot tell. // at most `value`
    pub low: Option<f64>,
    /// Upper end of the 95 % interval; none where the data cannot tell. // at least `value`
    pub high: Option<f64>,
    /// How many independent samples it rests on: fewer than were taken, where they hang together. // at least 0
    pub samples: f64,
}

impl Estimate {
    /// A value of which the data do not say how far off it may be.
    pub const fn bare(value: f64, samples: f64) -> Estimate {
        Estimate {
            value,
            low: None,
            high: None,
            samples,
        }
    }

    /// Half the width of the interval, as a share of the value; none without an interval, and of 0.
    pub fn half_width_share(&self) -> Option<f64> {
        let width = self.high? - self.low?;
        (self.value != 0.0).then(|| (width / 2.0 / self.value).abs())
    }
}

#[cfg(test)]
mod tests {
    use super::Estimate;

    #[test]
    fn half_a_width_is_a_share_of_the_value() {
        let sure = Estimate {
            value: 200.0,
            low: Some(190.0),
            high: Some(210.0),
            samples: 12.0,
        };
        assert_eq!(sure.half_width_share(), Some(0.05));
        assert_eq!(Estimate::bare(200.0, 1.0).half_width_share(), None);
        assert_eq!(Estimate { value: 0.0, ..sure }.half_width_share(), None);
    }
}
