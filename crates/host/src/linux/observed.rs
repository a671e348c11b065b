//! What of a device is observed: all of it, a partition, or where a file lies; and the threads of a program.
//!
//! Sources: `Documentation/filesystems/fiemap.rst` of the kernel, proc_pid_status(5). Omitted: the events themselves
//! (`trace`).

use super::block::Node;
use super::sys;
use crate::root::Root;
use model::{BlockDevice, Bytes};
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// So many pieces of a file are read at most.
const PIECES_MAX: usize = 1 << 20;
/// A thread's ancestors that are searched at most.
const ANCESTORS_MAX: usize = 256;

/// The part of a whole device that is observed.
#[derive(Debug)]
pub struct ObservedPlace {
    /// Major and minor number of the whole device.
    pub device: (u32, u32),
    /// Its name: `sda`.
    pub name: String,
    /// The length of what is observed.
    pub size: Bytes,
    file: Option<(PathBuf, u64)>,      // and where its partition begins
    pieces: BTreeMap<u64, (u64, u64)>, // by the first byte on the device: length, and its place in what is observed
}

impl ObservedPlace {
    /// Finds what a path names: a device, a partition or a file.
    ///
    /// # Errors
    /// Why it cannot be observed.
    pub fn find(root: &Root, path: &Path) -> Result<ObservedPlace, String> {
        let there = std::fs::metadata(path).map_err(|error| format!("cannot be read: {error}"))?;
        let kind = there.file_type();
        if kind.is_block_device() {
            return ObservedPlace::of_device(root, there.rdev());
        }
        match kind.is_file() {
            true => ObservedPlace::of_file(root, path, there.dev()),
            false => Err("must be a block device or a file".to_owned()),
        }
    }

    fn of_device(root: &Root, number: u64) -> Result<ObservedPlace, String> {
        let unknown = || "must be a block device that /sys describes".to_owned();
        let node = Node::by_number(root, number).ok_or_else(unknown)?;
        let disk = node.disk();
        let whole = disk.as_ref().unwrap_or(&node);
        let number = whole.number().ok_or_else(unknown)?;
        let size = node.size();
        Ok(ObservedPlace {
            device: super::block::split(number),
            name: whole.name.clone(),
            size,
            file: None,
            pieces: BTreeMap::from([(begin_of(&node), (size.0, 0))]),
        })
    }

    fn of_file(root: &Root, path: &Path, number: u64) -> Result<ObservedPlace, String> {
        let node = Node::by_number(root, number).ok_or(
            "is on a file system without one device of its own (Btrfs, overlay, tmpfs, NFS): must be on one; hint: --device",
        )?;
        let mut place = ObservedPlace::of_device(root, number)?;
        place.file = Some((path.to_owned(), begin_of(&node)));
        place.pieces.clear();
        match place.refresh() {
            true => Ok(place),
            false => Err(
                "has no place on its device that the file system reports: must have data that was written"
                    .to_owned(),
            ),
        }
    }

    /// Reads again where a file lies, which changes as it grows. Returns whether it lies anywhere.
    pub fn refresh(&mut self) -> bool {
        let Some((path, begin)) = &self.file else {
            return true;
        };
        let Ok(file) = File::open(path) else {
            return !self.pieces.is_empty();
        };
        self.size = Bytes(file.metadata().map_or(self.size.0, |facts| facts.len()));
        let mut pieces = BTreeMap::new(); // what lay elsewhere before may be another file's by now
        let mut reached = 0;
        while pieces.len() < PIECES_MAX {
            let Some(found) = sys::pieces(&file, reached).filter(|found| !found.is_empty()) else {
                break;
            };
            for piece in &found {
                reached = piece.logical.saturating_add(piece.length);
                if let Some(physical) = piece.physical.filter(|_| !piece.encoded) {
                    let at = physical.saturating_add(*begin);
                    pieces.insert(at, (piece.length, piece.logical));
                }
            }
            if found.iter().any(|piece| piece.last) {
                break;
            }
        }
        self.pieces = pieces;
        !self.pieces.is_empty()
    }

    /// Returns whether it is a file, whose place may change.
    pub fn is_file(&self) -> bool {
        self.file.is_some()
    }

    /// Returns whether what is written into a folder reaches the device; `None` if its file system does not report one.
    pub fn is_below(&self, root: &Root, folder: &Path) -> Option<bool> {
        let (major, minor) = super::block::split(std::fs::metadata(folder).ok()?.dev());
        let chain = super::chain::device_chain(root, major, minor);
        let of = |device: &BlockDevice| {
            let node = Node::by_name(root, &device.name)?;
            Some(node.disk().map_or(device.name.clone(), |disk| disk.name))
        };
        let is = |device: &BlockDevice| of(device).is_some_and(|name| name == self.name);
        (!chain.is_empty()).then(|| chain.iter().any(is))
    }

