//! `fathom ab`: which of two is faster, and by how much, from runs of both in turns.
//!
//! A sample is the logarithm of B's figure over A's in one pair of runs, so that what drifts over minutes is in both. The
//! course ends when the interval of the ratio of IOPS is narrow enough, which makes an ordinary interval too narrow; here it
//! is a confidence sequence, which contains the truth at every look together with at least its share of chances: Lai,
//! "On Confidence Sequences" (Annals of Statistics, 1976), for means of normal values with unknown variance. IOPS have an
//! error of 3%, p50 and p99 of 1% each: together 5% for the whole course. Omitted: which run is next (`fathom ab`).

use super::{LooksContext, LooksPlace, StepFinding, place_of, reports, step_findings, verdict};
use crate::run::RunReport;
use crate::say::{self, percent};
use crate::spread::mean;
use crate::verdict::{Validity, Verdict};
use crate::{Answer, Estimate};
use model::{Operation, RunRecord};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Pairs from which the sequence of intervals begins.
pub const AB_PAIRS_MIN: usize = 6;
/// Logarithms of Lai's constant `b` for [`AB_PAIRS_MIN`] pairs: b = (1 + a²/5)⁶ ÷ 6, where 2 (1 - F(a) + a f(a)) is the error
/// and F and f are those of Student's t with 5 degrees of freedom.
const LN_B_OF_3_PERCENT: f64 = 8.155_531;
const LN_B_OF_1_PERCENT: f64 = 10.859_309;

/// What is compared, and how well it is to be known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AbRequest {
    /// What A is: `old.dat` or `-o 1`.
    pub a: String,
    /// What B is.
    pub b: String,
    /// Smaller differences are none, and no interval has to be narrower. // share, in (0, 1)
    pub precision: f64,
}

/// Which side of a comparison a run is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AbSide {
    /// The reference.
    A,
    /// What is compared with it.
    B,
}

impl AbSide {
    /// Returns the label of its run in a pair: `A 3`.
    pub fn label(self, pair: usize) -> String {
        match self {
            AbSide::A => format!("A {pair}"),
            AbSide::B => format!("B {pair}"),
        }
    }

    /// Returns the sides in the order of a pair. Each four runs are ABBA or BAAB, which removes a steady drift.
    pub fn order(pair: usize) -> [AbSide; 2] {
        match pair % 4 {
            1 | 0 => [AbSide::A, AbSide::B],
            _ => [AbSide::B, AbSide::A],
        }
    }
}

/// Which is faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AbDecision {
    /// B has more IOPS.
    Faster,
    /// B has fewer IOPS.
    Slower,
    /// A difference, if there is one, is smaller than the precision.
    NoDifference,
    /// Not known.
    Inconclusive,
}

/// Which of two is faster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AbReport {
    /// The decision on IOPS.
    pub decision: AbDecision,
    /// Why there is none; none of another decision.
    pub reason: Option<String>,
    /// What was compared; none of a session whose context is lost.
    pub request: Option<AbRequest>,
    /// The answer, in one line.
    pub answers: Vec<Answer>,
    /// Whether the figures may be used, with the reasons.
    pub verdict: Verdict,
    /// IOPS, p50 and p99 of both.
    pub figures: Vec<AbFigure>,
    /// Complete pairs of runs.
    pub pairs: usize,
    /// Place and target; none if nothing was run.
    pub place: Option<LooksPlace>,
    /// Errors and warnings of the runs.
    pub findings: Vec<StepFinding>,
    /// Notes on these figures.
    pub notes: Vec<String>,
    /// It was completed.
    pub complete: bool,
}

/// A figure of both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AbFigure {
    /// `iops`, `latency_p50_ns`, `latency_p99_ns`.
    pub name: String,
    /// Geometric mean of A's runs.
    pub a: f64,
    /// Geometric mean of B's runs.
    pub b: f64,
    /// B's over A's, with an interval that contains the truth at every end of the course.
    pub ratio: Estimate,
}

