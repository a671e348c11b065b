//! An I/O scheduler whose overhead exceeds its benefit.
//!
//! BFQ keeps one lock and much to count for each request: a device that does tens of thousands a second does more without
//! it. mq-deadline shows from some hundreds of thousands on. Both are right for rotating disks, where this is silent.
//! Versions differ; the only proof is to measure without one.

use super::storage_stack::{Below, targets};
use super::{Cause, Confidence, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::rows::per_second;
use crate::say;
use model::TargetKind;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("scheduler"),
    group: Group::Setup,
    cause: Cause::Alone,
    limit: None,
    what: "The device's I/O scheduler adds overhead at these IOPS.",
    method: "Direct I/O to a non-rotating device: bfq from 20000 IOPS (a warning), mq-deadline and kyber from 200000 \
             IOPS (a note).",
    evidence: &["iops"],
    source: "The kernel's Documentation/block/bfq-iosched.rst (maximum throughput per core) and \
             Documentation/block/deadline-iosched.rst.",
    advice: "Measure with the scheduler `none` as well.",
    look: Look::Own(look),
};

const BFQ_PER_S: f64 = 20_000.0;
const OTHERS_PER_S: f64 = 200_000.0;

fn look(own: &Own<'_>) -> Option<Finding> {
    targets(own.record).find_map(|target| of_target(own, &target))
}

fn of_target(own: &Own<'_>, target: &Below<'_>) -> Option<Finding> {
    let passes = target.facts.kind == TargetKind::NvmeNamespace;
    let disk = target
        .facts
        .chain
        .iter()
        .find(|device| device.scheduler.is_some())?;
    let scheduler = disk.scheduler.as_deref()?;
    if !target.is_unbuffered() || passes || target.spindles().is_some() {
        return None;
    }
    let (least, severity) = match scheduler {
        "bfq" => (BFQ_PER_S, Severity::Warning),
        "mq-deadline" | "kyber" => (OTHERS_PER_S, Severity::Note),
        _ => return None,
    };
    // What a cache answered never met the scheduler.
    let counted = own.record.window.device(&disk.name)?;
    let requests = counted.reads.saturating_add(counted.writes);
    let rate = per_second(requests as f64, own.record.window.elapsed());
    if rate.is_nan() || rate < least {
        return None;
    }
    let sentence = format!(
        "the scheduler {scheduler} of {} sorts {} requests per second, an overhead without benefit on this device",
        disk.name,
        say::rate(rate)
    );
    let advice = format!(
        "measure without it: write none to queue/scheduler of {}",
        disk_of(target, &disk.name)
    );
    Some(finding(RULE.id, severity, sentence, &[("iops", rate)], &advice).sure(Confidence::Low))
}

/// A partition has the queue of its disk, which follows it in the chain.
fn disk_of(target: &Below<'_>, name: &str) -> String {
    let mut from_here = target
        .facts
        .chain
        .iter()
        .skip_while(|device| device.name != name);
    let disk = from_here.find(|device| device.kind != "partition");
    disk.map_or_else(|| name.to_owned(), |disk| disk.name.clone())
}

#[cfg(test)]
mod tests {
    use crate::findings::Severity;
    use crate::findings::test::found;
    use crate::sample::Sample;
    use model::RunRecord;

    fn with(scheduler: &str, reads: u64) -> RunRecord {
        let mut record = Sample {
            reads,
            depth: 8,
            ..Sample::default()
        }
        .build();
        for device in &mut record.targets[0].chain {
            device.scheduler = Some(scheduler.to_owned());
        }
        record
    }

    #[test]
    fn a_scheduler_that_costs_at_this_rate_is_reported() {
        let reported = found(&with("bfq", 300_000), "scheduler").unwrap();
        assert_eq!(reported.severity, Severity::Warning);
        assert!(
            reported
                .sentence
                .starts_with("the scheduler bfq of vda1 sorts 30.0k requests per second"),
            "{}",
            reported.sentence
        );
        assert!(
            reported.advice.ends_with("queue/scheduler of vda"),
            "{}",
            reported.advice
        );
        assert_eq!(found(&with("bfq", 100_000), "scheduler"), None);
        assert_eq!(found(&with("mq-deadline", 300_000), "scheduler"), None);
        assert_eq!(found(&with("none", 300_000), "scheduler"), None);
        let mut disk = with("bfq", 300_000);
        for device in &mut disk.targets[0].chain {
            device.rotational = Some(true);
        }
        assert_eq!(found(&disk, "scheduler"), None);
    }
}
