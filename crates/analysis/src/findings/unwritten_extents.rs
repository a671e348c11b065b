//! A file with extents that were never written: reads of them return zeros without disk I/O.
//!
//! Reserved but unwritten extents (fallocate) and holes, as the file system reported before the run. From one twentieth of
//! the file on for reads. Silent where the device counted as many reads as fathom all the same: then what is known of the
//! file is not what was read. For writes it is a note from one half on: the first write to such a block also changes the
//! file's map, so that writing once is not what overwriting is.

use super::storage_stack::{Below, targets};
use super::{Cause, Confidence, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::LimitKind;
use crate::say;
use model::Operation;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("unwritten-extents"),
    group: Group::Data,
    cause: Cause::Cache,
    limit: Some(LimitKind::Cache),
    what: "The file has extents that were never written; reads of them do not reach the device.",
    method: "Before the run fathom reads the file's extent map. Unwritten extents and holes of 5% or more are reported if the file is read, unless the device counted the reads. 10% or more make the result invalid as a disk result. If the file is only written, 50% or more are reported as a note, also of the file of a loop device. So is a file that was created without a length. Writes to a file of which other files share 50% or more are a warning, and a note if more was written than is shared.",
    evidence: &[
        "unbacked_share",
        "shared_share",
        "unwritten_bytes",
        "hole_bytes",
    ],
    source: "The kernel's Documentation/filesystems/fiemap.rst (FIEMAP_EXTENT_UNWRITTEN); fallocate(2).",
    advice: "Fill the file with data before reading it; fathom fills the files that it creates (--create SIZE).",
    look: Look::Own(look),
};

const SHARE_MIN: f64 = 0.05;
/// As much as makes the counters of the device differ too much (`page-cache`).
const SHARE_MUCH: f64 = 0.10;
const SHARE_MOST: f64 = 0.50;

const OVERWRITES: &str = "to measure overwrites, run again, or let fathom fill the file first (--create SIZE; fio: overwrite=1)";

fn look(own: &Own<'_>) -> Option<Finding> {
    targets(own.record).find_map(|target| of_target(own, &target))
}

fn of_target(own: &Own<'_>, target: &Below<'_>) -> Option<Finding> {
    if !target.reads() && target.planned.create.is_some() && target.planned.allocation.grows() {
        return Some(of_growth(target));
    }
    let Some(extents) = target.facts.layout.extents else {
        return of_backing_file(target);
    };
    let unbacked = extents.unbacked().0 as f64;
    let share = crate::rows::share(unbacked, extents.looked_at.0 as f64)?;
    let evidence = [
        ("unbacked_share", share),
        ("unwritten_bytes", extents.unwritten.0 as f64),
        ("hole_bytes", extents.holes.0 as f64),
    ];
    let (path, part) = (target.path(), say::percent(share));
    let shared = crate::rows::share(extents.shared.0 as f64, extents.looked_at.0 as f64)?;
    if target.planned.writes() && shared >= SHARE_MOST {
        let sentence = format!(
            "other files share {} of {path} (a reflink or a snapshot): a first write allocates another place, an overwrite does not",
            say::percent(shared)
        );
        let evidence = [("shared_share", shared)];
        // Once each of these blocks was written, the file has its own.
        let written = target.counted(own.record, Operation::Write).bytes;
        let severity = match written <= extents.shared {
            true => Severity::Warning,
            false => Severity::Note,
        };
        return Some(finding(RULE.id, severity, sentence, &evidence, OVERWRITES));
    }
    if !target.reads() {
        return (share >= SHARE_MOST).then(|| {
            finding(
                RULE.id,
                Severity::Note,
                format!(
                    "{part} of {path} had never been written: a first write also updates the extent map, an overwrite \
                     does not"
                ),
                &evidence,
                OVERWRITES,
            )
        });
    }
    if share < SHARE_MIN || was_read_from_device(own, share) {
        return None;
    }
    let severity = if share >= SHARE_MUCH {
        Severity::Error
    } else {
        Severity::Warning
    };
    let sentence = format!(
        "{part} of {path} was never written: reads of such blocks return zeros without disk I/O"
    );
    let reported = finding(
        RULE.id,
        severity,
        sentence,
        &evidence,
        "fill the file before reading it; fathom fills the files that it creates (--create SIZE)",
    );
    let whole = target.planned.length.0 >= target.facts.size.0 / 10 * 9;
    let sure = if whole {
        Confidence::High
    } else {
        Confidence::Medium
    };
    Some(reported.invalid_for("a disk result").sure(sure))
}

