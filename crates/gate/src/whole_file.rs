//! A file that is written under another name and gets its own only when it is whole.
//!
//! The other name is `.NAME.part-PID-N`, in the same folder. A process that is killed leaves it there; the next one that
//! writes NAME removes it, after checking that nobody writes to it and that its content is fathom's. Left out: the content.

use crate::database::{DatabaseRefusal, check_database_name, read, real_folder};
use crate::walk::{Resolved, is_trusted, resolve};
use rustix::fs::{
    AtFlags, FileType, FlockOperation, Mode, OFlags, RenameFlags, Stat, fchmod, flock, fstat,
    fsync, linkat, openat, renameat_with, statat, unlinkat,
};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Names that are tried where a process left some behind and has the number of this one.
const TRIES: u32 = 1000;

/// A file that does not have its name yet. Dropped before [`publish`](PartFile::publish), it is removed.
#[derive(Debug)]
pub struct PartFile {
    folder: OwnedFd,
    folder_path: PathBuf, // absolute, without links
    name: OsString,
    part: OsString,
    file: OwnedFd, // holds the lock that says that somebody writes
    done: bool,
}

impl PartFile {
    /// Creates it next to the name that it will get, empty, for this user alone. Removes those of earlier processes for
    /// the same name that are no longer written and whose first 100 bytes are `ours`.
    ///
    /// # Errors
    /// See [`DatabaseRefusal`]; a name that exists is refused.
    pub fn create(to: &Path, ours: fn(&[u8]) -> bool) -> Result<PartFile, DatabaseRefusal> {
        check_database_name(to)?;
        let Resolved {
            folder,
            name,
            node,
            foreign_link,
        } = resolve(to)?;
        if let Some(link) = foreign_link {
            return Err(DatabaseRefusal::ForeignLink(link));
        }
        if node.is_some() {
            return Err(DatabaseRefusal::Exists);
        }
        if !keeps_names(&fstat(&folder)?) {
            return Err(DatabaseRefusal::OpenFolder);
        }
        let folder_path = real_folder(&folder, to)?;
        // What was given up by a killed process is worth removing, and no reason to fail.
        let _ = remove_abandoned(&folder, &name, ours);
        let (part, file) = create_new(&folder, &name)?;
        Ok(PartFile {
            folder,
            folder_path,
            name,
            part,
            file,
            done: false,
        })
    }

    /// Its name for now: absolute, without links.
    pub fn path(&self) -> PathBuf {
        self.folder_path.join(&self.part)
    }

    /// Gives it its name, once all of it is on stable storage.
    ///
    /// # Errors
    /// [`DatabaseRefusal::Exists`] where the name was taken meanwhile; that file stays.
    pub fn publish(mut self) -> Result<(), DatabaseRefusal> {
        let now = statat(&self.folder, &self.part, AtFlags::SYMLINK_NOFOLLOW)?;
        if !is_same(&now, &fstat(&self.file)?) {
            return Err(DatabaseRefusal::Replaced);
        }
        fsync(&self.file)?;
        let folder = &self.folder;
        match renameat_with(
            folder,
            &self.part,
            folder,
            &self.name,
            RenameFlags::NOREPLACE,
        ) {
            // Not every file system can do this at once; a second name is refused where there is one.
            Err(Errno::INVAL | Errno::NOSYS) => {
                linkat(folder, &self.part, folder, &self.name, AtFlags::empty()).map_err(taken)?;
                unlinkat(folder, &self.part, AtFlags::empty())?;
            }
            other => other.map_err(taken)?,
        }
        self.done = true;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        fsync(openat(folder, c".", flags, Mode::empty())?)?;
        Ok(())
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        if self.done {
            return;
        }
        let now = statat(&self.folder, &self.part, AtFlags::SYMLINK_NOFOLLOW);
        if now.is_ok_and(|now| fstat(&self.file).is_ok_and(|stat| is_same(&now, &stat))) {
            let _ = unlinkat(&self.folder, &self.part, AtFlags::empty());
        }
    }
}

fn taken(error: Errno) -> DatabaseRefusal {
    match error {
        Errno::EXIST => DatabaseRefusal::Exists,
        other => other.into(),
    }
}

