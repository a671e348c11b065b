//! The hypervisor took processor time: latencies include time during which this machine did not run.
//!
//! More than 5% of any core's time, and at least 50 ms of it: the counters tick every 10 ms.

use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("cpu-steal"),
    group: Group::Cpu,
    cause: Cause::Alone,
    limit: None,
    what: "The hypervisor took processor time, so latencies include time during which this machine did not run.",
    method: "Steal time was more than 5% of any core's time, and at least 50 ms: the counters have a resolution of 10 ms.",
    evidence: &["cpu", "steal_share"],
    source: "proc_stat(5).",
    advice: "Measure at another time, or on a machine with dedicated processors.",
    look: Look::Own(look),
};

const SHARE_MAX: f64 = 0.05;
const STEAL_NS_MIN: u64 = 50_000_000;

pub(super) fn look(seen: &Own<'_>) -> Option<Finding> {
    let cores = seen.cpu.cores.iter();
    let core = cores.max_by(|a, b| a.steal_share.total_cmp(&b.steal_share))?;
    if core.steal_share <= SHARE_MAX || core.steal_ns < STEAL_NS_MIN {
        return None;
    }
    Some(finding(
        RULE.id,
        Severity::Warning,
        format!(
            "steal time: the hypervisor took {} of core {}'s time",
            say::percent(core.steal_share),
            core.cpu
        ),
        &[
            ("cpu", f64::from(core.cpu)),
            ("steal_share", core.steal_share),
        ],
        "measure at another time, or on a machine with dedicated processors",
    ))
}

#[cfg(test)]
mod tests {
    use crate::findings::found;
    use crate::sample::Sample;
    use model::Nanos;

    #[test]
    fn stolen_time_is_reported_with_its_core() {
        let mut record = Sample::default().build();
        assert_eq!(found(&record, "cpu-steal"), None);
        record.window.after.cpus[1].steal = Nanos::seconds(2);
        record.window.after.cpus[1].idle = Nanos::seconds(7);
        let reported = found(&record, "cpu-steal").unwrap().sentence;
        assert!(reported.ends_with("of core 1's time"), "{reported}");
    }

    #[test]
    fn a_twentieth_of_a_core_is_too_much() {
        for (stolen, reported) in [(700, true), (300, false)] {
            let mut record = Sample::default().build();
            let core = &mut record.window.after.cpus[1];
            core.steal = Nanos::millis(stolen);
            core.idle = core.idle.minus(core.steal);
            let found = found(&record, "cpu-steal");
            assert_eq!(found.is_some(), reported, "{stolen} ms of 10 s");
        }
    }
}
