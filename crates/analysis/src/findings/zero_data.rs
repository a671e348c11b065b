//! Zeros, read or written: many devices serve or accept them without access to the medium.
//!
//! A solid-state disk, a thin volume and a sparse image answer for a block that was never written (or was discarded) from
//! their map; zram and file systems that compress keep a page of zeros as a mark. Reads: half of a sample of at least
//! eight blocks was zeros before the run, on such ground. A rotating disk reads its zeros from the platter: silent. So is
//! a file of zeros on a file system that does not compress.

use super::storage_stack::{Below, targets};
use super::{Cause, Confidence, Finding, Group, Look, Own, Rule, RuleId, Seen, Severity, finding};
use crate::say;
use model::imported_evidence::ImportedContent;
use model::{ImportedRun, Operation, TargetKind, WriteContent};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("zero-data"),
    group: Group::Data,
    cause: Cause::Cache,
    limit: None,
    what: "The data read or written is zeros, which many devices serve and accept without access to the medium.",
    method: "fathom reads a sample of evenly spread blocks before the run. Reads: half of at least 8 blocks are \
             zeros, and the target is a non-rotating device or a layer below compresses. Writes: the requested \
             content is zeros; a warning if a layer below compresses, or, of imported runs, where more than 600 MB/s were \
             moved; a note otherwise. Imported reads: SQLIO with a specified size and sysbench without validation fill \
             their files with zeros.",
    evidence: &[
        "zero_blocks",
        "sampled_blocks",
        "written_ios",
        "bytes_per_s",
    ],
    source: "NVM Express NVM Command Set Specification, deallocated blocks (DLFEAT); the kernel's \
             Documentation/admin-guide/blockdev/zram.rst (same_pages).",
    advice: "Write the whole range with incompressible data before reading it; write incompressible data.",
    look: Look::Any(look),
};

const SHARE_MIN: f64 = 0.50;
const BLOCKS_MIN: u32 = 8;
/// What the fastest SATA link carries.
const SATA_BYTES_PER_S: f64 = 600e6;

fn look(seen: &Seen<'_>) -> Option<Finding> {
    match (seen.own, seen.imported) {
        (Some(own), _) => of_own(own),
        (None, run) => of_others(run?),
    }
}

/// Whether something below compresses is not known of them. Reads are of a file that the tool itself fills.
fn of_others(run: &ImportedRun) -> Option<Finding> {
    let writes = run.workload.write_percent?.as_percent() > 0;
    let zeros = run.evidence.content == Some(ImportedContent::Zeros);
    let moved = run.figures.total.bytes_per_s;
    let fast = moved.filter(|moved| *moved > SATA_BYTES_PER_S);
    zeros.then(|| {
        let tool = run.format.tool();
        let mut sentence = match writes {
            true => "only zeros were written".to_owned(),
            false => format!("a file that {tool} creates contains only zeros; it was read"),
        };
        if let Some(fast) = fast {
            sentence.push_str(&format!(
                " at {} MiB/s, more than SATA and any rotating disk carry",
                say::mib_per_s(fast)
            ));
        }
        sentence.push_str(match writes {
            true => ": a device or file system that compresses or detects zeros stores almost none of them",
            false => ": an array, device or file system that compresses, deduplicates or detects zeros answers without its medium",
        });
        let advice = match writes {
            true => {
                "repeat with incompressible data (fathom's default; dd: from a file of random data): if it is slower, \
                 the zeros were not stored"
            }
            false => {
                "repeat with a file of incompressible data (fathom run FILE --create 20G): if it is slower, the zeros \
                 were not read"
            }
        };
        let severity = match fast {
            Some(_) => Severity::Warning,
            None => Severity::Note,
        };
        let evidence: Vec<(&str, f64)> = moved.into_iter().map(|moved| ("bytes_per_s", moved)).collect();
        let reported = finding(RULE.id, severity, sentence, &evidence, advice);
        reported.sure(Confidence::Medium)
    })
}

fn of_own(own: &Own<'_>) -> Option<Finding> {
    targets(own.record).find_map(|target| read(own, &target).or_else(|| written(own, &target)))
}

