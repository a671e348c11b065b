//! Calls on names in an open folder. Links under a name are never followed.

use super::name::Name;
use crate::file_facts::{FileFacts, NodeKind};
use rustix::fs::{
    Access, AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, RenameFlags, Stat,
    StatxAttributes, StatxFlags, accessat, flock, fstat, linkat, openat, renameat, renameat_with,
    statat, statx, unlinkat,
};
use rustix::io::Errno;
use std::fs::File;
use std::io;

/// How a program that has a file open is found.
pub(crate) const LIST_OPENERS: &str = "fuser -v lists the processes";

/// Creates a file for reading and writing; `mode` is reduced by the umask.
pub(crate) fn create_new(folder: &File, name: &Name, mode: u32) -> io::Result<File> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(mode);
    Ok(openat(folder, name.as_c_str(), flags, mode)?.into())
}

/// Opens for reading, and waits for no writer of a pipe.
pub(crate) fn open_to_read(folder: &File, name: &Name) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(openat(folder, name.as_c_str(), flags, Mode::empty())?.into())
}

/// Returns the facts of what has the name.
pub(crate) fn look_up(folder: &File, name: &Name) -> io::Result<FileFacts> {
    let there = statat(folder, name.as_c_str(), AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(facts_of(&there))
}

/// Returns the facts that a call of the stat family gave.
pub(crate) fn facts_of(there: &Stat) -> FileFacts {
    FileFacts {
        identity: (there.st_dev, there.st_ino),
        device: there.st_rdev,
        kind: kind_of(FileType::from_raw_mode(there.st_mode)),
        length: u64::try_from(there.st_size).unwrap_or(0),
        names: there.st_nlink,
        modified_ns: i128::from(there.st_mtime) * 1_000_000_000 + i128::from(there.st_mtime_nsec),
    }
}

fn kind_of(kind: FileType) -> NodeKind {
    match kind {
        FileType::RegularFile => NodeKind::File,
        FileType::Directory => NodeKind::Folder,
        FileType::BlockDevice => NodeKind::BlockDevice,
        FileType::CharacterDevice => NodeKind::CharacterDevice,
        FileType::Fifo => NodeKind::Pipe,
        FileType::Socket => NodeKind::Socket,
        FileType::Symlink => NodeKind::Link,
        FileType::Unknown => NodeKind::Other,
    }
}

/// Renames; what has the other name is replaced.
pub(crate) fn rename(folder: &File, from: &Name, to: &Name) -> io::Result<()> {
    Ok(renameat(folder, from.as_c_str(), folder, to.as_c_str())?)
}

/// Exchanges what has the two names.
pub(crate) fn exchange(folder: &File, one: &Name, other: &Name) -> io::Result<()> {
    let (one, other) = (one.as_c_str(), other.as_c_str());
    Ok(renameat_with(
        folder,
        one,
        folder,
        other,
        RenameFlags::EXCHANGE,
    )?)
}

/// Renames without replacing anything; whether the first name is gone.
pub(crate) fn take_free_name(folder: &File, from: &Name, to: &Name) -> io::Result<bool> {
    let (from, to) = (from.as_c_str(), to.as_c_str());
    match renameat_with(folder, from, folder, to, RenameFlags::NOREPLACE).map_err(io::Error::from) {
        Err(error) if lacks(&error) => {
            linkat(folder, from, folder, to, AtFlags::empty())?;
            Ok(unlinkat(folder, from, AtFlags::empty()).is_ok())
        }
        done => done.map(|()| true),
    }
}

/// Removes a name that is not a folder's.
pub(crate) fn remove_name(folder: &File, name: &Name) -> io::Result<()> {
    Ok(unlinkat(folder, name.as_c_str(), AtFlags::empty())?)
}

/// Whether a file system (FUSE, NFS, some of FAT) has no such call.
pub(crate) fn lacks(error: &io::Error) -> bool {
    let error = Errno::from_io_error(error);
    let lacking = [Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP, Errno::PERM];
    error.is_some_and(|error| lacking.contains(&error))
}

/// Returns all names in the folder that can be read.
pub(crate) fn names(folder: &File) -> io::Result<Vec<Name>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let listed = Dir::new(openat(folder, c".", flags, Mode::empty())?)?;
    let names = listed
        .flatten()
        .filter_map(|entry| Name::new(entry.file_name().to_bytes()).ok());
    Ok(names.collect())
}

/// Whether no name in the folder can be changed or removed, only new ones added. // chattr(1), `a`
pub(crate) fn keeps_all_names(folder: &File) -> bool {
    let facts = statx(folder, c"", AtFlags::EMPTY_PATH, StatxFlags::TYPE);
    facts.is_ok_and(|facts| facts.stx_attributes.contains(StatxAttributes::APPEND))
}

/// Whether this user may add names to the folder.
pub(crate) fn may_add(folder: &File) -> io::Result<()> {
    Ok(accessat(folder, c".", Access::WRITE_OK, AtFlags::EACCESS)?)
}

/// A free name in `/dev` is a misspelt device: a file there fills memory.
pub(crate) fn is_devices(folder: &File) -> bool {
    let devices = rustix::fs::stat(c"/dev").map(|there| facts_of(&there).identity);
    devices.is_ok() && devices == fstat(folder).map(|there| facts_of(&there).identity)
}

/// Brings the names in the folder to stable storage.
pub(crate) fn sync_folder(folder: &File) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    File::from(openat(folder, c".", flags, Mode::empty())?).sync_all()
}

/// Locks an open file without waiting, alone or together with others that do; false where another lock is in the way.
/// // flock(2)
pub(crate) fn try_lock(file: &File, alone: bool) -> io::Result<bool> {
    let how = match alone {
        true => FlockOperation::NonBlockingLockExclusive,
        false => FlockOperation::NonBlockingLockShared,
    };
    match flock(file, how) {
        Ok(()) => Ok(true),
        Err(Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Whether an open failed because the name is that of a link.
pub(crate) fn is_link(error: &io::Error) -> bool {
    Errno::from_io_error(error) == Some(Errno::LOOP)
}
