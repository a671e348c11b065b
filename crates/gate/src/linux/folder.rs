//! A folder that is kept open: what is in it is reached by single names below its descriptor, so that no process that
//! renames a folder above it, or puts a link in place of one, decides what is written.
//!
//! A [`Name`] is one component. Neither it nor a link that stands under it leads out of the folder: files are opened with
//! `O_NOFOLLOW`, folders with openat2(2) (`RESOLVE_BENEATH`, `RESOLVE_NO_SYMLINKS`, `RESOLVE_NO_XDEV`), or, where the
//! kernel lacks that call, with `O_NOFOLLOW` and a comparison of the devices. Omitted: paths (`walk.rs`) and results
//! that replace a file (`output.rs`).

use super::name::Name;
use super::names::{self, look_up};
use super::walk::resolve;
use crate::file_facts::FileFacts;
use crate::output_error::OutputError;
use crate::system::Owner;
use crate::use_of_names::{Kind, Use};
use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags, fstat, mkdirat, openat, openat2, renameat,
    unlinkat,
};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

/// A folder by its descriptor.
#[derive(Debug)]
pub struct Folder {
    descriptor: File,
    device: u64,
    inode: u64,
    owner: u32,
    /// Another user may enter it, so that foreign files may be in it under names of ours.
    shared: bool,
}

impl Folder {
    /// Opens the folder that a path leads to.
    ///
    /// # Errors
    /// A link on the way that another user could have placed; those of open(2).
    pub fn open(path: &Path) -> Result<Folder, OutputError> {
        let failed = |source: io::Error| OutputError::open(path, source);
        let found = resolve(path).map_err(failed)?;
        if let Some(name) = found.foreign {
            return Err(OutputError::foreign(path, name));
        }
        let node = found.node.ok_or_else(|| failed(Errno::NOENT.into()))?;
        let flags = FOLDER.difference(OFlags::NOFOLLOW);
        let descriptor = openat(&node, c".", flags, Mode::empty())
            .map_err(io::Error::from)
            .map_err(failed)?;
        Folder::of(descriptor, false).map_err(failed)
    }

    /// `shared` is inherited: a user who cannot enter a folder cannot reach what is in it.
    fn of(descriptor: impl Into<File>, shared: bool) -> io::Result<Folder> {
        let descriptor = descriptor.into();
        let there = fstat(&descriptor)?;
        Ok(Folder {
            descriptor,
            device: there.st_dev,
            inode: there.st_ino,
            owner: there.st_uid,
            shared,
        })
    }

    /// Creates a folder that only this user may enter, and opens it. What is opened may not be what was created, where
    /// others may rename in `self`: compare [`Folder::owner`] with that of a file that is created in it.
    ///
    /// # Errors
    /// Those of mkdir(2) and open(2); `EEXIST` where the name is taken.
    pub fn create_private(&self, name: &Name) -> io::Result<Folder> {
        mkdirat(self, name.as_c_str(), Mode::RWXU)?;
        let mut folder = self.enter(name)?;
        // A file system without permissions gives every folder the same ones.
        folder.shared = fstat(&folder)?.st_mode & 0o077 != 0;
        Ok(folder)
    }

    /// Creates a folder with the permissions that are left by the umask.
    ///
    /// # Errors
    /// Those of mkdir(2).
    pub fn create_folder(&self, name: &Name) -> io::Result<()> {
        Ok(mkdirat(self, name.as_c_str(), Mode::from_raw_mode(0o777))?)
    }

