//! A figure that travels with its uncertainty: value, interval, and what both rest on.
//!
//! The method of an interval is described where it is computed; here is only what every such figure has in common.
//! Deliberately absent: digits and signs of display, which are `views`'s.

use crate::spread::relative_half_width;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A value with its 95% interval. The name of the field states the unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// The best guess. // finite
    pub value: f64,
    /// Lower end of the 95% interval; none where the data does not show it. // at most `value`
    pub low: Option<f64>,
    /// Upper end of the 95% interval; none where the data does not show it. // at least `value`
    pub high: Option<f64>,
    /// How many independent samples it rests on: fewer than were taken, where they are autocorrelated. // at least 0
    pub samples: f64,
    /// Why there is no interval, where there is none and the reason is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_known: Option<NotKnown>,
}

/// Half of an interval that noise hides, as a share of the value, where two runs are compared.
const LASTING: f64 = 0.1;

/// Why the data of a run do not show how far a figure may be off.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum NotKnown {
    /// The time series has fewer than ten full steps.
    FewSteps,
    /// Too few I/Os, or too few beyond a percentile.
    FewIos,
    /// Noise that stays for a large part of the run, or a change on the way: a longer run may have another level.
    Correlated,
    /// It is not recorded over time.
    NotRecorded,
}

impl NotKnown {
    /// What the mark of a percentile means, where its interval is not known for this reason.
    pub fn mark(self) -> &'static str {
        match self {
            NotKnown::FewIos => "~ fewer than 10 tail samples",
            NotKnown::FewSteps => "~ fewer than ten steps of the time series",
            NotKnown::Correlated => "~ noise lasts as long as the run",
            NotKnown::NotRecorded => "~ not recorded over time",
        }
    }

    /// The reason in words, with the remedy.
    pub fn sentence(self) -> &'static str {
        match self {
            NotKnown::FewSteps => {
                "fewer than ten steps of the time series: measure longer, or with a shorter --interval"
            }
            NotKnown::FewIos => "too few I/Os: measure longer",
            NotKnown::Correlated => "the noise lasts as long as the run: measure longer, or repeat",
            NotKnown::NotRecorded => "it is not recorded over time",
        }
    }
}

impl Estimate {
    /// A value whose error the data do not show.
    pub const fn bare(value: f64, samples: f64) -> Estimate {
        Estimate {
            value,
            low: None,
            high: None,
            samples,
            not_known: None,
        }
    }

    /// A value whose error the data do not show, with the reason.
    pub const fn not_known(value: f64, why: NotKnown) -> Estimate {
        Estimate {
            not_known: Some(why),
            ..Estimate::bare(value, 0.0)
        }
    }

    /// The same in a unit of which one is so many of this one.
    #[must_use]
    pub(crate) fn times(self, each: f64) -> Estimate {
        Estimate {
            value: self.value * each,
            low: self.low.map(|low| low * each),
            high: self.high.map(|high| high * each),
            ..self
        }
    }

    /// Several of one thing, each with the time that it was measured for: their mean by that time. The interval is that of a
    /// mean of independent figures, each with its own interval, but never narrower than what they gave; where their own
    /// intervals do not meet, it reaches from the lowest end to the highest; never below 0. None where one has none.
    /// // times above 0, values at least 0
    pub fn together(all: &[(f64, Estimate)]) -> Estimate {
        let time: f64 = all.iter().map(|(time, _)| time).sum();
        let part = |own: f64| own / time.max(f64::MIN_POSITIVE);
        let value = all.iter().map(|(own, one)| part(*own) * one.value).sum();
        let samples = all.iter().map(|(_, one)| one.samples).sum();
        let Some(ends) = ends(all) else {
            return Estimate {
                not_known: all.iter().find_map(|(_, one)| one.not_known),
                ..Estimate::bare(value, samples)
            };
        };
        let reaches = all.iter().zip(&ends);
        let reach = reaches
            .map(|((own, _), (low, high))| (part(*own) * (high - low) / 2.0).powi(2))
            .sum::<f64>()
            .sqrt();
        let bounds: Vec<(f64, f64)> = match meet(&ends) {
            true => all.iter().map(|(_, one)| (one.value, one.value)).collect(),
            false => ends,
        };
        let low = bounds.iter().map(|(low, _)| *low).fold(f64::MAX, f64::min);
        let high = bounds.iter().map(|(_, high)| *high);
        Estimate {
            value,
            low: Some(low.min(value - reach).max(0.0)),
            high: Some(high.fold(f64::MIN, f64::max).max(value + reach)),
            samples,
            not_known: None,
        }
    }

