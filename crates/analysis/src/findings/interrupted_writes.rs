//! Writes that were in flight when the power was cut left blocks of several versions, which is allowed.
//!
//! Omitted: versions that are too old (`corrupt_data`).

use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::say;
use model::verified::DurableCounts;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("interrupted-writes"),
    group: Group::Data,
    cause: Cause::Alone,
    limit: None,
    what: "A power cut interrupted writes: blocks contain parts of several versions, none older than the durable one.",
    method: "A journal lists what was durable. A block may contain any newer version, and parts of several where a write was \
             in flight, down to sectors of 512 bytes.",
    evidence: &["interrupted_blocks", "newer_blocks", "promised_blocks"],
    source: "fathom: block headers and the journal (fathom docs power-cut).",
    advice: "Nothing to do, unless a database relies on larger atomic writes than the device has.",
    look: Look::Own(look),
};

fn look(seen: &Own<'_>) -> Option<Finding> {
    of_blocks(&seen.record.engine.verification.as_ref()?.durable?)
}

/// The note, where any write was interrupted.
pub(crate) fn of_blocks(blocks: &DurableCounts) -> Option<Finding> {
    (blocks.interrupted > 0).then(|| {
        let sentence = format!(
            "interrupted writes: {} with parts of several versions, none older than the durable one; {} newer than it",
            say::counted(blocks.interrupted, "block"),
            say::count(blocks.newer)
        );
        let evidence = [
            ("interrupted_blocks", blocks.interrupted as f64),
            ("newer_blocks", blocks.newer as f64),
            ("promised_blocks", blocks.promised as f64),
        ];
        finding(RULE.id, Severity::Note, sentence, &evidence, RULE.advice)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_interrupted_blocks_are_a_note() {
        let mut blocks = DurableCounts {
            promised: 9,
            found: 9,
            ..DurableCounts::default()
        };
        assert_eq!(of_blocks(&blocks), None);
        blocks.interrupted = 2;
        let note = of_blocks(&blocks).unwrap();
        assert_eq!(
            (note.severity, note.evidence[0].value),
            (Severity::Note, 2.0)
        );
    }
}
