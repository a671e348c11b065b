//! A path that was resolved once. Facts, proof, lock and every descriptor that reads or writes come from the pin, so
//! that they belong to one file or device, even if its name leads elsewhere in the meantime.
//!
//! Omitted: which pins a session has, and what it has open exclusively (`pins`).

use super::folder::Name;
use super::part::remove_if_same;
use super::walk::{ForeignName, PLAIN, Resolved, resolve};
use crate::access::Access;
use crate::file_facts::FileFacts;
use crate::system::{file_facts, flags};
use rustix::fs::{AtFlags, Mode, OFlags, PROC_SUPER_MAGIC};
use rustix::fs::{fstat, openat, readlinkat, statat, statfs, unlinkat};
use rustix::io::Errno;
use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where this process's own descriptors are, each under its number. // proc_pid_fd(5)
const DESCRIPTORS: &str = "/proc/self/fd";

/// Why nothing is written without /proc.
#[derive(Debug, thiserror::Error)]
#[error(
    "/proc is not mounted, so it cannot be reopened for writing without trusting its name again; hint: mount -t proc \
    proc /proc"
)]
struct NoProc;

/// Device, inode and, of a device node, the number of the device.
pub(crate) type Number = (u64, u64, u64);

/// Where a path leads: a descriptor of what is there, and of the folder that contains it.
#[derive(Debug)]
pub struct Pin {
    folder: File,
    name: OsString,
    node: Mutex<Option<Arc<File>>>,
    foreign: Option<ForeignName>,
}

impl Pin {
    /// Resolves the path. What is there need not be readable.
    ///
    /// # Errors
    /// Those of [`resolve`]; that nothing has the name is none.
    pub fn new(path: &Path) -> io::Result<Pin> {
        let Resolved {
            folder,
            name,
            node,
            foreign,
        } = resolve(path)?;
        Ok(Pin {
            folder: folder.into(),
            name,
            node: Mutex::new(node.map(|node| Arc::new(node.into()))),
            foreign,
        })
    }

    /// The first name on the way that another user could have placed.
    pub fn foreign(&self) -> Option<&ForeignName> {
        self.foreign.as_ref()
    }

    /// The folder that contains it; opened for nothing but its facts.
    pub fn folder(&self) -> &File {
        &self.folder
    }

    /// What is there; opened for nothing but its facts. `None` until it is created.
    pub fn node(&self) -> Option<Arc<File>> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<File>>> {
        self.node.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its metadata now. `None` where nothing is there.
    pub fn metadata(&self) -> Option<Metadata> {
        self.node()?.metadata().ok()
    }

    /// Its facts now. `None` where nothing is there.
    pub fn facts(&self) -> Option<FileFacts> {
        file_facts(&*self.node()?).ok()
    }

    /// The path without links, as far as the system knows it.
    pub fn real_path(&self) -> Option<PathBuf> {
        let of = |file: &File| {
            let link = readlinkat(rustix::fs::CWD, own_link(file), Vec::new()).ok()?;
            Some(PathBuf::from(OsString::from_vec(link.into_bytes())))
        };
        match self.node() {
            Some(node) => of(&node),
            None => Some(of(&self.folder)?.join(&self.name)),
        }
    }

    /// A path that leads to what is pinned for as long as the pin is there, for system calls that take only a path.
    /// `None` without /proc, and where nothing is there.
    pub fn link(&self) -> Option<PathBuf> {
        proc_is_mounted().then_some(())?;
        self.node().map(|node| own_link(&node).into())
    }

    /// The same for its folder.
    pub fn folder_link(&self) -> Option<PathBuf> {
        proc_is_mounted().then(|| own_link(&self.folder).into())
    }

    /// Opens what is pinned, and compares it with the pin. Reading leaves the access time as it was, where the system
    /// allows that: to the owner and to root.
    ///
    /// # Errors
    /// Those of open(2); `ESTALE` where something else was opened; writing without /proc.
    pub fn reopen(&self, access: Access) -> io::Result<File> {
        let (node, flags) = (self.node().ok_or(Errno::NOENT)?, flags(access));
        match self.open(&node, flags | OFlags::NOATIME) {
            Err(refused) if refused.raw_os_error() == Some(Errno::PERM.raw_os_error()) => {
                self.open(&node, flags)
            }
            opened_or_not => opened_or_not,
        }
    }

    fn open(&self, node: &File, flags: OFlags) -> io::Result<File> {
        let flags = flags | OFlags::CLOEXEC;
        let opened = match openat(rustix::fs::CWD, own_link(node), flags, Mode::empty()) {
            Err(Errno::NOENT) if flags.intersects(OFlags::WRONLY | OFlags::RDWR) => {
                return Err(no_proc());
            }
            Err(Errno::NOENT) => {
                let flags = flags | OFlags::NOFOLLOW;
                openat(&self.folder, &self.name, flags, Mode::empty())
            }
            opened_or_not => opened_or_not,
        };
        let opened = File::from(opened?);
        match number(&opened.metadata()?) == number(&node.metadata()?) {
            true => Ok(opened),
            false => Err(Errno::STALE.into()),
        }
    }

    /// Creates the file, which must not be there yet, and pins it.
    ///
    /// # Errors
    /// Those of open(2); no /proc.
    pub fn create(&self, access: Access) -> io::Result<File> {
        if !proc_is_mounted() {
            return Err(no_proc());
        }
        let mut node = self.lock();
        let new = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(0o666);
        let flags = flags(access) | new;
        let file = File::from(openat(&self.folder, &self.name, flags, mode)?);
        let plain = File::from(openat(
            rustix::fs::CWD,
            own_link(&file),
            PLAIN,
            Mode::empty(),
        )?);
        *node = Some(Arc::new(plain));
        Ok(file)
    }

    /// A file without a name in its folder, for direct I/O or not, which is gone when it is closed. Where the file system has none (FUSE, some
    /// overlays), a new file whose name is removed before anything is done with it.
    ///
    /// # Errors
    /// Those of open(2). // `O_TMPFILE`
    pub fn nameless(&self, direct: bool) -> io::Result<File> {
        let flags = flags(Access::READ_WRITE.direct(direct)) | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(0o600);
        match openat(&self.folder, c".", flags | OFlags::TMPFILE, mode) {
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::NOENT | Errno::NOSYS) => {
                self.short_lived(flags)
            }
            opened_or_not => Ok(opened_or_not?.into()),
        }
    }