impl AbFigure {
    /// Returns its name in tables: `p99`.
    pub fn label(&self) -> String {
        match self.name.strip_prefix("latency_") {
            Some(name) => name.trim_end_matches("_ns").to_owned(),
            None => "IOPS".to_owned(),
        }
    }

    /// Writes a value of it with its unit, if it has one.
    pub fn value(&self, value: f64) -> String {
        match self.name.ends_with("_ns") {
            true => say::time(value),
            false => say::rate(value),
        }
    }
}

/// The report of a session's runs, each with its label, in the order in which they were run.
pub fn ab_report(runs: &[(String, RunRecord)], context: &LooksContext) -> AbReport {
    let all = reports(runs);
    let labelled: Vec<(&str, &RunReport)> = runs
        .iter()
        .zip(&all)
        .map(|((label, _), report)| (label.as_str(), report))
        .collect();
    let figures = figures(&labelled);
    let steps: Vec<(String, bool, &RunReport)> = labelled
        .iter()
        .map(|(label, report)| {
            let side = label.split(' ').next().unwrap_or(label);
            (side.to_owned(), false, *report)
        })
        .collect();
    let findings = step_findings(&steps);
    let verdict = verdict(&steps, &findings, context);
    let request = context.ab.as_ref();
    let (decision, reason) = decide(request, figures.first(), &verdict);
    AbReport {
        answers: answer(request, &figures, decision, reason.as_deref()),
        decision,
        reason,
        request: request.cloned(),
        pairs: figures
            .first()
            .map_or(0, |iops| iops.ratio.samples as usize),
        place: place_of(all.first(), &all),
        complete: !context.interrupted && context.failure.is_none(),
        notes: context.notes.clone(),
        verdict,
        figures,
        findings,
    }
}

/// Returns whether the course may end: the ratio of IOPS is known as well as was requested. It costs no report of a run.
pub fn ab_is_known(runs: &[(String, RunRecord)], precision: f64) -> bool {
    let runs: Vec<(&str, &RunRecord)> = runs.iter().map(|(label, run)| (&**label, run)).collect();
    let ios = |run: &RunRecord| {
        let both = [Operation::Read, Operation::Write];
        let ios: u64 = both.iter().map(|&one| run.counted(one, None).ios).sum();
        Some(ios as f64 / run.phases.measured().as_seconds())
    };
    let logs: Vec<f64> = pairs(&runs, &ios).iter().map(|(a, b)| b - a).collect();
    let ratio = ratio(&logs, LN_B_OF_3_PERCENT);
    ratio.is_some_and(|ratio| decided(&ratio, precision) != AbDecision::Inconclusive)
}

/// A figure: its name, how it is read, and the constant of its intervals.
type FigureRow<'a> = (&'static str, &'a dyn Fn(&RunReport) -> Option<f64>, f64);

fn figures(runs: &[(&str, &RunReport)]) -> Vec<AbFigure> {
    let quantile = |share| {
        move |report: &RunReport| Some(report.total()?.latency.at(share)?.latency_ns? as f64)
    };
    let (p50, p99) = (quantile(0.5), quantile(0.99));
    let iops = |report: &RunReport| Some(report.total()?.iops);
    let all: [FigureRow<'_>; 3] = [
        ("iops", &iops, LN_B_OF_3_PERCENT),
        ("latency_p50_ns", &p50, LN_B_OF_1_PERCENT),
        ("latency_p99_ns", &p99, LN_B_OF_1_PERCENT),
    ];
    let figure = |(name, of, ln_b): &FigureRow<'_>| {
        let pairs = pairs(runs, *of);
        let logs: Vec<f64> = pairs.iter().map(|(a, b)| b - a).collect();
        let ratio = ratio(&logs, *ln_b)?;
        let center =
            |side: fn(&(f64, f64)) -> f64| mean(&pairs.iter().map(side).collect::<Vec<_>>());
        Some(AbFigure {
            name: (*name).to_owned(),
            a: center(|pair| pair.0).exp(),
            b: center(|pair| pair.1).exp(),
            ratio,
        })
    };
    all.iter().filter_map(figure).collect()
}

