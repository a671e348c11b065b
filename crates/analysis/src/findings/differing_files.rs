//! Files of a test folder do not contain what was written to them.
//!
//! Omitted: blocks of runs, which have headers (`corrupt_data`).

use super::{Cause, Finding, Group, Look, Rule, RuleId, Severity, finding};
use crate::say;
use model::FilesRecord;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("differing-files"),
    group: Group::Data,
    cause: Cause::Alone,
    limit: None,
    what: "Files do not contain what was written to them.",
    method: "The content of each file follows from its task and its number. mdtest's -X compares what is read with it, and \
             --verify-write what is read behind each write.",
    evidence: &["differing_files", "compared_files"],
    source: "mdtest 4.1, options -X and --verify-write.",
    advice: "First read the files again without the caches. Then check the system log, memory and the health of the device \
             (smartctl -x).",
    look: Look::Files(look),
};

fn look(steps: &[FilesRecord]) -> Option<Finding> {
    let each = steps.iter().map(|record| record.step.compared());
    let (compared, differing) = each.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    (differing > 0).then(|| {
        let sentence = format!(
            "{} of {} files that were compared do not contain what was written",
            say::count(differing),
            say::count(compared)
        );
        let evidence = [
            ("differing_files", differing as f64),
            ("compared_files", compared as f64),
        ];
        finding(RULE.id, Severity::Error, sentence, &evidence, RULE.advice)
    })
}