fn is_same(one: &Stat, other: &Stat) -> bool {
    (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
}

/// Whether nobody but root and this user can rename this user's files in the folder.
fn keeps_names(folder: &Stat) -> bool {
    let user = rustix::process::geteuid().as_raw();
    let sticky = folder.st_mode & 0o1000 != 0 && (folder.st_uid == 0 || folder.st_uid == user);
    is_trusted(folder) || sticky
}

fn prefix(name: &OsStr) -> Vec<u8> {
    [b".", name.as_bytes(), b".part-"].concat()
}

fn create_new(folder: &OwnedFd, name: &OsStr) -> Result<(OsString, OwnedFd), DatabaseRefusal> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    for number in 0..TRIES {
        let mut part = prefix(name);
        part.extend_from_slice(format!("{}-{number}", std::process::id()).as_bytes());
        let part = OsString::from_vec(part);
        match openat(folder, &part, flags, Mode::from_raw_mode(0o600)) {
            Ok(file) => {
                flock(&file, FlockOperation::NonBlockingLockExclusive)?;
                fchmod(&file, Mode::from_raw_mode(0o600))?;
                return Ok((part, file));
            }
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Errno::EXIST.into())
}

fn remove_abandoned(
    folder: &OwnedFd,
    name: &OsStr,
    ours: fn(&[u8]) -> bool,
) -> Result<(), DatabaseRefusal> {
    let prefix = prefix(name);
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let entries = rustix::fs::Dir::new(openat(folder, c".", flags, Mode::empty())?)?;
    for entry in entries {
        let entry = entry?;
        let Some(rest) = entry.file_name().to_bytes().strip_prefix(prefix.as_slice()) else {
            continue;
        };
        let numbers: Vec<&[u8]> = rest.split(|byte| *byte == b'-').collect();
        let digits = |part: &&[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
        if numbers.len() == 2 && numbers.iter().all(digits) {
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            let _ = remove_one(folder, name, ours);
        }
    }
    Ok(())
}

/// Nothing happens to what is not this user's own, private, known by one name, unlocked, and fathom's by its content.
fn remove_one(
    folder: &OwnedFd,
    part: &OsStr,
    ours: fn(&[u8]) -> bool,
) -> Result<(), DatabaseRefusal> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = openat(folder, part, flags, Mode::empty())?;
    let stat = fstat(&file)?;
    let own = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
        && stat.st_uid == rustix::process::geteuid().as_raw()
        && stat.st_mode & 0o7777 == 0o600
        && stat.st_nlink == 1;
    if !own {
        return Ok(());
    }
    flock(&file, FlockOperation::NonBlockingLockExclusive)?;
    let first = read(
        File::from(file.try_clone().map_err(DatabaseRefusal::Io)?),
        100,
    )?;
    let now = statat(folder, part, AtFlags::SYMLINK_NOFOLLOW)?;
    if ours(&first) && is_same(&stat, &now) {
        unlinkat(folder, part, AtFlags::empty())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    fn ours(first: &[u8]) -> bool {
        first.is_empty() || first.starts_with(b"ours")
    }

    #[test]
    fn it_gets_its_name_only_where_that_is_free() {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("copy");
        let part = PartFile::create(&to, ours).unwrap();
        fs::write(part.path(), b"ours, whole").unwrap();
        assert!(!to.exists());
        part.publish().unwrap();
        assert_eq!(fs::read(&to).unwrap(), b"ours, whole");
        assert_eq!(fs::metadata(&to).unwrap().mode() & 0o7777, 0o600);
        assert!(matches!(
            PartFile::create(&to, ours),
            Err(DatabaseRefusal::Exists)
        ));
        let late = folder.path().join("late");
        let part = PartFile::create(&late, ours).unwrap();
        fs::write(&late, b"somebody's").unwrap();
        assert!(matches!(part.publish(), Err(DatabaseRefusal::Exists)));
        assert_eq!(fs::read(&late).unwrap(), b"somebody's");
        assert_eq!(
            fs::read_dir(folder.path()).unwrap().count(),
            2,
            "no part is left"
        );
    }

    #[test]
    fn only_what_a_killed_process_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let leave = |name: &str, content: &[u8], mode| {
            fs::write(at(name), content).unwrap();
            fs::set_permissions(at(name), fs::Permissions::from_mode(mode)).unwrap();
        };
        leave(".copy.part-1-0", b"ours, half", 0o600);
        leave(".copy.part-2-0", b"", 0o600);
        leave(".copy.part-3-0", b"a thesis", 0o600);
        leave(".copy.part-4-0", b"ours", 0o644);
        leave(".copy.part-x", b"ours", 0o600);
        leave(".copy.part-5-0", b"ours", 0o600);
        fs::hard_link(at(".copy.part-5-0"), at("second name")).unwrap();
        let written = PartFile::create(&at("copy"), ours).unwrap();
        let second = PartFile::create(&at("copy"), ours).unwrap();
        for gone in [".copy.part-1-0", ".copy.part-2-0"] {
            assert!(!at(gone).exists(), "{gone}");
        }
        for stays in [
            ".copy.part-3-0",
            ".copy.part-4-0",
            ".copy.part-x",
            ".copy.part-5-0",
        ] {
            assert!(at(stays).exists(), "{stays}");
        }
        assert!(written.path().exists() && second.path().exists());
    }

    #[test]
    fn a_folder_in_which_others_rename_files_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        for (mode, good) in [(0o777, false), (0o1777, true), (0o755, true)] {
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
            let made = PartFile::create(&folder.path().join("copy"), ours);
            assert_eq!(made.is_ok(), good, "{mode:o}");
        }
    }
}
