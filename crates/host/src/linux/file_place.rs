//! Which regular file it is that something uses: a mount, a loop device, swap, the results database, a target.
//!
//! A file is known by device and inode number, under all its names. A file system that passes on the files of another one
//! gives them numbers of its own, so that there is no telling whether two numbers are one file; their length is all that
//! speaks against it. Deliberately absent: what uses it (`claims`).

use super::closed::identity;
use super::mounts::{Mount, mount_of, mounts};
use super::sys;
use crate::root::Root;
use gate::Pin;
use model::Bytes;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

/// What the block layer counts; a loop device has whole ones of its file. // losetup(8)
pub(super) const SECTOR: Bytes = Bytes(512);
/// File systems that pass on files of others, which may be on this machine too.
const PASS_ON: [&str; 10] = [
    "overlay", "aufs", "ecryptfs", "9p", "virtiofs", "nfs", "nfs4", "cifs", "smb3", "ceph",
];

/// Whether files of this kind of file system may be files of another one, with other numbers.
fn passes_on(kind: &str) -> bool {
    kind.starts_with("fuse") && kind != "fuseblk" || PASS_ON.contains(&kind)
}

/// A regular file, as far as it is known which one it is.
#[derive(Clone, Debug)]
pub(super) struct FilePlace {
    pub(super) path: PathBuf,
    /// Device and inode number.
    pub(super) file: Option<(u64, u64)>,
    /// In whole sectors; `None` where that is not known.
    pub(super) length: Option<Bytes>,
    /// It may have other numbers elsewhere.
    pub(super) passes_on: bool,
}

/// Whether two are one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sameness {
    Same,
    /// That cannot be asked.
    Unknown,
    Different,
}

impl FilePlace {
    /// A file under a path that is not followed further.
    pub(super) fn of(mounts: &[Mount], path: &Path, there: &Metadata) -> Self {
        let mut place = FilePlace::at(path);
        place.file = Some(identity(there));
        place.find_kind(mounts);
        place.length = Some(Bytes(there.len()).floor_to(SECTOR));
        place
    }

    /// The regular file that a path leads to on this machine.
    pub(super) fn named(mounts: &[Mount], path: &Path) -> Option<Self> {
        let there = fs::metadata(path).ok().filter(Metadata::is_file)?;
        let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        Some(FilePlace::of(mounts, &real, &there))
    }

    /// One of which only the path is known.
    pub(super) fn at(path: &Path) -> Self {
        FilePlace {
            path: path.to_owned(),
            file: None,
            length: None,
            passes_on: false,
        }
    }

    /// Finds the kind of its file system. Its path counts where it leads to that file, otherwise its device: only a file system
    /// without one (major 0) passes on files, and one that is mounted here shows its kind.
    pub(super) fn find_kind(&mut self, mounts: &[Mount]) {
        let Some(file) = self.file else {
            return;
        };
        let by_path = || {
            let pin = Pin::new(&self.path).ok()?;
            let leads_there = identity(&pin.metadata()?) == file;
            let id = sys::extended(&*pin.node()?).mount_id;
            leads_there.then(|| mount_of(mounts, &self.path, id))?
        };
        let by_device = || mounts.iter().find(|mount| mount.number == file.0);
        let kind = by_path().or_else(by_device).map(|mount| &*mount.kind);
        self.passes_on = kind.map_or(libc::major(file.0) == 0, passes_on);
    }

    /// Whether this is that file.
    pub(super) fn is(&self, other: &FilePlace) -> Sameness {
        let (Some(one), Some(two)) = (self.file, other.file) else {
            return match self.path == other.path {
                true => Sameness::Same,
                false => Sameness::Different,
            };
        };
        let lengths = self.length.zip(other.length);
        let fits = lengths.is_none_or(|(one, two)| one == two);
        match one == two {
            true => Sameness::Same,
            false if one.0 != two.0 && (self.passes_on || other.passes_on) && fits => {
                Sameness::Unknown
            }
            false => Sameness::Different,
        }
    }
}

/// Whether two paths may lead to one file although their numbers differ, because a file system passes on the files of another one.
pub fn may_be_one_file(root: &Root, one: &Path, other: &Path) -> bool {
    let mounts = mounts(root);
    let place = |path| FilePlace::named(&mounts, path);
    let both = place(one).zip(place(other));
    both.is_some_and(|(one, other)| one.is(&other) == Sameness::Unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(device: u32, inode: u64, length: Option<u64>, passes_on: bool) -> FilePlace {
        FilePlace {
            file: Some((libc::makedev(0, device), inode)),
            length: length.map(Bytes),
            passes_on,
            ..FilePlace::at(Path::new("/f"))
        }
    }

    #[test]
    fn two_numbers_may_be_one_file_only_where_a_file_system_passes_files_on() {
        let own = place(1, 7, Some(512), false);
        let cases = [
            (place(1, 7, Some(1024), true), Sameness::Same),
            (place(1, 8, Some(512), true), Sameness::Different),
            (place(2, 7, Some(512), false), Sameness::Different),
            (place(2, 8, Some(512), true), Sameness::Unknown),
            (place(2, 8, None, true), Sameness::Unknown),
            (place(2, 8, Some(1024), true), Sameness::Different),
        ];
        for (other, expected) in cases {
            assert_eq!(own.is(&other), expected, "{other:?}");
            assert_eq!(other.is(&own), expected, "{other:?}");
        }
    }

    #[test]
    fn a_file_in_user_space_passes_on_and_a_disk_does_not() {
        assert!(passes_on("overlay") && passes_on("fuse.bindfs") && passes_on("nfs4"));
        assert!(!passes_on("fuseblk") && !passes_on("ext4") && !passes_on("btrfs"));
    }
}
