//! The results of work with files: one step of `fathom files`, of `fathom dd` or of `fathom verify`, whole in itself.
//!
//! A step is one operation done many times: creating a file, reading a name's facts, writing a block. The block engine's
//! `RunRecord` cannot express this, because there is no plan of offsets and depths behind it. What was not measured is
//! kept as well, with its reason. Deliberately absent: rates and intervals, which are `analysis`'s.

use super::copied::CopyWork;
use super::counters::DeviceCounters;
use super::histogram::LatencyHistogram;
use super::host::{BlockDevice, FileSystem, HostRecord};
use super::mdtest::{MdtestPhase, MdtestWork};
use super::tree_step::TreeStep;
use super::verified::VerifyWork;
use crate::units::{Bytes, Nanos};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// One step with everything that its figures mean something by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FilesRecord {
    /// Version of fathom.
    pub tool_version: String,
    /// The command line as it was given, program name first.
    pub command: Vec<String>,
    /// Wall clock at the start of the command: nanoseconds since 1970 in UTC.
    pub started_utc: Nanos,
    /// The machine.
    pub host: HostRecord,
    /// What was worked on.
    pub place: FilesPlace,
    /// What was asked of the whole command.
    pub work: FilesWork,
    /// What was done.
    pub step: FilesStep,
    /// How the step ended.
    pub outcome: FilesOutcome,
}

/// What was worked on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FilesPlace {
    /// The folder, or source and destination of a copy, as they were named.
    pub paths: Vec<PathBuf>,
    /// The file system of the folder or of the copy's destination, where there is one.
    pub file_system: Option<FileSystem>,
    /// The devices below it, nearest first. // empty where the system does not report it
    pub chain: Vec<BlockDevice>,
    /// Names of the hosts by rank, where ranks worked in a folder each; else empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
}

/// What was asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilesWork {
    /// `fathom files`.
    Tree(TreeWork),
    /// `fathom mdtest`.
    Mdtest(Box<MdtestWork>),
    /// `fathom dd`, `fathom lmdd` and `fathom sgp_dd`.
    Copy(CopyWork),
    /// `fathom verify`.
    Verify(Box<VerifyWork>),
}

/// What `fathom files` was asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeWork {
    /// Files created by all threads together. // 0 omits the operations on many files
    pub files: u64,
    /// Bytes in each of them.
    pub file_size: Bytes,
    /// Folders that they lie in. // at least 1
    pub folders: u64,
    /// Threads. // at least 1
    pub threads: u32,
    /// Size of the one large file. // 0 leaves it out
    pub data: Bytes,
    /// Bytes of one read or write of the large file.
    pub block: Bytes,
    /// A step that lasts longer than this is cut short.
    pub step_limit: Nanos,
    /// The order of the random steps follows from it.
    pub seed: u64,
    /// The system's caches were emptied before each step that reads.
    pub drops_caches: bool,
    /// Steps that are omitted. No other one needs what they leave.
    #[serde(default)]
    pub skipped: Vec<TreeStep>,
}

/// One operation done many times.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FilesStep {
    /// Name of the step: `create`, `stat`, `write blocks`.
    pub name: String,
    /// In the order of names and places, or in a random one.
    pub order: FilesOrder,
    /// How often it was to be done; `None` where only the time limit ends it.
    pub planned: Option<u64>,
    /// Bytes of one operation; `None` where it moves none.
    pub block: Option<Bytes>,
    /// What each thread counted.
    pub threads: Vec<FilesThread>,
    /// From the first thread's start to the last one's end, what belongs to the step at its end (a flush) included.
    pub elapsed: Nanos,
    /// Of it, the flush at the end.
    pub flush: Option<Nanos>,
    /// What the device below counted meanwhile; `None` where there is none or it reports nothing.
    pub device: Option<DeviceCounters>,
    /// The time limit ended it before it had done what was planned.
    pub cut: bool,
    /// Why there is no figure.
    pub unmeasured: Option<String>,
}

/// What one thread counted in one step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FilesThread {
    /// Operations that succeeded.
    pub operations: u64,
    /// Bytes that they transferred.
    pub bytes: Bytes,
    /// How long each took.
    pub latency: LatencyHistogram,
    /// Operations of one batch. // at least 1
    pub batch_operations: u64,
    /// When each whole batch ended, on the step's clock. The first begins at `began`. // at most 64
    pub batch_ends: Vec<Nanos>,
    /// When the first operation began, on the step's clock.
    pub began: Nanos,
    /// When the last one ended.
    pub ended: Nanos,
    /// Processor time; `None` where the system does not report it.
    pub cpu: Option<Nanos>,
    /// Operations whose data was compared; 0 where none is.
    #[serde(default)]
    pub compared: u64,
    /// Of them, those whose data was not what was written.
    #[serde(default)]
    pub differing: u64,
}

