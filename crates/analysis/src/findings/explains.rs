//! What explains what: one cause first, and its consequences folded under it.
//!
//! A limit explains a full queue, even windows and waiting; a page cache explains rates beyond the medium; a busy core
//! explains an empty queue. A finding explains another one only where it weighs as much and is more than
//! a hint.

use super::{Confidence, Finding, RuleId};
use super::{
    answered_from_memory, bandwidth_cap, closed_loop, commit_latency, compressible_data, cpu_bound,
    cpu_quota, depth_not_reached, drift, drop, file_too_small, impossible_for_medium, in_flight,
    interrupted, io_uring_punted, latency_wall, little, loop_page_cache, neighbour, no_device,
    page_cache, percentile_trust, queue_depth_ignored, rate_cap, saturated, scheduler, short_run,
    standstill, steal, synchronous_submission, thread_imbalance, throttled, tool_bound,
    uneven_disks, unsteady, unwritten_extents, zero_data,
};

/// A cause, and the findings that follow from it. The more a row explains the earlier it stands: of two causes that
/// explain the same finding the first one does.
const EXPLAINS: &[(RuleId, &[RuleId])] = &[
    (
        no_device::RULE.id,
        &[
            answered_from_memory::RULE.id,
            cpu_bound::RULE.id,
            tool_bound::RULE.id,
            in_flight::RULE.id,
            synchronous_submission::RULE.id,
            file_too_small::RULE.id,
            zero_data::RULE.id,
            page_cache::RULE.id,
            little::RULE.id,
            closed_loop::RULE.id,
            latency_wall::RULE.id,
            percentile_trust::RULE.id,
            short_run::RULE.id,
            rate_cap::RULE.id,
            bandwidth_cap::RULE.id,
        ],
    ),
    (
        unwritten_extents::RULE.id,
        &[
            page_cache::RULE.id,
            answered_from_memory::RULE.id,
            impossible_for_medium::RULE.id,
            file_too_small::RULE.id,
            cpu_bound::RULE.id,
            tool_bound::RULE.id,
            zero_data::RULE.id,
        ],
    ),
    (
        loop_page_cache::RULE.id,
        &[
            cpu_bound::RULE.id,
            tool_bound::RULE.id,
            in_flight::RULE.id,
            depth_not_reached::RULE.id,
            impossible_for_medium::RULE.id,
            file_too_small::RULE.id,
            unsteady::RULE.id,
            drop::RULE.id,
            drift::RULE.id,
            latency_wall::RULE.id,
            thread_imbalance::RULE.id,
        ],
    ),
    (
        page_cache::RULE.id,
        &[
            answered_from_memory::RULE.id,
            impossible_for_medium::RULE.id,
            file_too_small::RULE.id,
            zero_data::RULE.id,
            cpu_bound::RULE.id,
            tool_bound::RULE.id,
            unsteady::RULE.id,
            drop::RULE.id,
            drift::RULE.id,
            latency_wall::RULE.id,
            closed_loop::RULE.id,
            in_flight::RULE.id,
            thread_imbalance::RULE.id,
        ],
    ),
    (
        answered_from_memory::RULE.id,
        &[
            file_too_small::RULE.id,
            impossible_for_medium::RULE.id,
            cpu_bound::RULE.id,
            closed_loop::RULE.id,
        ],
    ),
    (
        impossible_for_medium::RULE.id,
        &[file_too_small::RULE.id, closed_loop::RULE.id],
    ),
    (
        short_run::RULE.id,
        &[
            percentile_trust::RULE.id,
            closed_loop::RULE.id,
            unsteady::RULE.id,
            latency_wall::RULE.id,
        ],
    ),
    (
        throttled::RULE.id,
        &[
            in_flight::RULE.id,
            depth_not_reached::RULE.id,
            little::RULE.id,
            closed_loop::RULE.id,
            latency_wall::RULE.id,
            standstill::RULE.id,
            saturated::RULE.id,
            unsteady::RULE.id,
            thread_imbalance::RULE.id,
            scheduler::RULE.id,
        ],
    ),
    (
        rate_cap::RULE.id,
        &[
            in_flight::RULE.id,
            depth_not_reached::RULE.id,
            little::RULE.id,
            closed_loop::RULE.id,
            latency_wall::RULE.id,
            saturated::RULE.id,
        ],
    ),
    (
        bandwidth_cap::RULE.id,
        &[
            in_flight::RULE.id,
            depth_not_reached::RULE.id,
            little::RULE.id,
            closed_loop::RULE.id,
            latency_wall::RULE.id,
            saturated::RULE.id,
        ],
    ),
    (
        cpu_quota::RULE.id,
        &[
            cpu_bound::RULE.id,
            tool_bound::RULE.id,
            in_flight::RULE.id,
            latency_wall::RULE.id,
            closed_loop::RULE.id,
            unsteady::RULE.id,
        ],
    ),
    (
        steal::RULE.id,
        &[
            cpu_bound::RULE.id,
            unsteady::RULE.id,
            latency_wall::RULE.id,
            closed_loop::RULE.id,
        ],
    ),
    (
        synchronous_submission::RULE.id,
        &[
            in_flight::RULE.id,
            closed_loop::RULE.id,
            little::RULE.id,
            depth_not_reached::RULE.id,
        ],
    ),
    (
        tool_bound::RULE.id,
        &[
            in_flight::RULE.id,
            cpu_bound::RULE.id,
            little::RULE.id,
            thread_imbalance::RULE.id,
        ],
    ),
    (
        cpu_bound::RULE.id,
        &[
            in_flight::RULE.id,
            little::RULE.id,
            thread_imbalance::RULE.id,
            closed_loop::RULE.id,
        ],
    ),
    (
        queue_depth_ignored::RULE.id,
        &[in_flight::RULE.id, depth_not_reached::RULE.id],
    ),
    (
        uneven_disks::RULE.id,
        &[little::RULE.id, in_flight::RULE.id],
    ),
    (
        commit_latency::RULE.id,
        &[closed_loop::RULE.id, in_flight::RULE.id],
    ),
    (
        neighbour::RULE.id,
        &[
            unsteady::RULE.id,
            drop::RULE.id,
            drift::RULE.id,
            latency_wall::RULE.id,
            closed_loop::RULE.id,
            standstill::RULE.id,
        ],
    ),
    (
        standstill::RULE.id,
        &[
            unsteady::RULE.id,
            drop::RULE.id,
            drift::RULE.id,
            latency_wall::RULE.id,
            closed_loop::RULE.id,
        ],
    ),
    (
        io_uring_punted::RULE.id,
        &[
            unsteady::RULE.id,
            in_flight::RULE.id,
            depth_not_reached::RULE.id,
        ],
    ),
    (
        compressible_data::RULE.id,
        &[
            unsteady::RULE.id,
            impossible_for_medium::RULE.id,
            drop::RULE.id,
        ],
    ),
    (latency_wall::RULE.id, &[closed_loop::RULE.id]),
    (
        interrupted::RULE.id,
        &[short_run::RULE.id, percentile_trust::RULE.id],
    ),
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
    let explains = |(cause, consequences): &(RuleId, &[RuleId])| {
        let of = consequences.contains(&finding.id);
        let cause = findings.iter().find(|one| of && one.id == *cause)?;
        (cause.rank >= finding.rank && cause.confidence > Confidence::Low).then_some(cause.id)
    };
    EXPLAINS.iter().find_map(explains)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::{FindingRank, finding};

    fn told(id: &'static str, rank: FindingRank) -> Finding {
        finding(RuleId::new(id), rank, id.to_owned(), &[], "")
    }

    #[test]
    fn nothing_explains_itself_or_its_cause() {
        for (cause, consequences) in EXPLAINS {
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
