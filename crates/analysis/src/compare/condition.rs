//! `p99 > +10%`: a condition of a comparison.
//!
//! A condition fails where the whole interval lies beyond the limit; it passes where the whole interval lies within it; where
//! the interval contains the limit, it is unclear. A side that is CAUTION is evaluated as any other: its mark lowers the
//! confidence in what changed, not in that it changed. It is put to every cell and to all of them together. With many cells chance alone puts some beyond any limit, so that a cell has to be significant at a
//! level that is shared out over the cells (Bonferroni; Dunn, JASA 56 (1961), page 52).

use super::change::OUTSIDE;
use super::figure::{Figure, JudgedCell};
use super::metric::{METRICS, Metric};
use crate::columns;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A limit to the change of one figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    text: String,
    metric: &'static Metric,
    /// The ratio beyond which it is broken.
    ratio: f64,
    rise: bool,
}

/// The result of a condition.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ConditionOutcome {
    /// The whole interval lies within the limit, of every cell.
    Pass,
    /// The interval contains the limit, or there is none.
    Unclear,
    /// The whole interval lies beyond the limit.
    Fail,
}

/// A condition and its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConditionReport {
    /// As it was given.
    pub condition: String,
    /// Its result.
    pub outcome: ConditionOutcome,
    /// Why, with the cell that shows it.
    pub sentence: String,
}

const ACCEPTED: &str = "must be a figure, > with a rise or < with a fall, and a percentage: 'p99 > +10%', 'iops < \
                       -5%'";

impl Condition {
    /// Reads `FIGURE > +N%` or `FIGURE < -N%`.
    ///
    /// Errors: a sentence with what was read and what is accepted.
    pub fn read(text: &str) -> Result<Condition, String> {
        let wrong = |what: String| format!("invalid value '{text}': {what}");
        let at = text
            .find(['<', '>'])
            .ok_or_else(|| wrong(ACCEPTED.to_owned()))?;
        let (name, rest) = text.split_at(at);
        let rise = rest.starts_with('>');
        let limit = rest[1..].trim_start_matches('=').trim();
        let name = name.trim();
        let metric = Metric::named(name).ok_or_else(|| wrong(no_figure(name)))?;
        let percent = limit
            .strip_suffix('%')
            .ok_or_else(|| wrong(format!("`{limit}` is no change in percent; {ACCEPTED}")))?;
        let percent: f64 = percent
            .trim()
            .parse()
            .ok()
            .filter(|p: &f64| p.is_finite())
            .ok_or_else(|| wrong(format!("`{limit}` is no change in percent; {ACCEPTED}")))?;
        let fits = if rise {
            percent >= 0.0
        } else {
            percent <= 0.0 && percent > -100.0 && !limit.starts_with('+')
        };
        if !fits || (!rise && !limit.starts_with('-')) {
            return Err(wrong(ACCEPTED.to_owned()));
        }
        Ok(Condition {
            text: text.to_owned(),
            metric,
            ratio: 1.0 + percent / 100.0,
            rise,
        })
    }

