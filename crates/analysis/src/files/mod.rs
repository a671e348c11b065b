//! Steps of work with files → report: rates with intervals, latencies, and whose doing they are.
//!
//! Read in this order: the report (here), `row` (one step), `batches` (how far off its rate may be), `notes` (what a
//! person should know), `verdict`, `answers`, `verify` (all of that for `fathom verify`). Deliberately absent: other tools' layouts, which are `views`'s.

mod answers;
mod batches;
mod mdtest;
mod notes;
mod row;
#[cfg(test)]
mod tests;
mod verdict;
mod verify;

use crate::Finding;
use crate::facts::{DeviceDigest, HostDigest};
use crate::findings::files_findings;
use crate::verdict::Answer;
use crate::verdict::Verdict;
pub use mdtest::{MdtestDigest, MdtestFile, MdtestTree};
use model::{FilesRecord, FilesWork};
pub use row::FilesRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
pub use verify::{
    ContentReport, DurabilityReport, ExpectedReport, RunBlocksReport, StretchReport, VerifyDigest,
};

/// What the kernel keeps of a file whose name it knows: its facts and its name. ext4's are 1.1 KiB and 0.2 KiB, those of
/// XFS and btrfs about the same (slabinfo(5): `ext4_inode_cache`, `xfs_inode`, `dentry`).
const CACHED_BYTES_A_FILE: u64 = 1300;

/// What became of work with files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FilesReport {
    /// The answer, in a few lines; none where nothing was measured.
    pub answers: Vec<Answer>,
    /// Whether the figures may be used, with the reasons.
    pub verdict: Verdict,
    /// The folder, or source and destination of a copy, as they were named.
    pub paths: Vec<String>,
    /// What uses the folder and is below it.
    #[serde(flatten)]
    pub storage: FilesStorage,
    /// The machine; none where nothing was done.
    pub host: Option<HostDigest>,
    /// Request.
    #[serde(flatten)]
    pub work: WorkRequest,
    /// When and by what it was measured.
    #[serde(flatten)]
    pub origin: FilesOrigin,
    /// One a step, in their order.
    pub rows: Vec<FilesRow>,
    /// Damage of data that was read; none but of `fathom verify`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// Limits of the figures: each is a reason for CAUTION.
    pub warnings: Vec<String>,
    /// Notes on these figures.
    pub notes: Vec<String>,
    /// `complete`, `interrupted` or `failed`; a session without steps is `interrupted`.
    pub outcome: String,
}

/// Hosts that work in a folder, and the file system and devices below it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FilesStorage {
    /// Names of the hosts by rank, where ranks worked in a folder each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// Type of the file system.
    pub file_system: Option<String>,
    /// Options that it is mounted with.
    pub mount_options: Option<String>,
    /// The devices below it, nearest first.
    pub chain: Vec<DeviceDigest>,
}

/// Request of work with files: one of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkRequest {
    /// Request of work with many small files and one large one; none for a copy.
    pub tree: Option<TreeDigest>,
    /// Request of `fathom mdtest`; none of anything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mdtest: Option<MdtestDigest>,
    /// Request of a copy; none for work in a folder.
    pub copy: Option<CopyDigest>,
    /// Data that was read and compared; only for `fathom verify`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<VerifyDigest>,
}

/// When and by what work with files was measured; none where nothing was.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FilesOrigin {
    /// Nanoseconds since 1970 in UTC.
    pub started_utc_ns: Option<u64>,
    /// Version of fathom that measured it.
    pub tool_version: Option<String>,
    /// The command line as it was given, program name first.
    pub command: Vec<String>,
}

/// Request of work in a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TreeDigest {
    /// Small files, of all threads together.
    pub files: u64,
    /// Bytes in each.
    pub file_bytes: u64,
    /// Folders that they lie in.
    pub folders: u64,
    /// Threads.
    pub threads: u32,
    /// Size of the one large file; 0 where there was none.
    pub data_bytes: u64,
    /// Bytes of one read or write of it.
    pub block_bytes: u64,
    /// A step that lasts longer is cut short.
    pub step_limit_ns: u64,
    /// The random order follows from it.
    pub seed: u64,
    /// The system's caches were emptied before each step that reads.
    pub drops_caches: bool,
    /// Steps that were omitted on request, by their names.
    pub skipped: Vec<String>,
}

