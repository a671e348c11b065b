//! Runs of one load with different results: their mean predicts nothing.
//!
//! Omitted: change within one run (`not_steady`, `throughput_drop`, `throughput_drift`).

use super::{
    Cause, Confidence, Finding, Group, Look, Repeats, Rule, RuleId, Several, Severity, finding,
};
use crate::estimate::Estimate;
use crate::observed::Observed;
use crate::say;
use model::{CacheMode, ImportFormat};
use std::collections::HashMap;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("not-repeatable"),
    group: Group::Stability,
    cause: Cause::Alone,
    limit: None,
    what: "Runs of the same load gave different IOPS.",
    method: "Two or more complete runs of one load in a survey: the highest IOPS are more than 10% above the lowest, and the 95% intervals do not overlap. Imports, whose intervals are unknown: three or more runs of one command line or load on one target; the highest IOPS or MiB/s are 50% or more above the lowest. Not for buffered I/O, which a cache answers the second time.",
    evidence: &[
        "in_flight",
        "runs",
        "rate_min_per_s",
        "rate_max_per_s",
        "spread",
    ],
    source: "Georges, Buytaert, Eeckhout, \"Statistically Rigorous Java Performance Evaluation\", OOPSLA 2007: variation between runs.",
    advice: "Check for other load, a burst allowance or internal housekeeping of the device. Then repeat the survey on an idle machine.",
    look: Look::Several(of_imports),
};

/// Runs further apart than this, as a share of the lower one, contradict each other.
const APART_MAX: f64 = 0.10;

/// Compares the runs of one load that another tool printed, of all loads of a session the first that differs.
fn of_imports(several: &Several<'_>) -> Option<Finding> {
    const RUNS_MIN: usize = 3;
    const APART_MIN: f64 = 1.5;
    const SHOWN_MAX: usize = 6;
    let mut loads: Vec<Vec<&Observed>> = Vec::new();
    let mut places = HashMap::new();
    for run in several.runs.iter().filter(|run| may_be_repeated(run)) {
        let printed = &run.printed;
        let key = (
            (printed.format, &printed.command, &printed.name, &run.target),
            (run.load.block_bytes, run.load.queue_depth, run.load.threads),
            [run.load.write_share, run.load.random_share].map(|share| share.map(f64::to_bits)),
        );
        let place = *places.entry(key).or_insert(loads.len());
        match loads.get_mut(place) {
            Some(load) => load.push(run),
            None => loads.push(vec![run]),
        }
    }
    loads
        .iter()
        .filter(|runs| runs.len() >= RUNS_MIN)
        .find_map(|runs| {
            let in_ios = |run: &&Observed| run.total.iops;
            let in_bytes = |run: &&Observed| run.total.bytes_per_s;
            let ios: Option<Vec<f64>> = runs.iter().map(in_ios).collect();
            let bytes = || runs.iter().map(in_bytes).collect::<Option<Vec<f64>>>();
            let unit = if ios.is_some() { "IOPS" } else { "MiB/s" };
            let rates = ios.or_else(bytes)?;
            let least = rates.iter().copied().fold(f64::MAX, f64::min);
            let most = rates.iter().copied().fold(0.0, f64::max);
            if least <= 0.0 || most < APART_MIN * least {
                return None;
            }
            let shown = |rate: &f64| match unit {
                "IOPS" => say::rate(*rate),
                _ => say::mib_per_s(*rate),
            };
            let each: Vec<String> = rates.iter().take(SHOWN_MAX).map(shown).collect();
            let sentence = format!(
                "not repeatable: {} runs of the same load gave {} {unit}",
                rates.len(),
                each.join(", then ")
            );
            let evidence = [
                ("runs", rates.len() as f64),
                ("rate_min_per_s", least),
                ("rate_max_per_s", most),
                ("spread", most / least - 1.0),
            ];
            let advice =
                "check for other load, caches and a burst allowance, and repeat on an idle machine";
            let reported = finding(RULE.id, Severity::Warning, sentence, &evidence, advice);
            Some(reported.sure(Confidence::Medium))
        })
}

/// Returns whether a printed run shows its load, and no cache answers a repetition of it.
fn may_be_repeated(run: &Observed) -> bool {
    // pg_test_fsync, mdtest and others name each test; SQLIO, IOmeter and IO500 print many loads under one name.
    let known = matches!(
        run.printed.format,
        Some(
            ImportFormat::FioText
                | ImportFormat::FioJson
                | ImportFormat::DdText
                | ImportFormat::HdparmText
                | ImportFormat::DiskspdText
        )
    );
    let buffered = run.load.cache == Some(CacheMode::Cached);
    known && !buffered && !run.target.is_empty() && run.load.write_share.is_some()
}

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
    use super::super::test::several;
    use super::*;
    use crate::known::Known;

    /// Three runs of dd, in bytes per second.
    fn of_dd(rates: &[f64]) -> Vec<Observed> {
        let one = |rate: &f64| {
            let mut run = Observed::default();
            run.printed.format = Some(ImportFormat::DdText);
            run.printed.command = Some("dd if=/dev/sdb of=/dev/null iflag=direct".to_owned());
            run.target = "/dev/sdb".to_owned();
            run.load.write_share = Some(0.0);
            run.load.cache = Some(CacheMode::Unbuffered);
            run.total.bytes_per_s = Some(*rate);
            run
        };
        rates.iter().map(one).collect()
    }

    #[test]
    fn one_command_line_with_results_half_as_high_again_is_not_repeatable() {
        let find = |runs: &[Observed]| several(runs, &Known::default(), "not-repeatable");
        let reported = find(&of_dd(&[105e6, 158e6, 135e6])).unwrap();
        assert_eq!(reported.evidence.last().unwrap().name, "spread");
        assert_eq!(find(&of_dd(&[105e6, 150e6, 135e6])), None);
        assert_eq!(
            find(&of_dd(&[105e6, 158e6])),
            None,
            "before and after a change"
        );
        let mut cached = of_dd(&[105e6, 158e6, 135e6]);
        cached
            .iter_mut()
            .for_each(|run| run.load.cache = Some(CacheMode::Cached));
        assert_eq!(find(&cached), None, "a cache answers the second");
        let mut others = of_dd(&[105e6, 158e6, 135e6]);
        others[1].printed.command = Some("dd if=/dev/sdb of=/dev/null bs=4k".to_owned());
        assert_eq!(find(&others), None);
    }

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
