//! A file with many extents: sequential I/O is not sequential on the device, and large I/Os are split.
//!
//! As the file system reported before the run, neighbours joined. Compressed files are stored in small pieces by their
//! nature and are omitted.

use super::storage_stack::{Below, targets};
use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("fragmented-file"),
    group: Group::Setup,
    cause: Cause::Alone,
    limit: None,
    what: "The file has many extents, which changes its I/O on the device.",
    method: "At least 32 extents. Mean extent smaller than one I/O, or smaller than 4 MiB under sequential I/O of a \
             rotating disk: a warning. Mean extent smaller than 1 MiB: a note.",
    evidence: &["pieces", "piece_mean_bytes"],
    source: "The kernel's Documentation/filesystems/fiemap.rst; filefrag(8).",
    advice: "Copy the file to free space, or let fathom create a new one.",
    look: Look::Own(look),
};

const PIECES_MIN: u64 = 32;
const SEEK_BYTES: f64 = 4.0 * 1024.0 * 1024.0;
const NOTE_BYTES: f64 = 1024.0 * 1024.0;

fn look(own: &Own<'_>) -> Option<Finding> {
    targets(own.record).find_map(|target| of_target(&target))
}

fn of_target(target: &Below<'_>) -> Option<Finding> {
    let extents = target.facts.layout.extents?;
    let held = extents.looked_at.0.saturating_sub(extents.holes.0);
    let mean = crate::rows::share(held as f64, extents.pieces as f64)?;
    if extents.pieces < PIECES_MIN || extents.encoded.0 > held / 2 {
        return None;
    }
    let block = target.planned.workload.block.0 as f64;
    let along = !target.is_random() && target.spindles().is_some();
    let severity = if mean < block || (along && mean < SEEK_BYTES) {
        Severity::Warning
    } else if mean < NOTE_BYTES {
        Severity::Note
    } else {
        return None;
    };
    let sentence = format!(
        "{} has {} extents of {} on average",
        target.path(),
        say::count(extents.pieces),
        say::bytes(mean as u64)
    );
    Some(finding(
        RULE.id,
        severity,
        sentence,
        &[
            ("pieces", extents.pieces as f64),
            ("piece_mean_bytes", mean),
        ],
        "copy the file to free space, or let fathom create a new one (--create SIZE under another name)",
    ))
}

#[cfg(test)]
mod tests {
    use crate::findings::Severity;
    use crate::findings::test::found;
    use crate::sample::Sample;
    use model::{Bytes, Extents, RunRecord};

    fn pieces(count: u64, block: Bytes) -> RunRecord {
        let mut record = Sample {
            block,
            ..Sample::default()
        }
        .build();
        record.targets[0].layout.extents = Some(Extents {
            looked_at: Bytes::gib(8),
            pieces: count,
            ..Extents::default()
        });
        record
    }

    #[test]
    fn many_small_pieces_are_reported_by_what_they_do() {
        let many = 65_536; // of 128 KiB each
        let reported = found(&pieces(many, Bytes::kib(4)), "fragmented-file").unwrap();
        assert_eq!(reported.severity, Severity::Note);
        assert_eq!(
            reported.sentence,
            "/data/fathom.dat has 65536 extents of 128 KiB on average"
        );
        let reported = found(&pieces(many, Bytes::mib(1)), "fragmented-file").unwrap();
        assert_eq!(reported.severity, Severity::Warning);
    }

    #[test]
    fn large_pieces_and_compressed_files_are_not_reported() {
        assert_eq!(found(&pieces(64, Bytes::mib(1)), "fragmented-file"), None);
        let mut pressed = pieces(65_536, Bytes::mib(1));
        pressed.targets[0].layout.extents.as_mut().unwrap().encoded = Bytes::gib(8);
        assert_eq!(found(&pressed, "fragmented-file"), None);
    }

    #[test]
    fn a_platter_seeks_between_pieces_of_less_than_four_mebibytes() {
        for (count, reported) in [(4096, true), (1024, false)] {
            let mut record = pieces(count, Bytes::kib(64)); // of 2 and of 8 MiB
            assert_eq!(
                found(&record, "fragmented-file"),
                None,
                "not along the disk"
            );
            record.plan.targets[0].workload.access = model::Access::Sequential;
            for device in &mut record.targets[0].chain {
                device.rotational = Some(true);
            }
            let severity = found(&record, "fragmented-file").map(|finding| finding.severity);
            assert_eq!(
                severity,
                reported.then_some(Severity::Warning),
                "{count} pieces"
            );
        }
    }
}