/// Request and result of a copy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CopyDigest {
    /// Bytes of one read.
    pub input_block_bytes: u64,
    /// Bytes of one write.
    pub output_block_bytes: u64,
    /// Operands as they were given.
    pub operands: Vec<String>,
    /// Reads of a whole block, and reads of a part of one.
    pub records_in: [u64; 2],
    /// The same of writes.
    pub records_out: [u64; 2],
    /// Bytes that were written.
    pub copied_bytes: u64,
    /// From the first read to the end of the last write or flush.
    pub elapsed_ns: u64,
    /// Copied bytes by this time.
    pub bytes_per_s: f64,
}

/// The report of the steps of one session.
pub fn files_report(steps: &[FilesRecord]) -> FilesReport {
    let rows: Vec<FilesRow> = steps.iter().map(FilesRow::of).collect();
    let Some(first) = steps.first() else {
        return FilesReport {
            verdict: verdict::of_nothing("it ended before its first step was complete"),
            outcome: "interrupted".to_owned(),
            ..FilesReport::default()
        };
    };
    let (tree, copy) = asked(steps);
    let content = verify::of(steps);
    let findings = match content {
        Some(work) => verify::findings(work, first),
        None => files_findings(steps),
    };
    let fs = first.place.file_system.as_ref();
    let last = steps.last().unwrap_or(first);
    let warnings = match content {
        Some(work) => verify::warnings(work),
        None => notes::warnings(steps, &rows),
    };
    FilesReport {
        answers: match content {
            Some(work) => verify::answer(work).into_iter().collect(),
            None => answers::answers(steps, &rows),
        },
        verdict: match content {
            Some(work) => verify::verdict(work, &findings, steps, &warnings),
            None => verdict::verdict(steps, &rows, &findings, &warnings),
        },
        paths: names(first),
        storage: FilesStorage {
            hosts: first.place.hosts.clone(),
            file_system: fs.map(|fs| fs.kind.clone()),
            mount_options: fs.map(|fs| fs.options.clone()),
            chain: first.place.chain.iter().map(DeviceDigest::of).collect(),
        },
        host: Some(HostDigest::of(&first.host)),
        work: WorkRequest {
            tree,
            mdtest: mdtest::work_of(first).map(MdtestDigest::of),
            copy,
            verify: content.map(VerifyDigest::of),
        },
        findings,
        origin: FilesOrigin {
            started_utc_ns: Some(first.started_utc.0),
            tool_version: Some(first.tool_version.clone()),
            command: first.command.clone(),
        },
        notes: match content {
            Some(work) => verify::notes(work, &rows),
            None => notes::notes(steps, &rows),
        },
        warnings,
        rows,
        outcome: last.outcome.name().to_owned(),
    }
}

fn names(record: &FilesRecord) -> Vec<String> {
    let paths = record.place.paths.iter();
    paths
        .map(|path| path.to_string_lossy().into_owned())
        .collect()
}

/// Of a copy, the last step knows how much was copied.
fn asked(steps: &[FilesRecord]) -> (Option<TreeDigest>, Option<CopyDigest>) {
    match steps.last().map(|step| &step.work) {
        Some(FilesWork::Tree(work)) => {
            let tree = TreeDigest {
                files: work.files,
                file_bytes: work.file_size.0,
                folders: work.folders,
                threads: work.threads,
                data_bytes: work.data.0,
                block_bytes: work.block.0,
                step_limit_ns: work.step_limit.0,
                seed: work.seed,
                drops_caches: work.drops_caches,
                skipped: work
                    .skipped
                    .iter()
                    .map(|step| step.name().to_owned())
                    .collect(),
            };
            (Some(tree), None)
        }
        Some(FilesWork::Copy(work)) => {
            let seconds = work.elapsed.as_seconds();
            let copy = CopyDigest {
                input_block_bytes: work.input_block.0,
                output_block_bytes: work.output_block.0,
                operands: work.operands.clone(),
                records_in: [work.records_in.0, work.records_in.1],
                records_out: [work.records_out.0, work.records_out.1],
                copied_bytes: work.copied.0,
                elapsed_ns: work.elapsed.0,
                bytes_per_s: if seconds > 0.0 {
                    work.copied.0 as f64 / seconds
                } else {
                    0.0
                },
            };
            (None, Some(copy))
        }
        Some(FilesWork::Mdtest(_) | FilesWork::Verify(_)) | None => (None, None),
    }
}
