//! Nothing that was compared is damaged.
//!
//! Omitted: whether enough was compared (`low_verify_coverage`), and damage (`corrupt_data`).

use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::say;
use model::VerifyCounts;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("verified"),
    group: Group::Data,
    cause: Cause::Alone,
    limit: None,
    what: "No block that was read and compared is damaged.",
    method: "--verify: each block that the run or the pass after it read has the expected place and version; each that the \
             run did not write is whole, of any version, or zeros. Versions that were written over before anything read \
             them are not compared.",
    evidence: &[
        "right_blocks",
        "read_back_right_blocks",
        "read_back_skipped_writes",
        "pass_right_blocks",
        "older_blocks",
        "zero_blocks",
        "undecided_blocks",
        "unknown_blocks",
        "deferred_writes",
    ],
    source: "fathom: block headers and the write map (fathom docs verification).",
    advice: "Nothing to do; a larger share of reads (-w 50) compares more versions.",
    look: Look::Own(look),
};

fn look(seen: &Own<'_>) -> Option<Finding> {
    let verification = seen.record.engine.verification.as_ref()?;
    let pass = verification.pass.unwrap_or_default();
    let mut all = verification.reads;
    all.add(&pass.counts);
    let read_back = verification.read_back.unwrap_or_default();
    all.add(&read_back.blocks);
    let compared = all.right + all.older_data + all.zeros;
    if verification.corrupt() > 0 || !verification.kinds.is_empty() || compared == 0 {
        return None;
    }
    let reads = verification.reads;
    let mut sentence = format!(
        "verified: {} read in the run: {}",
        say::counted(reads.all(), "block"),
        contents(&reads)
    );
    if verification.read_back.is_some() {
        sentence.push_str(&format!(
            "; {} written and read again during it: {}",
            say::counted(read_back.blocks.all(), "block"),
            contents(&read_back.blocks)
        ));
    }
    if verification.pass.is_some() {
        sentence.push_str(&format!(
            "; {} read past the page cache after it: {}",
            say::bytes(pass.done.0),
            contents(&pass.counts)
        ));
    }
    let not_compared = match all.older_data > 0 {
        _ if read_back.skipped > 0 => {
            "more writes waited to be read again than fit, so some were skipped: specify a smaller share or a shorter delay"
        }
        _ if verification.read_back.is_some() => {
            "reading writes again takes part of the queue: do not compare its IOPS with those of other runs"
        }
        true => "of earlier runs any version is accepted, so a lost write of theirs is not visible",
        false => "versions that were written over before anything read them were not compared",
    };
    Some(finding(
        RULE.id,
        Severity::Note,
        sentence,
        &[
            ("right_blocks", reads.right as f64),
            ("read_back_right_blocks", read_back.blocks.right as f64),
            ("read_back_skipped_writes", read_back.skipped as f64),
            ("pass_right_blocks", pass.counts.right as f64),
            ("older_blocks", all.older_data as f64),
            ("zero_blocks", all.zeros as f64),
            ("undecided_blocks", all.undecided as f64),
            ("unknown_blocks", all.unknown as f64),
            ("deferred_writes", verification.deferred as f64),
        ],
        not_compared,
    ))
}

/// Lists what the blocks contain, the most important first.
fn contents(counts: &VerifyCounts) -> String {
    let parts = [
        (counts.right, "as this run wrote them"),
        (counts.older_data, "whole and of earlier runs"),
        (counts.zeros, "zeros"),
        (counts.undecided + counts.unknown, "not compared"),
    ];
    let all = counts.all();
    let present = parts.iter().filter(|(blocks, _)| *blocks > 0);
    let words = present.map(|(blocks, what)| match *blocks == all {
        true => format!("all {what}"),
        false => format!("{} {what}", say::count(*blocks)),
    });
    let words: Vec<String> = words.collect();
    match words.is_empty() {
        true => "none".to_owned(),
        false => words.join(", "),
    }
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
            "verified: 100 blocks read in the run: 90 as this run wrote them, 10 not compared; 1 MiB read past the page \
             cache after it: all as this run wrote them"
        );
    }

    #[test]
    fn data_of_earlier_runs_and_zeros_are_not_called_written() {
        let mut record = Sample::default().build();
        record.engine.verification = Some(Verification {
            reads: VerifyCounts {
                older_data: 60,
                zeros: 40,
                ..VerifyCounts::default()
            },
            ..Verification::default()
        });
        let note = found(&record, "verified").unwrap();
        assert_eq!(
            note.sentence,
            "verified: 100 blocks read in the run: 60 whole and of earlier runs, 40 zeros"
        );
        let figures: Vec<f64> = note.evidence.iter().map(|one| one.value).collect();
        assert_eq!(figures, [0.0, 0.0, 0.0, 0.0, 60.0, 40.0, 0.0, 0.0, 0.0]);
    }
}
