//! Ranks that did not begin together.

use super::{Cause, Finding, Group, Look, Rule, RuleId, Severity, finding};
use crate::job::seen::JobSeen;
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("start-spread"),
    group: Group::Stability,
    cause: Cause::Alone,
    limit: None,
    what: "The hosts did not begin together, so that part of the time not all of them were measured.",
    method: "The first and the last start are further apart than 1% of the measured time, on the clock of rank 0.",
    evidence: &["spread_ns", "uncertainty_ns", "overlap"],
    source: "The manual, chapter Many hosts.",
    advice: "Measure for longer, and check whether a host is overloaded.",
    look: Look::Job(look),
};

/// Of the measured time.
const SPREAD_MAX: f64 = 0.01;

fn look(seen: &JobSeen<'_>) -> Option<Finding> {
    let start = seen.start;
    if start.spread_ns as f64 <= SPREAD_MAX * seen.measured_ns as f64 {
        return None;
    }
    let sentence = format!(
        "the hosts began {} apart; {} of the time all of them measured",
        say::time(start.spread_ns as f64),
        say::percent(start.overlap)
    );
    let evidence = [
        ("spread_ns", start.spread_ns as f64),
        ("uncertainty_ns", start.uncertainty_ns as f64),
        ("overlap", start.overlap),
    ];
    Some(finding(
        RULE.id,
        Severity::Warning,
        sentence,
        &evidence,
        RULE.advice,
    ))
}
