//! From A to B: the ratio of two figures, its interval, and the smallest change that could have been seen.
//!
//! Of one run on each side the interval is put together from those of both on a logarithmic scale, each end from the ends
//! that push it there (MOVER: Zou and Donner, Statistics in Medicine 27 (2008), page 1693). Where a side has several runs,
//! how far they lie apart takes the place of what is found within them; where only the other side has, or earlier runs of the
//! same work on the same target, the wider of that and its own. With symmetric errors on both sides this is
//! Welch's interval (Biometrika 34 (1947), page 28), degrees of freedom as there. Over several cells it is the geometric
//! mean of the ratios; its interval is the wider of two: what the cells' own errors make of it, and Student's over the
//! cells. The smallest change that could have been found is the one found in 80 of 100 comparisons (Bloom, Evaluation
//! Review 19 (1995), page 547). Deliberately absent: which cells belong together, and any words.

use super::Outcome;
use super::spread::{Shown, Spread, of_repeats, reach, wider};
use crate::Estimate;

/// Both tails together.
pub(super) const OUTSIDE: f64 = 0.05;
/// Where the interval contains a larger change, as a share, it is not known whether there is a difference.
const DIFFERENCE_MAX: f64 = 0.25;
/// Both tails of the share of comparisons that may miss the smallest change.
const MISSED: f64 = 0.4;
/// Beyond this factor only the value of a figure is reported.
const FACTOR_MAX: f64 = 10.0;
/// Below so many cells their ratios do not report it how far these spread.
const CELLS_MIN: usize = 3;

/// The figure of one side, as logarithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Level {
    pub(super) log: f64,
    pub(super) spread: Option<Spread>,
}

/// How far B lies from A, as difference of logarithms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Change {
    pub(super) log: f64,
    pub(super) spread: Option<Spread>,
}

impl Level {
    /// Of the runs of one side; none without any, and where one is not above 0. `between` is how far one run may be from
    /// the next, where that is known.
    pub(super) fn of(runs: &[(f64, Shown)], between: Option<Spread>) -> Option<Level> {
        let logs: Vec<f64> = runs.iter().map(|(value, _)| value.ln()).collect();
        if logs.is_empty() || logs.iter().any(|log| !log.is_finite()) {
            return None;
        }
        Some(Level {
            log: logs.iter().sum::<f64>() / logs.len() as f64,
            spread: match runs {
                [(_, Ok(own))] => Some(between.map_or(*own, |between| wider(*own, between))),
                [(_, Err(_))] => between,
                _ => Some(of_repeats(&logs)),
            },
        })
    }
}

impl Change {
    /// From one side to the other.
    pub(super) fn between(a: Level, b: Level) -> Change {
        let both = a.spread.zip(b.spread).map(|(a, b)| Spread {
            low: b.low.hypot(a.high),
            high: b.high.hypot(a.low),
            freedom: welch(&[a, b]),
        });
        Change {
            log: b.log - a.log,
            spread: both.filter(tells),
        }
    }

    /// None at all, for sure: the same result on both sides.
    pub(super) const NONE: Change = Change {
        log: 0.0,
        spread: Some(Spread {
            low: 0.0,
            high: 0.0,
            freedom: f64::INFINITY,
        }),
    };

    /// The geometric mean over cells; none without any.
    pub(super) fn over(cells: &[Change]) -> Option<Change> {
        match cells {
            [] => return None,
            [one] => return Some(*one),
            many if many.iter().all(|cell| *cell == Change::NONE) => return Some(Change::NONE),
            _ => {}
        }
        let count = cells.len() as f64;
        let logs: Vec<f64> = cells.iter().map(|cell| cell.log).collect();
        let spreads: Option<Vec<Spread>> = cells.iter().map(|cell| cell.spread).collect();
        let carried = spreads.map(|spreads| {
            let sum = |of: fn(&Spread) -> f64| {
                spreads.iter().map(|s| of(s).powi(2)).sum::<f64>().sqrt() / count
            };
            Spread {
                low: sum(|s| s.low),
                high: sum(|s| s.high),
                freedom: welch(&spreads),
            }
        });
        let across = (cells.len() >= CELLS_MIN).then(|| of_repeats(&logs));
        let width = |spread: &Spread| (spread.low + spread.high) * reach(OUTSIDE, spread.freedom);
        Some(Change {
            log: logs.iter().sum::<f64>() / count,
            spread: carried
                .into_iter()
                .chain(across)
                .max_by(|one, other| width(one).total_cmp(&width(other))),
        })
    }

