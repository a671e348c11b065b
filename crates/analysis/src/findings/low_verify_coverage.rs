//! Too little was compared for a statement on the data.
//!
//! Omitted: versions that were overwritten before anything read them, which every run has.

use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::say;
use model::block_header::BLOCK;
use model::{Verification, VerifyCounts};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("low-verify-coverage"),
    group: Group::Data,
    cause: Cause::Alone,
    limit: None,
    what: "Too little of what was written was compared.",
    method: "No pass read the whole range after the run, and fewer than 5% as many blocks were compared as were written; or \
             the pass was interrupted; or more than 20% of the blocks that were read could not be compared: a write of the \
             same place was in flight, a write failed, or the content was unknown; or the run wrote nothing and more than \
             20% were zeros, of which nothing shows whether data was there.",
    evidence: &[
        "compared_share",
        "undecided_share",
        "zero_share",
        "pass_share",
    ],
    source: "fathom: the record. The limits are chosen, not measured.",
    advice: "Let the pass after the run complete, read more (-w 50), or use a larger range.",
    look: Look::Own(look),
};

const COMPARED_MIN: f64 = 0.05;
const UNDECIDED_MAX: f64 = 0.2;

fn look(seen: &Own<'_>) -> Option<Finding> {
    let verification = seen.record.engine.verification.as_ref()?;
    if verification.corrupt() > 0 {
        return None;
    }
    let share = |part: u64, of: u64| part as f64 / of.max(1) as f64;
    let written = verification.written;
    let read_back = verification.read_back.unwrap_or_default().blocks;
    let compared = share(verification.reads.right + read_back.right, written);
    let pass = verification
        .pass
        .map(|pass| share(pass.done.0, pass.total.0));
    let undecided = share_of(verification, |all| all.undecided + all.unknown);
    let zeros = share_of(verification, |all| all.zeros);
    let reason = match pass {
        Some(done) if done < 1.0 => {
            let pass = verification.pass.unwrap_or_default();
            format!(
                "the pass after the run was interrupted: {} of {} were compared",
                say::bytes(pass.done.0),
                say::bytes(pass.total.0)
            )
        }
        None if written > 0 && compared < COMPARED_MIN => format!(
            "no pass read the range after the run, and the run's reads compared {} as many blocks as it wrote ({})",
            say::percent(compared),
            say::bytes(written * BLOCK.0)
        ),
        _ if undecided > UNDECIDED_MAX => format!(
            "{} of the blocks that were read could not be compared: a write of the same place was in flight or failed, or the content was unknown",
            say::percent(undecided)
        ),
        _ if written == 0 && zeros > UNDECIDED_MAX => format!(
            "{} of the blocks that were read are zeros, and nothing shows whether data was written there",
            say::percent(zeros)
        ),
        _ => return None,
    };
    Some(finding(
        RULE.id,
        Severity::Warning,
        format!("little was verified: {reason}"),
        &[
            ("compared_share", compared),
            ("undecided_share", undecided),
            ("zero_share", zeros),
            ("pass_share", pass.unwrap_or_default()),
        ],
        "let the pass after the run complete, read more (-w 50), or use a larger range",
    ))
}

/// Of all blocks that were read, in the run and after it.
fn share_of(verification: &Verification, part: fn(&VerifyCounts) -> u64) -> f64 {
    let mut all = verification.reads;
    all.add(&verification.read_back.unwrap_or_default().blocks);
    all.add(&verification.pass.unwrap_or_default().counts);
    part(&all) as f64 / all.all().max(1) as f64
}

#[cfg(test)]
mod tests {
    use crate::findings::{Severity, found};
    use crate::sample::Sample;
    use model::{Bytes, Verification, VerifyCounts, VerifyPass};

    fn warned(verification: Verification) -> bool {
        let mut record = Sample::default().build();
        record.engine.verification = Some(verification);
        let found = found(&record, "low-verify-coverage");
        found.is_some_and(|finding| finding.severity == Severity::Warning)
    }

    #[test]
    fn writes_without_reads_or_pass_an_interrupted_pass_and_many_undecided_blocks_are_warned_of() {
        let counts = |right, undecided| VerifyCounts {
            right,
            undecided,
            ..VerifyCounts::default()
        };
        let pass = |done| {
            Some(VerifyPass {
                counts: counts(done / 4096, 0),
                total: Bytes::mib(1),
                done: Bytes(done),
                ..VerifyPass::default()
            })
        };
        let of = |written, reads, pass| Verification {
            written,
            reads,
            pass,
            ..Verification::default()
        };
        assert!(warned(of(1000, counts(49, 0), None)));
        assert!(!warned(of(1000, counts(50, 0), None)));
        assert!(!warned(of(1000, counts(0, 0), pass(1 << 20))));
        assert!(warned(of(1000, counts(0, 0), pass(1 << 19))));
        assert!(warned(of(1000, counts(700, 300), None)));
        assert!(!warned(of(0, counts(10, 0), None)));
        let zeros = |right| VerifyCounts {
            right,
            zeros: 30,
            ..VerifyCounts::default()
        };
        assert!(warned(of(0, zeros(70), None)));
        assert!(!warned(of(0, zeros(170), None)));
        assert!(!warned(of(70, zeros(70), None)));
    }
}
