//! Work in the manner of mdtest: many tasks that create, look up, read, rename and remove folders and files in a tree.
//!
//! The tree is a heap: folder 0 is its root, and the folders below folder `f` are `f * branches + 1` and those that follow. Items
//! are numbered over the folders that contain any. Source: mdtest 4.1. Omitted: how a phase is done (`engine`).

use crate::units::{Bytes, Nanos};
use serde::{Deserialize, Serialize};

/// More folders in one tree, or items of one task, than this are refused.
pub const ITEMS_MAX: u64 = 1_000_000_000;
/// A deeper tree is refused: its paths would be too long.
pub const DEPTH_MAX: u32 = 100;

/// Request of `fathom mdtest`, with the iteration that a record belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MdtestWork {
    /// The tree and what is in it.
    pub shape: MdtestShape,
    /// What is done, in this order.
    pub phases: Vec<MdtestPhase>,
    /// Bytes that are read of each file.
    pub read: Bytes,
    /// Each file is flushed before it is closed.
    pub syncs_files: bool,
    /// sync(2) ends each phase, within its time.
    pub syncs_phases: bool,
    /// Files are created for this time, and then all tasks go on to as many as the fastest one created.
    #[serde(default)]
    pub wear_out: Option<Nanos>,
    /// What is compared with what was written.
    #[serde(default)]
    pub compares: MdtestCompares,
    /// Each phase works on what the task so many further left in the phase before.
    pub shift: u32,
    /// Stat and read go through the items in a random order.
    pub random_seed: Option<u64>,
    /// From 0.
    pub iteration: u32,
    /// How many there are. // at least 1
    pub iterations: u32,
    /// Names of the hosts by rank; empty where one process did all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
}

/// Data that is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MdtestCompares {
    /// That of each read.
    pub reads: bool,
    /// That of each file once it is written, which is read for it.
    pub writes: bool,
}

/// What a tree contains: a later call has to describe the tree that an earlier one left as that did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MdtestShape {
    /// All tasks of all ranks. // at least 1
    pub tasks: u32,
    /// Levels below the root of a tree.
    pub depth: u32,
    /// Folders of a tree's folder. // at least 1
    pub branches: u64,
    /// Items of each kind that a task has in a folder.
    pub per_folder: u64,
    /// Only folders without folders of the tree contain items.
    pub leaves_only: bool,
    /// Each task has a tree of its own.
    pub own_trees: bool,
    /// The items of a task are in the tree of the task so many further; 0 where all share a tree.
    pub trees_shift: u32,
    /// Items that are folders.
    pub folders: bool,
    /// Items that are files.
    pub files: bool,
    /// Bytes in each file.
    pub file_size: Bytes,
}

/// One phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the name describes each")]
pub enum MdtestPhase {
    TreeCreation,
    DirectoryCreation,
    DirectoryStat,
    DirectoryRename,
    DirectoryRemoval,
    FileCreation,
    FileStat,
    FileRead,
    FileRemoval,
    TreeRemoval,
}

impl MdtestPhase {
    /// All, in their order.
    pub const ALL: [MdtestPhase; 10] = [
        MdtestPhase::TreeCreation,
        MdtestPhase::DirectoryCreation,
        MdtestPhase::DirectoryStat,
        MdtestPhase::DirectoryRename,
        MdtestPhase::DirectoryRemoval,
        MdtestPhase::FileCreation,
        MdtestPhase::FileStat,
        MdtestPhase::FileRead,
        MdtestPhase::FileRemoval,
        MdtestPhase::TreeRemoval,
    ];

    /// As it stands in records and tables.
    pub const fn name(self) -> &'static str {
        match self {
            MdtestPhase::TreeCreation => "tree creation",
            MdtestPhase::DirectoryCreation => "directory creation",
            MdtestPhase::DirectoryStat => "directory stat",
            MdtestPhase::DirectoryRename => "directory rename",
            MdtestPhase::DirectoryRemoval => "directory removal",
            MdtestPhase::FileCreation => "file creation",
            MdtestPhase::FileStat => "file stat",
            MdtestPhase::FileRead => "file read",
            MdtestPhase::FileRemoval => "file removal",
            MdtestPhase::TreeRemoval => "tree removal",
        }
    }

    /// Whether its items are folders of the tree.
    pub const fn is_of_trees(self) -> bool {
        matches!(self, MdtestPhase::TreeCreation | MdtestPhase::TreeRemoval)
    }

    /// Whether its items are files.
    pub const fn is_of_files(self) -> bool {
        matches!(
            self,
            MdtestPhase::FileCreation
                | MdtestPhase::FileStat
                | MdtestPhase::FileRead
                | MdtestPhase::FileRemoval
        )
    }

    /// Whether it leaves the tree other than it was, until all phases of its kind are done.
    pub const fn changes(self) -> bool {
        !matches!(
            self,
            MdtestPhase::DirectoryStat | MdtestPhase::FileStat | MdtestPhase::FileRead
        )
    }

    /// By how many shifts the items of a task are apart from those that it created.
    const fn shifts(self) -> u64 {
        match self {
            MdtestPhase::DirectoryStat | MdtestPhase::DirectoryRename | MdtestPhase::FileStat => 1,
            MdtestPhase::FileRead => 2,
            MdtestPhase::DirectoryRemoval | MdtestPhase::FileRemoval => 3,
            _ => 0,
        }
    }
}

impl MdtestShape {
    /// Folders of one tree; `None` beyond [`ITEMS_MAX`].
    pub fn tree_folders(&self) -> Option<u64> {
        let mut level = 1u64;
        let mut all = 1u64;
        for _ in 0..self.depth {
            level = level.checked_mul(self.branches)?;
            all = all.checked_add(level)?;
            if all > ITEMS_MAX {
                return None;
            }
        }
        Some(all)
    }