    /// Returns where a byte of the device is in what is observed.
    pub fn place_of(&self, byte: u64) -> Option<u64> {
        let (&at, &(length, place)) = self.pieces.range(..=byte).next_back()?;
        let within = byte - at;
        (within < length).then(|| place + within)
    }
}

/// The first byte of a partition on its disk.
fn begin_of(node: &Node) -> u64 {
    let start: u64 = match node.is_partition() {
        true => node.number_of("start").unwrap_or(0),
        false => 0,
    };
    start.saturating_mul(512)
}

/// The threads of a process and of those that descend from it.
#[derive(Debug)]
pub struct ProcessTree {
    root: Root,
    process: u32,
    known: HashMap<u32, bool>,
}

impl ProcessTree {
    /// Finds the process; `None` if it does not run.
    pub fn find(root: &Root, process: u32) -> Option<ProcessTree> {
        root.text(format!("proc/{process}/status"))?;
        Some(ProcessTree {
            root: root.clone(),
            process,
            known: HashMap::new(),
        })
    }

    /// Returns the process of a thread, which is itself for the number of a process; `None` if it does not run.
    pub fn process_of(root: &Root, thread: u32) -> Option<u32> {
        number_in(&root.text(format!("proc/{thread}/status"))?, "Tgid:")
    }

    /// Learns that a thread created another, which may have ended before it is asked about.
    pub fn forked(&mut self, [parent, child]: [u32; 2]) {
        let its = self.contains(parent);
        self.known.insert(child, its);
    }

    /// Returns whether the process still runs.
    pub fn runs(&self) -> bool {
        let status = self.root.text(format!("proc/{}/status", self.process));
        status.is_some_and(|status| !has_ended(&status))
    }

    /// Returns whether a thread belongs to it; of one that has ended already, no.
    pub fn contains(&mut self, thread: u32) -> bool {
        if let Some(&known) = self.known.get(&thread) {
            return known;
        }
        let found = self.descends(thread);
        self.known.insert(thread, found);
        found
    }

    fn descends(&self, thread: u32) -> bool {
        let mut of = thread;
        for _ in 0..ANCESTORS_MAX {
            let Some(status) = self.root.text(format!("proc/{of}/status")) else {
                return false;
            };
            if number_in(&status, "Tgid:") == Some(self.process) {
                return true;
            }
            match number_in(&status, "PPid:") {
                None | Some(0) => return false,
                Some(parent) => of = parent,
            }
        }
        false
    }
}

fn number_in(status: &str, name: &str) -> Option<u32> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().parse().ok()
}

/// A process that its parent has not asked about yet is a zombie.
fn has_ended(status: &str) -> bool {
    let state = status.lines().find_map(|line| line.strip_prefix("State:"));
    state.is_some_and(|state| state.trim_start().starts_with(['Z', 'X']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_on_the_device_are_places_in_the_file() {
        let place = ObservedPlace {
            device: (8, 0),
            name: "sda".to_owned(),
            size: Bytes(8192),
            file: None,
            pieces: BTreeMap::from([(1000, (100, 0)), (5000, (100, 100))]),
        };
        assert_eq!(place.place_of(999), None);
        assert_eq!(place.place_of(1099), Some(99));
        assert_eq!(place.place_of(1100), None);
        assert_eq!(place.place_of(5001), Some(101));
    }

    #[test]
    fn a_process_contains_its_own_threads_and_not_its_parents() {
        let root = Root::live();
        let mut own = ProcessTree::find(&root, std::process::id()).unwrap();
        assert!(own.runs() && own.contains(std::process::id()));
        assert!(!own.contains(std::os::unix::process::parent_id()));
        let mut parents = ProcessTree::find(&root, std::os::unix::process::parent_id()).unwrap();
        assert!(parents.contains(std::process::id()));
        // Threads that ended before they were asked about, and a number that another process has by now.
        let (own, gone) = (std::process::id(), 4_000_000_001);
        parents.forked([own, gone]);
        parents.forked([gone, gone + 1]);
        assert!(parents.contains(gone) && parents.contains(gone + 1));
        parents.forked([1, gone]);
        assert!(!parents.contains(gone) && parents.contains(gone + 1));
        assert_eq!(ProcessTree::process_of(&root, own), Some(own));
        assert_eq!(ProcessTree::process_of(&root, gone), None);
        assert!(has_ended("State:\tZ (zombie)") && !has_ended("State:\tS (sleeping)"));
    }
}
