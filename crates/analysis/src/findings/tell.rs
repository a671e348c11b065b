//! Which findings are reported, and in which order: by consequence, and of one cause only the strongest.

use super::explains::explained;
use super::{
    Cause, FINDINGS, Finding, Look, PtsSeen, Seen, Several, no_device, process_stopped,
    unwritten_extents,
};
use crate::audit::scope::AuditSeen;
use crate::job::seen::JobSeen;
use crate::known::Known;
use crate::observed::Observed;
use model::FilesRecord;

/// Findings of the whole table, by consequence: severity first, then the order of the table; at most one finding a cause.
pub(crate) fn findings(seen: &Seen<'_>) -> Vec<Finding> {
    let reported = FINDINGS.iter().filter_map(|rule| {
        let finding = match rule.look {
            Look::Own(look) => look(seen.own?),
            Look::OwnKnowing(look) => look(seen.own?, seen.known),
            Look::Any(look) | Look::Both(look, _) => look(seen),
            Look::Several(_) | Look::Job(_) | Look::Pts(_) | Look::Files(_) | Look::Audit(_) => {
                None
            }
        }?;
        Some((cause(rule.cause, &finding), finding))
    });
    let mut reported: Vec<(Cause, Finding)> = reported.collect();
    let stopped = process_stopped::RULE.id;
    if reported.iter().any(|(_, finding)| finding.id == stopped) {
        reported.retain(|(_, finding)| !process_stopped::EXPLAINS.contains(&finding.id));
    }
    explained(strongest(reported))
}

/// The cause of a finding. First writes are no cache, so what a cache explains does not hide them; nor does a file in memory hide
/// what is found above its loop device.
fn cause(of_rule: Cause, finding: &Finding) -> Cause {
    let first_writes = finding.id == unwritten_extents::RULE.id && finding.invalid_for.is_none();
    match first_writes || no_device::is_of_loops(finding) {
        true => Cause::Alone,
        false => of_rule,
    }
}

/// Findings on the ranks of a job together; the order is as above.
pub(crate) fn job_findings(seen: &JobSeen<'_>) -> Vec<Finding> {
    let reported = FINDINGS.iter().filter_map(|rule| match rule.look {
        Look::Job(look) => Some((rule.cause, look(seen)?)),
        _ => None,
    });
    strongest(reported.collect())
}

/// What a test of SNIA's PTS shows; the order is as above.
pub(crate) fn pts_findings(seen: &PtsSeen) -> Vec<Finding> {
    let reported = FINDINGS.iter().filter_map(|rule| match rule.look {
        Look::Pts(look) => Some((rule.cause, look(seen)?)),
        _ => None,
    });
    strongest(reported.collect())
}

/// What the steps of work with files show; the order is as above.
pub(crate) fn files_findings(steps: &[FilesRecord]) -> Vec<Finding> {
    let reported = FINDINGS.iter().filter_map(|rule| match rule.look {
        Look::Files(look) => Some((rule.cause, look(steps)?)),
        _ => None,
    });
    strongest(reported.collect())
}

/// What the account of a program shows; the order is as above.
pub(crate) fn audit_findings(seen: &AuditSeen<'_>) -> Vec<Finding> {
    let reported = FINDINGS.iter().filter_map(|rule| match rule.look {
        Look::Audit(look) => Some((rule.cause, look(seen)?)),
        _ => None,
    });
    strongest(reported.collect())
}

/// Findings on the runs of a session together that none of them has alone; the order is as above.
pub fn session_findings(runs: &[Observed], known: &Known) -> Vec<Finding> {
    let several = Several { runs, known };
    let reported = FINDINGS.iter().filter_map(|rule| {
        let (Look::Several(look) | Look::Both(_, look)) = rule.look else {
            return None;
        };
        Some((rule.cause, look(&several)?))
    });
    explained(strongest(reported.collect()))
}

/// Of each cause the finding of the highest severity, then of the highest confidence, then the first.
#[allow(
    clippy::needless_pass_by_value,
    reason = "what is not the strongest is gone"
)]
pub(crate) fn strongest(reported: Vec<(Cause, Finding)>) -> Vec<Finding> {
    let weight = |finding: &Finding| std::cmp::Reverse((finding.severity, finding.confidence));
    let mut by_weight: Vec<&(Cause, Finding)> = reported.iter().collect();
    by_weight.sort_by_key(|(_, finding)| weight(finding));
    let mut kept: Vec<&(Cause, Finding)> = Vec::new();
    for one in by_weight {
        let repeats = one.0 != Cause::Alone && kept.iter().any(|before| before.0 == one.0);
        if !repeats {
            kept.push(one);
        }
    }
    let is_kept = |one: &(Cause, Finding)| kept.iter().any(|kept| std::ptr::eq(*kept, one));
    let mut findings: Vec<Finding> = reported
        .iter()
        .filter(|one| is_kept(one))
        .map(|(_, finding)| finding.clone())
        .collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity)); // stable: then the order of the table
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::{Confidence, RuleId, Severity, finding};

    #[test]
    fn of_one_cause_the_strongest_is_reported_and_the_order_is_that_of_consequence() {
        let reported = |id, severity| finding(RuleId::new(id), severity, String::new(), &[], "");
        let said = strongest(vec![
            (Cause::Cap, reported("iops-limit", Severity::Note)),
            (Cause::Alone, reported("governor", Severity::Note)),
            (Cause::Cap, reported("bandwidth-limit", Severity::Warning)),
            (Cause::Alone, reported("io-errors", Severity::Error)),
            (
                Cause::Cap,
                reported("cgroup-io-limit", Severity::Warning).sure(Confidence::Low),
            ),
        ]);
        let ids: Vec<&str> = said.iter().map(|finding| finding.id.as_str()).collect();
        assert_eq!(ids, ["io-errors", "bandwidth-limit", "governor"]);
    }
}
