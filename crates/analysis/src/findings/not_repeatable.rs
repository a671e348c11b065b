//! Runs of one load with different results: their mean predicts nothing.
//!
//! Omitted: change within one run (`not_steady`, `throughput_drop`, `throughput_drift`).

use super::{Cause, Finding, Group, Look, Repeats, Rule, RuleId, Severity, finding};
use crate::estimate::Estimate;
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("not-repeatable"),
    group: Group::Stability,
    cause: Cause::Alone,
    limit: None,
    what: "Runs of the same load gave different IOPS.",
    method: "Two or more complete runs of one load in a survey: the highest IOPS are more than 10% above the lowest, and the 95% intervals do not overlap.",
    evidence: &[
        "in_flight",
        "runs",
        "rate_min_per_s",
        "rate_max_per_s",
        "spread",
    ],
    source: "Georges, Buytaert, Eeckhout, \"Statistically Rigorous Java Performance Evaluation\", OOPSLA 2007: variation between runs.",
    advice: "Check for other load, a burst allowance or internal housekeeping of the device. Then repeat the survey on an idle machine.",
    look: Look::Repeats(not_repeatable),
};

/// Runs further apart than this, as a share of the lower one, contradict each other.
const APART_MAX: f64 = 0.10;

/// Compares the runs of a load.
pub(crate) fn not_repeatable(repeats: &Repeats<'_>) -> Option<Finding> {
    let runs = repeats.runs;
    let rates = runs.iter().map(|(_, rate)| rate.value);
    let (least, most) = rates.fold((f64::MAX, 0.0f64), |(least, most), rate| {
        (least.min(rate), most.max(rate))
    });
    let apart = most > (1.0 + APART_MAX) * least;
    if runs.len() < 2 || !apart || !Estimate::contradict(runs) {
        return None;
    }
    let each: Vec<String> = runs.iter().map(|(_, rate)| say::rate(rate.value)).collect();
    let sentence = format!(
        "not repeatable: the same load gave {} IOPS",
        each.join(", then ")
    );
    let evidence = [
        ("in_flight", repeats.in_flight as f64),
        ("runs", runs.len() as f64),
        ("rate_min_per_s", least),
        ("rate_max_per_s", most),
        ("spread", most / least - 1.0),
    ];
    let advice =
        "check for other load or a burst allowance, and repeat the survey on an idle machine";
    Some(finding(
        RULE.id,
        Severity::Warning,
        sentence,
        &evidence,
        advice,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(rate: f64, half: f64) -> (f64, Estimate) {
        let rate = Estimate {
            value: rate,
            low: Some(rate - half),
            high: Some(rate + half),
            samples: 10.0,
            not_known: None,
        };
        (1.0, rate)
    }

    fn found(runs: &[(f64, Estimate)]) -> Option<Finding> {
        not_repeatable(&Repeats {
            in_flight: 64,
            runs,
        })
    }

    #[test]
    fn runs_that_contradict_each_other_are_reported_with_both_figures() {
        let runs = [run(14_500.0, 300.0), run(20_400.0, 300.0)];
        let reported = found(&runs).unwrap();
        let figure = |name: &str| {
            reported
                .evidence
                .iter()
                .find(|one| one.name == name)
                .unwrap()
                .value
        };
        assert_eq!(figure("rate_min_per_s"), 14_500.0);
        assert_eq!(figure("rate_max_per_s"), 20_400.0);
        assert_eq!((figure("spread") * 100.0).round(), 41.0);
        assert_eq!(found(&runs[..1]), None, "one run");
    }

    #[test]
    fn runs_within_a_tenth_or_within_their_intervals_are_repeatable() {
        assert_eq!(found(&[run(1000.0, 1.0), run(1099.0, 1.0)]), None);
        assert_eq!(found(&[run(1000.0, 70.0), run(1120.0, 70.0)]), None);
    }
}
