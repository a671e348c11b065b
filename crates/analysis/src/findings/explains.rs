//! What explains what: one cause first, and its consequences folded under it.
//!
//! A limit explains a full queue, even windows and waiting; a page cache explains rates beyond the medium; a busy core
//! explains an empty queue. A finding explains another one only where it weighs as much and is more than
//! a hint.

use super::{Confidence, Finding, RuleId};
use super::{
    answered_from_memory, bandwidth_limit, cgroup_cpu_limit, cgroup_io_limit, commit_latency,
    compressible_data, coordinated_omission, cpu_bound, cpu_steal, device_cache, event_in_window,
    failover, fathom_cpu_bound, fuse_server, idle_class, impossible_for_medium, interrupted,
    io_wq_offload, iops_limit, latency_groups, loop_page_cache, no_device, no_io, noisy_neighbour,
    not_steady, one_at_a_time, page_cache, paths, queue_depth_ignored, queue_not_full,
    queued_in_kernel, requests_merged, requests_split, same_place, saturated, scheduler, short_run,
    slow_reads, slow_tail, stall, synchronous_submission, thread_imbalance, throughput_drift,
    throughput_drop, two_speeds, uncounted_storage, undersampled_tail, uneven_disks,
    unwritten_extents, working_set_fits_cache, zero_data,
};

