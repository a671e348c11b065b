//! What `fathom verify` found: whole blocks by run, and damage as findings.
//!
//! Blocks of zeros and blocks without a header are reported, but not as damage: nothing shows what should be there.
//! Omitted: the rules of damage (`findings/corrupt_data`), and how fast it was read (`row`).

use super::FilesRow;
use super::notes::FROM_DEVICE_MIN;
use super::verdict::ended;
use crate::Finding;
use crate::findings::{Severity, in_content};
use crate::say::{bytes, count, counted, percent, time};
use crate::verdict::{Answer, Validity, Verdict};
use crate::verification::{CaseReport, DurableReport, KindReport};
use model::verified::{Durability, RunBlocks, Stretch, VerifyWork};
use model::{FilesRecord, FilesWork, Nanos};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Data that was read and compared. A block is 4096 bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VerifyDigest {
    /// First byte that was to be read.
    pub from_bytes: u64,
    /// Behind the last one.
    pub to_bytes: u64,
    /// Read from the first byte on: less where it was interrupted.
    pub done_bytes: u64,
    /// Blocks by what they contain.
    pub blocks: ContentReport,
    /// Corrupt blocks of each kind.
    pub kinds: Vec<KindReport>,
    /// The first corrupt blocks, at most 64.
    pub cases: Vec<CaseReport>,
    /// Whole blocks by run, most blocks first, at most 64.
    pub runs: Vec<RunBlocksReport>,
    /// Whole blocks of further runs.
    pub further_run_blocks: u64,
    /// Places of blocks that are not whole and not zeros, at most 64.
    pub stretches: Vec<StretchReport>,
    /// How many such stretches there are.
    pub stretch_count: u64,
    /// The stored run whose blocks were expected.
    pub expected: Option<ExpectedReport>,
    /// Blocks that a journal promises, and how many of them are there; none without a journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durability: Option<DurabilityReport>,
}

/// Blocks that a journal promises, and how many of them are there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DurabilityReport {
    /// The journal, as it was named.
    pub journal: String,
    /// The random number in the block headers of its run, in hexadecimal.
    pub header_run: String,
    /// Bytes up to its last whole frame.
    pub whole_bytes: u64,
    /// Its length in bytes.
    pub length_bytes: u64,
    /// The run ended regularly, and the journal records that.
    pub ended: bool,
    /// It was on the same storage as the target, so its own flushes reached the device.
    pub beside: bool,
    /// When its last write was complete, in nanoseconds since its run began.
    pub last_ns: u64,
    /// Blocks of the range that was read.
    pub blocks: DurableReport,
}

/// Blocks by what they contain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContentReport {
    /// Whole, at their places.
    pub whole: u64,
    /// Zeros.
    pub zeros: u64,
    /// Without a header of fathom.
    pub foreign: u64,
    /// Whole and not at their places, of runs of which many are not.
    pub displaced: u64,
    /// Damaged.
    pub corrupt: u64,
}

/// Whole blocks of one target of one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunBlocksReport {
    /// The random number in the headers, in hexadecimal.
    pub header_run: String,
    /// Which of that run's targets, by its number from 0.
    pub target: u16,
    /// Those at the places that they were written for.
    pub blocks: u64,
    /// Place of the first, in bytes.
    pub first_offset_bytes: u64,
    /// Place of the last, in bytes.
    pub last_offset_bytes: u64,
    /// The largest version.
    pub version_max: u16,
    /// When the last of them was issued, in nanoseconds on the clock of its run.
    pub last_issued_ns: u64,
    /// Further ones that are not at the places that they were written for.
    pub displaced_blocks: u64,
    /// How far behind their places all of these are; none where the distances differ.
    pub displaced_by_bytes: Option<i64>,
}

/// Neighbouring blocks that are not whole and not zeros.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StretchReport {
    /// The first byte.
    pub from_bytes: u64,
    /// Behind the last byte.
    pub to_bytes: u64,
    /// They are corrupt; else they have no header of fathom.
    pub corrupt: bool,
}

/// A stored run whose blocks were expected.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExpectedReport {
    /// Its name in the results database.
    #[serde(rename = "id")]
    pub run: String,
    /// The random number in its headers, in hexadecimal.
    pub header_run: String,
    /// Blocks that its own pass found after it; none where it had no complete one.
    pub left_blocks: Option<u64>,
    /// Its blocks that are here.
    pub found_blocks: u64,
}

