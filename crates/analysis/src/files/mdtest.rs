//! Work in the manner of mdtest: its request, its answer, and what its figures are not.

use super::{CACHED_BYTES_A_FILE, FilesRow};
use crate::say::{bytes, counted, rate};
use crate::verdict::Answer;
use model::record::mdtest::{MdtestPhase, MdtestWork};
use model::{FilesRecord, FilesWork};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Request of many tasks with folders and files in a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MdtestDigest {
    /// Tasks of all processes.
    pub tasks: u64,
    /// Names of the hosts by rank; empty where one process did all.
    pub hosts: Vec<String>,
    /// Items of one task, of each kind.
    pub items: u64,
    /// Whether items are folders.
    pub item_folders: bool,
    /// Whether items are files.
    pub item_files: bool,
    /// What is written and read of a file.
    pub file: MdtestFile,
    /// How a tree branches.
    pub tree: MdtestTree,
    /// Trees: one, or one of each task.
    pub trees: u64,
    /// Folders of one tree.
    pub tree_folders: u64,
    /// Each phase works on what the task so many further left in the phase before.
    pub shift: u64,
    /// How often all phases were to be done.
    pub iterations: u64,
    /// Phases of an iteration, in their order.
    pub phases: Vec<String>,
}

/// Content of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MdtestFile {
    /// Bytes written to each file.
    pub write_bytes: u64,
    /// Bytes read of each file.
    pub read_bytes: u64,
}

/// Shape of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MdtestTree {
    /// Levels below its root.
    pub depth: u64,
    /// Folders of a folder.
    pub branches: u64,
}

impl MdtestDigest {
    pub(super) fn of(work: &MdtestWork) -> MdtestDigest {
        let shape = &work.shape;
        MdtestDigest {
            tasks: u64::from(shape.tasks),
            hosts: work.hosts.clone(),
            items: shape.items(),
            item_folders: shape.folders,
            item_files: shape.files,
            file: MdtestFile {
                write_bytes: shape.file_size.0,
                read_bytes: work.read.0,
            },
            tree: MdtestTree {
                depth: u64::from(shape.depth),
                branches: shape.branches,
            },
            trees: shape.trees(),
            tree_folders: shape.tree_folders().unwrap_or(0),
            shift: u64::from(work.shift),
            iterations: u64::from(work.iterations),
            phases: work
                .phases
                .iter()
                .map(|phase| phase.name().to_owned())
                .collect(),
        }
    }
}

/// The request of a step that is of this kind.
pub(super) fn work_of(record: &FilesRecord) -> Option<&MdtestWork> {
    match &record.work {
        FilesWork::Mdtest(work) => Some(work),
        _ => None,
    }
}

/// Rates of the first iteration.
pub(super) fn answers(work: &MdtestWork, rows: &[FilesRow]) -> Vec<Answer> {
    let first = MdtestWork {
        iteration: 0,
        ..work.clone()
    };
    let of = |phase: MdtestPhase, word: &str| {
        let name = first.step_name(phase);
        let row = rows.iter().find(|row| row.operation == name)?;
        Some(format!("{word} {}/s", rate(row.iops_estimate?.value)))
    };
    let folders = [
        of(MdtestPhase::DirectoryCreation, "create"),
        of(MdtestPhase::DirectoryStat, "stat"),
        of(MdtestPhase::DirectoryRemoval, "remove"),
    ];
    let files = [
        of(MdtestPhase::FileCreation, "create"),
        of(MdtestPhase::FileStat, "stat"),
        of(MdtestPhase::FileRead, "read"),
        of(MdtestPhase::FileRemoval, "remove"),
    ];
    let both = [Answer::of("folders", folders), Answer::of("files", files)];
    both.into_iter().flatten().collect()
}

/// Names that fit into memory are answered by it.
pub(super) fn warnings(first: &FilesRecord, work: &MdtestWork, rows: &[FilesRow]) -> Vec<String> {
    let looked = |row: &FilesRow| {
        let is_stat = row.operation.contains(" stat") || row.operation.contains(" read");
        is_stat && row.iops_estimate.is_some()
    };
    let names = work.shape.names();
    let kept = names.saturating_mul(CACHED_BYTES_A_FILE);
    let fits = first.host.ram.0 > 0 && kept < first.host.ram.0 / 2;
    // On several hosts another task's items are not in this host's memory.
    let elsewhere = work.shift > 0 && work.hosts.iter().any(|host| *host != first.host.hostname);
    let warned = rows.iter().any(looked) && fits && !elsewhere;
    let warning = warned.then(|| {
        format!(
            "{} fit into memory ({} of {}), so stat and read measure the page cache, not the disk: use more items (-n), or \
             several hosts with -N 1",
            counted(names, "name"),
            bytes(kept),
            bytes(first.host.ram.0)
        )
    });
    warning.into_iter().collect()
}

/// Whether the last phase that was wanted is missing.
pub(super) fn is_cut_off(work: &MdtestWork, last: &FilesRecord) -> bool {
    let is_last = |phase: &MdtestPhase| last.step.name == work.step_name(*phase);
    work.iteration + 1 < work.iterations || !work.phases.last().is_some_and(is_last)
}
