//! Reads from a rotating disk's own cache, too fast for a platter.
//!
//! Random reads past the page cache that took less than half a millisecond: no platter turns that far. A disk's cache of
//! 256 MiB gives a fair share of them only when the range is not many times as large, so from one twentieth on the range
//! is too small for the disk to be measured. Only where disks report that they rotate and are believed, and outside
//! virtual machines. Ranges that are small against the cache of other devices are seen only in comparison with a run on the
//! whole: deliberately absent here.

use super::storage_stack::{Below, targets};
use super::{Cause, Confidence, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::say;
use model::{Bytes, LatencyHistogram, Nanos, Operation};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("device-cache"),
    group: Group::Cache,
    cause: Cause::Cache,
    limit: None,
    what: "The disk's own cache served part of the reads.",
    method: "Random direct reads of a rotating disk, at least 100: 5% or more of them took less than 0.5 ms.",
    evidence: &["fast_share", "range_bytes"],
    source: "A quarter of a rotation at 15000/min is 1 ms; data sheets list disk caches of up to 512 MiB.",
    advice: "Use a range many times the disk's cache.",
    look: Look::Own(look),
};

const FAST: Nanos = Nanos(500_000);
const SHARE_MIN: f64 = 0.05;
const IOS_MIN: u64 = 100;

fn look(own: &Own<'_>) -> Option<Finding> {
    targets(own.record).find_map(|target| of_target(own, &target))
}

fn of_target(own: &Own<'_>, target: &Below<'_>) -> Option<Finding> {
    target.spindles()?;
    let is_real = own.record.host.virtualization.is_none();
    if !is_real || !target.is_random() || !target.is_unbuffered() {
        return None;
    }
    let reads = target.counted(own.record, Operation::Read);
    let fast = faster_than(&target.latency(own.record, Operation::Read), FAST);
    let share = crate::rows::share(fast as f64, reads.ios as f64)?;
    if reads.ios < IOS_MIN || share < SHARE_MIN {
        return None;
    }
    let length: Bytes = target.planned.length;
    let sentence = format!(
        "{} of the random reads took less than 0.5 ms, too fast for a platter: the disk's own cache contains part of the {} range",
        say::percent(share),
        say::bytes(length.0)
    );
    let reported = finding(
        RULE.id,
        Severity::Warning,
        sentence,
        &[("fast_share", share), ("range_bytes", length.0 as f64)],
        "use the whole disk, or a range many times its cache",
    );
    Some(
        reported
            .invalid_for("a disk result")
            .sure(Confidence::Medium),
    )
}

/// I/Os of buckets that lie below a limit as a whole.
fn faster_than(latency: &LatencyHistogram, limit: Nanos) -> u64 {
    let below = latency.buckets().filter(|(_, to, _)| *to <= limit);
    below.map(|(_, _, count)| count).sum()
}

#[cfg(test)]
mod tests {
    use crate::findings::test::found;
    use crate::sample::Sample;
    use model::{Access, Nanos, RunRecord};

    fn disk(latency: Nanos, access: Access) -> RunRecord {
        let sample = Sample {
            latency: Some(latency),
            access,
            reads: 2000,
            ..Sample::default()
        };
        let mut record = sample.build();
        record.host.virtualization = None;
        for device in &mut record.targets[0].chain {
            device.rotational = Some(true);
        }
        record
    }

    #[test]
    fn reads_that_no_platter_gives_are_reported() {
        // Slow enough for the mean, so that the other rule is silent.
        let mut record = disk(Nanos::millis(4), Access::Random);
        assert_eq!(found(&record, "device-cache"), None);
        let reads = &mut record.threads[0].measured[0];
        for _ in 0..400 {
            reads.latency.record(Nanos::micros(120));
        }
        reads.ios += 400;
        let reported = found(&record, "device-cache").unwrap().sentence;
        assert!(
            reported.starts_with("16.7% of the random reads took less than 0.5 ms"),
            "{reported}"
        );
    }

    #[test]
    fn sequential_reads_and_other_devices_are_not_reported() {
        assert_eq!(
            found(
                &disk(Nanos::micros(100), Access::Sequential),
                "device-cache"
            ),
            None
        );
        let fast = Sample {
            latency: Some(Nanos::micros(100)),
            ..Sample::default()
        };
        assert_eq!(found(&fast.build(), "device-cache"), None);
    }

    #[test]
    fn one_fast_read_in_twenty_is_enough() {
        for (fast, reported) in [(150, true), (80, false)] {
            let mut record = disk(Nanos::millis(4), Access::Random);
            let reads = &mut record.threads[0].measured[0];
            (0..fast).for_each(|_| reads.latency.record(Nanos::micros(120)));
            reads.ios += fast;
            let found = found(&record, "device-cache");
            assert_eq!(found.is_some(), reported, "{fast} against 2000");
        }
    }
}
