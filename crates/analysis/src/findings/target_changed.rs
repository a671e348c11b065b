//! Another program truncated or deleted a target's file while it was measured, or punched holes into it.
//!
//! A truncated file ends the run: part of the figures belongs to a file that was not planned. A deleted file is measured to
//! the end: it exists as long as it is open. Blocks that are freed are reported where zeros were read of them. Omitted: what was there before the run, which the check refuses.

use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::say;
use model::{CorruptKind, Outcome};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("target-changed"),
    group: Group::Data,
    cause: Cause::Alone,
    limit: None,
    what: "Another program truncated or deleted the file while it was measured.",
    method: "The open descriptor is compared some 50 times per second and once after the last I/O: a size below the planned range, or, on ext2 to ext4, xfs and tmpfs, half of its blocks or more freed, is a truncation (error; the run ends, or with --continue-on-error its reads go on); no name left is a deletion, and at the end a path that leads to another file or to none is a replacement (warning; not asked of file servers and FUSE). Where zeros were read of blocks that were written, any block that was freed meanwhile is the cause (error).",
    evidence: &["deleted_targets", "size_bytes", "zeroed_blocks"],
    source: "statx(2): stx_size, stx_blocks, stx_nlink.",
    advice: "Find out which program uses the file (fuser -v, lsof), and measure a file that fathom alone uses.",
    look: Look::Own(look),
};

const ADVICE: &str =
    "find out which program uses it (fuser -v), and measure a file that fathom alone uses";

/// Returns how many blocks were read as zeros of targets that all lost blocks meanwhile; none where the storage may have
/// zeroed one.
pub(super) fn zeroed_by_others(seen: &Own<'_>) -> Option<u64> {
    let engine = &seen.record.engine;
    let verification = engine.verification.as_ref()?;
    let is_zeroed = |kind: CorruptKind| kind == CorruptKind::Zeroed;
    let count = verification.kinds.iter().find(|one| is_zeroed(one.kind))?;
    let freed = &engine.disturbances.freed_targets;
    let mut cases = verification
        .cases
        .iter()
        .filter(|case| is_zeroed(case.kind));
    (!freed.is_empty() && cases.all(|case| freed.contains(&case.target))).then_some(count.blocks)
}

fn look(seen: &Own<'_>) -> Option<Finding> {
    if let Some(zeroed) = zeroed_by_others(seen) {
        let sentence = format!(
            "another program freed blocks of the file while it was measured (it punched holes or truncated it): {} contained zeros",
            say::counted(zeroed, "block")
        );
        let evidence = [("zeroed_blocks", zeroed as f64)];
        return Some(finding(
            RULE.id,
            Severity::Error,
            sentence,
            &evidence,
            ADVICE,
        ));
    }
    let deleted = &seen.record.engine.disturbances.deleted_targets;
    let evidence = ("deleted_targets", deleted.len() as f64);
    let (severity, sentence, size) = match &seen.record.outcome {
        Outcome::Failed(failure) if failure.is_of_the_target() => {
            let size = failure.offset.0 as f64;
            (Severity::Error, failure.words(), size)
        }
        _ if deleted.is_empty() => return None,
        _ => {
            let sentence = match deleted.as_slice() {
                [_] => {
                    "another program deleted or replaced the file while it was measured".to_owned()
                }
                several => format!(
                    "another program deleted or replaced the files of {} while they were measured",
                    say::counted(several.len() as u64, "target")
                ),
            };
            (Severity::Warning, sentence, f64::NAN)
        }
    };
    Some(finding(
        RULE.id,
        severity,
        sentence,
        &[evidence, ("size_bytes", size)],
        ADVICE,
    ))
}

#[cfg(test)]
mod tests {
    use crate::findings::{Severity, found};
    use crate::sample::Sample;
    use model::{Bytes, Failure, Operation, Outcome};

    #[test]
    fn a_truncated_target_is_an_error_and_no_failure_of_the_device() {
        let mut record = Sample::default().build();
        assert_eq!(found(&record, "target-changed"), None);
        record.outcome = Outcome::Failed(Failure {
            operation: Operation::Write,
            target: 0,
            offset: Bytes(8192),
            length: Bytes(0),
            errno: 0,
            message: "another program truncated the file".to_owned(),
        });
        let reported = found(&record, "target-changed").unwrap();
        assert_eq!(reported.severity, Severity::Error);
        assert_eq!(reported.evidence[1].value, 8192.0);
        assert_eq!(found(&record, "io-errors"), None);
    }

    #[test]
    fn a_deleted_target_is_a_warning() {
        let mut record = Sample::default().build();
        record.engine.disturbances.deleted_targets = vec![0];
        let reported = found(&record, "target-changed").unwrap();
        assert_eq!(reported.severity, Severity::Warning);
    }
}
