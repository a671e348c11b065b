//! The device received more and smaller requests than the tool issued.
//!
//! The kernel cuts what is larger than a request may be, what crosses a stripe, and what has several extents. From one and a
//! half requests an I/O on, where the bytes agree, so that neither others' I/O nor read-ahead is taken for it.

use super::storage_stack::{Below, targets};
use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::comparison::OperationComparison;
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("requests-split"),
    group: Group::Setup,
    cause: Cause::Alone,
    limit: None,
    what: "The kernel split the I/Os into several requests, so the device received smaller ones than requested.",
    method: "Direct I/O to one target: the device counted at least 1.5 times as many requests as the tool's I/Os, \
             with the same bytes within 5%.",
    evidence: &["requests_per_io", "request_max_bytes"],
    source: "The kernel's Documentation/block/stat.rst and Documentation/ABI/stable/sysfs-block (queue/max_sectors_kb).",
    advice: "The latency is that of several requests. Raise queue/max_sectors_kb, up to queue/max_segments pages, if the device allows it.",
    look: Look::Own(look),
};

const RATIO_MIN: f64 = 1.5;
const BYTES_APART: f64 = 0.05;
const IOS_MIN: u64 = 50;

fn look(own: &Own<'_>) -> Option<Finding> {
    let mut all = targets(own.record);
    let target = all.next().filter(Below::is_unbuffered)?;
    let only = all.next().is_none();
    let [check] = own.device_checks else {
        return None;
    };
    let (counts, name) = (check.measured.as_ref()?, check.device.as_deref()?);
    let ratio = [counts.read, counts.write]
        .iter()
        .filter_map(requests_an_io)
        .fold(0.0, f64::max);
    if !only || ratio < RATIO_MIN {
        return None;
    }
    let block = target.planned.workload.block;
    let device = target.facts.chain.iter().find(|device| device.name == name);
    let largest = device.and_then(|device| device.request_max);
    let pieces = device.filter(|device| device.may_split(block));
    let pieces = pieces.and_then(|device| device.segments_max);
    let mean = block.0 as f64 / ratio;
    let why = match (largest.filter(|largest| *largest < block), pieces) {
        (Some(_), _) => "the maximum request of its queue is smaller".to_owned(),
        (None, Some(pieces)) => format!("a request may have {pieces} pieces of memory"),
        (None, None) => "the range has several extents or crosses stripes".to_owned(),
    };
    let sentence = format!(
        "each I/O of {} was split for {name} into {} requests of {}: {why}",
        say::bytes(block.0),
        say::digits(ratio),
        say::bytes(mean as u64)
    );
    Some(finding(
        RULE.id,
        Severity::Note,
        sentence,
        &[
            ("requests_per_io", ratio),
            (
                "request_max_bytes",
                largest.map_or(f64::NAN, |largest| largest.0 as f64),
            ),
        ],
        "the latency is that of several requests; see max_sectors_kb and max_segments of the device's queue",
    ))
}

/// How many requests the device had of each I/O; none of few I/Os, and where it moved other bytes than the tool, for then
/// they were not all the tool's.
pub(super) fn requests_an_io(counts: &OperationComparison) -> Option<f64> {
    let apart = counts.difference_bytes.unsigned_abs() as f64;
    let same = apart <= BYTES_APART * counts.tool_bytes as f64;
    let enough = counts.tool_ios >= IOS_MIN && same;
    enough.then(|| counts.device_ios as f64 / counts.tool_ios as f64)
}

#[cfg(test)]
mod tests {
    use crate::findings::test::found;
    use crate::sample::Sample;
    use model::{Bytes, RunRecord};

    fn requests(times: u64) -> RunRecord {
        let sample = Sample {
            block: Bytes::mib(1),
            reads: 2000,
            ..Sample::default()
        };
        let mut record = sample.build();
        record.window.after.devices[0].reads *= times;
        record
    }

    #[test]
    fn ios_that_were_cut_are_reported_with_what_cut_them() {
        let mut record = requests(4);
        let reported = found(&record, "requests-split").unwrap().sentence;
        assert_eq!(
            reported,
            "each I/O of 1 MiB was split for vda1 into 4.00 requests of 256 KiB: the range has several extents or \
             crosses stripes"
        );
        record.targets[0].chain[0].request_max = Some(Bytes::kib(256));
        let reported = found(&record, "requests-split").unwrap().sentence;
        assert!(
            reported.ends_with("requests of 256 KiB: the maximum request of its queue is smaller"),
            "{reported}"
        );
        let device = &mut record.targets[0].chain[0];
        (device.request_max, device.segments_max) = (Some(Bytes::kib(1280)), Some(128));
        let reported = found(&record, "requests-split").unwrap().sentence;
        assert!(reported.ends_with("128 pieces of memory"), "{reported}");
    }

    #[test]
    fn whole_requests_and_the_io_of_others_are_not_reported() {
        assert_eq!(found(&requests(1), "requests-split"), None);
        let mut others = requests(4);
        others.window.after.devices[0].read_bytes.0 *= 2;
        assert_eq!(found(&others, "requests-split"), None);
    }

    #[test]
    fn three_requests_for_two_ios_are_a_split() {
        for (device_reads, reported) in [(3400, true), (2600, false)] {
            let mut record = requests(1); // 2000 I/Os
            record.window.after.devices[0].reads = device_reads;
            let found = found(&record, "requests-split");
            assert_eq!(found.is_some(), reported, "{device_reads} requests");
        }
    }
}