    /// The ends of the interval that omits this share on both sides together, as differences of logarithms.
    pub(super) fn ends(&self, outside: f64) -> Option<(f64, f64)> {
        let spread = self.spread?;
        let reach = reach(outside, spread.freedom);
        Some((
            self.log - reach * spread.low,
            self.log + reach * spread.high,
        ))
    }

    /// Whether it is significant; none if the data are inconclusive.
    pub(super) fn differs(&self, outside: f64) -> Option<bool> {
        let (low, high) = self.ends(outside)?;
        Some(low > 0.0 || high < 0.0)
    }

    /// The change in one word. `more_is_better` of a rate, not of a time.
    pub(super) fn outcome(&self, outside: f64, more_is_better: bool) -> Outcome {
        match self.differs(outside) {
            Some(true) if (self.log > 0.0) == more_is_better => Outcome::Faster,
            Some(true) => Outcome::Slower,
            Some(false)
                if self
                    .at_most(OUTSIDE)
                    .is_some_and(|most| most <= DIFFERENCE_MAX) =>
            {
                Outcome::NoDifference
            }
            _ => Outcome::Inconclusive,
        }
    }

    /// The largest change that the interval contains, as a share; none without an interval.
    pub(super) fn at_most(&self, outside: f64) -> Option<f64> {
        let (low, high) = self.ends(outside)?;
        Some(low.exp_m1().abs().max(high.exp_m1().abs()))
    }

    /// B over A.
    pub(super) fn ratio(&self) -> Estimate {
        let ends = self
            .ends(OUTSIDE)
            .map(|(low, high)| (low.exp(), high.exp()));
        let ends = ends.filter(|(low, high)| low.is_finite() && high.is_finite());
        let freedom = self.spread.map_or(0.0, |spread| spread.freedom);
        Estimate {
            value: self.log.exp(),
            low: ends.map(|(low, _)| low),
            high: ends.map(|(_, high)| high),
            samples: if freedom.is_finite() {
                freedom + 1.0
            } else {
                0.0
            },
            not_known: None,
        }
    }

    /// The smallest change that would have been seen, as a share; none where nothing can be.
    pub(super) fn minimum_detectable_share(&self) -> Option<f64> {
        let spread = self.spread?;
        let reaches = reach(OUTSIDE, spread.freedom) + reach(MISSED, spread.freedom);
        let share = (reaches * spread.low.max(spread.high)).exp_m1();
        share.is_finite().then_some(share)
    }
}

/// The level at which changes of a family count, so that of those that are claimed at most this share on average is none:
/// Benjamini and Hochberg, "Controlling the false discovery rate", Journal of the Royal Statistical Society B 57 (1995). If there
/// is no change at all, one is claimed in as few families.
pub(super) fn level_of_family(family: &[Change]) -> f64 {
    let all = family.len().max(1);
    let level = |count: usize| OUTSIDE * count as f64 / all as f64;
    let claimed = |level: f64| {
        let claimed = family.iter().filter(|one| one.differs(level) == Some(true));
        claimed.count()
    };
    let found = (1..=all)
        .rev()
        .find(|&count| claimed(level(count)) >= count);
    level(found.unwrap_or(1))
}

/// An interval that does not even contain the order of magnitude is no result.
fn tells(spread: &Spread) -> bool {
    reach(OUTSIDE, spread.freedom) * spread.low.max(spread.high) <= FACTOR_MAX.ln()
}

