//! The clock of the timestamps drifted from the system's clock: every rate and latency is off by the same share.
//!
//! Above 100 parts in a million of the run, and above 10 µs: two readings cannot be distinguished closer.

use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("clock-drift"),
    group: Group::Data,
    cause: Cause::Alone,
    limit: None,
    what: "The clock that timestamps the I/Os drifted from the system's clock.",
    method: "More than 100 parts per million of the run, and more than 10 µs, the resolution of the comparison.",
    evidence: &["drift_ns", "run_ns"],
    source: "clock_gettime(2), CLOCK_MONOTONIC; the manual, chapter Measurement.",
    advice: "Measure again. If the drift persists, the machine's time-stamp counter is unreliable.",
    look: Look::Own(look),
};

const SHARE_MAX: f64 = 100e-6;
const DRIFT_NS_MIN: u64 = 10_000;

pub(super) fn look(seen: &Own<'_>) -> Option<Finding> {
    let drift = seen.record.engine.clock.drift.0;
    let whole = seen
        .record
        .phases
        .drained
        .max(seen.record.phases.measured_to)
        .0;
    if drift < DRIFT_NS_MIN || drift as f64 <= SHARE_MAX * whole as f64 {
        return None;
    }
    let sentence = format!(
        "the {} clock drifted {} in {}",
        seen.record.engine.clock.source,
        say::time(drift as f64),
        say::time(whole as f64)
    );
    Some(finding(
        RULE.id,
        Severity::Warning,
        sentence,
        &[("drift_ns", drift as f64), ("run_ns", whole as f64)],
        "measure again; if the drift persists, the machine's time-stamp counter is unreliable",
    ))
}

#[cfg(test)]
mod tests {
    use crate::findings::found;
    use crate::sample::Sample;
    use model::Nanos;

    #[test]
    fn a_clock_that_ran_off_is_reported() {
        let mut record = Sample::default().build();
        record.engine.clock.drift = Nanos::micros(1000);
        assert_eq!(found(&record, "clock-drift"), None);
        record.engine.clock.drift = Nanos::micros(1001);
        let reported = found(&record, "clock-drift").unwrap().sentence;
        assert_eq!(reported, "the tsc clock drifted 1.00 ms in 10 s");
    }
}
