//! I/Os that are not aligned to the device's physical blocks: the device transfers more than requested.
//!
//! A disk of 4096-byte blocks that can be addressed by 512 takes such writes and pays with a turn for each. A partition
//! that begins between blocks spoils all that is on it, also on flash, whose pages are multiples of 4096 in any case.

use super::storage_stack::{Below, targets};
use super::{Cause, Confidence, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::say;
use model::{BlockDevice, Bytes, Operation};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("misaligned"),
    group: Group::Setup,
    cause: Cause::Alone,
    limit: None,
    what: "I/Os are not aligned to the device's physical blocks, so it transfers more than requested.",
    method: "The start of a partition is not a multiple of the physical block (at least 4096 bytes). Or the size or base offset of direct writes is not a multiple of the device's physical block. Direct reads that are smaller than it are a note.",
    evidence: &[
        "partition_start_bytes",
        "physical_block_bytes",
        "write_bytes",
        "read_bytes",
        "base_bytes",
    ],
    source: "The kernel's Documentation/ABI/stable/sysfs-block (queue/physical_block_size, start).",
    advice: "Use a block size and a base offset that are multiples of the physical block; move the partition.",
    look: Look::Own(look),
};

/// The page of flash and the sector of large disks, where the device does not report more.
const BLOCK_MIN: u64 = 4096;
/// Larger ones are stripes, which is another matter.
const BLOCK_MAX: u64 = 64 << 10;

fn look(own: &Own<'_>) -> Option<Finding> {
    targets(own.record).find_map(|target| {
        let of_ios = || writes(own, &target).or_else(|| reads(own, &target));
        partition(&target).or_else(of_ios)
    })
}

fn physical(device: &BlockDevice) -> Option<u64> {
    let Bytes(block) = device.physical_block?;
    (block <= BLOCK_MAX).then_some(block)
}

fn partition(target: &Below<'_>) -> Option<Finding> {
    let (part, start) = target
        .facts
        .chain
        .iter()
        .find_map(|device| Some((device, device.start?)))?;
    let block = physical(part).unwrap_or(BLOCK_MIN).max(BLOCK_MIN);
    let off = start.0 % block;
    (off != 0).then(|| {
        let sentence = format!(
            "{} starts {} bytes after a {} boundary: most I/Os touch one physical block more than necessary",
            part.name,
            say::count(off),
            say::bytes(block)
        );
        finding(
            RULE.id,
            Severity::Warning,
            sentence,
            &[("partition_start_bytes", start.0 as f64), ("physical_block_bytes", block as f64)],
            "recreate the partition at a multiple of 1 MiB",
        )
    })
}

/// Reads that are smaller than a physical block: the device reads the whole one for each.
fn reads(own: &Own<'_>, target: &Below<'_>) -> Option<Finding> {
    let device = target
        .facts
        .chain
        .iter()
        .find(|device| device.kind != "partition")?;
    let (size, block) = (target.planned.workload.block.0, physical(device)?);
    let read = target.counted(own.record, Operation::Read).ios;
    (read > 0 && size < block && target.is_unbuffered()).then(|| {
        let sentence = format!(
            "reads of {} are smaller than the {} blocks of {}: each reads a whole block",
            say::bytes(size),
            say::bytes(block),
            device.name
        );
        let evidence = [
            ("read_bytes", size as f64),
            ("physical_block_bytes", block as f64),
        ];
        let advice = "use a block size that is a multiple of the physical block";
        finding(RULE.id, Severity::Note, sentence, &evidence, advice).sure(Confidence::Medium)
    })
}

fn writes(own: &Own<'_>, target: &Below<'_>) -> Option<Finding> {
    let mut disks = target
        .facts
        .chain
        .iter()
        .filter(|device| device.kind == "disk");
    let (disk, block) = disks.find_map(|disk| Some((disk, physical(disk)?)))?;
    let (size, base) = (target.planned.workload.block.0, target.planned.base.0);
    let written = target.counted(own.record, Operation::Write).ios;
    let whole = size.is_multiple_of(block) && base.is_multiple_of(block);
    if written == 0 || whole || !target.is_unbuffered() {
        return None;
    }
    let sentence = format!(
        "writes of {} at {} are not aligned to the {} blocks of {}: each requires a read-modify-write",
        say::bytes(size),
        if base.is_multiple_of(block) {
            "any offset".to_owned()
        } else {
            format!("base offset {}", say::bytes(base))
        },
        say::bytes(block),
        disk.name
    );
    let evidence = [
        ("write_bytes", size as f64),
        ("base_bytes", base as f64),
        ("physical_block_bytes", block as f64),
    ];
    let advice = "use a block size and a base offset that are multiples of the physical block";
    Some(finding(RULE.id, Severity::Warning, sentence, &evidence, advice).sure(Confidence::Medium))
}

#[cfg(test)]
mod tests {
    use crate::findings::test::found;
    use crate::sample::Sample;
    use model::{Bytes, Ratio};

    #[test]
    fn a_partition_between_blocks_is_reported() {
        let mut record = Sample::default().build();
        record.targets[0].chain[0].start = Some(Bytes::mib(1));
        assert_eq!(found(&record, "misaligned"), None);
        record.targets[0].chain[0].start = Some(Bytes(63 * 512));
        assert_eq!(
            found(&record, "misaligned").unwrap().sentence,
            "vda1 starts 3584 bytes after a 4 KiB boundary: most I/Os touch one physical block more than necessary"
        );
    }

    #[test]
    fn writes_that_are_smaller_than_the_physical_block_are_reported() {
        let small = Sample {
            block: Bytes(512),
            write: Ratio::ALL,
            reads: 0,
            writes: 2000,
            ..Sample::default()
        };
        let mut record = small.build();
        assert_eq!(
            found(&record, "misaligned"),
            None,
            "the device reports nothing"
        );
        record.targets[0].chain[1].physical_block = Some(Bytes(4096));
        let reported = found(&record, "misaligned").unwrap().sentence;
        assert_eq!(
            reported,
            "writes of 512 B at any offset are not aligned to the 4 KiB blocks of vda: each requires a \
             read-modify-write"
        );
    }

    #[test]
    fn reads_that_are_smaller_than_the_physical_block_are_a_note() {
        let of = |block, physical| {
            let mut record = Sample {
                block: Bytes(block),
                ..Sample::default()
            }
            .build();
            record.targets[0].chain[1].physical_block = Some(Bytes(physical));
            found(&record, "misaligned").map(|found| found.severity)
        };
        assert_eq!(of(512, 4096), Some(crate::Severity::Note));
        assert_eq!(of(512, 512), None);
        assert_eq!(of(4096, 4096), None);
    }
}
