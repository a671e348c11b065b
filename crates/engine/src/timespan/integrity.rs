//! Detects that another program truncates or deletes a target's file while it is measured.
//!
//! The pinned targets are compared with what they were at its start, some fifty times a second and
//! once after the last I/O. Writes extend a truncated file again, so its size at the end alone proves nothing: between two
//! comparisons a small file can regain both its size and its blocks, and then nothing is detected. At the end each path
//! still has to lead to its file: otherwise it was renamed, another file replaced it, or something was mounted over a folder
//! of its path. Omitted: devices, and what a change means for the result (`analysis`).

use crate::system::state::{State, state};
use model::{Bytes, Failure, FileSystem, OnError, Operation, Plan, PlannedTarget, TargetFacts};
use std::fs::File;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;

/// File systems on which the blocks of a file that is only overwritten never fall. Others compress or relocate.
const BLOCKS_STAY: [&str; 5] = ["ext2", "ext3", "ext4", "xfs", "tmpfs"];
/// What is left of a file's blocks when it is called truncated or punched.
const BLOCKS_LEFT_MAX: f64 = 0.5;

/// The files of a run.
pub(super) struct Integrity {
    files: Vec<Watched>,
    deleted: Vec<u32>,
    truncated: Option<Failure>,
    /// Whether failed reads are counted and the run goes on. Nothing more is written to a truncated file even then.
    continues: bool,
}

/// What other programs did to the files.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Found {
    pub(super) truncated: Option<Failure>,
    /// Deleted, or replaced.
    pub(super) deleted_targets: Vec<u32>,
    /// With fewer blocks at some time than at the start.
    pub(super) freed_targets: Vec<u32>,
}

/// One file under one or more of the plan's targets.
struct Watched {
    file: Arc<File>,
    targets: Vec<u32>,
    operation: Operation,
    /// Where the last of the planned ranges ends.
    needed: u64,
    /// Blocks at the start, where they can prove something, and the fewest since.
    blocks: Option<u64>,
    least: u64,
    has_name: bool,
    /// Its path, where no server has to be asked for it.
    path: Option<PathBuf>,
}

impl Integrity {
    /// Call before the first I/O. `nodes` are descriptors of the plan's targets, each once.
    pub(super) fn of(plan: &Plan, facts: &[TargetFacts], nodes: Vec<Arc<File>>) -> Self {
        let files = nodes
            .into_iter()
            .filter_map(|file| watched(plan, facts, file));
        Integrity {
            files: files.collect(),
            deleted: Vec::new(),
            truncated: None,
            continues: plan.on_error == OnError::Continue,
        }
    }

    /// Compares. Returns whether a file was truncated and the run must end.
    pub(super) fn check(&mut self) -> bool {
        for watched in &mut self.files {
            let Some(now) = state(&watched.file) else {
                continue;
            };
            if watched.has_name && now.links == 0 {
                watched.has_name = false;
                self.deleted.extend(&watched.targets);
            }
            watched.least = watched.least.min(now.blocks);
            if self.truncated.is_none() {
                self.truncated = watched.truncated(&now);
            }
        }
        let ends = |failure: &Failure| !self.continues || failure.operation == Operation::Write;
        self.truncated.as_ref().is_some_and(ends)
    }

    /// As of now.
    pub(super) fn into_found(mut self) -> Found {
        self.check();
        let lost = |watched: &&Watched| watched.blocks.is_some_and(|before| watched.least < before);
        let freed = self.files.iter().filter(lost);
        let freed = freed.flat_map(|watched| watched.targets.clone()).collect();
        for watched in self.files.iter().filter(|watched| watched.has_name) {
            if watched.is_elsewhere() {
                self.deleted.extend(&watched.targets);
            }
        }
        Found {
            truncated: self.truncated,
            deleted_targets: self.deleted,
            freed_targets: freed,
        }
    }
}

impl Watched {
    /// Whether its path leads to something else now, or nowhere.
    fn is_elsewhere(&self) -> bool {
        let (Some(path), Ok(own)) = (&self.path, host::file_identity(&self.file)) else {
            return false;
        };
        match host::identity_at(path) {
            Ok(there) => there != own,
            Err(error) => error.kind() == ErrorKind::NotFound,
        }
    }

    fn truncated(&self, now: &State) -> Option<Failure> {
        let message = if now.size < self.needed {
            format!(
                "another program truncated the file while it was measured: it is {} long, and {} were planned",
                Bytes(now.size),
                Bytes(self.needed)
            )
        } else {
            let before = self.blocks?;
            if now.blocks as f64 > before as f64 * BLOCKS_LEFT_MAX {
                return None;
            }
            format!(
                "another program freed blocks of the file while it was measured ({} of {} are left): it was truncated \
                 and extended again, or a hole was punched",
                Bytes(now.blocks * 512),
                Bytes(before * 512)
            )
        };
        Some(Failure {
            operation: self.operation,
            target: self.targets[0],
            offset: Bytes(now.size.min(self.needed)),
            length: Bytes(0),
            errno: 0,
            message,
        })
    }
}