fn read(own: &Own<'_>, target: &Below<'_>) -> Option<Finding> {
    let sample = target.facts.layout.sample?;
    let share = sample.zero_share()?;
    let presses = target.presses();
    let device = matches!(
        target.facts.kind,
        TargetKind::BlockDevice | TargetKind::NvmeNamespace | TargetKind::Simulated
    );
    let answers = presses.is_some() || (device && target.spindles().is_none());
    let read = target.counted(own.record, Operation::Read).ios;
    if read == 0 || !answers || sample.blocks < BLOCKS_MIN || share < SHARE_MIN {
        return None;
    }
    let sentence = format!(
        "{} of {} sampled blocks of {} were zeros: such reads may not reach the medium",
        say::count(u64::from(sample.zero_blocks)),
        say::count(u64::from(sample.blocks)),
        target.path()
    );
    let reported = finding(
        RULE.id,
        Severity::Warning,
        sentence,
        &[
            ("zero_blocks", f64::from(sample.zero_blocks)),
            ("sampled_blocks", f64::from(sample.blocks)),
        ],
        "write the whole range once before reading it",
    );
    let sure = if presses.is_some() {
        Confidence::High
    } else {
        Confidence::Medium
    };
    Some(reported.sure(sure))
}

fn written(own: &Own<'_>, target: &Below<'_>) -> Option<Finding> {
    let ios = target.counted(own.record, Operation::Write).ios;
    if target.planned.content != WriteContent::Zero
        || ios == 0
        || target.facts.kind == TargetKind::Null
    {
        return None;
    }
    let (severity, who) = match target.presses() {
        Some(who) => (
            Severity::Warning,
            format!("{who} stores almost none of them"),
        ),
        None => (
            Severity::Note,
            "a device that compresses or detects zeros is faster with them".to_owned(),
        ),
    };
    Some(finding(
        RULE.id,
        severity,
        format!("only zeros were written: {who}"),
        &[("written_ios", ios as f64)],
        "write incompressible data, which is the default",
    ))
}

#[cfg(test)]
mod tests {
    use crate::findings::Severity;
    use crate::findings::test::found;
    use crate::sample::Sample;
    use model::*;

    fn device(zero_blocks: u32) -> RunRecord {
        let mut record = Sample::default().build();
        record.targets[0].kind = TargetKind::BlockDevice;
        record.targets[0].layout.sample = Some(DataSample {
            blocks: 32,
            zero_blocks,
            bytes: Bytes(4096 * u64::from(32 - zero_blocks)),
            pressed: Bytes(4096 * u64::from(32 - zero_blocks)),
        });
        record
    }

    #[test]
    fn reads_of_a_device_that_was_never_written_are_reported() {
        let reported = found(&device(30), "zero-data").unwrap();
        assert_eq!(reported.severity, Severity::Warning);
        assert_eq!(
            reported.sentence,
            "30 of 32 sampled blocks of /data/fathom.dat were zeros: such reads may not reach the medium"
        );
    }

    #[test]
    fn data_a_platter_and_a_file_are_not_reported() {
        assert_eq!(found(&device(15), "zero-data"), None);
        let mut file = device(32);
        file.targets[0].kind = TargetKind::File;
        assert_eq!(found(&file, "zero-data"), None);
        let mut disk = device(32);
        for device in &mut disk.targets[0].chain {
            device.rotational = Some(true);
        }
        assert_eq!(found(&disk, "zero-data"), None);
    }

    #[test]
    fn zeros_that_are_written_are_reported_by_what_takes_them() {
        let writes = Sample {
            write: Ratio::ALL,
            reads: 0,
            writes: 20_000,
            ..Sample::default()
        };
        let mut record = writes.build();
        assert_eq!(found(&record, "zero-data"), None);
        record.plan.targets[0].content = WriteContent::Zero;
        assert_eq!(
            found(&record, "zero-data").unwrap().severity,
            Severity::Note
        );
        record.targets[0].chain[0].kind = "zram".to_owned();
        let reported = found(&record, "zero-data").unwrap();
        assert_eq!(reported.severity, Severity::Warning);
        assert_eq!(
            reported.sentence,
            "only zeros were written: vda1 stores almost none of them"
        );
    }
}
