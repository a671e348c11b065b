//! Writes completed by a volatile cache, or durable writes that were faster than the medium allows.
//!
//! A device with a volatile write cache (`write back`) may answer a write before it is on the medium; without a flush that
//! is what is measured. This is a note: most disks work so, and most writes of programs too. It is more where the run asked
//! for durable writes and a rotating disk gave them faster than it turns: then the flush is not honoured, or a cache with
//! a battery answers; and where it did not ask, and the disk answered faster than it turns. It is also more where all that a
//! run wrote may lie in a cache: then its rate is the cache's, and lasts until the cache is full. How fast a cache empties shows only
//! in a run that fills it, so the rule asks for the length of such a run. A virtual disk is called `write back` because its
//! host wants flushes, so only what a machine reports of its own devices counts.

use super::commit_latency::syncs_each;
use super::storage_stack::{Below, is_believed, targets};
use super::{Cause, Confidence, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::known::Known;
use crate::say;
use model::{Operation, TargetKind};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("write-cache"),
    group: Group::Cache,
    cause: Cause::Alone,
    limit: None,
    what: "A volatile cache completed the writes, or durable writes were faster than the medium allows.",
    method: "Runs of fathom: direct writes without write-through to a device whose write cache is `write back`: a note. A \
             rotating disk (not in a virtual machine) with a median latency of random writes below 1 ms: a warning, also for \
             durable writes. Any other disk with such a cache, or a specified one (--array-cache): a warning if the run wrote \
             too little to fill it. That is twice the specified cache, or else 8 GiB, which RAID controllers have. Silent if \
             the rate fell during the run, or if reads of the same run were less than twice as slow. Silent below 2.4 MB/s, \
             which would take an hour. Virtual disks (virtio, xen, iscsi, any disk of a virtual machine) have only the note, \
             if no cache is specified.",
    evidence: &["writes", "median_ns", "written_bytes", "needed_ns"],
    source: "The kernel's Documentation/block/writeback_cache_control.rst and Documentation/ABI/stable/sysfs-block \
             (queue/write_cache). Data sheets of RAID controllers, which list caches of up to 8 GiB.",
    advice: "Measure with write-through as well: the difference is the cost of durability. For the rate that lasts, measure \
             until the cache is full.",
    look: Look::OwnKnowing(look),
};

/// A rotating disk needs more than this for any place.
const PLACE_NS_MIN: u64 = 1_000_000;
const IOS_MIN: u64 = 100;

fn look(own: &Own<'_>, known: &Known) -> Option<Finding> {
    let array = known.array_cache_bytes.filter(|cache| *cache > 0);
    let mut found: Vec<Finding> = targets(own.record)
        .filter_map(|target| of_target(own, &target, array))
        .collect();
    found.sort_by_key(|one| std::cmp::Reverse(one.severity)); // stable
    found.into_iter().next()
}

fn of_target(own: &Own<'_>, target: &Below<'_>, array: Option<u64>) -> Option<Finding> {
    let writes = target.counted(own.record, Operation::Write);
    if writes.ios < IOS_MIN || !target.is_unbuffered() || target.facts.kind == TargetKind::Null {
        return None;
    }
    let is_cached = |device: &&model::BlockDevice| {
        device.kind == "disk" && device.write_cache.as_deref() == Some("write back")
    };
    let cached = target.facts.chain.iter().find(is_cached);
    let turns = target.spindles().is_some() && own.record.host.virtualization.is_none();
    let through = target.planned.write_through || syncs_each(target.planned);
    let latency = target.latency(own.record, Operation::Write);
    let median = latency.quantile(0.5)?;
    if turns && target.is_random() && median.0 < PLACE_NS_MIN {
        return Some(too_fast(median.0, through));
    }
    let on_its_own = own.record.host.virtualization.is_none() && cached.is_some_and(is_believed);
    let simulated = target.facts.kind == TargetKind::Simulated;
    let capacity = array.or((cached.is_some() && (on_its_own || simulated)).then_some(LARGEST / 2));
    let volatile = cached.filter(|_| !through);
    let capacity = capacity.filter(|_| !turns && (volatile.is_some() || array.is_some()));
    if let Some(short) = capacity.and_then(|capacity| not_filled(own, target, capacity)) {
        return Some(short);
    }
    Some(finding(
        RULE.id,
        Severity::Note,
        format!(
            "{} may complete writes in its volatile cache (write back) without a flush: a power loss loses them",
            volatile?.name
        ),
        &[
            ("writes", writes.ios as f64),
            ("median_ns", median.0 as f64),
        ],
        "measure with --write-through as well: the difference is the cost of durability",
    ))
}

/// What the largest caches of RAID controllers contain.
const LARGEST: u64 = 8 << 30;
/// Bytes per second that fill such a cache in an hour; media of all kinds store as much.
const SLOW_PER_S: f64 = LARGEST as f64 / 3600.0;
/// By how much writes into a cache are faster than reads of the same run, at least.
const FASTER_MIN: f64 = 2.0;