/// A loop device whose file has holes: the first write to one of them needs space on the file system below.
fn of_backing_file(target: &Below<'_>) -> Option<Finding> {
    let device = target.top().filter(|_| !target.reads())?;
    let (size, allocated) = (device.size.0 as f64, device.file_allocated?.0 as f64);
    let share = crate::rows::share((size - allocated).max(0.0), size)?;
    let file = model::printable(device.detail.as_deref()?);
    (share >= SHARE_MOST).then(|| {
        let sentence = format!(
            "{} of {file}, the file of {}, has no space yet: a first write also allocates it, an overwrite does not",
            say::percent(share),
            device.name
        );
        let evidence = [("unbacked_share", share)];
        finding(RULE.id, Severity::Note, sentence, &evidence, "write the whole device once before measuring writes to it")
    })
}

/// A file that was created without a length, and became longer by its writes.
fn of_growth(target: &Below<'_>) -> Finding {
    finding(
        RULE.id,
        Severity::Note,
        format!(
            "{} had no length before the run: each first write also updates its size and its extent map, an overwrite does not",
            target.path()
        ),
        &[("unbacked_share", 1.0)],
        OVERWRITES,
    )
}

/// Whether the device read more than what is written of the file can explain, by half of the rest.
fn was_read_from_device(own: &Own<'_>, unbacked: f64) -> bool {
    let counts = own
        .device_checks
        .iter()
        .filter_map(|check| check.measured.as_ref());
    let sum = counts.fold((0.0, 0.0), |sum, counts| {
        let read = counts.read;
        (
            sum.0 + read.tool_bytes as f64,
            sum.1 + read.device_bytes as f64,
        )
    });
    sum.0 > 0.0 && sum.1 > sum.0 * (1.0 - unbacked / 2.0)
}

#[cfg(test)]
mod tests {
    use crate::findings::Severity;
    use crate::findings::test::found;
    use crate::sample::Sample;
    use model::{Bytes, Extents, Ratio, RunRecord};

    fn with(mut record: RunRecord, unwritten: u64, holes: u64) -> RunRecord {
        record.targets[0].layout.extents = Some(Extents {
            looked_at: Bytes::gib(8),
            pieces: 64,
            unwritten: Bytes::gib(unwritten),
            holes: Bytes::gib(holes),
            encoded: Bytes(0),
            shared: Bytes(0),
        });
        record
    }

    #[test]
    fn an_unwritten_file_that_is_read_is_no_disk_result() {
        let read = Sample {
            device_percent: 0,
            ..Sample::default()
        };
        let record = with(read.build(), 7, 1);
        let reported = found(&record, "unwritten-extents").unwrap();
        assert_eq!(reported.severity, Severity::Error);
        assert_eq!(
            reported.sentence,
            "100% of /data/fathom.dat was never written: reads of such blocks return zeros without disk I/O"
        );
        assert_eq!(
            found(&record, "page-cache"),
            None,
            "one cause is reported once"
        );
        let part = Sample {
            device_percent: 75,
            ..Sample::default()
        };
        let reported = found(&with(part.build(), 2, 0), "unwritten-extents").unwrap();
        assert_eq!(reported.severity, Severity::Error);
        let little = Sample {
            device_percent: 94,
            ..Sample::default()
        };
        let mut record = with(little.build(), 0, 0);
        record.targets[0].layout.extents.as_mut().unwrap().holes = Bytes::mib(500);
        let reported = found(&record, "unwritten-extents").unwrap();
        assert_eq!(reported.severity, Severity::Warning);
    }

    #[test]
    fn a_written_file_or_one_that_the_device_read_after_all_is_not_reported() {
        let read = Sample {
            device_percent: 0,
            ..Sample::default()
        };
        assert_eq!(found(&with(read.build(), 0, 0), "unwritten-extents"), None);
        assert_eq!(
            found(&with(Sample::default().build(), 8, 0), "unwritten-extents"),
            None
        );
    }

    #[test]
    fn first_writes_are_a_note() {
        let written = Sample {
            write: Ratio::ALL,
            reads: 0,
            writes: 20_000,
            ..Sample::default()
        };
        let reported = found(&with(written.build(), 8, 0), "unwritten-extents").unwrap();
        assert_eq!(reported.severity, Severity::Note);
        assert_eq!(
            found(&with(written.build(), 1, 0), "unwritten-extents"),
            None
        );
        let mut record = with(written.build(), 0, 0);
        record.targets[0].layout.extents.as_mut().unwrap().shared = Bytes::gib(7);
        let reported = found(&record, "unwritten-extents").unwrap();
        assert!(reported.sentence.contains("share 87.5%"), "{reported:?}");
        assert_eq!(reported.severity, Severity::Warning, "78 MiB were written");
        record.targets[0].layout.extents.as_mut().unwrap().shared = Bytes::mib(70);
        record.targets[0].layout.extents.as_mut().unwrap().looked_at = Bytes::mib(100);
        let reported = found(&record, "unwritten-extents").unwrap();
        assert_eq!(reported.severity, Severity::Note, "most are overwrites");
        let mut record = with(Sample::default().build(), 0, 0);
        record.targets[0].layout.extents.as_mut().unwrap().shared = Bytes::gib(7);
        assert_eq!(found(&record, "unwritten-extents"), None, "reads");
    }
}