    /// Creates an empty file under a new name, opens it again with these flags and removes the name. Not created with them:
    /// a file system that refuses `O_DIRECT` does so after it has created the file.
    fn short_lived(&self, flags: OFlags) -> io::Result<File> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Relaxed);
        let name = format!(".fathom-probe-{}-{number}", std::process::id());
        let new = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::RDWR | OFlags::CLOEXEC;
        let created = File::from(openat(
            &self.folder,
            &name,
            new,
            Mode::from_raw_mode(0o600),
        )?);
        let again = openat(rustix::fs::CWD, own_link(&created), flags, Mode::empty());
        let there = created.metadata()?;
        let named = statat(&self.folder, &name, AtFlags::SYMLINK_NOFOLLOW)?;
        if (named.st_dev, named.st_ino) == (there.dev(), there.ino()) {
            unlinkat(&self.folder, &name, AtFlags::empty())?;
        }
        Ok(again?.into())
    }

    /// Whether the name in its folder still leads to what is pinned, without a link between.
    pub fn has_its_name(&self) -> bool {
        let Some(there) = self.metadata() else {
            return false;
        };
        let named = statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW);
        named.is_ok_and(|named| (named.st_dev, named.st_ino) == (there.dev(), there.ino()))
    }

    /// Whether the name in its folder still leads to what is pinned, also by a link: those of /proc lead to files that have no
    /// name elsewhere.
    pub fn leads_to_it(&self) -> bool {
        let Some(there) = self.metadata() else {
            return false;
        };
        let named = statat(&self.folder, &self.name, AtFlags::empty());
        named.is_ok_and(|named| (named.st_dev, named.st_ino) == (there.dev(), there.ino()))
    }

    /// Removes the file if its name still leads to it; whether it did. Then nothing is pinned but the free name.
    ///
    /// # Errors
    /// Those of unlink(2).
    pub fn remove(&self) -> io::Result<bool> {
        let Some(node) = self.node() else {
            return Ok(false);
        };
        let name = Name::new(self.name.as_bytes())?;
        match remove_if_same(self.folder.as_fd(), &name, &fstat(&*node)?) {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        }
        *self.lock() = None;
        Ok(true)
    }

    /// Whether both are one file or one device; false where nothing is there.
    pub fn is_same(&self, other: &Pin) -> bool {
        let (Some(one), Some(other)) = (self.number(), other.number()) else {
            return false;
        };
        one == other || one.2 != 0 && one.2 == other.2
    }

    pub(crate) fn number(&self) -> Option<Number> {
        Some(number(&self.metadata()?))
    }

    /// Whether both are the same name in the same folder, or were when they were resolved.
    pub(crate) fn is_place_of(&self, other: &Pin) -> bool {
        let folder = |pin: &Pin| pin.folder.metadata().ok().map(|there| number(&there));
        self.name == other.name && folder(self) == folder(other) && self.number() == other.number()
    }
}

fn number(there: &Metadata) -> Number {
    (there.dev(), there.ino(), there.rdev())
}

fn own_link(file: &File) -> String {
    format!("{DESCRIPTORS}/{}", file.as_raw_fd())
}

fn proc_is_mounted() -> bool {
    statfs(DESCRIPTORS).is_ok_and(|there| there.f_type == PROC_SUPER_MAGIC)
}

fn no_proc() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, NoProc)
}

/// Whether an error of [`Pin::reopen`] means that something else was opened.
pub fn is_changed(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::STALE.raw_os_error())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::{Read, Write};

    #[test]
    fn what_is_pinned_is_reopened_whatever_its_name_leads_to() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("t"), b"own").unwrap();
        fs::write(at("u"), b"foreign").unwrap();
        let pin = Pin::new(&at("t")).unwrap();
        fs::rename(at("u"), at("t")).unwrap();
        let mut read = String::new();
        let mut file = pin.reopen(Access::READ_WRITE).unwrap();
        file.read_to_string(&mut read).unwrap();
        assert_eq!(read, "own");
        file.write_all(b"!").unwrap();
        assert_eq!(fs::read(at("t")).unwrap(), b"foreign");
        assert!(!pin.has_its_name());
        assert!(!pin.remove().unwrap());
        assert!(at("t").exists());
    }

    #[test]
    fn a_file_is_created_only_where_nothing_has_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new");
        let (one, late) = (Pin::new(&path).unwrap(), Pin::new(&path).unwrap());
        assert!(one.node().is_none() && one.reopen(Access::READ).is_err());
        one.create(Access::READ_WRITE)
            .unwrap()
            .write_all(b"x")
            .unwrap();
        assert_eq!(one.metadata().unwrap().len(), 1);
        let refused = late.create(Access::READ_WRITE).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        std::os::unix::fs::symlink("elsewhere", folder.path().join("link")).unwrap();
        let link = Pin::new(&folder.path().join("link")).unwrap();
        link.create(Access::READ_WRITE).unwrap();
        assert!(folder.path().join("elsewhere").exists());
        assert!(one.remove().unwrap() && one.node().is_none() && !path.exists());
    }
}