/// Returns the logarithms of both figures of each complete pair, A's first.
fn pairs<T>(runs: &[(&str, &T)], figure: &dyn Fn(&T) -> Option<f64>) -> Vec<(f64, f64)> {
    let log = |run: &T| figure(run).filter(|value| *value > 0.0).map(f64::ln);
    let pair = |two: &[(&str, &T)]| match two {
        [(first, a), (second, b)] if first.starts_with('A') && second.starts_with('B') => {
            Some((log(a)?, log(b)?))
        }
        [(first, b), (second, a)] if first.starts_with('B') && second.starts_with('A') => {
            Some((log(a)?, log(b)?))
        }
        _ => None,
    };
    runs.chunks_exact(2).filter_map(pair).collect()
}

/// Returns the ratio of which these are logarithms, with its interval from [`AB_PAIRS_MIN`] values on; `None` without values.
fn ratio(logs: &[f64], ln_b: f64) -> Option<Estimate> {
    let count = logs.len() as f64;
    let center = (!logs.is_empty()).then(|| mean(logs))?;
    let bare = Estimate::bare(center.exp(), count);
    if logs.len() < AB_PAIRS_MIN {
        return Some(bare);
    }
    let half = half_width(logs, center, ln_b);
    Some(Estimate {
        low: Some((center - half).exp()),
        high: Some((center + half).exp()),
        ..bare
    })
}

/// Half of Lai's interval: the deviation, times the root of (b n)^(1/n) - 1.
fn half_width(values: &[f64], center: f64, ln_b: f64) -> f64 {
    let count = values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - center).powi(2)).sum();
    let times = ((ln_b + count.ln()) / count).exp_m1();
    (squares / count * times).sqrt()
}

/// Decides by the interval alone.
fn decided(ratio: &Estimate, precision: f64) -> AbDecision {
    let (Some(low), Some(high)) = (ratio.low, ratio.high) else {
        return AbDecision::Inconclusive;
    };
    if low > 1.0 - precision && high < 1.0 + precision {
        return AbDecision::NoDifference;
    }
    // A difference is a decision when its interval is as narrow as requested.
    if high / low > (1.0 + precision) / (1.0 - precision) {
        return AbDecision::Inconclusive;
    }
    match (low > 1.0, high < 1.0) {
        (true, _) => AbDecision::Faster,
        (_, true) => AbDecision::Slower,
        _ => AbDecision::Inconclusive,
    }
}

/// Decides at the end of the course: a difference that is known less well than was requested is one all the same.
fn decide(
    request: Option<&AbRequest>,
    iops: Option<&AbFigure>,
    verdict: &Verdict,
) -> (AbDecision, Option<String>) {
    let undecided = |reason: String| (AbDecision::Inconclusive, Some(reason));
    let (Some(request), Some(iops)) = (request, iops) else {
        return undecided("no pair of runs was completed".to_owned());
    };
    if verdict.validity == Validity::Invalid {
        let reason = verdict.reasons.first().map_or("", String::as_str);
        return undecided(format!(
            "the figures are not those of the storage: {reason}"
        ));
    }
    let ratio = &iops.ratio;
    let (Some(low), Some(high)) = (ratio.low, ratio.high) else {
        return undecided(format!("fewer than {AB_PAIRS_MIN} pairs were measured"));
    };
    let decision = match decided(ratio, request.precision) {
        AbDecision::Inconclusive if low > 1.0 => AbDecision::Faster,
        AbDecision::Inconclusive if high < 1.0 => AbDecision::Slower,
        decision => decision,
    };
    if decision != AbDecision::Inconclusive {
        return (decision, None);
    }
    // The width falls with the root of the number of pairs, roughly.
    let width = (high / low).ln() / 2.0;
    let pairs = ratio.samples * (width / request.precision).powi(2);
    let more = (pairs - ratio.samples).ceil().max(1.0);
    undecided(format!("about {more:.0} more pairs would do (--budget)"))
}

