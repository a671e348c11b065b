//! Compressible data on a layer that compresses: the device transferred less than requested.
//!
//! Reads: a sample of the target's content could be compressed to less than four fifths. Writes: the content that was asked
//! for can be pressed. Where nothing is known to compress, data that compresses is only reported for the patterns that no
//! person asked for by that name (DISKSPD's buffers count from 0 to 255), because an array's firmware may fold them.

use super::storage_stack::{Below, targets};
use super::{Cause, Confidence, Finding, Group, Look, Own, Rule, RuleId, Seen, Severity, finding};
use crate::say;
use model::imported_evidence::ImportedContent;
use model::{ImportedRun, Operation, Ratio, TargetKind, WriteContent};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("compressible-data"),
    group: Group::Data,
    cause: Cause::Alone,
    limit: None,
    what: "The data is compressible and a layer below compresses it, so the device transferred less than requested.",
    method: "Reads: a fast compressor reduces a sample of blocks below 80% of its size, and the device is zram or \
             VDO, or the file system compresses. Writes: the requested content is compressible or has duplicates, \
             under the same conditions; DISKSPD's repeating pattern is a note everywhere, also of imported runs (fio: buffer_pattern). So is data of imported runs that was requested compressible or with duplicates by 20% or more; a warning on a volume of VDO or ZFS, by its name.",
    evidence: &["pressed_share", "written_ios"],
    source: "lz4_Block_format.md (the estimate); btrfs(5), zfsprops(7), and the kernel's \
             Documentation/admin-guide/blockdev/zram.rst.",
    advice: "Use incompressible data, or disable compression for the test.",
    look: Look::Any(look),
};

const PRESSED_MAX: f64 = 0.80;
/// Below, the shape of the data changes a result by less than runs differ.
const SHAPED_MIN: u8 = 20;
const MAY_BE_FASTER: &str = "a device that compresses or deduplicates is faster with such data";

fn look(seen: &Seen<'_>) -> Option<Finding> {
    match (seen.own, seen.imported) {
        (Some(own), _) => of_own(own),
        (None, run) => of_others(run?),
    }
}

/// Whether something below compresses is not known of them.
fn of_others(run: &ImportedRun) -> Option<Finding> {
    let writes = run.workload.write_percent?.as_percent() > 0;
    let ios = run.figures.write.ios.or(run.figures.total.ios)?;
    let (what, without) = match run.evidence.content? {
        ImportedContent::Pattern => (
            "the same few bytes were written repeatedly".to_owned(),
            "buffer_pattern",
        ),
        ImportedContent::Compressible(percent) if percent >= SHAPED_MIN => (
            format!("the written data compresses by {percent}%"),
            "buffer_compress_percentage",
        ),
        ImportedContent::Duplicate(percent) if percent >= SHAPED_MIN => (
            format!("{percent}% of the written blocks repeat others"),
            "dedupe_percentage",
        ),
        _ => return None,
    };
    // Names that volumes which compress or deduplicate have.
    let reduces = |target: &String| target.contains("vdo") || target.starts_with("/dev/zvol/");
    let (severity, who) = match run.workload.targets.iter().find(|name| reduces(name)) {
        Some(name) => (
            Severity::Warning,
            format!("{} stores less than was written", model::printable(name)),
        ),
        None => (Severity::Note, MAY_BE_FASTER.to_owned()),
    };
    (writes && ios > 0).then(|| {
        let sentence = format!("{what}: {who}");
        let option = match run.format.tool() {
            "fio" => format!("fio: without {without}, with refill_buffers"),
            _ => "DISKSPD: -Zr or -Z1M".to_owned(),
        };
        let advice = format!(
            "repeat with incompressible data ({option}; fathom's default): if it is slower, the data was not stored"
        );
        let evidence = [("written_ios", ios as f64)];
        let reported = finding(RULE.id, severity, sentence, &evidence, &advice);
        reported.sure(Confidence::Medium)
    })
}

fn of_own(own: &Own<'_>) -> Option<Finding> {
    targets(own.record).find_map(|target| read(own, &target).or_else(|| written(own, &target)))
}

fn read(own: &Own<'_>, target: &Below<'_>) -> Option<Finding> {
    let who = target.presses()?;
    let pressed = target.facts.layout.sample?.pressed_share()?;
    let ios = target.counted(own.record, Operation::Read).ios;
    if ios == 0 || pressed >= PRESSED_MAX {
        return None;
    }
    let sentence = format!(
        "{} contains data that compresses to {}, and {who} compresses: the device transferred less than was read",
        target.path(),
        say::percent(pressed)
    );
    Some(
        finding(
            RULE.id,
            Severity::Warning,
            sentence,
            &[("pressed_share", pressed)],
            "fill it with incompressible data (fathom's default), or disable compression",
        )
        .sure(Confidence::Medium),
    )
}

