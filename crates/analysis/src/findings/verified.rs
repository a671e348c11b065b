//! All that was compared is what was written.
//!
//! Omitted: whether enough was compared (`low_verify_coverage`), and damage (`corrupt_data`).

use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::say;
use model::block_header::BLOCK;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("verified"),
    group: Group::Data,
    cause: Cause::Alone,
    limit: None,
    what: "All data that was read and compared is what was written.",
    method: "--verify: each block that the run or the pass after it read has the expected place and version. Versions that \
             were written over before anything read them are not compared.",
    evidence: &[
        "right_blocks",
        "pass_right_blocks",
        "undecided_blocks",
        "unknown_blocks",
        "deferred_writes",
    ],
    source: "fathom: block headers and the write map (docs/verification.md).",
    advice: "Nothing to do; a larger share of reads (-w 50) compares more versions.",
    look: Look::Own(look),
};

fn look(seen: &Own<'_>) -> Option<Finding> {
    let verification = seen.record.engine.verification.as_ref()?;
    let pass = verification.pass.unwrap_or_default();
    let reads = verification.reads;
    let compared = reads.right + reads.older_data + pass.counts.right + pass.counts.older_data;
    if verification.corrupt() > 0 || !verification.kinds.is_empty() || compared == 0 {
        return None;
    }
    let mut sentence = format!(
        "verified: {} of {} read in the run contain what was written",
        say::count(reads.right + reads.older_data),
        say::counted(reads.all(), "block"),
    );
    if verification.pass.is_some() {
        sentence.push_str(&format!(
            "; after it, {} of {} read past the page cache do",
            say::bytes((pass.counts.right + pass.counts.older_data) * BLOCK.0),
            say::bytes(pass.done.0)
        ));
    }
    let undecided = reads.undecided + pass.counts.undecided;
    let unknown = reads.unknown + pass.counts.unknown;
    Some(finding(
        RULE.id,
        Severity::Note,
        sentence,
        &[
            ("right_blocks", reads.right as f64),
            ("pass_right_blocks", pass.counts.right as f64),
            ("undecided_blocks", undecided as f64),
            ("unknown_blocks", unknown as f64),
            ("deferred_writes", verification.deferred as f64),
        ],
        "versions that were written over before anything read them were not compared",
    ))
}

#[cfg(test)]
mod tests {
    use crate::findings::{Severity, found};
    use crate::sample::Sample;
    use model::{Bytes, Verification, VerifyCounts, VerifyPass};

    #[test]
    fn a_clean_comparison_is_a_note_and_none_is_no_finding() {
        let mut record = Sample::default().build();
        assert_eq!(found(&record, "verified"), None);
        record.engine.verification = Some(Verification::default());
        assert_eq!(found(&record, "verified"), None, "nothing was compared");
        record.engine.verification = Some(Verification {
            reads: VerifyCounts {
                right: 90,
                undecided: 10,
                ..VerifyCounts::default()
            },
            pass: Some(VerifyPass {
                counts: VerifyCounts {
                    right: 256,
                    ..VerifyCounts::default()
                },
                total: Bytes::mib(1),
                done: Bytes::mib(1),
                ..VerifyPass::default()
            }),
            ..Verification::default()
        });
        let note = found(&record, "verified").unwrap();
        assert_eq!(note.severity, Severity::Note);
        assert_eq!(
            note.sentence,
            "verified: 90 of 100 blocks read in the run contain what was written; after it, 1 MiB of 1 MiB read past the \
             page cache do"
        );
    }
}