    /// Folders of one tree that contain items, and the first of them.
    fn item_folders(&self) -> (u64, u64) {
        let all = self.tree_folders().unwrap_or(ITEMS_MAX);
        match self.leaves_only {
            true => {
                let leaves = self.branches.saturating_pow(self.depth).min(all);
                (leaves, all - leaves)
            }
            false => (all, 0),
        }
    }

    /// How many folders of one tree contain items.
    pub fn folders_with_items(&self) -> u64 {
        self.item_folders().0
    }

    /// Items of each kind that one task has.
    pub fn items(&self) -> u64 {
        self.per_folder.saturating_mul(self.item_folders().0)
    }

    /// The folder of a task's item, and the item's number in the name: both count from the tree's root.
    pub fn place(&self, item: u64) -> (u64, u64) {
        let number = item + self.item_folders().1 * self.per_folder;
        (number / self.per_folder.max(1), number)
    }

    /// The folder that contains this one; `None` for the root.
    pub fn parent(&self, folder: u64) -> Option<u64> {
        Some(folder.checked_sub(1)? / self.branches.max(1))
    }

    /// Trees.
    pub fn trees(&self) -> u64 {
        match self.own_trees {
            true => u64::from(self.tasks),
            false => 1,
        }
    }

    /// The name of a tree's folder; `task` is whose tree.
    pub fn folder_name(&self, task: u32, folder: u64) -> String {
        match self.own_trees {
            true => format!("mdtest_tree.{task}.{folder}"),
            false => format!("mdtest_tree.{folder}"),
        }
    }

    /// The task in whose tree the items of this one are.
    pub fn tree_of(&self, task: u32) -> u32 {
        let shifted = u64::from(task) + u64::from(self.trees_shift);
        (shifted % u64::from(self.tasks.max(1))) as u32
    }

    /// Names below the test folder once all is created.
    pub fn names(&self) -> u64 {
        let kinds = u64::from(self.folders) + u64::from(self.files);
        let items = self.items().saturating_mul(u64::from(self.tasks));
        let trees = self.tree_folders().unwrap_or(ITEMS_MAX);
        items
            .saturating_mul(kinds)
            .saturating_add(trees.saturating_mul(self.trees()))
    }
}

impl MdtestWork {
    /// Whose items a task works on in a phase.
    pub fn creator(&self, phase: MdtestPhase, task: u32) -> u32 {
        let shifted = u64::from(task) + phase.shifts() * u64::from(self.shift);
        (shifted % u64::from(self.shape.tasks.max(1))) as u32
    }

    /// Whether the tree of an earlier call is used.
    pub fn uses_earlier(&self) -> bool {
        !self.phases.contains(&MdtestPhase::TreeCreation)
    }

    /// Whether the tree stays.
    pub fn leaves_tree(&self) -> bool {
        !self.phases.contains(&MdtestPhase::TreeRemoval)
    }

    /// The name of the folder of this iteration.
    pub fn test_folder(&self) -> String {
        format!("test-dir.{}-0", self.iteration)
    }

    /// The name of a phase of this iteration in records.
    pub fn step_name(&self, phase: MdtestPhase) -> String {
        match self.iterations {
            0 | 1 => phase.name().to_owned(),
            of => format!("{} {} of {of}", phase.name(), self.iteration + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(depth: u32, branches: u64, per_folder: u64) -> MdtestShape {
        MdtestShape {
            tasks: 4,
            depth,
            branches,
            per_folder,
            folders: true,
            files: true,
            ..MdtestShape::default()
        }
    }

    #[test]
    fn a_tree_has_as_many_folders_as_mdtest_s() {
        for (depth, branches, folders) in
            [(0, 1, 1), (3, 1, 4), (1, 2, 3), (2, 3, 13), (2, 25, 651)]
        {
            assert_eq!(shape(depth, branches, 1).tree_folders(), Some(folders));
        }
        assert_eq!(shape(40, 2, 1).tree_folders(), None);
        assert_eq!(shape(2, 3, 25).items(), 325);
    }

    #[test]
    fn items_are_in_the_folders_of_the_tree_or_in_its_leaves() {
        let all = shape(1, 2, 3);
        assert_eq!(
            [0, 2, 3, 8].map(|item| all.place(item)),
            [(0, 0), (0, 2), (1, 3), (2, 8)]
        );
        let leaves = MdtestShape {
            leaves_only: true,
            ..shape(1, 2, 3)
        };
        assert_eq!(
            (leaves.items(), leaves.place(0), leaves.place(5)),
            (6, (1, 3), (2, 8))
        );
        assert_eq!(
            [0, 1, 2, 3].map(|folder| all.parent(folder)),
            [None, Some(0), Some(0), Some(1)]
        );
        let chain = shape(3, 1, 2);
        assert_eq!(
            [1, 2, 3].map(|folder| chain.parent(folder)),
            [Some(0), Some(1), Some(2)]
        );
    }

    #[test]
    fn each_phase_works_on_what_a_task_further_on_left() {
        let mut work = MdtestWork {
            shape: shape(0, 1, 1),
            shift: 1,
            ..MdtestWork::default()
        };
        let of = |work: &MdtestWork, phase| [0, 3].map(|task| work.creator(phase, task));
        assert_eq!(of(&work, MdtestPhase::FileCreation), [0, 3]);
        assert_eq!(of(&work, MdtestPhase::FileStat), [1, 0]);
        assert_eq!(of(&work, MdtestPhase::FileRead), [2, 1]);
        assert_eq!(of(&work, MdtestPhase::FileRemoval), [3, 2]);
        work.shift = 0;
        assert_eq!(of(&work, MdtestPhase::FileRemoval), [0, 3]);
    }
}
