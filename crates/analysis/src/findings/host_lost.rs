//! A rank of a job that has no result.

use super::{Cause, Finding, Group, Look, Rule, RuleId, Severity, finding};
use crate::job::seen::JobSeen;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("host-lost"),
    group: Group::Data,
    cause: Cause::Alone,
    limit: None,
    what: "A rank of the job has no result, so that the sums are those of the others.",
    method: "A rank was silent for longer than --host-timeout, its connection broke, or its run could not begin.",
    evidence: &["lost", "ranks"],
    source: "The manual, chapter Many hosts.",
    advice: "Find out what happened to the host that is named, and repeat the run with all hosts.",
    look: Look::Job(look),
};

fn look(seen: &JobSeen<'_>) -> Option<Finding> {
    let lost: Vec<_> = seen
        .hosts
        .iter()
        .filter(|host| host.missing.is_some())
        .collect();
    let first = lost.first()?;
    let more = match lost.len() {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    let sentence = format!(
        "rank {}{more} of {} has no result ({}); the sums are those of the others",
        first.rank,
        seen.hosts.len(),
        first.missing.as_deref().unwrap_or_default()
    );
    let evidence = [
        ("lost", lost.len() as f64),
        ("ranks", seen.hosts.len() as f64),
    ];
    Some(
        finding(RULE.id, Severity::Error, sentence, &evidence, RULE.advice)
            .invalid_for("a result of all hosts"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::test::job;

    #[test]
    fn a_rank_without_a_result_is_named() {
        assert_eq!(job::of_rates(&[100.0, 100.0], look), None);
        let found = job::with(
            &[100.0, 100.0],
            |hosts| hosts[1].missing = Some("silent".to_owned()),
            look,
        );
        let found = found.unwrap();
        assert_eq!(
            (found.severity, found.evidence[0].value),
            (Severity::Error, 1.0)
        );
    }
}
