//! The device received fewer and larger requests than the tool issued: the kernel merged adjacent I/Os.
//!
//! Then the number of IOPS is not one that the device served. From a tenth of the I/Os on.

use super::storage_stack::{Below, targets};
use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("requests-merged"),
    group: Group::Setup,
    cause: Cause::Alone,
    limit: None,
    what: "The kernel merged adjacent I/Os, so the device served fewer and larger requests than the IOPS suggest.",
    method: "Direct I/O: the device counted merges of 10% or more of the tool's I/Os.",
    evidence: &["merged_share", "request_mean_bytes"],
    source: "The kernel's Documentation/block/stat.rst (read merges, write merges) and Documentation/ABI/stable/sysfs-block \
             (queue/nomerges).",
    advice: "Use the result as bandwidth; for IOPS use random access or larger blocks.",
    look: Look::Own(look),
};

const SHARE_MIN: f64 = 0.10;

fn look(own: &Own<'_>) -> Option<Finding> {
    let unbuffered = targets(own.record).all(|target: Below<'_>| target.is_unbuffered());
    let [check] = own.device_checks else {
        return None;
    };
    let name = check.device.as_deref().filter(|_| unbuffered)?;
    let counters = own.record.window.device(name)?;
    let merged = counters.reads_merged.saturating_add(counters.writes_merged);
    let share = crate::rows::share(merged as f64, own.total.ios as f64)?;
    if share < SHARE_MIN {
        return None;
    }
    let requests = counters.reads.saturating_add(counters.writes);
    let moved = counters.read_bytes.0.saturating_add(counters.write_bytes.0);
    let mean = crate::rows::share(moved as f64, requests as f64)?;
    let sentence = format!(
        "{} of the I/Os were merged before {name} received them; its mean request was {}",
        say::percent(share.min(1.0)),
        say::bytes(mean as u64)
    );
    Some(finding(
        RULE.id,
        Severity::Note,
        sentence,
        &[("merged_share", share), ("request_mean_bytes", mean)],
        "use the result as bandwidth; the IOPS are not the device's",
    ))
}

#[cfg(test)]
mod tests {
    use crate::findings::test::found;
    use crate::sample::Sample;
    use model::CacheMode;

    #[test]
    fn merged_neighbours_are_reported_with_the_size_that_the_device_saw() {
        let mut record = Sample::default().build();
        assert_eq!(found(&record, "requests-merged"), None);
        let device = &mut record.window.after.devices[0];
        (device.reads, device.reads_merged) = (5000, 15_000);
        let reported = found(&record, "requests-merged").unwrap().sentence;
        assert_eq!(
            reported,
            "75% of the I/Os were merged before vda1 received them; its mean request was 16 KiB"
        );
        record.plan.targets[0].cache = CacheMode::Cached;
        assert_eq!(
            found(&record, "requests-merged"),
            None,
            "read-ahead merges by its nature"
        );
    }

    #[test]
    fn a_tenth_has_to_be_merged() {
        for (merged, reported) in [(3000, true), (1600, false)] {
            let mut record = Sample::default().build();
            let device = &mut record.window.after.devices[0];
            (device.reads, device.reads_merged) = (20_000 - merged, merged);
            let found = found(&record, "requests-merged");
            assert_eq!(found.is_some(), reported, "{merged} of 20000");
        }
    }
}