fn answer(
    request: Option<&AbRequest>,
    figures: &[AbFigure],
    decision: AbDecision,
    reason: Option<&str>,
) -> Vec<Answer> {
    let Some(iops) = figures.first() else {
        let reason = [reason.map(str::to_owned)];
        return Answer::of("inconclusive", reason).into_iter().collect();
    };
    let precision = request.map_or(0.0, |request| request.precision);
    let change = |value: f64| percent((value - 1.0).abs());
    let interval = match (iops.ratio.low, iops.ratio.high) {
        (Some(low), Some(high)) => {
            let signed = |value: f64| format!("{}{}", sign(value), change(value));
            format!("95% CI {} to {}", signed(low), signed(high))
        }
        _ => "no interval".to_owned(),
    };
    let basis = format!("{interval}; {} pairs", iops.ratio.samples);
    let name = match decision {
        AbDecision::Faster => format!("B is {} faster", change(iops.ratio.value)),
        AbDecision::Slower => format!("B is {} slower", change(iops.ratio.value)),
        AbDecision::NoDifference => format!("no difference above {}", percent(precision)),
        AbDecision::Inconclusive => "inconclusive".to_owned(),
    };
    if let Some(reason) = reason {
        let parts = [Some(reason.to_owned()), Some(basis)];
        return Answer::of(&name, parts).into_iter().collect();
    }
    let others = figures.iter().skip(1).filter_map(|figure| {
        let is_known = figure.ratio.low? > 1.0 || figure.ratio.high? < 1.0;
        let word = match figure.ratio.value > 1.0 {
            true => "higher",
            false => "lower",
        };
        is_known.then(|| format!("{} {} {word}", figure.label(), change(figure.ratio.value)))
    });
    let parts = std::iter::once(basis).chain(others).map(Some);
    Answer::of(&name, parts).into_iter().collect()
}

fn sign(ratio: f64) -> &'static str {
    if ratio < 1.0 { "-" } else { "+" }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Normal;
    use super::*;

    /// The hardest case of the claim: the course goes on until the interval misses the truth, 300 pairs at most.
    #[test]
    fn the_truth_is_in_the_interval_at_every_pair_of_a_whole_course() {
        const COURSES: usize = 1000;
        for (ln_b, most) in [(LN_B_OF_3_PERCENT, 45), (LN_B_OF_1_PERCENT, 20)] {
            let mut draw = Normal(7);
            let mut missed = 0;
            for _ in 0..COURSES {
                let (mut sum, mut squares) = (0.0, 0.0);
                let ever = (1..=300).any(|count| {
                    let value = draw.draw();
                    sum += value;
                    squares += value * value;
                    let n = f64::from(count);
                    let center: f64 = sum / n;
                    let deviation = squares / n - center * center;
                    let times = ((ln_b + n.ln()) / n).exp_m1();
                    count as usize >= AB_PAIRS_MIN && center.abs() > (deviation * times).sqrt()
                });
                missed += usize::from(ever);
            }
            assert!(missed <= most, "{missed} of {COURSES}");
        }
    }

    #[test]
    fn a_drift_that_is_steady_is_in_no_difference() {
        let mut at = 0.0;
        let mut drift = 0.0;
        for pair in 1..=4 {
            for side in AbSide::order(pair) {
                at += 1.0;
                drift += if side == AbSide::A { -at } else { at };
            }
        }
        assert_eq!(drift, 0.0);
    }

    #[test]
    fn a_decision_follows_the_interval() {
        let of = |value: f64, half: f64| Estimate {
            low: Some(value - half),
            high: Some(value + half),
            ..Estimate::bare(value, 10.0)
        };
        assert_eq!(decided(&of(1.1, 0.01), 0.02), AbDecision::Faster);
        assert_eq!(decided(&of(0.9, 0.01), 0.02), AbDecision::Slower);
        assert_eq!(decided(&of(1.001, 0.01), 0.02), AbDecision::NoDifference);
        assert_eq!(decided(&of(1.02, 0.03), 0.02), AbDecision::Inconclusive);
        assert_eq!(
            decided(&Estimate::bare(2.0, 3.0), 0.02),
            AbDecision::Inconclusive
        );
    }
}