/// The order of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilesOrder {
    /// One after the other.
    #[default]
    Sequential,
    /// Each once, in an order that follows from the seed; seeks go anywhere.
    Random,
}

impl FilesOrder {
    /// As it stands in the store and in tables.
    pub const fn name(self) -> &'static str {
        match self {
            FilesOrder::Sequential => "sequential",
            FilesOrder::Random => "random",
        }
    }
}

/// How a step ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilesOutcome {
    /// As planned, or at its time limit.
    Complete,
    /// Stopped from outside.
    Interrupted,
    /// Ended by this error.
    Failed(String),
}

impl FilesOutcome {
    /// As it stands in the store and in tables.
    pub const fn name(&self) -> &'static str {
        match self {
            FilesOutcome::Complete => "complete",
            FilesOutcome::Interrupted => "interrupted",
            FilesOutcome::Failed(_) => "failed",
        }
    }
}

impl FilesRecord {
    /// Returns the operations that the rate counts: all, but of the trees of mdtest the folders of one, as mdtest does.
    pub fn counted(&self) -> u64 {
        let trees = match &self.work {
            FilesWork::Mdtest(work) => {
                let of_trees = [MdtestPhase::TreeCreation, MdtestPhase::TreeRemoval];
                let is_of_trees = of_trees
                    .iter()
                    .any(|phase| work.step_name(*phase) == self.step.name);
                if is_of_trees { work.shape.trees() } else { 1 }
            }
            _ => 1,
        };
        self.step.operations() / trees.max(1)
    }
}

impl FilesStep {
    /// Operations of all threads.
    pub fn operations(&self) -> u64 {
        self.sum(|thread| thread.operations)
    }

    /// Bytes that they transferred.
    pub fn bytes(&self) -> Bytes {
        Bytes(self.sum(|thread| thread.bytes.0))
    }

    /// Operations whose data was compared, and how many of them had other data than was written.
    pub fn compared(&self) -> (u64, u64) {
        (
            self.sum(|thread| thread.compared),
            self.sum(|thread| thread.differing),
        )
    }

    /// How long operations took, of all threads.
    pub fn latency(&self) -> LatencyHistogram {
        let mut all = LatencyHistogram::new();
        self.threads.iter().for_each(|one| all.merge(&one.latency));
        all
    }

    /// Its name among other steps: `create, random`.
    pub fn label(&self) -> String {
        format!("{}, {}", self.name, self.order.name())
    }

    fn sum(&self, of: impl Fn(&FilesThread) -> u64) -> u64 {
        let each = self.threads.iter();
        each.fold(0, |sum, thread| sum.saturating_add(of(thread)))
    }

    /// Joins what several processes did of one step, each on a clock that began at the same moment.
    pub fn joined(parts: Vec<FilesStep>) -> FilesStep {
        let mut all = FilesStep::default();
        let mut ended = Nanos(0);
        for (place, part) in parts.into_iter().enumerate() {
            let began = part.threads.iter().map(|one| one.began).min();
            ended = ended.max(began.unwrap_or_default().plus(part.elapsed));
            if place == 0 {
                all = FilesStep {
                    threads: Vec::new(),
                    planned: None,
                    ..part.clone()
                };
            }
            all.threads.extend(part.threads);
            all.planned = match (all.planned, part.planned) {
                (Some(one), Some(other)) => Some(one + other),
                (one, other) => one.or(other),
            };
            all.flush = all.flush.max(part.flush);
            all.cut |= part.cut;
        }
        let began = all.threads.iter().map(|one| one.began).min();
        all.elapsed = ended.minus(began.unwrap_or_default());
        if all.operations() > 0 {
            all.unmeasured = None;
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_step_are_one_from_the_first_beginning_to_the_last_end() {
        let part = |began, ended, operations| FilesStep {
            name: "file stat".to_owned(),
            planned: Some(10),
            threads: vec![FilesThread {
                operations,
                began: Nanos(began),
                ended: Nanos(ended),
                ..FilesThread::default()
            }],
            elapsed: Nanos(ended - began),
            ..FilesStep::default()
        };
        let all = FilesStep::joined(vec![part(5, 50, 10), part(2, 40, 9)]);
        assert_eq!(
            (all.operations(), all.planned, all.elapsed),
            (19, Some(20), Nanos(48))
        );
        assert_eq!(all.threads.len(), 2);
    }
}