    /// Several of one thing, each whole in itself: their mean with Student's interval, which is right for noise that lasts, too. Fewer
    /// than three give none. // values at least 0
    pub(crate) fn of_repeats(all: &[(f64, Estimate)]) -> Estimate {
        let value = Estimate::together(all).value;
        let values: Vec<f64> = all.iter().map(|(_, one)| one.value).collect();
        let width = relative_half_width(&values).filter(|_| values.len() > 2);
        let Some(width) = width else {
            return Estimate::not_known(value, NotKnown::Correlated);
        };
        Estimate {
            low: Some((value * (1.0 - width)).max(0.0)),
            high: Some(value * (1.0 + width)),
            ..Estimate::bare(value, values.len() as f64)
        }
    }

    /// Whether no value lies in the intervals of all; false where one has none. An interval that is not known because of noise
    /// that lasts is taken as a tenth of the value: runs that differ by more are not repeatable.
    pub(crate) fn contradict(all: &[(f64, Estimate)]) -> bool {
        let of = |(_, one): &(f64, Estimate)| {
            let lasting = one.is_lasting();
            let tenth = (one.value * (1.0 - LASTING), one.value * (1.0 + LASTING));
            one.low.zip(one.high).or(lasting.then_some(tenth))
        };
        let ends: Option<Vec<(f64, f64)>> = all.iter().map(of).collect();
        ends.is_some_and(|ends| !meet(&ends))
    }

    /// Whether there is no interval because the noise lasts as long as the run.
    pub fn is_lasting(&self) -> bool {
        self.not_known == Some(NotKnown::Correlated)
    }

    /// Half the width of the interval, as a share of the value; none without an interval, and of 0.
    pub fn half_width_share(&self) -> Option<f64> {
        let width = self.high? - self.low?;
        (self.value != 0.0).then(|| (width / 2.0 / self.value).abs())
    }
}

fn ends(all: &[(f64, Estimate)]) -> Option<Vec<(f64, f64)>> {
    all.iter().map(|(_, one)| one.low.zip(one.high)).collect()
}

/// Whether there is a value that lies in all of them.
fn meet(ends: &[(f64, f64)]) -> bool {
    let lows = ends.iter().map(|(low, _)| *low).fold(f64::MIN, f64::max);
    let highs = ends.iter().map(|(_, high)| *high).fold(f64::MAX, f64::min);
    lows <= highs
}

#[cfg(test)]
mod tests {
    use super::{Estimate, NotKnown};

    #[test]
    fn half_a_width_is_a_share_of_the_value() {
        let sure = Estimate {
            value: 200.0,
            low: Some(190.0),
            high: Some(210.0),
            samples: 12.0,
            not_known: None,
        };
        assert_eq!(sure.half_width_share(), Some(0.05));
        assert_eq!(Estimate::bare(200.0, 1.0).half_width_share(), None);
        assert_eq!(Estimate { value: 0.0, ..sure }.half_width_share(), None);
    }

    #[test]
    fn runs_without_an_interval_contradict_each_other_where_they_are_far_apart() {
        let run = |value| (1.0, Estimate::not_known(value, NotKnown::Correlated));
        assert!(Estimate::contradict(&[run(278.0), run(196.0)]));
        assert!(!Estimate::contradict(&[run(278.0), run(250.0)]));
        let short = |value| (1.0, Estimate::not_known(value, NotKnown::FewSteps));
        assert!(!Estimate::contradict(&[short(278.0), short(196.0)]));
    }

    #[test]
    fn a_mean_of_unsure_figures_is_not_below_0() {
        let unsure = Estimate {
            value: 1.0,
            low: Some(0.0),
            high: Some(90.0),
            samples: 3.0,
            not_known: None,
        };
        let both = Estimate::together(&[(1.0, unsure), (1.0, unsure)]);
        assert_eq!((both.value, both.low), (1.0, Some(0.0)));
    }
}