    /// Opens a folder in it: no link, and on the same mount.
    ///
    /// # Errors
    /// Those of openat2(2): `ELOOP` or `ENOTDIR` for a link, `EXDEV` for a mount point.
    pub fn enter(&self, name: &Name) -> io::Result<Folder> {
        let within = ResolveFlags::BENEATH
            | ResolveFlags::NO_SYMLINKS
            | ResolveFlags::NO_MAGICLINKS
            | ResolveFlags::NO_XDEV;
        let descriptor = match openat2(self, name.as_c_str(), FOLDER, Mode::empty(), within) {
            // A kernel before 5.6, or a container that forbids what it does not know.
            Err(Errno::NOSYS | Errno::PERM) => {
                openat(self, name.as_c_str(), FOLDER, Mode::empty())?
            }
            opened => opened?,
        };
        let folder = Folder::of(descriptor, self.shared)?;
        match folder.device == self.device {
            true => Ok(folder),
            false => Err(Errno::XDEV.into()),
        }
    }

    /// Creates a file for reading and writing; `mode` is reduced by the umask.
    ///
    /// # Errors
    /// Those of open(2); `EEXIST` for an existing name, links too.
    pub fn create_new(&self, name: &Name, mode: u32) -> io::Result<File> {
        names::create_new(&self.descriptor, name, mode)
    }

    /// Opens a file that is there. In a folder that others may enter it has to have one name only: a second one may be
    /// another user's way to a file that is not in this folder.
    ///
    /// # Errors
    /// Those of open(2): `ELOOP` for a link; `EMLINK` for a file with a second name.
    pub fn open_file(&self, name: &Name, purpose: Use) -> io::Result<File> {
        let access = match purpose {
            Use::Read => OFlags::RDONLY,
            Use::Write => OFlags::RDWR,
            Use::Append => OFlags::WRONLY | OFlags::APPEND,
        };
        // Opening a pipe does not wait for its other end.
        let flags = access | OFlags::NONBLOCK | QUIET;
        let file = openat(self, name.as_c_str(), flags, Mode::empty())?;
        if self.shared && fstat(&file)?.st_nlink != 1 {
            return Err(Errno::MLINK.into());
        }
        Ok(File::from(file))
    }

    /// Facts of what stands under a name, a link not followed.
    ///
    /// # Errors
    /// Those of stat(2).
    pub fn look_up(&self, name: &Name) -> io::Result<FileFacts> {
        look_up(&self.descriptor, name)
    }

    /// Gives a file in it another name; what has that name is replaced.
    ///
    /// # Errors
    /// Those of rename(2).
    pub fn rename(&self, from: &Name, to: &Name) -> io::Result<()> {
        Ok(renameat(self, from.as_c_str(), self, to.as_c_str())?)
    }

    /// Moves a folder of it into `other`, where the name has to be free or that of an empty folder.
    ///
    /// # Errors
    /// Those of rename(2).
    pub fn move_to(&self, from: &Name, other: &Folder, to: &Name) -> io::Result<()> {
        Ok(renameat(self, from.as_c_str(), other, to.as_c_str())?)
    }

    /// Removes a name that is not a folder's.
    ///
    /// # Errors
    /// Those of unlink(2).
    pub fn remove_file(&self, name: &Name) -> io::Result<()> {
        Ok(unlinkat(self, name.as_c_str(), AtFlags::empty())?)
    }

    /// Removes an empty folder in it.
    ///
    /// # Errors
    /// Those of rmdir(2).
    pub fn remove_folder(&self, name: &Name) -> io::Result<()> {
        Ok(unlinkat(self, name.as_c_str(), AtFlags::REMOVEDIR)?)
    }

    /// Calls `act` with every name in it and whether it is a file or a folder (neither for links and the rest).
    ///
    /// # Errors
    /// Those of readdir(3) and of `act`.
    pub fn each(&self, mut act: impl FnMut(&Name, Kind) -> io::Result<()>) -> io::Result<()> {
        for entry in Dir::read_from(self)? {
            let entry = entry?;
            let Ok(name) = Name::new(entry.file_name().to_bytes()) else {
                continue; // `.` and `..`
            };
            let kind = match entry.file_type() {
                FileType::Unknown => Kind::of(self.look_up(&name)?.kind),
                FileType::RegularFile => Kind::File,
                FileType::Directory => Kind::Folder,
                _ => Kind::Other,
            };
            act(&name, kind)?;
        }
        Ok(())
    }

