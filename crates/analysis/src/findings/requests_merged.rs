//! The device received fewer and larger requests than the tool issued: the kernel merged adjacent I/Os.
//!
//! Then the number of IOPS is not one that the device served. From a tenth of the I/Os on.

use super::storage_stack::{Below, targets};
use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::say;
use model::CacheMode;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("requests-merged"),
    group: Group::Setup,
    cause: Cause::Alone,
    limit: None,
    what: "The kernel merged adjacent I/Os, so the device served fewer and larger requests than the IOPS suggest.",
    method: "Direct I/O: the device counted merges of 10% or more of the tool's I/Os. Buffered sequential reads: the device served 90% of their bytes or more by half as many requests or fewer, because the kernel read ahead: a warning.",
    evidence: &["merged_share", "request_mean_bytes"],
    source: "The kernel's Documentation/block/stat.rst (read merges, write merges) and Documentation/ABI/stable/sysfs-block \
             (queue/nomerges).",
    advice: "Use the result as bandwidth; for IOPS use random access or larger blocks.",
    look: Look::Own(look),
};

const SHARE_MIN: f64 = 0.10;

/// Read ahead: the device had at most this share of the I/Os, with all of their bytes.
const REQUESTS_MAX: f64 = 0.50;
const BYTES_MIN: f64 = 0.90;

fn look(own: &Own<'_>) -> Option<Finding> {
    direct(own).or_else(|| read_ahead(own))
}

/// Buffered sequential reads that the kernel had fetched before they were issued.
fn read_ahead(own: &Own<'_>) -> Option<Finding> {
    let along = targets(own.record).all(|target: Below<'_>| {
        let plan = target.planned;
        plan.cache == CacheMode::Cached && !plan.writes() && !target.is_random()
    });
    let [check] = own.device_checks else {
        return None;
    };
    let (name, read) = (check.device.as_deref()?, check.measured.as_ref()?.read);
    let served = read.device_bytes as f64 >= BYTES_MIN * read.tool_bytes as f64;
    let share = crate::rows::share(read.device_ios as f64, read.tool_ios as f64)?;
    if !along || !served || share > REQUESTS_MAX || read.device_ios == 0 {
        return None;
    }
    let mean = read.device_bytes as f64 / read.device_ios as f64;
    let sentence = format!(
        "the kernel read ahead: {name} served {} reads by {} requests of {}, so IOPS and latencies are those of the page cache",
        say::count(read.tool_ios),
        say::count(read.device_ios),
        say::bytes(mean as u64)
    );
    let evidence = [("merged_share", 1.0 - share), ("request_mean_bytes", mean)];
    let advice = "use the result as bandwidth; use direct I/O for IOPS and latencies";
    Some(finding(
        RULE.id,
        Severity::Warning,
        sentence,
        &evidence,
        advice,
    ))
}

fn direct(own: &Own<'_>) -> Option<Finding> {
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
        assert_eq!(found(&record, "requests-merged"), None, "random");
    }

    /// E4: 180165 reads, 223 requests, "fathom was CPU-bound".
    #[test]
    fn sequential_reads_that_the_kernel_fetched_before_are_read_ahead() {
        let sequential = Sample {
            access: model::Access::Sequential,
            cache: CacheMode::Cached,
            ..Sample::default()
        };
        let mut record = sequential.build();
        assert_eq!(
            found(&record, "requests-merged"),
            None,
            "each was a request"
        );
        record.window.after.devices[0].reads = 160;
        let reported = found(&record, "requests-merged").unwrap();
        assert_eq!(
            reported.sentence,
            "the kernel read ahead: vda1 served 20000 reads by 160 requests of 500 KiB, so IOPS and latencies are those \
             of the page cache"
        );
        record.window.after.devices[0].read_bytes.0 /= 2;
        assert_eq!(
            found(&record, "requests-merged"),
            None,
            "the cache had the rest"
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