/// Degrees of freedom of a sum; Welch, and Satterthwaite, Biometrics Bulletin 2 (1946), page 110.
fn welch(parts: &[Spread]) -> f64 {
    let square = |spread: &Spread| (spread.low.max(spread.high)).powi(2);
    let sum: f64 = parts.iter().map(square).sum();
    let below: f64 = parts
        .iter()
        .map(|part| square(part).powi(2) / part.freedom)
        .sum();
    let least = parts
        .iter()
        .map(|part| part.freedom)
        .fold(f64::INFINITY, f64::min);
    if below > 0.0 {
        (sum * sum / below).max(1.0)
    } else {
        least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(values: &[f64]) -> Vec<(f64, Shown)> {
        let unknown = Err(crate::estimate::NotKnown::FewSteps);
        values.iter().map(|value| (*value, unknown)).collect()
    }

    #[test]
    fn several_runs_are_compared_as_welch_does() {
        let logs = |tenths: [f64; 4]| runs(&tenths.map(|log| (log / 10.0).exp()));
        let a = Level::of(&logs([1.0, 2.0, 3.0, 4.0]), None).unwrap();
        let b = Level::of(&logs([3.0, 5.0, 7.0, 9.0]), None).unwrap();
        let change = Change::between(a, b);
        let spread = change.spread.unwrap();
        assert!((change.log - 0.35).abs() < 1e-9);
        // Tenths have variances 5/3 and 20/3 over 4: error sqrt(25/12), freedom (25/12)^2 / ((5/12)^2/3 + (20/12)^2/3).
        assert!((spread.low * 10.0 - (25.0f64 / 12.0).sqrt()).abs() < 1e-9);
        assert!((spread.freedom - 75.0 / 17.0).abs() < 1e-9);
    }

    #[test]
    fn one_run_that_does_not_tell_makes_a_ratio_without_an_interval() {
        let [a, b] = [100.0, 105.0].map(|v| Level::of(&runs(&[v]), None).unwrap());
        let ratio = Change::between(a, b).ratio();
        assert!((ratio.value - 1.05).abs() < 1e-12);
        assert_eq!((ratio.low, ratio.high), (None, None));
        assert_eq!(Level::of(&runs(&[0.0]), None), None);
        assert_eq!(Level::of(&[], None), None);
    }

    #[test]
    fn the_same_result_is_exactly_one() {
        let ratio = Change::NONE.ratio();
        assert_eq!(
            (ratio.value, ratio.low, ratio.high),
            (1.0, Some(1.0), Some(1.0))
        );
        assert_eq!(Change::NONE.differs(OUTSIDE), Some(false));
        assert_eq!(
            Change::over(&[Change::NONE; 5]).unwrap().ratio().high,
            Some(1.0)
        );
    }

    #[test]
    fn a_run_is_as_sure_as_the_runs_before_it_or_itself() {
        let of = |error| Spread {
            low: error,
            high: error,
            freedom: 9.0,
        };
        let level = |own: Shown, between| Level::of(&[(100.0, own)], between).unwrap().spread;
        assert_eq!(level(Ok(of(0.01)), Some(of(0.05))), Some(of(0.05)));
        assert_eq!(level(Ok(of(0.08)), Some(of(0.05))), Some(of(0.08)));
        let unknown = Err(crate::estimate::NotKnown::Correlated);
        assert_eq!(level(unknown, Some(of(0.05))), Some(of(0.05)));
        assert_eq!(level(unknown, None), None);
    }

    #[test]
    fn a_family_without_a_change_claims_one_as_rarely_as_a_single_figure() {
        let mut chance = crate::chance::Chance(5);
        let cell = |log: f64| Change {
            log,
            spread: Some(Spread {
                low: 1.0,
                high: 1.0,
                freedom: f64::INFINITY,
            }),
        };
        let mut claimed = [0, 0];
        for _ in 0..400 {
            let mut family: Vec<Change> = (0..64).map(|_| cell(chance.normal())).collect();
            let any = |family: &[Change]| {
                let level = level_of_family(family);
                let of = |one: &&Change| one.differs(level) == Some(true);
                family.iter().filter(of).count()
            };
            claimed[0] += usize::from(any(&family) > 0);
            // A quarter of them changed by four errors: most are found.
            family.iter_mut().step_by(4).for_each(|one| one.log += 4.0);
            claimed[1] += any(&family);
        }
        assert!(claimed[0] <= 34 && claimed[1] >= 400 * 13, "{claimed:?}");
    }

    #[test]
    fn over_cells_the_wider_interval_counts() {
        let cell = |log, error| Change {
            log,
            spread: Some(Spread {
                low: error,
                high: error,
                freedom: 1e9,
            }),
        };
        let alike = Change::over(&[cell(0.1, 0.02), cell(0.1, 0.02), cell(0.1, 0.02)]).unwrap();
        assert!((alike.spread.unwrap().low - 0.02 / 3f64.sqrt()).abs() < 1e-9);
        let apart = Change::over(&[cell(0.0, 0.02), cell(0.1, 0.02), cell(0.5, 0.02)]).unwrap();
        assert!(apart.spread.unwrap().low > 0.1);
    }

    #[test]
    fn an_interval_leaves_out_one_in_twenty_and_a_seen_change_is_missed_by_one_in_five() {
        let change = Change {
            log: 0.04,
            spread: Some(Spread {
                low: 0.02,
                high: 0.02,
                freedom: 1e9,
            }),
        };
        let (low, high) = change.ends(OUTSIDE).unwrap();
        assert!((low - (0.04 - 1.959_964 * 0.02)).abs() < 1e-5, "{low}");
        assert!((high - (0.04 + 1.959_964 * 0.02)).abs() < 1e-5, "{high}");
        assert_eq!(change.differs(OUTSIDE), Some(true));
        let seen = change.minimum_detectable_share().unwrap();
        let expected = ((1.959_964 + 0.841_621) * 0.02f64).exp_m1();
        assert!((seen - expected).abs() < 1e-5, "{seen}");
    }
}