    /// The user that it belongs to.
    pub fn owner(&self) -> Owner {
        Owner::from_number(self.owner)
    }

    /// Whether this name leads to `other`.
    pub fn is_at(&self, name: &Name, other: &Folder) -> bool {
        self.is_file_at(name, other.device, other.inode)
    }

    /// Whether this name leads to what has this device and inode.
    pub fn is_file_at(&self, name: &Name, device: u64, inode: u64) -> bool {
        let there = self.look_up(name);
        there.is_ok_and(|there| there.identity == (device, inode))
    }
}

impl Folder {
    /// The open folder.
    pub(crate) fn file(&self) -> &File {
        &self.descriptor
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// Of everything that is opened by its name.
const QUIET: OFlags = OFlags::NOFOLLOW
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOCTTY);

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Write;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn name(text: &str) -> Name {
        Name::new(text).unwrap()
    }

    #[test]
    fn a_name_is_one_component() {
        for bad in ["", ".", "..", "a/b", "/a", "a/", "a\0b"] {
            assert!(Name::new(bad).is_err(), "{bad}");
        }
        assert_eq!(name("...").as_os_str(), "...");
    }

    #[test]
    fn the_folder_stays_the_same_when_its_name_leads_elsewhere() {
        let outside = tempfile::tempdir().unwrap();
        let at = |name: &str| outside.path().join(name);
        fs::create_dir(at("other")).unwrap();
        fs::write(at("other/file"), b"thesis").unwrap();
        let top = Folder::open(outside.path()).unwrap();
        let work = top.create_private(&name("work")).unwrap();
        let mode = fs::metadata(at("work")).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o700);
        work.create_new(&name("file"), 0o666).unwrap();
        assert!(top.is_at(&name("work"), &work));
        fs::rename(at("work"), at("away")).unwrap();
        symlink("other", at("work")).unwrap();
        assert!(!top.is_at(&name("work"), &work));
        assert!(top.enter(&name("work")).is_err());
        let mut file = work.open_file(&name("file"), Use::Append).unwrap();
        file.write_all(b"ours").unwrap();
        work.rename(&name("file"), &name("renamed")).unwrap();
        assert_eq!(fs::read(at("away/renamed")).unwrap(), b"ours");
        work.remove_file(&name("renamed")).unwrap();
        assert_eq!(fs::read(at("other/file")).unwrap(), b"thesis");
        assert!(top.remove_folder(&name("work")).is_err());
    }

    #[test]
    fn links_and_second_names_in_it_are_refused() {
        let outside = tempfile::tempdir().unwrap();
        let at = |name: &str| outside.path().join(name);
        let top = Folder::open(outside.path()).unwrap();
        fs::write(at("thesis"), b"thesis").unwrap();
        let mut work = top.create_private(&name("work")).unwrap();
        symlink(at("thesis"), at("work/link")).unwrap();
        symlink(outside.path(), at("work/up")).unwrap();
        for purpose in [Use::Read, Use::Write, Use::Append] {
            assert!(work.open_file(&name("link"), purpose).is_err());
        }
        assert!(work.create_new(&name("link"), 0o666).is_err());
        assert!(work.enter(&name("up")).is_err());
        fs::hard_link(at("thesis"), at("work/second")).unwrap();
        assert!(work.open_file(&name("second"), Use::Append).is_ok());
        work.shared = true;
        let refused = work.open_file(&name("second"), Use::Append).unwrap_err();
        assert_eq!(refused.raw_os_error(), Some(Errno::MLINK.raw_os_error()));
        let mut seen = Vec::new();
        work.each(|name, kind| {
            seen.push((name.as_os_str().to_owned(), kind));
            Ok(())
        })
        .unwrap();
        seen.sort();
        let kinds: Vec<Kind> = seen.iter().map(|(_, kind)| *kind).collect();
        assert_eq!(kinds, [Kind::Other, Kind::File, Kind::Other]);
    }
}