/// Returns the finding of a run that wrote less than twice what its cache may contain: at twice the rate at which the cache empties, or
/// faster, so many bytes fill it.
fn not_filled(own: &Own<'_>, target: &Below<'_>, capacity: u64) -> Option<Finding> {
    let record = own.record;
    let mine = record.threads.iter();
    let mine = mine.filter(|thread| thread.target == target.number);
    let written: u64 = mine
        .map(|thread| thread.lifetime[Operation::Write.index()].bytes.0)
        .fold(0, u64::saturating_add);
    let lasted_ns = record.phases.measured_to.0 as f64;
    let per_s = written as f64 / lasted_ns * 1e9;
    let needed = capacity.saturating_mul(2) as f64;
    let medians = [Operation::Read, Operation::Write]
        .map(|of| Some(target.latency(record, of).quantile(0.5)?.0 as f64));
    let is_plain = matches!(medians, [Some(read), Some(write)] if read < FASTER_MIN * write);
    let fell = own.steadiness.drop.is_some()
        || own
            .steadiness
            .drift
            .as_ref()
            .is_some_and(|one| one.change_share < 0.0);
    if written as f64 >= needed || per_s < SLOW_PER_S || is_plain || fell {
        return None;
    }
    let needed_ns = needed / per_s * 1e9;
    let sentence = format!(
        "a write cache may have taken all {} that were written: the rate lasts until it is full",
        say::bytes(written)
    );
    let advice = format!(
        "measure for {} or more, with a warm-up as long, or until the rate falls; --array-cache specifies the size of the cache",
        say::time(needed_ns)
    );
    let evidence = [("written_bytes", written as f64), ("needed_ns", needed_ns)];
    let reported = finding(RULE.id, Severity::Warning, sentence, &evidence, &advice);
    Some(reported.sure(Confidence::Medium))
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
    use crate::findings::test::{found, found_knowing};
    use crate::known::Known;
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

    /// Writes of 4 KiB without reads, or with as many, on a real disk with a volatile cache, at 40 MB/s.
    fn cached(reads: u64, latency: u64) -> RunRecord {
        let sample = Sample {
            write: if reads > 0 {
                Ratio::percent(50).unwrap()
            } else {
                Ratio::ALL
            },
            reads,
            writes: 100_000,
            latency: Some(Nanos::micros(latency)),
            ..Sample::default()
        };
        let mut record = sample.build();
        record.host.virtualization = None;
        record
    }

    #[test]
    fn what_was_written_must_not_fit_in_a_cache() {
        let record = cached(0, 50);
        let reported = found(&record, "write-cache").unwrap();
        assert_eq!(reported.severity, Severity::Warning);
        let needed = reported.evidence.iter().find(|one| one.name == "needed_ns");
        let seconds = needed.unwrap().value / 1e9;
        assert!(
            (seconds - 8.0 * 1_073_741_824.0 / 40.96e6).abs() < 0.1,
            "{seconds}"
        );
        let known = |mib: u64| Known {
            array_cache_bytes: Some(mib << 20),
            ..Known::default()
        };
        let severity = |record: &RunRecord, mib| {
            found_knowing(record, &known(mib), "write-cache").map(|one| one.severity)
        };
        assert_eq!(severity(&record, 190), Some(Severity::Note), "filled twice");
        assert_eq!(severity(&record, 200), Some(Severity::Warning));
        let mut through = record.clone();
        for device in &mut through.targets[0].chain {
            device.write_cache = Some("write through".to_owned());
        }
        assert_eq!(found(&through, "write-cache"), None, "no cache");
        assert_eq!(
            severity(&through, 200),
            Some(Severity::Warning),
            "of the array"
        );
        let mut durable = record;
        durable.plan.targets[0].write_through = true;
        assert_eq!(found(&durable, "write-cache"), None);
    }

    #[test]
    fn only_a_note_of_virtual_disks_slow_writes_and_writes_as_slow_as_reads() {
        let severity = |record: &RunRecord| found(record, "write-cache").unwrap().severity;
        let mut guest = cached(0, 50);
        guest.host.virtualization = Some("kvm".to_owned());
        assert_eq!(severity(&guest), Severity::Note);
        let mut remote = cached(0, 50);
        remote.targets[0].chain[1].transport = Some("iscsi".to_owned());
        assert_eq!(severity(&remote), Severity::Note);
        let mut slow = cached(0, 50);
        slow.threads[0].lifetime[1].bytes = model::Bytes(20_000_000);
        assert_eq!(severity(&slow), Severity::Note, "2 MB/s");
        assert_eq!(
            severity(&cached(100_000, 50)),
            Severity::Note,
            "mixed, plain"
        );
        let mut fast = cached(100_000, 50);
        for operation in &mut fast.threads[0].measured[..1] {
            operation.latency = model::LatencyHistogram::new();
            (0..100_000).for_each(|_| operation.latency.record(Nanos::micros(120)));
        }
        assert_eq!(
            severity(&fast),
            Severity::Warning,
            "mixed, writes far faster"
        );
    }
}
