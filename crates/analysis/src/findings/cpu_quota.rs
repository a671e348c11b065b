//! The control groups of this process allow it only so much processor time, and the workers used it up.
//!
//! Nine tenths of the quota or more: what is beyond it is taken away in slices of a tenth of a second, which shows as
//! pauses in latencies, too. A quota of all cores is none.

use super::{Cause, Finding, FindingRank, Look, Own, Rule, finding};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: "cpu-quota",
    cause: Cause::Processor,
    what: "A limit of this process's control group on processor time decided the rate.",
    method: "A control group of the process, or one above it, has a quota of less than all cores, and fathom's threads used \
             90 % of it or more.",
    source: "The kernel's Documentation/scheduler/sched-bwc.rst and Documentation/admin-guide/cgroup-v2.rst (cpu.max).",
    advice: "Run it outside that group, or lift the quota.",
    look: Look::Own(look),
};

const SHARE_MIN: f64 = 0.90;

fn look(own: &Own<'_>) -> Option<Finding> {
    let quota = own.record.host.limits.cpu_millicores? as f64 / 1000.0;
    let cores = own.record.host.cpus.len() as f64;
    let used: f64 = own
        .workers
        .iter()
        .filter_map(|worker| worker.busy_share())
        .sum();
    let share = crate::rows::share(used, quota)?;
    if quota >= cores || share < SHARE_MIN || own.record.engine.backend == "null" {
        return None;
    }
    let sentence = format!(
        "a control group of this process allows {} cores of processor time, and fathom used {} of it: the target could do \
         more",
        say::digits(quota),
        say::percent(share.min(1.0))
    );
    Some(finding(
        RULE.id,
        FindingRank::Warning,
        sentence,
        &[("quota_cores", quota), ("used_cores", used)],
        "run it outside that group, or lift cpu.max or cpu.cfs_quota_us there",
    ))
}

#[cfg(test)]
mod tests {
    use crate::findings::test::found;
    use crate::sample::Sample;
    use model::{Account, Nanos, RunRecord, ThreadCpu, WorkerRecord};

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

    #[test]
    fn a_quota_that_is_used_up_is_told() {
        let told = found(&using(4900, Some(500)), "cpu-quota")
            .unwrap()
            .sentence;
        assert_eq!(
            told,
            "a control group of this process allows 0.50 cores of processor time, and fathom used 98 % of it: the target \
             could do more"
        );
        assert_eq!(found(&using(3000, Some(500)), "cpu-quota"), None);
        assert_eq!(
            found(&using(9900, Some(2000)), "cpu-quota"),
            None,
            "all cores"
        );
        assert_eq!(found(&using(4900, None), "cpu-quota"), None);
    }
}
