//! Hosts of a job that are not identical.

use super::{Cause, Finding, Group, Look, Rule, RuleId, Severity, finding};
use crate::job::seen::JobSeen;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("host-configuration-differs"),
    group: Group::Setup,
    cause: Cause::Alone,
    limit: None,
    what: "Some hosts of the job differ from most others in a fact that can change the result.",
    method: "Version of fathom, kernel, CPU, cores, usable cores, memory, file system, mount options, device and I/O scheduler are compared; a value that more than half of the ranks share is usual.",
    evidence: &["differences", "ranks"],
    source: "The manual, chapter Many hosts.",
    advice: "Configure all hosts identically, or measure them in groups.",
    look: Look::Job(look),
};

fn look(seen: &JobSeen<'_>) -> Option<Finding> {
    let first = seen.differences.first()?;
    let mut ranks: Vec<u32> = seen.differences.iter().map(|one| one.rank).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let more = match seen.differences.len() {
        1 => String::new(),
        count => format!(
            "; {} in all",
            crate::say::counted(count as u64, "difference")
        ),
    };
    let sentence = format!(
        "hosts are not configured identically: {} is {} on rank {}, and {} on most others{more}",
        first.fact, first.value, first.rank, first.usual
    );
    let evidence = [
        ("differences", seen.differences.len() as f64),
        ("ranks", ranks.len() as f64),
    ];
    Some(finding(
        RULE.id,
        Severity::Note,
        sentence,
        &evidence,
        RULE.advice,
    ))
}
