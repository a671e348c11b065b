//! Sequential reads that reached a disk and are slower than any disk by itself.
//!
//! Omitted: small blocks one at a time, whose latency decides (`one-at-a-time`), requested rates, and writes, which a small flash
//! medium does as slowly.

use super::qos_limit::is_under_dev;
use super::{Cause, Confidence, Finding, Group, Look, Rule, RuleId, Seen, Severity, finding};
use crate::LimitKind;
use crate::say;
use model::imported_evidence::ImportedFlush;
use model::{CacheMode, ImportFormat};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("slow-reads"),
    group: Group::Limit,
    cause: Cause::Alone,
    limit: Some(LimitKind::Cap),
    what: "Sequential reads of large blocks were slower than those of any disk: a limit, a failing disk or its link.",
    method: "Imported sequential reads below 5 MB/s, in blocks of 64 KiB or more, that reached a device: hdparm -t, direct I/O of a device node, or after drop_caches. No rate or pause was requested, and 1 MiB or more was read.",
    evidence: &["bytes_per_s"],
    source: "Disks of 1996 read 5 MB/s and more from their inner tracks (ATA-2, PIO mode 4: 16.7 MB/s on the link); USB 1.1: 1.2 MB/s.",
    advice: "Check the system log for errors and resets of the disk, its SMART data, the negotiated speed of its link, and I/O limits.",
    look: Look::Any(look),
};

const BYTES_PER_S_MAX: f64 = 5e6;
const BLOCK_MIN: u64 = 1 << 16;
const BYTES_MIN: u64 = 1 << 20;

fn look(seen: &Seen<'_>) -> Option<Finding> {
    let run = seen.imported?;
    let observed = seen.observed;
    let load = &observed.load;
    let rate = observed
        .total
        .bytes_per_s
        .filter(|rate| *rate > 0.0 && *rate < BYTES_PER_S_MAX)?;
    let along = load.random_share == Some(0.0) && load.write_share == Some(0.0);
    let large = load.block_bytes >= Some(BLOCK_MIN);
    let enough = run
        .figures
        .total
        .bytes
        .is_none_or(|bytes| bytes.0 >= BYTES_MIN);
    let timed = run.format == ImportFormat::HdparmText && load.cache != Some(CacheMode::Cached);
    let direct = load.cache == Some(CacheMode::Unbuffered) && is_under_dev(&observed.target);
    let dropped = run.evidence.flush == Some(ImportedFlush::BeforeReads);
    if !along || !large || !enough || run.evidence.paced || !(timed || direct || dropped) {
        return None;
    }
    let sentence = format!(
        "sequential reads of {} MB/s: slower than any disk by itself, so a limit, a failing disk or its link decides",
        say::digits(rate / 1e6)
    );
    let advice = "check the system log for errors of the disk, its SMART data and the speed of its link (DMA off, a bad cable, USB 1.1)";
    let evidence = [("bytes_per_s", rate)];
    Some(finding(RULE.id, Severity::Warning, sentence, &evidence, advice).sure(Confidence::Medium))
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{imported, reported};
    use model::{Bytes, ImportFormat, Ratio};

    #[test]
    fn reads_slower_than_any_disk_are_named_and_old_or_small_ones_are_not() {
        let of = |rate: f64, block: u64| {
            let mut run = imported();
            run.format = ImportFormat::HdparmText;
            run.workload.cache = None;
            run.workload.random_percent = Some(Ratio::NONE);
            run.workload.write_percent = Some(Ratio::NONE);
            run.workload.block = Some(Bytes(block));
            run.figures.total.bytes = Some(Bytes::mib(10));
            run.figures.total.bytes_per_s = Some(rate);
            reported(&run, "slow-reads").map(|found| found.evidence[0].value)
        };
        assert_eq!(of(3.27e6, 2 << 20), Some(3.27e6));
        assert_eq!(of(21.6e6, 2 << 20), None, "an old disk");
        assert_eq!(of(3.27e6, 4096), None, "latency decides");
    }
}
