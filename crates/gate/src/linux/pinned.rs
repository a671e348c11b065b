//! What is asked and opened through a descriptor that can do nothing else. Source: open(2), `O_PATH`; proc_pid_fd(5).

use super::flags::flags;
use super::names::facts_of;
use super::walk::PLAIN;
use crate::access::Access;
use crate::file_facts::FileFacts;
use rustix::fs::{AtFlags, Mode, OFlags, PROC_SUPER_MAGIC};
use rustix::fs::{openat, readlinkat, statat, statfs, unlinkat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Where this process's own descriptors are, each under its number. // proc_pid_fd(5)
const DESCRIPTORS: &str = "/proc/self/fd";

/// Why nothing is written without /proc.
#[derive(Debug, thiserror::Error)]
#[error(
    "/proc is not mounted, so it cannot be reopened for writing without trusting its name again; hint: mount -t proc \
    proc /proc"
)]
struct NoProc;

/// The path of what is open, without links, as far as the system knows it.
pub(crate) fn real_path(file: &File) -> Option<PathBuf> {
    let link = readlinkat(rustix::fs::CWD, own_link(file), Vec::new()).ok()?;
    Some(PathBuf::from(OsString::from_vec(link.into_bytes())))
}

/// A path that leads to what is open for as long as it is. `None` without /proc.
pub(crate) fn link_to(file: &File) -> Option<PathBuf> {
    proc_is_mounted().then(|| own_link(file).into())
}

/// Opens what `node` leads to, or without /proc, for reading, what has the name in the folder. Reading leaves the access time as
/// it was, where the system allows that: to the owner and to root.
pub(crate) fn reopen(node: &File, folder: &File, name: &OsStr, access: Access) -> io::Result<File> {
    let flags = flags(access) | OFlags::CLOEXEC;
    let open = |flags: OFlags| {
        match openat(rustix::fs::CWD, own_link(node), flags, Mode::empty()) {
            Err(Errno::NOENT) if flags.intersects(OFlags::WRONLY | OFlags::RDWR) => {
                return Err(no_proc());
            }
            Err(Errno::NOENT) => openat(folder, name, flags | OFlags::NOFOLLOW, Mode::empty()),
            opened_or_not => opened_or_not,
        }
        .map(File::from)
        .map_err(io::Error::from)
    };
    match open(flags | OFlags::NOATIME) {
        Err(refused) if Errno::from_io_error(&refused) == Some(Errno::PERM) => open(flags),
        opened_or_not => opened_or_not,
    }
}

/// Creates a file that is not there yet: what is opened for `access`, and a descriptor for its facts alone.
pub(crate) fn create(folder: &File, name: &OsStr, access: Access) -> io::Result<(File, File)> {
    if !proc_is_mounted() {
        return Err(no_proc());
    }
    let new = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(0o666);
    let file = File::from(openat(folder, name, flags(access) | new, mode)?);
    let plain = openat(rustix::fs::CWD, own_link(&file), PLAIN, Mode::empty())?;
    Ok((file, plain.into()))
}

/// A file without a name in the folder, for direct I/O or not, which is gone when it is closed. Where the file system has none
/// (FUSE, some overlays), a new file whose name is removed before anything is done with it. // `O_TMPFILE`
pub(crate) fn nameless(folder: &File, direct: bool) -> io::Result<File> {
    let flags = flags(Access::READ_WRITE.direct(direct)) | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(0o600);
    match openat(folder, c".", flags | OFlags::TMPFILE, mode) {
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::NOENT | Errno::NOSYS) => {
            short_lived(folder, flags)
        }
        opened_or_not => Ok(opened_or_not?.into()),
    }
}

/// Creates an empty file under a new name, opens it again with these flags and removes the name. Not created with them:
/// a file system that refuses `O_DIRECT` does so after it has created the file.
pub(crate) fn short_lived(folder: &File, flags: OFlags) -> io::Result<File> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Relaxed);
    let name = format!(".fathom-probe-{}-{number}", std::process::id());
    let new = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::RDWR | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(0o600);
    let created = File::from(openat(folder, &name, new, mode)?);
    let again = openat(rustix::fs::CWD, own_link(&created), flags, Mode::empty());
    let there = super::file_facts(&created)?;
    let named = statat(folder, &name, AtFlags::SYMLINK_NOFOLLOW)?;
    if facts_of(&named).identity == there.identity {
        unlinkat(folder, &name, AtFlags::empty())?;
    }
    Ok(again?.into())
}

/// The facts of what a name leads to now; a link there is followed where that is asked for.
pub(crate) fn named(folder: &File, name: &OsStr, follows: bool) -> io::Result<FileFacts> {
    let flags = match follows {
        true => AtFlags::empty(),
        false => AtFlags::SYMLINK_NOFOLLOW,
    };
    Ok(facts_of(&statat(folder, name, flags)?))
}

/// Opens what a name leads to for reading, links followed, and waits for no writer of a pipe.
pub(crate) fn open_target(folder: &File, name: &OsStr) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(openat(folder, name, flags, Mode::empty())?.into())
}

/// The first bytes of a name. // `length` at most that of the name
pub(crate) fn beginning(name: &OsStr, length: usize) -> Option<&OsStr> {
    Some(OsStr::from_bytes(&name.as_bytes()[..length]))
}

/// The error of a pin that leads to something else than it did.
pub(crate) fn stale() -> io::Error {
    Errno::STALE.into()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pin::Pin;
    use std::fs;
    use std::io::{Read, Write};

    #[test]
    fn what_is_pinned_is_reopened_whatever_its_name_leads_to() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("t"), b"own").unwrap();
        fs::write(at("u"), b"foreign").unwrap();
        let pin = Pin::new(&at("t")).unwrap();
        fs::rename(at("t"), at("gone")).unwrap();
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
    fn a_link_to_nothing_is_created_where_it_leads() {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("elsewhere", folder.path().join("link")).unwrap();
        let link = Pin::new(&folder.path().join("link")).unwrap();
        link.create(Access::READ_WRITE).unwrap();
        assert!(folder.path().join("elsewhere").exists());
    }
}
