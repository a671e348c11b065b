//! A control group of this process limits its processor time, and the quota was used up.
//!
//! What is beyond a quota is taken away in slices of a tenth of a second, which shows as pauses in latencies, too. The
//! kernel counts in how many of them a group's time ran out, whichever process used it: fathom or others of the group.
//! Where it does not, nine tenths of the quota are called used up. A quota of all cores is none.

use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::LimitKind;
use crate::rows::share;
use crate::say;
use model::QuotaCounters;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("cgroup-cpu-limit"),
    group: Group::Limit,
    cause: Cause::Processor,
    limit: Some(LimitKind::Tool),
    what: "A control group limited processor time, and that limited IOPS.",
    method: "A control group of the process, or one above it, has a quota of less than all cores. The group was \
             throttled in half of the quota's periods, or in fewer while fathom used 90% of the quota. All threads of \
             fathom count. If the kernel does not count the periods, 90% of the quota is the only criterion.",
    evidence: &[
        "quota_cores",
        "used_cores",
        "periods",
        "throttled_periods",
        "throttled_ns",
    ],
    source: "The kernel's Documentation/scheduler/sched-bwc.rst (cpu.stat) and Documentation/admin-guide/cgroup-v2.rst (cpu.max).",
    advice: "Run fathom outside that group, or remove the quota.",
    look: Look::Own(look),
};

const SHARE_MIN: f64 = 0.90;
/// In so many of the periods the group was stopped, even if fathom used little of its time.
const THROTTLED_MIN: f64 = 0.50;

fn look(own: &Own<'_>) -> Option<Finding> {
    let host = &own.record.host;
    let allowed = host.limits.cpu_millicores? as f64 / 1000.0;
    let cores = host.cpus.len() as f64;
    if allowed >= cores || own.record.engine.backend == "null" {
        return None;
    }
    let used = own.cpu.own_cores.unwrap_or_else(|| of_workers(own));
    let used_share = share(used, allowed)?;
    let mut evidence = vec![("quota_cores", allowed), ("used_cores", used)];
    let how = match tightest(own) {
        Some(quota) if quota.periods > 0 => {
            let (periods, throttled) = (quota.periods as f64, quota.throttled as f64);
            let alone = throttled / periods >= THROTTLED_MIN;
            if !alone && (quota.throttled == 0 || used_share < SHARE_MIN) {
                return None;
            }
            evidence.extend([
                ("periods", periods),
                ("throttled_periods", throttled),
                ("throttled_ns", quota.throttled_time.0 as f64),
            ]);
            format!(
                "and throttled it in {} of {} periods (fathom used {} of the quota)",
                say::count(quota.throttled),
                say::count(quota.periods),
                say::percent(used_share.min(1.0))
            )
        }
        _ if used_share < SHARE_MIN => return None,
        _ => format!(
            "and fathom used {} of the quota",
            say::percent(used_share.min(1.0))
        ),
    };
    let sentence = format!(
        "a {} limits fathom to {} cores of processor time, {how}: the target may be faster",
        host.limited_set(),
        say::digits(allowed)
    );
    let advice = match host.is_windows() {
        true => "run fathom outside that job object, or raise its CPU rate",
        false => "run fathom outside that group, or raise cpu.max or cpu.cfs_quota_us there",
    };
    Some(finding(
        RULE.id,
        Severity::Warning,
        sentence,
        &evidence,
        advice,
    ))
}

/// In cores. Records kept before the whole process was counted have its threads' own time.
fn of_workers(own: &Own<'_>) -> f64 {
    let workers = own.workers.iter();
    workers.filter_map(|worker| worker.cpu.busy_share()).sum()
}

/// The quota that was used up most often, of the group's own and those above it.
fn tightest(own: &Own<'_>) -> Option<QuotaCounters> {
    let often = |quota: &QuotaCounters| share(quota.throttled as f64, quota.periods as f64);
    let quotas = own.record.window.quotas().into_iter();
    quotas.max_by(|a, b| often(a).unwrap_or(0.0).total_cmp(&often(b).unwrap_or(0.0)))
}

