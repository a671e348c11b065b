//! A run interrupted before its end: the result is that of a shorter run.

use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::say;
use model::Outcome;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("interrupted"),
    group: Group::Samples,
    cause: Cause::Alone,
    limit: None,
    what: "The run was interrupted before its end.",
    method: "The outcome that the run recorded.",
    evidence: &["measured_ns", "requested_ns"],
    source: "fathom: the record.",
    advice: "Treat the result as that of a shorter run.",
    look: Look::Own(look),
};

pub(super) fn look(seen: &Own<'_>) -> Option<Finding> {
    if seen.record.outcome != Outcome::Interrupted {
        return None;
    }
    let measured = seen.record.phases.measured().0 as f64;
    let asked = seen.record.plan.phases.measured.0 as f64;
    Some(finding(
        RULE.id,
        Severity::Warning,
        format!(
            "interrupted after {} of {}",
            say::time(measured),
            say::time(asked)
        ),
        &[("measured_ns", measured), ("requested_ns", asked)],
        "repeat the complete run",
    ))
}

#[cfg(test)]
mod tests {
    use crate::findings::found;
    use crate::sample::Sample;
    use model::{Nanos, Outcome};

    #[test]
    fn the_time_that_was_reached_is_reported_beside_the_time_that_was_asked() {
        let mut sample = Sample {
            measured: Nanos::seconds(4),
            ..Sample::default()
        };
        assert_eq!(found(&sample.build(), "interrupted"), None);
        sample.outcome = Outcome::Interrupted;
        let reported = found(&sample.build(), "interrupted").unwrap().sentence;
        assert_eq!(reported, "interrupted after 4 s of 10 s");
    }
}
