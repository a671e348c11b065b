//! The rate fell to a lower level and stayed there: something fast was used up on the way. The detector is in
//! `crate::changes`.

use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("throughput-drop"),
    group: Group::Stability,
    cause: Cause::Change,
    limit: None,
    what: "IOPS dropped to a lower level during the run and stayed there.",
    method: "The split of the time series with the smallest sum of squares: the level after it is 10% or more below the level before, seven standard errors or more apart. A step fits the series better than a slope.",
    evidence: &["at_ns", "before_per_s", "after_per_s", "change_share"],
    source: "Least-squares change point; the manual, chapter Statistics.",
    advice: "Measure the level after the drop with a longer warm-up. A full write cache, thermal throttling or a used-up burst allowance causes such a drop.",
    look: Look::Own(look),
};

fn look(seen: &Own<'_>) -> Option<Finding> {
    let drop = seen.steadiness.drop.as_ref()?;
    Some(finding(
        RULE.id,
        Severity::Warning,
        format!(
            "IOPS dropped from {1} to {2} ({3:.0}%) after {0} and stayed there",
            say::time(drop.at_ns as f64),
            say::rate(drop.before_per_s),
            say::rate(drop.after_per_s),
            drop.change_share * 100.0
        ),
        &[
            ("at_ns", drop.at_ns as f64),
            ("before_per_s", drop.before_per_s),
            ("after_per_s", drop.after_per_s),
            ("change_share", drop.change_share),
        ],
        "a full write cache, thermal throttling or a used-up burst allowance causes this; measure the level after the drop",
    ))
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{found, stepped};

    #[test]
    fn a_step_down_is_reported_with_its_moment_and_nothing_else_of_the_change() {
        let record = stepped(|step| if step < 20 { 2000 } else { 1000 });
        let reported = found(&record, "throughput-drop").unwrap();
        let figures: Vec<f64> = reported.evidence.iter().map(|one| one.value).collect();
        assert_eq!(figures, [10e9, 4000.0, 2000.0, -0.5]);
        assert_eq!(found(&record, "not-steady"), None, "one cause, one finding");
        assert_eq!(found(&stepped(|_| 2000), "throughput-drop"), None);
    }
}
