//! The rate changed slowly in one direction. The detector is in `crate::changes`.
//!
//! A tenth is where `not-steady` begins to speak of a slope; below, it is good to know.

use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("throughput-drift"),
    group: Group::Stability,
    cause: Cause::Change,
    limit: None,
    what: "IOPS rose or fell slowly throughout the run.",
    method: "A trend test over the time series, corrected for autocorrelation: four standard deviations or more, or a line that leaves 2% of all squares or less. It has a difference of 5% or more between both ends; a warning from 10%. If a step fits the series better, `throughput-drop` is reported instead.",
    evidence: &["from_ns", "iops_before", "iops_after", "change_share"],
    source: "Mann, Econometrica 13 (1945); Kendall, Validity Correlation Methods; the manual, chapter Statistics.",
    advice: "Measure longer, until the drift stops; use a longer warm-up or preconditioning.",
    look: Look::Own(look),
};

const WARNING_MIN: f64 = 0.10;

fn look(seen: &Own<'_>) -> Option<Finding> {
    let drift = seen.steadiness.drift.as_ref()?;
    let severity = if drift.change_share.abs() >= WARNING_MIN {
        Severity::Warning
    } else {
        Severity::Note
    };
    let way = if drift.change_share < 0.0 {
        "fell"
    } else {
        "rose"
    };
    let since = match drift.from_ns {
        0 => "over the whole run".to_owned(),
        from => format!("after {}", say::time(from as f64)),
    };
    Some(finding(
        RULE.id,
        severity,
        format!(
            "IOPS {way} slowly from {} to {} ({:+.0}%) {since}",
            say::rate(drift.iops_before),
            say::rate(drift.iops_after),
            drift.change_share * 100.0
        ),
        &[
            ("from_ns", drift.from_ns as f64),
            ("iops_before", drift.iops_before),
            ("iops_after", drift.iops_after),
            ("change_share", drift.change_share),
        ],
        "not in steady state: measure longer, with a longer warm-up",
    ))
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{found, stepped};

    #[test]
    fn a_slow_fall_is_reported_with_both_ends_and_a_level_rate_is_not() {
        let reported = found(&stepped(|step| 2000 - 10 * step), "throughput-drift")
            .unwrap()
            .sentence;
        assert!(
            reported.contains("fell slowly from 4000 to 3220"),
            "{reported}"
        );
        assert_eq!(found(&stepped(|_| 2000), "throughput-drift"), None);
        assert_eq!(
            found(&stepped(|step| 2000 + step % 3), "throughput-drift"),
            None
        );
    }
}