/// A cause, and the findings that follow from it. The more a row explains the earlier it stands: of two causes that
/// explain the same finding the first one does.
const EXPLAINS: &[(RuleId, &[RuleId])] = &[
    (
        no_device::RULE.id,
        &[
            uncounted_storage::RULE.id,
            loop_page_cache::RULE.id,
            latency_groups::RULE.id,
            not_steady::RULE.id,
            answered_from_memory::RULE.id,
            cpu_bound::RULE.id,
            fathom_cpu_bound::RULE.id,
            queue_not_full::RULE.id,
            synchronous_submission::RULE.id,
            working_set_fits_cache::RULE.id,
            zero_data::RULE.id,
            page_cache::RULE.id,
            saturated::RULE.id,
            coordinated_omission::RULE.id,
            stall::RULE.id,
            undersampled_tail::RULE.id,
            short_run::RULE.id,
            iops_limit::RULE.id,
            bandwidth_limit::RULE.id,
        ],
    ),
    (
        unwritten_extents::RULE.id,
        &[
            slow_tail::RULE.id,
            not_steady::RULE.id,
            throughput_drop::RULE.id,
            throughput_drift::RULE.id,
            two_speeds::RULE.id,
            latency_groups::RULE.id,
            page_cache::RULE.id,
            answered_from_memory::RULE.id,
            impossible_for_medium::RULE.id,
            working_set_fits_cache::RULE.id,
            cpu_bound::RULE.id,
            fathom_cpu_bound::RULE.id,
            zero_data::RULE.id,
        ],
    ),
    (
        loop_page_cache::RULE.id,
        &[
            latency_groups::RULE.id,
            cpu_bound::RULE.id,
            fathom_cpu_bound::RULE.id,
            queue_not_full::RULE.id,
            queued_in_kernel::RULE.id,
            impossible_for_medium::RULE.id,
            working_set_fits_cache::RULE.id,
            not_steady::RULE.id,
            throughput_drop::RULE.id,
            throughput_drift::RULE.id,
            two_speeds::RULE.id,
            stall::RULE.id,
            thread_imbalance::RULE.id,
        ],
    ),
    (
        page_cache::RULE.id,
        &[
            fuse_server::RULE.id,
            synchronous_submission::RULE.id,
            bandwidth_limit::RULE.id,
            iops_limit::RULE.id,
            latency_groups::RULE.id,
            answered_from_memory::RULE.id,
            impossible_for_medium::RULE.id,
            working_set_fits_cache::RULE.id,
            zero_data::RULE.id,
            cpu_bound::RULE.id,
            fathom_cpu_bound::RULE.id,
            not_steady::RULE.id,
            throughput_drop::RULE.id,
            throughput_drift::RULE.id,
            two_speeds::RULE.id,
            stall::RULE.id,
            coordinated_omission::RULE.id,
            queue_not_full::RULE.id,
            thread_imbalance::RULE.id,
        ],
    ),
    (
        answered_from_memory::RULE.id,
        &[
            latency_groups::RULE.id,
            working_set_fits_cache::RULE.id,
            impossible_for_medium::RULE.id,
            cpu_bound::RULE.id,
            coordinated_omission::RULE.id,
        ],
    ),
    (
        impossible_for_medium::RULE.id,
        &[
            working_set_fits_cache::RULE.id,
            coordinated_omission::RULE.id,
        ],
    ),
    (
        failover::RULE.id,
        &[
            stall::RULE.id,
            slow_tail::RULE.id,
            not_steady::RULE.id,
            throughput_drop::RULE.id,
            throughput_drift::RULE.id,
            two_speeds::RULE.id,
            coordinated_omission::RULE.id,
            event_in_window::RULE.id,
            paths::NOT_OPTIMISED.id,
        ],
    ),
    (
        short_run::RULE.id,
        &[
            undersampled_tail::RULE.id,
            coordinated_omission::RULE.id,
            not_steady::RULE.id,
        ],
    ),
    (
        cgroup_io_limit::RULE.id,
        &[
            no_io::RULE.id,
            slow_tail::RULE.id,
            queue_not_full::RULE.id,
            queued_in_kernel::RULE.id,
            coordinated_omission::RULE.id,
            stall::RULE.id,
            saturated::RULE.id,
            not_steady::RULE.id,
            thread_imbalance::RULE.id,
            scheduler::RULE.id,
        ],
    ),
    (
        fuse_server::RULE.id,
        &[
            uncounted_storage::RULE.id,
            iops_limit::RULE.id,
            bandwidth_limit::RULE.id,
            latency_groups::RULE.id,
            synchronous_submission::RULE.id,
            queue_not_full::RULE.id,
            queued_in_kernel::RULE.id,
            saturated::RULE.id,
            cpu_bound::RULE.id,
            fathom_cpu_bound::RULE.id,
            not_steady::RULE.id,
            throughput_drop::RULE.id,
            throughput_drift::RULE.id,
            two_speeds::RULE.id,
            slow_tail::RULE.id,
            stall::RULE.id,
            coordinated_omission::RULE.id,
            requests_split::RULE.id,
            requests_merged::RULE.id,
        ],
    ),
    (
        idle_class::RULE.id,
        &[
            iops_limit::RULE.id,
            bandwidth_limit::RULE.id,
            latency_groups::RULE.id,
            queue_not_full::RULE.id,
            queued_in_kernel::RULE.id,
            saturated::RULE.id,
            not_steady::RULE.id,
            throughput_drop::RULE.id,
            throughput_drift::RULE.id,
            two_speeds::RULE.id,
            slow_tail::RULE.id,
            stall::RULE.id,
            coordinated_omission::RULE.id,
        ],
    ),
    (
        same_place::RULE.id,
        &[
            impossible_for_medium::RULE.id,
            device_cache::RULE.id,
            working_set_fits_cache::RULE.id,
            latency_groups::RULE.id,
            slow_tail::RULE.id,
        ],
    ),
    (
        iops_limit::RULE.id,
        &[
            slow_tail::RULE.id,
            latency_groups::RULE.id,
            queue_not_full::RULE.id,
            queued_in_kernel::RULE.id,
            coordinated_omission::RULE.id,
            stall::RULE.id,
            saturated::RULE.id,
        ],
    ),
    (
        bandwidth_limit::RULE.id,
        &[
            slow_tail::RULE.id,
            latency_groups::RULE.id,
            queue_not_full::RULE.id,
            queued_in_kernel::RULE.id,
            coordinated_omission::RULE.id,
            stall::RULE.id,
            saturated::RULE.id,
        ],
    ),
    (
        cgroup_cpu_limit::RULE.id,
        &[
            cpu_bound::RULE.id,
            fathom_cpu_bound::RULE.id,
            queue_not_full::RULE.id,
            stall::RULE.id,
            coordinated_omission::RULE.id,
            not_steady::RULE.id,
        ],
    ),
    (
        cpu_steal::RULE.id,
        &[
            cpu_bound::RULE.id,
            not_steady::RULE.id,
            stall::RULE.id,
            coordinated_omission::RULE.id,
        ],
    ),
    (
        synchronous_submission::RULE.id,
        &[
            queue_not_full::RULE.id,
            coordinated_omission::RULE.id,
            saturated::RULE.id,
            queued_in_kernel::RULE.id,
        ],
    ),
    (
        fathom_cpu_bound::RULE.id,
        &[
            queue_not_full::RULE.id,
            cpu_bound::RULE.id,
            saturated::RULE.id,
            thread_imbalance::RULE.id,
        ],
    ),
    (
        cpu_bound::RULE.id,
        &[
            synchronous_submission::RULE.id,
            queue_not_full::RULE.id,
            saturated::RULE.id,
            thread_imbalance::RULE.id,
            coordinated_omission::RULE.id,
        ],
    ),
    (
        requests_merged::RULE.id,
        &[
            cpu_bound::RULE.id,
            fathom_cpu_bound::RULE.id,
            latency_groups::RULE.id,
            slow_tail::RULE.id,
            coordinated_omission::RULE.id,
        ],
    ),
    (
        queue_depth_ignored::RULE.id,
        &[queue_not_full::RULE.id, queued_in_kernel::RULE.id],
    ),
    (
        uneven_disks::RULE.id,
        &[saturated::RULE.id, queue_not_full::RULE.id],
    ),
    (
        commit_latency::RULE.id,
        &[
            coordinated_omission::RULE.id,
            queue_not_full::RULE.id,
            one_at_a_time::RULE.id,
            cpu_bound::RULE.id,
            fathom_cpu_bound::RULE.id,
            not_steady::RULE.id,
            working_set_fits_cache::RULE.id,
        ],
    ),
    (
        queued_in_kernel::RULE.id,
        &[cpu_bound::RULE.id, fathom_cpu_bound::RULE.id],
    ),
    (
        noisy_neighbour::RULE.id,
        &[
            not_steady::RULE.id,
            throughput_drop::RULE.id,
            throughput_drift::RULE.id,
            two_speeds::RULE.id,
            stall::RULE.id,
            coordinated_omission::RULE.id,
        ],
    ),
    (
        stall::RULE.id,
        &[
            slow_tail::RULE.id,
            not_steady::RULE.id,
            throughput_drop::RULE.id,
            throughput_drift::RULE.id,
            two_speeds::RULE.id,
            coordinated_omission::RULE.id,
        ],
    ),
    (
        io_wq_offload::RULE.id,
        &[
            not_steady::RULE.id,
            queue_not_full::RULE.id,
            queued_in_kernel::RULE.id,
        ],
    ),
    (
        compressible_data::RULE.id,
        &[
            not_steady::RULE.id,
            impossible_for_medium::RULE.id,
            throughput_drop::RULE.id,
        ],
    ),
    (one_at_a_time::RULE.id, &[page_cache::RULE.id]),
    (
        slow_reads::RULE.id,
        &[one_at_a_time::RULE.id, short_run::RULE.id],
    ),
    (
        zero_data::RULE.id,
        &[latency_groups::RULE.id, slow_tail::RULE.id],
    ),
    (
        device_cache::RULE.id,
        &[latency_groups::RULE.id, slow_tail::RULE.id],
    ),
    (
        interrupted::RULE.id,
        &[short_run::RULE.id, undersampled_tail::RULE.id],
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

/// What follows where other programs used all cores: no figure is the target's.
const OF_PROGRAMS: &[RuleId] = &[
    fathom_cpu_bound::RULE.id,
    iops_limit::RULE.id,
    bandwidth_limit::RULE.id,
    latency_groups::RULE.id,
    not_steady::RULE.id,
    queued_in_kernel::RULE.id,
    slow_tail::RULE.id,
    stall::RULE.id,
    throughput_drift::RULE.id,
    throughput_drop::RULE.id,
    two_speeds::RULE.id,
];

/// What the block layer may do above a loop device in memory as well.
const LIMITS: &[RuleId] = &[
    iops_limit::RULE.id,
    bandwidth_limit::RULE.id,
    stall::RULE.id,
    saturated::RULE.id,
    queue_not_full::RULE.id,
];

/// The first cause of the table that is among the findings, and weighs enough.
fn cause_of(finding: &Finding, findings: &[Finding]) -> Option<RuleId> {
    let busy = findings.iter().find(|one| cpu_bound::is_of_programs(one));
    let busy =
        busy.filter(|busy| busy.severity >= finding.severity && OF_PROGRAMS.contains(&finding.id));
    if let Some(busy) = busy {
        return Some(busy.id);
    }
    let explains = |(cause, consequences): &(RuleId, &[RuleId])| {
        let of = consequences.contains(&finding.id);
        let cause = findings.iter().find(|one| of && one.id == *cause)?;
        if no_device::is_of_loops(cause) && LIMITS.contains(&finding.id) {
            return None;
        }
        (cause.severity >= finding.severity && cause.confidence > Confidence::Low)
            .then_some(cause.id)
    };
    EXPLAINS.iter().find_map(explains)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::{Severity, finding};

    fn reported(id: &'static str, severity: Severity) -> Finding {
        finding(RuleId::new(id), severity, id.to_owned(), &[], "")
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
            reported("stall", Severity::Warning),
            reported("iops-limit", Severity::Warning),
            reported("saturated", Severity::Note),
            reported("write-cache", Severity::Note),
        ]);
        let order: Vec<(&str, bool)> = all
            .iter()
            .map(|one| (one.id.as_str(), one.because.is_some()))
            .collect();
        let expected = [
            ("iops-limit", false),
            ("write-cache", false),
            ("stall", true),
            ("saturated", true),
        ];
        assert_eq!(order, expected);
    }

    #[test]
    fn a_hint_explains_no_warning() {
        let hint = reported("iops-limit", Severity::Note).sure(Confidence::Low);
        let all = explained(vec![reported("stall", Severity::Warning), hint]);
        assert!(all.iter().all(|one| one.because.is_none()));
    }
}