/// A pinned file with its targets; `None` for what is no regular file or no target.
fn watched(plan: &Plan, facts: &[TargetFacts], file: Arc<File>) -> Option<Watched> {
    file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let identity = host::file_identity(&file).ok();
    let now = state(&file)?;
    let ours = || {
        let targets = (0u32..).zip(&plan.targets);
        targets.filter(move |(_, target)| target.identity == identity)
    };
    let (first, _) = ours().next()?;
    let on = facts.get(first as usize)?.file_system.as_ref();
    let is_local = on.is_some_and(|on| !on.is_remote() && !on.kind.starts_with("fuse"));
    let blocks_stay = on.is_some_and(|on: &FileSystem| BLOCKS_STAY.contains(&on.kind.as_str()));
    let writes = ours().any(|(_, target)| target.writes());
    Some(Watched {
        file,
        targets: ours().map(|(number, _)| number).collect(),
        operation: if writes {
            Operation::Write
        } else {
            Operation::Read
        },
        needed: ours().map(|(_, target)| needed(target)).max()?,
        blocks: Some(now.blocks).filter(|&blocks| blocks_stay && blocks > 0),
        least: now.blocks,
        has_name: now.links > 0,
        path: is_local.then(|| facts[first as usize].path.clone()),
    })
}

/// Where the planned range of a target ends; 0 of a file that its writes make longer.
fn needed(target: &PlannedTarget) -> u64 {
    let grows = target.create.is_some() && target.allocation.grows();
    if grows {
        0
    } else {
        target.base.0 + target.length.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rehearsal::tests::{plan, planned};

    fn fill(file: &tempfile::NamedTempFile) {
        std::fs::write(file.path(), vec![7; 1 << 20]).unwrap();
        file.as_file().sync_all().unwrap();
    }

    /// A file of 1 MiB, the plan on it, and what is known of it: it lies on ext4.
    fn ground() -> (tempfile::NamedTempFile, Plan, Vec<TargetFacts>) {
        let file = tempfile::NamedTempFile::new().unwrap();
        fill(&file);
        let mut target = planned();
        target.identity = host::file_identity(file.as_file()).ok();
        (target.base, target.length) = (Bytes(0), Bytes::mib(1));
        let mut facts = TargetFacts::null(&model::NullBehaviour::default());
        facts.path = file.path().to_owned();
        facts.file_system = Some(FileSystem {
            kind: "ext4".to_owned(),
            ..FileSystem::default()
        });
        (file, plan(&[target]), vec![facts])
    }

    #[test]
    fn a_shorter_file_and_freed_blocks_end_the_run() {
        let (file, plan, facts) = ground();
        let nodes = || vec![Arc::new(file.reopen().unwrap())];
        let mut untouched = Integrity::of(&plan, &facts, nodes());
        assert!(!untouched.check());
        file.as_file().set_len(8192).unwrap();
        let mut shorter = untouched;
        assert!(shorter.check());
        let failure = shorter.into_found().truncated.unwrap();
        assert!(failure.is_of_the_target());
        assert_eq!(failure.offset, Bytes(8192));
        fill(&file);
        let mut again = Integrity::of(&plan, &facts, nodes());
        file.as_file().set_len(0).unwrap();
        file.as_file().set_len(1 << 20).unwrap();
        assert!(again.check(), "a truncated file that is as long as before");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_whose_path_leads_elsewhere_at_the_end_is_noted() {
        let (file, plan, mut facts) = ground();
        let node = Arc::new(file.reopen().unwrap());
        let nodes = || vec![Arc::clone(&node)];
        let found = |facts: &[TargetFacts]| Integrity::of(&plan, facts, nodes()).into_found();
        assert_eq!(found(&facts), Found::default());
        let other = tempfile::NamedTempFile::new().unwrap();
        let moved = Integrity::of(&plan, &facts, nodes());
        std::fs::rename(other.path(), file.path()).unwrap();
        assert_eq!(
            moved.into_found().deleted_targets,
            [0],
            "another file replaced it"
        );
        facts[0].file_system.as_mut().unwrap().kind = "nfs4".to_owned();
        assert_eq!(found(&facts), Found::default(), "no server is asked");
    }

    /// N14: less than half of the blocks, which writes fill again before the end.
    #[cfg(target_os = "linux")]
    #[test]
    fn blocks_that_are_freed_and_filled_again_are_noted() {
        let (file, plan, facts) = ground();
        let nodes = || vec![Arc::new(file.reopen().unwrap())];
        let mut integrity = Integrity::of(&plan, &facts, nodes());
        crate::system::space::discard(file.as_file(), 65536, 65536).unwrap();
        assert!(!integrity.check(), "the run goes on");
        fill(&file);
        assert_eq!(integrity.into_found().freed_targets, [0]);
        assert_eq!(
            Integrity::of(&plan, &facts, nodes()).into_found(),
            Found::default()
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_deleted_file_is_noted_and_the_run_goes_on() {
        let (file, plan, facts) = ground();
        let nodes = || vec![Arc::new(file.reopen().unwrap())];
        let mut integrity = Integrity::of(&plan, &facts, nodes());
        drop(file);
        assert!(!integrity.check());
        let found = integrity.into_found();
        assert_eq!((found.truncated, found.deleted_targets), (None, vec![0]));
    }
}