impl VerifyDigest {
    pub(super) fn of(work: &VerifyWork) -> VerifyDigest {
        VerifyDigest {
            from_bytes: work.from.0,
            to_bytes: work.to.0,
            done_bytes: work.done.0,
            blocks: ContentReport {
                whole: work.blocks.whole,
                zeros: work.blocks.zeros,
                foreign: work.blocks.foreign,
                displaced: work.blocks.displaced,
                corrupt: work.corrupt(),
            },
            kinds: work.kinds.iter().map(KindReport::of).collect(),
            cases: work.cases.iter().map(CaseReport::of).collect(),
            runs: work.runs.iter().map(of_run).collect(),
            further_run_blocks: work.further_runs,
            stretches: work.stretches.iter().map(of_stretch).collect(),
            stretch_count: work.stretch_count,
            expected: work.expected.as_ref().map(|expected| ExpectedReport {
                run: expected.name.clone(),
                header_run: hexadecimal(expected.header_run),
                left_blocks: expected.left,
                found_blocks: work.blocks_of(expected.header_run),
            }),
            durability: work.durability.as_ref().map(|found| DurabilityReport {
                journal: found.journal.display().to_string(),
                header_run: hexadecimal(found.header_run),
                whole_bytes: found.whole.0,
                length_bytes: found.length.0,
                ended: found.ended,
                beside: found.beside,
                last_ns: found.last.0,
                blocks: DurableReport::of(&found.blocks),
            }),
        }
    }
}

fn of_run(run: &RunBlocks) -> RunBlocksReport {
    RunBlocksReport {
        header_run: hexadecimal(run.header_run),
        target: run.target,
        blocks: run.blocks,
        first_offset_bytes: run.first.0,
        last_offset_bytes: run.last.0,
        version_max: run.version_max,
        last_issued_ns: run.last_issued.0,
        displaced_blocks: run.displaced,
        displaced_by_bytes: run.displaced_by,
    }
}

fn of_stretch(stretch: &Stretch) -> StretchReport {
    StretchReport {
        from_bytes: stretch.from.0,
        to_bytes: stretch.to.0,
        corrupt: stretch.corrupt,
    }
}

fn hexadecimal(run: u64) -> String {
    format!("{run:016x}")
}

/// What was found, where the steps are those of `fathom verify`.
pub(super) fn of(steps: &[FilesRecord]) -> Option<&VerifyWork> {
    match &steps.last()?.work {
        FilesWork::Verify(work) => Some(work),
        FilesWork::Tree(_) | FilesWork::Mdtest(_) | FilesWork::Copy(_) => None,
    }
}

pub(super) fn findings(work: &VerifyWork, record: &FilesRecord) -> Vec<Finding> {
    in_content(work, &super::names(record).join(" "))
}

pub(super) fn answer(work: &VerifyWork) -> Option<Answer> {
    let of = |blocks: u64, what: &str| {
        (blocks > 0).then(|| format!("{} {what}", counted(blocks, "block")))
    };
    let promised = work.durability.as_ref().map(|found| {
        let blocks = &found.blocks;
        format!(
            "{} durable, {} of them here, {} lost",
            counted(blocks.promised, "block"),
            count(blocks.found),
            count(blocks.lost)
        )
    });
    let figures = [
        promised,
        Some(format!("{} read", bytes(work.done.0))),
        of(work.blocks.whole, "whole"),
        of(work.blocks.zeros, "of zeros"),
        of(work.blocks.foreign, "without a header of fathom"),
        of(work.blocks.displaced, "displaced"),
    ];
    let figures: Vec<Option<String>> = figures.into_iter().filter(Option::is_some).collect();
    Answer::of("content", figures)
}

