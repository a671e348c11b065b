//! Writes completed by a volatile cache, or durable writes that were faster than the medium allows.
//!
//! A device with a volatile write cache (`write back`) may answer a write before it is on the medium; without a flush that
//! is what is measured. This is a note: most disks work so, and most writes of programs too. It is more where the run asked
//! for durable writes and a rotating disk gave them faster than it turns: then the flush is not honoured, or a cache with
//! a battery answers; and where it did not ask, and the disk answered faster than it turns.

use super::storage_stack::{Below, targets};
use super::{Cause, Confidence, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::say;
use model::{Operation, TargetKind};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("write-cache"),
    group: Group::Cache,
    cause: Cause::Alone,
    limit: None,
    what: "A volatile cache completed the writes, or durable writes were faster than the medium allows.",
    method: "Direct writes without write-through to a device whose write cache is `write back`: a note. A rotating \
             disk (not in a virtual machine) with a median latency of random writes below 1 ms: a warning, also for durable \
             writes.",
    evidence: &["writes", "median_ns"],
    source: "The kernel's Documentation/block/writeback_cache_control.rst and Documentation/ABI/stable/sysfs-block \
             (queue/write_cache).",
    advice: "Measure with write-through as well: the difference is the cost of durability.",
    look: Look::Own(look),
};

/// A rotating disk needs more than this for any place.
const PLACE_NS_MIN: u64 = 1_000_000;
const IOS_MIN: u64 = 100;

fn look(own: &Own<'_>) -> Option<Finding> {
    targets(own.record).find_map(|target| of_target(own, &target))
}

fn of_target(own: &Own<'_>, target: &Below<'_>) -> Option<Finding> {
    let writes = target.counted(own.record, Operation::Write);
    if writes.ios < IOS_MIN || !target.is_unbuffered() || target.facts.kind == TargetKind::Null {
        return None;
    }
    let cached = target.facts.chain.iter().find(|device| {
        device.kind == "disk" && device.write_cache.as_deref() == Some("write back")
    });
    let turns = target.spindles().is_some() && own.record.host.virtualization.is_none();
    let through = target.planned.write_through;
    if !turns && (cached.is_none() || through) {
        return None;
    }
    let latency = target.latency(own.record, Operation::Write);
    let median = latency.quantile(0.5)?;
    if turns && target.is_random() && median.0 < PLACE_NS_MIN {
        return Some(too_fast(median.0, through));
    }
    let device = cached.filter(|_| !through)?;
    Some(finding(
        RULE.id,
        Severity::Note,
        format!(
            "{} may complete writes in its volatile cache (write back) without a flush: a power loss loses them",
            device.name
        ),
        &[
            ("writes", writes.ios as f64),
            ("median_ns", median.0 as f64),
        ],
        "measure with --write-through as well: the difference is the cost of durability",
    ))
}

fn too_fast(median_ns: u64, through: bool) -> Finding {
    let time = say::time(median_ns as f64);
    let (sentence, advice) = if through {
        (
            format!(
                "half of the durable writes took less than {time}, too fast for a rotating disk: a cache completed \
                 them, or the disk ignores flushes"
            ),
            "check whether the controller has a battery-backed cache; if not, do not trust this disk with data",
        )
    } else {
        (
            format!(
                "half of the writes took less than {time}, too fast for a rotating disk: the write cache completed them"
            ),
            "measure longer than the cache lasts, and use --write-through",
        )
    };
    finding(
        RULE.id,
        Severity::Warning,
        sentence,
        &[("median_ns", median_ns as f64)],
        advice,
    )
    .sure(Confidence::Medium)
}

#[cfg(test)]
mod tests {
    use crate::findings::Severity;
    use crate::findings::test::found;
    use crate::sample::Sample;
    use model::{Nanos, Ratio, RunRecord};

    fn writes(latency: Nanos) -> RunRecord {
        let sample = Sample {
            write: Ratio::ALL,
            reads: 0,
            writes: 2000,
            latency: Some(latency),
            ..Sample::default()
        };
        sample.build()
    }

    #[test]
    fn a_volatile_cache_without_a_flush_is_a_note() {
        let mut record = writes(Nanos::millis(5));
        let reported = found(&record, "write-cache").unwrap();
        assert_eq!(reported.severity, Severity::Note);
        assert!(
            reported
                .sentence
                .starts_with("vda may complete writes in its volatile cache"),
            "{}",
            reported.sentence
        );
        record.plan.targets[0].write_through = true;
        assert_eq!(found(&record, "write-cache"), None);
        let mut through = writes(Nanos::millis(5));
        for device in &mut through.targets[0].chain {
            device.write_cache = Some("write through".to_owned());
        }
        assert_eq!(found(&through, "write-cache"), None);
        assert_eq!(
            found(&Sample::default().build(), "write-cache"),
            None,
            "reads"
        );
    }

    #[test]
    fn a_platter_that_is_durable_at_once_is_not_believed() {
        let mut record = writes(Nanos::micros(80));
        record.host.virtualization = None;
        for device in &mut record.targets[0].chain {
            device.rotational = Some(true);
        }
        record.plan.targets[0].write_through = true;
        let reported = found(&record, "write-cache").unwrap();
        assert_eq!(reported.severity, Severity::Warning);
        assert!(
            reported
                .sentence
                .starts_with("half of the durable writes took less than"),
            "{}",
            reported.sentence
        );
    }

    #[test]
    fn a_platter_needs_a_millisecond() {
        for (micros, reported) in [(900, true), (1150, false)] {
            let mut record = writes(Nanos::micros(micros));
            record.host.virtualization = None;
            for device in &mut record.targets[0].chain {
                device.rotational = Some(true);
            }
            record.plan.targets[0].write_through = true;
            let found = found(&record, "write-cache");
            assert_eq!(found.is_some(), reported, "{micros} us");
        }
    }
}