#[cfg(test)]
mod tests {
    use crate::findings::test::found;
    use crate::sample::Sample;
    use model::{Account, Nanos, ProcessCpu, QuotaCounters, RunRecord, ThreadCpu, WorkerRecord};

    /// Of ten seconds; the loop alone, as records were before the whole process was counted.
    fn using(millis: u64, millicores: Option<u64>) -> RunRecord {
        let mut record = Sample::default().build();
        record.host.limits.cpu_millicores = millicores;
        record.engine.workers = vec![WorkerRecord {
            account: Some(Account {
                elapsed: Nanos::seconds(10),
                cpu: Some(ThreadCpu {
                    user: Nanos(0),
                    kernel: Nanos::millis(millis),
                }),
                ..Account::default()
            }),
            ..WorkerRecord::default()
        }];
        record
    }

    /// The same with half a core allowed, and what all of fathom used.
    fn of_process(millis: u64, quotas: &[(u64, u64)]) -> RunRecord {
        let mut record = using(millis / 2, Some(500));
        let quota = |&(periods, throttled): &(u64, u64)| QuotaCounters {
            periods,
            throttled,
            throttled_time: Nanos::millis(50 * throttled),
        };
        record.window.before.process = Some(ProcessCpu::default());
        record.window.before.quotas = vec![QuotaCounters::default(); quotas.len()];
        record.window.after.process = Some(ProcessCpu {
            user: Nanos::millis(millis / 4),
            kernel: Nanos::millis(millis - millis / 4),
        });
        record.window.after.quotas = quotas.iter().map(quota).collect();
        record
    }

    #[test]
    fn a_quota_that_is_used_up_is_reported() {
        let reported = found(&using(4900, Some(500)), "cgroup-cpu-limit")
            .unwrap()
            .sentence;
        assert_eq!(
            reported,
            "a control group limits fathom to 0.50 cores of processor time, and fathom used 98% of the quota: the \
             target may be faster"
        );
        assert_eq!(found(&using(3000, Some(500)), "cgroup-cpu-limit"), None);
        assert_eq!(
            found(&using(9900, Some(2000)), "cgroup-cpu-limit"),
            None,
            "all cores"
        );
        assert_eq!(found(&using(4900, None), "cgroup-cpu-limit"), None);
    }

    #[test]
    fn all_that_fathom_used_counts_where_it_was_read() {
        let reported = found(&of_process(4800, &[]), "cgroup-cpu-limit").unwrap();
        assert!(reported.sentence.contains("used 96% of"), "{reported:?}");
        assert_eq!(found(&of_process(4000, &[]), "cgroup-cpu-limit"), None);
    }

    #[test]
    fn the_kernel_s_own_count_of_stops_decides_where_there_is_one() {
        let reported = found(&of_process(4800, &[(100, 0), (90, 81)]), "cgroup-cpu-limit").unwrap();
        assert_eq!(
            reported.sentence,
            "a control group limits fathom to 0.50 cores of processor time, and throttled it in 81 of 90 periods \
             (fathom used 96% of the quota): the target may be faster"
        );
        let of = |name: &str| {
            reported
                .evidence
                .iter()
                .find(|one| one.name == name)
                .unwrap()
                .value
        };
        assert_eq!(
            (of("throttled_periods"), of("throttled_ns")),
            (81.0, 4.05e9)
        );
        let of_others = found(&of_process(100, &[(100, 50)]), "cgroup-cpu-limit");
        assert!(of_others.is_some(), "others of the group used its time");
        assert!(found(&of_process(4800, &[(100, 20)]), "cgroup-cpu-limit").is_some());
        assert_eq!(
            found(&of_process(100, &[(100, 20)]), "cgroup-cpu-limit"),
            None
        );
        assert_eq!(
            found(&of_process(4800, &[(100, 0)]), "cgroup-cpu-limit"),
            None
        );
    }
}
