//! I/Os that the device never completed. Their latency is unknown and longer than any that was counted.

use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("io-timeout"),
    group: Group::Data,
    cause: Cause::Change,
    limit: None,
    what: "I/Os were submitted and never completed.",
    method: "Any I/O still in flight when the drain timed out. Its latency is unknown, and longer than any latency counted.",
    evidence: &["abandoned_ios"],
    source: "fathom: how a run ends, the manual, chapter Measurement.",
    advice: "The device or its driver hangs: check the system log before measuring again.",
    look: Look::Own(look),
};

pub(super) fn look(seen: &Own<'_>) -> Option<Finding> {
    let lost = seen.record.unanswered();
    if lost == 0 {
        return None;
    }
    let were = if lost == 1 { "was" } else { "were" };
    Some(finding(
        RULE.id,
        Severity::Error,
        format!("{} {were} never completed", say::counted(lost, "I/O")),
        &[("abandoned_ios", lost as f64)],
        "the device or its driver hangs: check the system log before measuring again",
    ))
}

#[cfg(test)]
mod tests {
    use crate::findings::found;
    use crate::sample::Sample;

    #[test]
    fn ios_without_answer_are_counted() {
        let mut record = Sample::default().build();
        assert_eq!(found(&record, "io-timeout"), None);
        record.threads[0].abandoned = 3;
        assert_eq!(
            found(&record, "io-timeout").unwrap().sentence,
            "3 I/Os were never completed"
        );
    }
}
