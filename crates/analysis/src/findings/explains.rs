//! What explains what: one cause first, and its consequences folded under it.
//!
//! A limit explains a full queue, even windows and waiting; a page cache explains rates beyond the medium; a busy core
//! explains an empty queue. A finding explains another one only where it weighs as much and is more than
//! a hint.

use super::{Confidence, Finding, RuleId};

/// A cause, and the findings that follow from it. The more a row explains the earlier it stands: of two causes that
/// explain the same finding the first one does.
const EXPLAINS: &[(&str, &[&str])] = &[
    (
        "no-device",
        &[
            "answered-from-memory",
            "cpu-bound",
            "tool-bound",
            "in-flight",
            "synchronous-submission",
            "file-too-small",
            "zero-data",
            "page-cache",
            "little",
            "closed-loop",
            "latency-wall",
            "percentile-trust",
            "short-run",
            "rate-cap",
            "bandwidth-cap",
        ],
    ),
    (
        "unwritten-extents",
        &[
            "page-cache",
            "answered-from-memory",
            "impossible-for-medium",
            "file-too-small",
            "cpu-bound",
            "tool-bound",
            "zero-data",
        ],
    ),
    (
        "loop-page-cache",
        &[
            "cpu-bound",
            "tool-bound",
            "in-flight",
            "depth-not-reached",
            "impossible-for-medium",
            "file-too-small",
            "not-steady",
            "drop",
            "drift",
            "latency-wall",
            "thread-imbalance",
        ],
    ),
    (
        "page-cache",
        &[
            "answered-from-memory",
            "impossible-for-medium",
            "file-too-small",
            "zero-data",
            "cpu-bound",
            "tool-bound",
            "not-steady",
            "drop",
            "drift",
            "latency-wall",
            "closed-loop",
            "in-flight",
            "thread-imbalance",
        ],
    ),
    (
        "answered-from-memory",
        &[
            "file-too-small",
            "impossible-for-medium",
            "cpu-bound",
            "closed-loop",
        ],
    ),
    ("impossible-for-medium", &["file-too-small", "closed-loop"]),
    (
        "short-run",
        &[
            "percentile-trust",
            "closed-loop",
            "not-steady",
            "latency-wall",
        ],
    ),
    (
        "throttled",
        &[
            "in-flight",
            "depth-not-reached",
            "little",
            "closed-loop",
            "latency-wall",
            "standstill",
            "saturated",
            "not-steady",
            "thread-imbalance",
            "scheduler",
        ],
    ),
    (
        "rate-cap",
        &[
            "in-flight",
            "depth-not-reached",
            "little",
            "closed-loop",
            "latency-wall",
            "saturated",
        ],
    ),
    (
        "bandwidth-cap",
        &[
            "in-flight",
            "depth-not-reached",
            "little",
            "closed-loop",
            "latency-wall",
            "saturated",
        ],
    ),
    (
        "cpu-quota",
        &[
            "cpu-bound",
            "tool-bound",
            "in-flight",
            "latency-wall",
            "closed-loop",
            "not-steady",
        ],
    ),
    (
        "steal",
        &["cpu-bound", "not-steady", "latency-wall", "closed-loop"],
    ),
    (
        "synchronous-submission",
        &["in-flight", "closed-loop", "little", "depth-not-reached"],
    ),
    (
        "tool-bound",
        &["in-flight", "cpu-bound", "little", "thread-imbalance"],
    ),
    (
        "cpu-bound",
        &["in-flight", "little", "thread-imbalance", "closed-loop"],
    ),
    ("queue-depth-ignored", &["in-flight", "depth-not-reached"]),
    ("uneven-disks", &["little", "in-flight"]),
    ("commit-latency", &["closed-loop", "in-flight"]),
    (
        "noisy-neighbour",
        &[
            "not-steady",
            "drop",
            "drift",
            "latency-wall",
            "closed-loop",
            "standstill",
        ],
    ),
    (
        "standstill",
        &["not-steady", "drop", "drift", "latency-wall", "closed-loop"],
    ),
    (
        "io-uring-punted",
        &["not-steady", "in-flight", "depth-not-reached"],
    ),
    (
        "compressible-data",
        &["not-steady", "impossible-for-medium", "drop"],
    ),
    ("latency-wall", &["closed-loop"]),
    ("interrupted", &["short-run", "percentile-trust"]),
];

/// Gives each finding its cause, and puts consequences last. The order among others stays.
pub(super) fn explained(mut findings: Vec<Finding>) -> Vec<Finding> {
    let causes: Vec<Option<RuleId>> = findings
        .iter()
        .map(|one| cause_of(one, &findings))
        .collect();
    for (finding, cause) in findings.iter_mut().zip(causes) {
        finding.because = cause;
    }
    findings.sort_by_key(|finding| finding.because.is_some()); // stable
    findings
}

/// The first cause of the table that is among the findings, and weighs enough.
fn cause_of(finding: &Finding, findings: &[Finding]) -> Option<RuleId> {
    let explains = |(cause, consequences): &(&str, &[&str])| {
        let of = consequences.contains(&finding.id.as_str());
        let cause = findings
            .iter()
            .find(|one| of && one.id.as_str() == *cause)?;
        (cause.rank >= finding.rank && cause.confidence > Confidence::Low).then_some(cause.id)
    };
    EXPLAINS.iter().find_map(explains)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::{FINDINGS, FindingRank, finding};

    fn told(id: &'static str, rank: FindingRank) -> Finding {
        finding(RuleId::new(id), rank, id.to_owned(), &[], "")
    }

    #[test]
    fn every_name_of_the_table_is_a_rule_and_nothing_explains_itself_or_its_cause() {
        let is_rule = |id: &&str| FINDINGS.iter().any(|rule| rule.id.as_str() == *id);
        for (cause, consequences) in EXPLAINS {
            assert!(
                is_rule(cause) && consequences.iter().all(&is_rule),
                "{cause}"
            );
            assert!(!consequences.contains(cause), "{cause}");
            for (other, others) in EXPLAINS.iter().filter(|(id, _)| consequences.contains(id)) {
                assert!(
                    !others.contains(cause),
                    "{cause} and {other} explain each other"
                );
            }
        }
    }

    #[test]
    fn a_limit_explains_waiting_and_stands_before_it() {
        let all = explained(vec![
            told("latency-wall", FindingRank::Warning),
            told("rate-cap", FindingRank::Warning),
            told("little", FindingRank::Info),
            told("write-cache", FindingRank::Info),
        ]);
        let order: Vec<(&str, bool)> = all
            .iter()
            .map(|one| (one.id.as_str(), one.because.is_some()))
            .collect();
        let expected = [
            ("rate-cap", false),
            ("write-cache", false),
            ("latency-wall", true),
            ("little", true),
        ];
        assert_eq!(order, expected);
    }

    #[test]
    fn a_hint_explains_no_warning() {
        let hint = told("rate-cap", FindingRank::Info).sure(Confidence::Low);
        let all = explained(vec![told("latency-wall", FindingRank::Warning), hint]);
        assert!(all.iter().all(|one| one.because.is_none()));
    }
}