fn written(own: &Own<'_>, target: &Below<'_>) -> Option<Finding> {
    let ios = target.counted(own.record, Operation::Write).ios;
    if ios == 0 || target.facts.kind == TargetKind::Null {
        return None;
    }
    let what = match &target.planned.content {
        WriteContent::Pattern => "the same 256 bytes were written repeatedly".to_owned(),
        WriteContent::Repeated(bytes) => format!(
            "the same {} were written repeatedly",
            say::counted(bytes.len() as u64, "byte")
        ),
        WriteContent::Shaped { compress, dedupe }
            if *compress != Ratio::NONE || *dedupe != Ratio::NONE =>
        {
            format!(
                "the written data compresses by {}% and deduplicates by {}%",
                compress.as_percent(),
                dedupe.as_percent()
            )
        }
        _ => return None,
    };
    let content = &target.planned.content;
    let is_pattern = matches!(content, WriteContent::Pattern | WriteContent::Repeated(_));
    let (severity, who) = match target.presses() {
        Some(who) => (Severity::Warning, format!("{who} compresses")),
        None if is_pattern => (Severity::Note, MAY_BE_FASTER.to_owned()),
        None => return None,
    };
    Some(finding(
        RULE.id,
        severity,
        format!("{what}: {who}"),
        &[("written_ios", ios as f64)],
        "write incompressible data to measure the device",
    ))
}

#[cfg(test)]
mod tests {
    use crate::findings::Severity;
    use crate::findings::test::{found, imported, reported};
    use crate::sample::Sample;
    use model::*;

    fn on_btrfs(mut record: RunRecord) -> RunRecord {
        let on = record.targets[0].file_system.as_mut().unwrap();
        (on.kind, on.options) = ("btrfs".to_owned(), "rw,compress=zstd".to_owned());
        record
    }

    fn read(pressed_kib: u64) -> RunRecord {
        let mut record = Sample::default().build();
        record.targets[0].layout.sample = Some(DataSample {
            blocks: 32,
            zero_blocks: 0,
            bytes: Bytes::kib(128),
            pressed: Bytes::kib(pressed_kib),
        });
        record
    }

    #[test]
    fn compressible_data_on_ground_that_compresses_is_reported() {
        let reported = found(&on_btrfs(read(40)), "compressible-data")
            .unwrap()
            .sentence;
        assert_eq!(
            reported,
            "/data/fathom.dat contains data that compresses to 31.2%, and btrfs compresses: the device transferred \
             less than was read"
        );
        assert_eq!(found(&on_btrfs(read(127)), "compressible-data"), None);
        assert_eq!(
            found(&read(40), "compressible-data"),
            None,
            "nothing compresses"
        );
    }

    #[test]
    fn the_hint_names_the_option_of_the_tool() {
        let mut run = imported();
        run.workload.write_percent = Some(Ratio::ALL);
        run.evidence.content = Some(imported_evidence::ImportedContent::Pattern);
        let advice = reported(&run, "compressible-data").unwrap().advice;
        assert!(advice.contains("-Zr"), "{advice}");
        run.format = ImportFormat::FioJson;
        let advice = reported(&run, "compressible-data").unwrap().advice;
        assert!(advice.contains("buffer_pattern"), "{advice}");
    }

    #[test]
    fn written_patterns_are_reported_and_the_default_is_not() {
        let writes = Sample {
            write: Ratio::ALL,
            reads: 0,
            writes: 20_000,
            ..Sample::default()
        };
        let mut record = writes.build();
        assert_eq!(found(&record, "compressible-data"), None);
        record.plan.targets[0].content = WriteContent::Pattern;
        assert_eq!(
            found(&record, "compressible-data").unwrap().severity,
            Severity::Note
        );
        let record = on_btrfs(record);
        assert_eq!(
            found(&record, "compressible-data").unwrap().severity,
            Severity::Warning
        );
        let mut asked = writes.build();
        asked.plan.targets[0].content = WriteContent::Shaped {
            compress: Ratio::percent(50).unwrap(),
            dedupe: Ratio::NONE,
        };
        assert_eq!(found(&asked, "compressible-data"), None);
        assert!(found(&on_btrfs(asked), "compressible-data").is_some());
    }
}
