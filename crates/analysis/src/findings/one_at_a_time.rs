//! Small sequential I/Os one at a time: their bytes per second are a latency, and not what the device transfers.
//!
//! Omitted: random I/Os one at a time, which people measure for their latency.

use super::storage_stack::targets;
use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Seen, Severity, finding};
use crate::say;
use model::{CacheMode, ImportFormat, ImportedRun};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("one-at-a-time"),
    group: Group::Queue,
    cause: Cause::Alone,
    limit: None,
    what: "Small sequential I/Os were issued one at a time, so the bandwidth is block size divided by latency.",
    method: "100 I/Os or more: one in flight over all threads, sequential, of 64 KiB or less, and direct or, of imported runs, write-through. Buffered sequential reads of runs of fathom where read_ahead_kb of the device is 0: a warning. dd with blocks below 4 KiB (its default is 512 bytes) whose I/Os did not wait for the device: a warning.",
    evidence: &["block_bytes", "each_ns"],
    source: "Little's law with one I/O in flight: bandwidth = block size / latency. J. D. C. Little, Operations Research 9 (1961).",
    advice: "For the device's bandwidth use blocks of 1 MiB, or a deeper queue.",
    look: Look::Any(look),
};

const BLOCK_MAX: u64 = 64 << 10;
const IOS_MIN: u64 = 100;
/// File systems store no smaller blocks, with few exceptions.
const TINY_BLOCK: u64 = 4096;

fn look(seen: &Seen<'_>) -> Option<Finding> {
    match (seen.own, seen.imported) {
        (Some(own), _) => of_own(seen, own),
        (None, run) => of_others(seen, run?),
    }
}

/// Of runs of fathom: direct I/Os, and buffered reads where the kernel's read-ahead is off.
fn of_own(seen: &Seen<'_>, own: &Own<'_>) -> Option<Finding> {
    let load = &seen.observed.load;
    let target = targets(own.record).next()?;
    let block = load.block_bytes.filter(|block| *block <= BLOCK_MAX)?;
    let rate = seen.observed.total.iops.filter(|rate| *rate > 0.0)?;
    let alone = load.requested_in_flight == Some(1.0) && load.random_share == Some(0.0);
    let asks_for_more = own.open_loop.is_none() && target.planned.is_unhindered();
    let many = seen.observed.total.ios >= Some(IOS_MIN);
    if !alone || !many || !asks_for_more || load.write_through == Some(true) {
        return None;
    }
    if target.is_unbuffered() {
        return Some(one_by_one(block, rate));
    }
    let is_off = |device: &&model::BlockDevice| device.read_ahead == Some(model::Bytes(0));
    let device = target.top().filter(is_off)?;
    let from_device = own.device_checks.iter().any(|check| {
        let counts = check.measured.as_ref();
        counts.is_some_and(|counts| 2 * counts.read.device_bytes >= counts.read.tool_bytes)
    });
    let reads = load.write_share == Some(0.0) && from_device;
    reads.then(|| {
        let each_ns = 1e9 / rate;
        let sentence = format!(
            "read-ahead of {} is off (read_ahead_kb 0): sequential reads of {} wait for the device one at a time, {} each",
            device.name,
            say::bytes(block),
            say::time(each_ns)
        );
        let evidence = [("block_bytes", block as f64), ("each_ns", each_ns)];
        let advice = "set read_ahead_kb of the device's queue (128 is usual), or report that it is off";
        finding(RULE.id, Severity::Warning, sentence, &evidence, advice)
    })
}

fn of_others(seen: &Seen<'_>, run: &ImportedRun) -> Option<Finding> {
    let observed = seen.observed;
    let direct = observed.load.cache == Some(CacheMode::Unbuffered);
    let waited = direct || observed.load.write_through == Some(true);
    let along = observed.load.random_share == Some(0.0);
    let block = observed
        .load
        .block_bytes
        .filter(|block| (1..=BLOCK_MAX).contains(block))?;
    let rate = observed.total.iops.filter(|rate| *rate > 0.0)?;
    let many = observed.total.ios >= Some(IOS_MIN);
    if run.format == ImportFormat::DdText && block < TINY_BLOCK && many && !waited {
        return Some(tiny(block, rate));
    }
    if observed.load.requested_in_flight != Some(1.0)
        || !waited
        || !along
        || !many
        || run.evidence.paced
    {
        return None;
    }
    Some(one_by_one(block, rate))
}