    /// Which figure.
    pub fn metric(&self) -> &'static Metric {
        self.metric
    }

    /// Compared with every cell, each with its name, and all together.
    pub(super) fn judge(&self, cells: &[JudgedCell], overall: &[Figure]) -> ConditionReport {
        let of = |figures: &[Figure]| figures.iter().find(|f| f.metric == self.metric).cloned();
        let several = cells.len() > 1;
        let shared = OUTSIDE / cells.len().max(1) as f64;
        let mut found: Vec<(ConditionOutcome, String)> = cells
            .iter()
            .map(|cell| {
                let name = if several { cell.name.as_str() } else { "" };
                let figure = of(&cell.figures);
                let (held, sentence) = self.look(figure.as_ref(), shared, name);
                let has_ratio = figure.is_some_and(|figure| figure.change.is_some()); // else a side is 0
                match &cell.doubt {
                    Some(doubt) if has_ratio && cell.is_void => {
                        (ConditionOutcome::Unclear, format!("{sentence}; {doubt}"))
                    }
                    Some(doubt) if held == ConditionOutcome::Fail => {
                        (held, format!("{sentence}; note that {doubt}"))
                    }
                    _ => (held, sentence),
                }
            })
            .collect();
        if several && cells.iter().all(|cell| !cell.is_void) {
            found.push(self.look(of(overall).as_ref(), OUTSIDE, "over all cells"));
        }
        let held = found
            .iter()
            .map(|(held, _)| *held)
            .max()
            .unwrap_or(ConditionOutcome::Unclear);
        let sentences: Vec<&String> = found
            .iter()
            .filter(|(h, _)| *h == held)
            .map(|(_, s)| s)
            .collect();
        let more = match (held, sentences.len()) {
            (ConditionOutcome::Pass, _) | (_, 0 | 1) => String::new(),
            (_, count) => format!(", and {} more", count - 1),
        };
        let first = match held {
            ConditionOutcome::Pass if several => format!("in all {} cells", cells.len()),
            _ => sentences.first().map_or_else(String::new, |s| (*s).clone()),
        };
        ConditionReport {
            condition: self.text.clone(),
            outcome: held,
            sentence: format!("{first}{more}"),
        }
    }

    fn look(
        &self,
        figure: Option<&Figure>,
        outside: f64,
        name: &str,
    ) -> (ConditionOutcome, String) {
        let before = if name.is_empty() {
            String::new()
        } else {
            format!("{name}: ")
        };
        let what = self.metric.short();
        let Some(figure) = figure else {
            return (
                ConditionOutcome::Unclear,
                format!("{before}{what} is not known on both sides"),
            );
        };
        let Some(change) = figure.change else {
            return match figure.a > 0.0
                && figure.b <= 0.0
                && !self.rise
                && self.metric.more_is_better()
            {
                true => (ConditionOutcome::Fail, format!("{before}{what} fell to 0")),
                false => (
                    ConditionOutcome::Unclear,
                    format!(
                        "{before}{what}: {}",
                        figure.cannot.clone().unwrap_or_default()
                    ),
                ),
            };
        };
        let reported = format!(
            "{before}{}",
            super::answer::change_in_words(self.metric, &change)
        );
        let Some((low, high)) = change.ends(outside) else {
            let why = figure.cannot.clone().unwrap_or_default();
            return (ConditionOutcome::Unclear, format!("{reported}: {why}"));
        };
        let limit = self.ratio.ln();
        (self.outcome(low..high, limit), reported)
    }

    fn outcome(&self, interval: Range<f64>, limit: f64) -> ConditionOutcome {
        let Range {
            start: low,
            end: high,
        } = interval;
        let (beyond, within) = match self.rise {
            true => (low > limit, high <= limit),
            false => (high < limit, low >= limit),
        };
        match (beyond, within) {
            (true, _) => ConditionOutcome::Fail,
            (_, true) => ConditionOutcome::Pass,
            _ => ConditionOutcome::Unclear,
        }
    }
}

fn no_figure(name: &str) -> String {
    if let Some(renamed) = columns::renamed(name, |column| Metric::of(column).is_some()) {
        return renamed;
    }
    let known: Vec<&str> = METRICS
        .iter()
        .filter(|m| m.of.is_none())
        .map(|m| m.name)
        .collect();
    let is_field = columns::column(name).is_some();
    let what = if is_field {
        "is no figure that is compared"
    } else {
        "is no figure"
    };
    format!(
        "`{name}` {what}; there are {}, most of them with read_ or write_ before them; a unit at the end may be omitted, and latency_ before a percentile",
        known.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_is_a_figure_a_direction_and_a_percentage() {
        for (text, name, ratio) in [
            ("p99 > +10%", "latency_p99_ns", 1.1),
            ("p99>10%", "latency_p99_ns", 1.1),
            ("iops < -5%", "iops", 0.95),
            ("latency_p999 >= 0%", "latency_p999_ns", 1.0),
            ("read_p99 > +12.5%", "read_latency_p99_ns", 1.125),
        ] {
            let condition = Condition::read(text).unwrap();
            assert_eq!(condition.metric.name, name, "{text}");
            assert!((condition.ratio - ratio).abs() < 1e-12, "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused_with_what_is_accepted() {
        for (text, words) in [
            ("p99", "must be a figure"),
            ("p99 > 5ms", "`5ms` is no change in percent"),
            ("iops < 5%", "must be a figure"),
            ("p99 > -5%", "must be a figure"),
            ("iops < -100%", "must be a figure"),
            ("nonsense > 5%", "`nonsense` is no figure; there are iops"),
            ("label > 5%", "`label` is no figure that is compared"),
            ("rate < -5%", "'rate' is now 'iops'"),
            ("mean > 5%", "'mean' is now 'latency_mean_ns'"),
            ("iops < -x%", "no change in percent"),
            ("", "must be a figure"),
            ("> 5%", "`` is no figure"),
        ] {
            let reported = Condition::read(text).unwrap_err();
            assert!(
                reported.starts_with(&format!("invalid value '{text}': "))
                    && reported.contains(words),
                "{text}: {reported}"
            );
        }
    }
}