/// What no block shows by itself.
pub(super) fn warnings(work: &VerifyWork) -> Vec<String> {
    let first = work.stretches.iter().find(|one| !one.corrupt);
    let foreign = first.map(|first| {
        format!(
            "{} without a header of fathom, the first at offset {}: nothing shows whether they should have one",
            counted(work.blocks.foreign, "block"),
            first.from.0
        )
    });
    let displaced = (work.blocks.displaced > 0).then(|| {
        let by = work.runs.iter().find_map(|run| run.displaced_by);
        let by = by.map(|by| format!(" by {}", bytes(by.unsigned_abs())));
        format!(
            "{} displaced{}: a copy, a partition or a member of an array has other places than its source, and addresses \
             that wrap around have, too",
            counted(work.blocks.displaced, "block"),
            by.unwrap_or_default()
        )
    });
    let missing = work.expected.as_ref().and_then(|expected| {
        let (left, found) = (expected.left?, work.blocks_of(expected.header_run));
        (found < left && is_complete(work)).then(|| {
            format!(
                "run {} left {} and {} of them are here: the others were overwritten since, or are lost",
                expected.name,
                counted(left, "block"),
                count(found)
            )
        })
    });
    let durability = work.durability.as_ref();
    let beside = durability.filter(|found| found.beside).map(|_| {
        "durability was not tested: the journal was on the storage of the target, so its own flushes reached the device".to_owned()
    });
    let replaced = durability.filter(|found| found.blocks.replaced > 0).map(|found| {
        format!(
            "{} of durable writes have data of a run that was not there before the journal's: written over since, or lost",
            counted(found.blocks.replaced, "block")
        )
    });
    let nothing = durability.filter(|found| found.blocks.promised == 0).map(|_| {
        "the journal promises nothing here: no flush of its run covered a write; add --fdatasync 32 or --write-through to the run".to_owned()
    });
    missing
        .into_iter()
        .chain(beside)
        .chain(replaced)
        .chain(nothing)
        .chain(displaced)
        .chain(foreign)
        .collect()
}

fn is_complete(work: &VerifyWork) -> bool {
    work.done.0 == work.to.0 - work.from.0
}

pub(super) fn notes(work: &VerifyWork, rows: &[FilesRow]) -> Vec<String> {
    let unseen = match work.expected.as_ref().map(|expected| expected.left) {
        _ if work.durability.is_some() => None,
        Some(Some(_)) => None,
        Some(None) => Some(
            "the run has no complete pass after it, so its record does not show how many of its blocks should be here",
        ),
        None => Some(
            "a block with an older version is whole, so lost writes are not found: fathom run --verify compares versions",
        ),
    };
    let share = rows.first().and_then(FilesRow::read_from_device);
    let cached = share.filter(|share| *share < FROM_DEVICE_MIN && work.blocks.zeros == 0);
    let cached = cached.map(|share| {
        format!(
            "the device below delivered {} of the data: the rest came from a cache, or was stored compressed",
            percent(share)
        )
    });
    let ages = work.durability.as_ref().map(ages);
    unseen
        .map(str::to_owned)
        .into_iter()
        .chain(ages)
        .chain(cached)
        .collect()
}

/// How far back from the end of the journal the writes are that were found, and those that are lost.
fn ages(found: &Durability) -> String {
    let before = |moment: Nanos| time(found.last.minus(moment).0 as f64);
    let blocks = &found.blocks;
    let mut text = format!(
        "the journal's last write was {} after its run began; the latest durable write that is here was {} before it",
        time(found.last.0 as f64),
        before(blocks.last_found)
    );
    if blocks.lost > 0 {
        text.push_str(&format!(
            ", the earliest lost one {} before it, the latest lost one {}{}",
            before(blocks.first_lost),
            before(blocks.last_lost),
            match blocks.is_out_of_order() {
                true => ": later durable writes are here, so the writes were reordered",
                false => "",
            }
        ));
    }
    text
}

/// Damage makes it INVALID; what no block shows by itself, CAUTION.
pub(super) fn verdict(
    work: &VerifyWork,
    findings: &[Finding],
    steps: &[FilesRecord],
    warnings: &[String],
) -> Verdict {
    let damage = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error);
    let is_damaged = damage.clone().next().is_some();
    let damage = damage.map(|finding| finding.sentence.clone());
    let ended = ended(steps).map(|why| {
        let all = bytes(work.to.0 - work.from.0);
        format!("{why}: {} of {all} were compared", bytes(work.done.0))
    });
    let mut reasons: Vec<String> = damage
        .chain(ended)
        .chain(warnings.iter().cloned())
        .collect();
    let validity = match (is_damaged, reasons.is_empty()) {
        (true, _) => Validity::Invalid,
        (false, false) => Validity::Caution,
        (false, true) => Validity::Valid,
    };
    let mut checks = vec![
        "all of the range read".to_owned(),
        "every byte of each block matches its header".to_owned(),
    ];
    if work.durability.is_some() {
        checks.push("all durable writes are here".to_owned());
    }
    if validity == Validity::Valid {
        reasons.push(format!("no errors; {}", checks.join(", ")));
    }
    Verdict {
        validity,
        checks: match validity {
            Validity::Valid => checks,
            _ => Vec::new(),
        },
        unchecked: match work.durability {
            Some(_) => Vec::new(),
            None => vec!["versions".to_owned()],
        },
        reasons,
        ..Verdict::default()
    }
}