fn one_by_one(block: u64, rate: f64) -> Finding {
    let each_ns = 1e9 / rate;
    let sentence = format!(
        "one I/O of {} at a time: {} MiB/s follow from {} per I/O, and are not the device's bandwidth",
        say::bytes(block),
        say::mib_per_s(block as f64 * rate),
        say::time(each_ns)
    );
    let advice = "repeat with blocks of 1 MiB or 32 I/Os in flight: a multiple of the bandwidth means that the latency was the limit";
    let evidence = [("block_bytes", block as f64), ("each_ns", each_ns)];
    finding(RULE.id, Severity::Note, sentence, &evidence, advice)
}

/// A block below that of any file system, and no waiting for the device: the copy spends its time in system calls.
fn tiny(block: u64, rate: f64) -> Finding {
    let each_ns = 1e9 / rate;
    let sentence = format!(
        "blocks of {}: {} MB/s follow from {} per system call, and are not the device's bandwidth",
        say::counted(block, "byte"),
        say::digits(block as f64 * rate / 1e6),
        say::time(each_ns)
    );
    let evidence = [("block_bytes", block as f64), ("each_ns", each_ns)];
    let advice =
        "repeat with bs=1M: a multiple of the bandwidth means that the system calls were the limit";
    finding(RULE.id, Severity::Warning, sentence, &evidence, advice)
}

#[cfg(test)]
mod tests {
    use crate::findings::Severity;
    use crate::findings::test::{imported, reported};
    use model::{Bytes, CacheMode, ImportFormat, ImportedRun, Ratio};

    #[test]
    fn small_blocks_of_dd_are_system_calls_only_if_they_do_not_wait_for_the_device() {
        let mut run = imported();
        run.format = ImportFormat::DdText;
        (run.workload.threads, run.workload.queue_depth) = (Some(1), Some(1));
        (run.workload.random_percent, run.workload.block) = (Some(Ratio::NONE), Some(Bytes(512)));
        run.workload.cache = Some(CacheMode::Cached);
        let severity = |run: &ImportedRun| reported(run, "one-at-a-time").unwrap().severity;
        assert_eq!(severity(&run), Severity::Warning);
        run.workload.write_through = Some(true);
        assert_eq!(severity(&run), Severity::Note);
        run.workload.write_through = None;
        run.workload.cache = Some(CacheMode::Unbuffered);
        assert_eq!(severity(&run), Severity::Note);
    }

    #[test]
    fn small_direct_writes_one_at_a_time_are_a_latency_and_large_ones_are_not() {
        let mut run = imported();
        (run.workload.threads, run.workload.queue_depth) = (Some(1), Some(1));
        (run.workload.random_percent, run.workload.block) =
            (Some(Ratio::NONE), Some(Bytes::kib(4)));
        run.workload.cache = Some(CacheMode::Unbuffered);
        (run.figures.total.ios, run.figures.total.ios_per_s) = (Some(100_000), Some(2004.0));
        let found = reported(&run, "one-at-a-time").unwrap();
        assert_eq!(found.evidence[0].value, 4096.0);
        for bend in [
            |run: &mut model::ImportedRun| run.workload.block = Some(Bytes::mib(1)),
            |run: &mut model::ImportedRun| run.workload.queue_depth = Some(8),
            |run: &mut model::ImportedRun| run.workload.random_percent = Some(Ratio::ALL),
            |run: &mut model::ImportedRun| run.workload.cache = Some(CacheMode::Cached),
        ] {
            let mut run = run.clone();
            bend(&mut run);
            assert_eq!(reported(&run, "one-at-a-time"), None);
        }
    }
}
