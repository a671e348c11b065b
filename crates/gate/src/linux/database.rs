//! Finds the folder of a database, and decides whether it may be opened: who owns it, what leads to it, what lies next to
//! it.
//!
//! SQLite opens files by name, so the name that it gets is below the descriptor of the folder that was checked. Omitted: names next
//! to a database (`side_files`), and what is in the file (`store`).

use super::Owner;
use super::walk::resolve;
use crate::database::{DatabaseRefusal, check_database_name, is_sqlites};
use crate::resolved::Resolved;
use crate::side_files::{SIDE_FILES, database_of};
use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, Stat, StatxFlags, fchmod, fstat, openat, statat, statx,
};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Permissions};
use std::io::Read;
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Bits that let other users than the owner read or write.
const OTHERS: u32 = 0o077;

impl From<Errno> for DatabaseRefusal {
    fn from(error: Errno) -> Self {
        DatabaseRefusal::Io(error.into())
    }
}

/// Folders of databases that were opened.
static FOLDERS: Mutex<Vec<(Stat, File)>> = Mutex::new(Vec::new());

/// A database file, or the place of a new one, pinned by descriptors.
#[derive(Debug)]
pub struct DatabasePlace {
    folder: File,
    name: OsString,
    path: PathBuf, // absolute, without links
    node: Option<Stat>,
    held: Option<File>, // of the file, without any rights: closing it ends no lock
    largest: AtomicU64, // bytes that the file had; a database does not shrink
}

/// Finds where `path` leads and checks that this user may rely on what is there.
///
/// # Errors
/// See [`DatabaseRefusal`].
pub fn database(path: &Path) -> Result<DatabasePlace, DatabaseRefusal> {
    check_database_name(path)?;
    let Resolved {
        folder,
        name,
        node,
        foreign,
    } = resolve(path)?;
    if let Some(name) = foreign {
        return Err(DatabaseRefusal::ForeignName(name));
    }
    if let Some(database) = database_of(&folder, &name) {
        return Err(DatabaseRefusal::OfDatabase(database));
    }
    let held = node;
    let node = held.as_ref().map(fstat).transpose()?;
    if let Some(stat) = &node {
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => {}
            FileType::Directory => return Err(DatabaseRefusal::Folder),
            _ => return Err(DatabaseRefusal::NotAFile),
        }
        owned(stat)?;
    }
    let path = real_folder(&folder, path)?.join(&name);
    Ok(DatabasePlace {
        folder,
        name,
        path,
        node,
        held,
        largest: AtomicU64::new(0),
    })
}

fn owned(stat: &Stat) -> Result<(), DatabaseRefusal> {
    let user = rustix::process::geteuid().as_raw();
    match stat.st_uid == 0 || stat.st_uid == user {
        true => Ok(()),
        false => Err(DatabaseRefusal::ForeignOwner(Owner::from_number(
            stat.st_uid,
        ))),
    }
}

fn is_same(one: &Stat, other: &Stat) -> bool {
    (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
}

/// The path of an open folder, without links. Where /proc is missing it follows from the path that was given.
pub(crate) fn real_folder(folder: &File, given: &Path) -> Result<PathBuf, DatabaseRefusal> {
    let here = fstat(folder)?;
    let proc = std::fs::read_link(format!("/proc/self/fd/{}", folder.as_raw_fd()));
    let parent = given
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let path = proc.or_else(|_| std::fs::canonicalize(parent.unwrap_or(Path::new("."))))?;
    let there = statat(rustix::fs::CWD, &path, AtFlags::SYMLINK_NOFOLLOW)?;
    match is_same(&here, &there) {
        true => Ok(path),
        false => Err(DatabaseRefusal::Replaced),
    }
}

impl DatabasePlace {
    /// Its name: absolute, without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Refuses to write a file that has another name, next to which SQLite would keep another log.
    ///
    /// # Errors
    /// [`DatabaseRefusal::SecondName`], [`DatabaseRefusal::MountedFile`].
    pub fn has_one_name(&self) -> Result<(), DatabaseRefusal> {
        let Some((node, held)) = self.node.as_ref().zip(self.held.as_ref()) else {
            return Ok(());
        };
        if node.st_nlink > 1 {
            return Err(DatabaseRefusal::SecondName(node.st_nlink));
        }
        let mount = |file: &File| {
            let asked = statx(file, c"", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID);
            asked.ok().map(|asked| asked.stx_mnt_id) // zero of both before Linux 5.8
        };
        match mount(&self.folder).zip(mount(held)) {
            Some((folder, file)) if folder != file => Err(DatabaseRefusal::MountedFile),
            _ => Ok(()),
        }
    }

    /// The name to open: below the descriptor of its folder, regardless of the folder's name; without /proc the absolute one. The
    /// descriptor stays open as long as this process, because SQLite removes files by that name later.
    pub fn reached(&self) -> PathBuf {
        let kept = || -> Option<PathBuf> {
            let here = fstat(&self.folder).ok()?;
            let mut open = FOLDERS.lock().unwrap_or_else(PoisonError::into_inner);
            let known = open.iter().position(|(stat, _)| is_same(stat, &here));
            let at = known.unwrap_or(open.len());
            if known.is_none() {
                open.push((here, self.folder.try_clone().ok()?));
            }
            let way = PathBuf::from(format!("/proc/self/fd/{}", open[at].1.as_raw_fd()));
            let there = rustix::fs::stat(&way).ok()?;
            is_same(&there, &here).then(|| way.join(&self.name))
        };
        kept().unwrap_or_else(|| self.path.clone())
    }

    /// Device and inode of the file, where there is one.
    pub fn identity(&self) -> Option<(u64, u64)> {
        self.node.as_ref().map(|stat| (stat.st_dev, stat.st_ino))
    }

    /// The first bytes of the file, at most so many.
    ///
    /// Closing a file ends all POSIX locks that the process has on it: not to be called while SQLite has it open.
    ///
    /// # Errors
    /// Those of open(2) and read(2).
    pub fn first_bytes(&self, bytes: u64) -> Result<Vec<u8>, DatabaseRefusal> {
        let Some(stat) = &self.node else {
            return Ok(Vec::new());
        };
        let file = self.open(&self.name)?;
        if !is_same(stat, &fstat(&file)?) {
            return Err(DatabaseRefusal::Replaced);
        }
        read(file, bytes)
    }

    fn open(&self, name: &OsStr) -> Result<File, DatabaseRefusal> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        Ok(File::from(openat(
            &self.folder,
            name,
            flags,
            Mode::empty(),
        )?))
    }

    /// Refuses files next to the database that SQLite would take for its own and overwrite, or that another user placed.
    ///
    /// The same bound as [`first_bytes`](Self::first_bytes).
    ///
    /// # Errors
    /// [`DatabaseRefusal::InTheWay`], [`DatabaseRefusal::ForeignOwner`].
    pub fn check_side_files(&self) -> Result<(), DatabaseRefusal> {
        for suffix in SIDE_FILES {
            let name = self.beside(suffix);
            let stat = match statat(&self.folder, &name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => stat,
                Err(Errno::NOENT) => continue,
                Err(error) => return Err(error.into()),
            };
            let in_the_way = |what| DatabaseRefusal::InTheWay {
                file: self.path.with_file_name(&name),
                what,
            };
            if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
                return Err(in_the_way("replace"));
            }
            owned(&stat)?;
            if stat.st_size == 0 {
                continue;
            }
            let first = read(self.open(&name)?, 136)?;
            let known = is_sqlites(suffix, &first, self.has_pages());
            if !known {
                return Err(in_the_way("overwrite"));
            }
        }
        Ok(())
    }

    /// Next to a database without any, SQLite deletes the log.
    fn has_pages(&self) -> bool {
        statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|stat| stat.st_size > 0)
    }

    fn beside(&self, suffix: &str) -> OsString {
        let mut name = self.name.clone();
        name.push(suffix);
        name
    }

    /// Creates the file, empty, readable and writable for this user alone, regardless of the umask. If another process
    /// was faster, its file is treated as an existing one.
    ///
    /// # Errors
    /// Those of open(2).
    pub fn create(&mut self) -> Result<(), DatabaseRefusal> {
        let flags =
            OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let created = match openat(&self.folder, &self.name, flags, Mode::from_raw_mode(0o600)) {
            Ok(file) => {
                fchmod(&file, Mode::from_raw_mode(0o600))?;
                fstat(&file)?
            }
            Err(Errno::EXIST) => {
                let stat = statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW)?;
                if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
                    return Err(DatabaseRefusal::Replaced);
                }
                owned(&stat)?;
                stat
            }
            Err(error) => return Err(error.into()),
        };
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let held = openat(&self.folder, &self.name, flags, Mode::empty())?;
        if !is_same(&created, &fstat(&held)?) {
            return Err(DatabaseRefusal::Replaced);
        }
        (self.node, self.held) = (Some(created), Some(held.into()));
        Ok(())
    }

    /// Whether the path and the name in its folder still lead to the file that was checked. The folder may have been moved, or
    /// be hidden below a mount.
    ///
    /// # Errors
    /// [`DatabaseRefusal::Replaced`] where one does not, or the file was cut to length; those of stat(2).
    pub fn still_there(&self) -> Result<(), DatabaseRefusal> {
        let path = statat(rustix::fs::CWD, &self.path, AtFlags::SYMLINK_NOFOLLOW)?;
        let name = statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW)?;
        let is_it = |now| self.node.as_ref().is_some_and(|stat| is_same(stat, now));
        let bytes = u64::try_from(name.st_size).unwrap_or(0);
        let is_cut = self.largest.fetch_max(bytes, Relaxed) > bytes;
        match is_it(&path) && is_it(&name) && !is_cut {
            true => Ok(()),
            false => Err(DatabaseRefusal::Replaced),
        }
    }

    /// Whether nothing has the name any more.
    pub fn is_vacant(&self) -> bool {
        let stat = statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW);
        matches!(stat, Err(Errno::NOENT))
    }

    /// Where the file is now; `None` where it was deleted, or /proc is missing.
    pub fn moved_to(&self) -> Option<PathBuf> {
        let held = self.held.as_ref()?;
        let way = std::fs::read_link(format!("/proc/self/fd/{}", held.as_raw_fd())).ok()?;
        let there = statat(rustix::fs::CWD, &way, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        is_same(&there, self.node.as_ref()?).then_some(way)
    }

    /// A name next to the database: in the folder that it was opened in, wherever that is now.
    pub fn neighbour(&self, suffix: &str) -> PathBuf {
        let folder = real_folder(&self.folder, &self.path);
        let folder = folder.unwrap_or_else(|_| self.path.with_file_name(""));
        folder.join(self.beside(suffix))
    }

    /// Takes the rights of others away from a file of this user's and from what lies next to it; answers with the mode
    /// that it had, where that changed. A file system that cannot be written is left as it is.
    pub fn make_private(&self) -> Option<u32> {
        let user = rustix::process::geteuid().as_raw();
        let tighten = |name: &OsStr| {
            let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let node = openat(&self.folder, name, flags, Mode::empty()).ok()?;
            let stat = fstat(&node).ok()?;
            let mode = stat.st_mode & 0o7777;
            if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile
                || stat.st_uid != user
                || mode & OTHERS == 0
            {
                return None;
            }
            // What is open without rights has no fchmod(2); its name below /proc leads to it and to nothing else.
            let way = format!("/proc/self/fd/{}", node.as_raw_fd());
            std::fs::set_permissions(way, Permissions::from_mode(mode & !OTHERS)).ok()?;
            Some(mode)
        };
        let before = tighten(&self.name);
        for suffix in SIDE_FILES {
            tighten(&self.beside(suffix));
        }
        before
    }
}

fn read(file: File, bytes: u64) -> Result<Vec<u8>, DatabaseRefusal> {
    let mut first = Vec::new();
    file.take(bytes).read_to_end(&mut first)?;
    Ok(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::create_private_folders;
    use std::fs;
    use std::os::unix::fs::{MetadataExt, chown, symlink};

    #[test]
    fn a_new_file_is_private_and_has_a_path_without_links() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("real")).unwrap();
        symlink("real", at("link")).unwrap();
        let mut place = database(&at("link/s.db")).unwrap();
        assert_eq!(place.identity(), None);
        place.create().unwrap();
        place.still_there().unwrap();
        let real = fs::canonicalize(at("real")).unwrap().join("s.db");
        assert_eq!(place.path(), real);
        assert_eq!(fs::metadata(&real).unwrap().mode() & 0o7777, 0o600);
        fs::write(at("other"), b"x").unwrap();
        fs::rename(at("other"), &real).unwrap();
        assert!(matches!(
            place.still_there(),
            Err(DatabaseRefusal::Replaced)
        ));
        assert!(matches!(
            place.first_bytes(9),
            Err(DatabaseRefusal::Replaced)
        ));
    }

    #[test]
    fn what_another_user_owns_or_leads_to_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("mine"), b"").unwrap();
        fs::create_dir(at("open")).unwrap();
        fs::set_permissions(at("open"), Permissions::from_mode(0o777)).unwrap();
        symlink(at("mine"), at("open/link")).unwrap();
        let refused = database(&at("open/link")).unwrap_err();
        assert!(
            matches!(refused, DatabaseRefusal::ForeignName(_)),
            "{refused}"
        );
        if chown(at("mine"), Some(65534), None).is_ok() {
            let refused = database(&at("mine")).unwrap_err();
            assert!(
                matches!(&refused, DatabaseRefusal::ForeignOwner(user) if *user == Owner::from_number(65534)),
                "{refused}"
            );
        }
    }

    #[test]
    fn names_next_to_a_database_are_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let open = File::open(folder.path()).unwrap();
        let of = |name: &str| database_of(&open, OsStr::new(name));
        fs::write(at("s.db"), b"SQLite format 3\0 and pages").unwrap();
        fs::write(at("new.db"), b"").unwrap();
        fs::write(at("notes"), b"a thesis").unwrap();
        for name in [
            "s.db-wal",
            "s.db-shm",
            "s.db-journal",
            "s.db-WAL",
            "s.db-sweep-12",
        ] {
            assert_eq!(of(name), Some(PathBuf::from("s.db")), "{name}");
        }
        assert_eq!(of("new.db-wal"), Some(PathBuf::from("new.db")));
        for name in [
            "notes-wal",
            "none-wal",
            "-wal",
            "s.db-walk",
            "s.db-sweep-",
            "s.db.html",
            "12",
        ] {
            assert_eq!(of(name), None, "{name}");
        }
        let refused = database(&at("s.db-wal")).unwrap_err();
        assert!(
            matches!(refused, DatabaseRefusal::OfDatabase(_)),
            "{refused}"
        );
    }

    #[test]
    fn files_next_to_it_that_are_not_sqlites_are_in_the_way() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("s.db"), b"SQLite").unwrap();
        for name in ["s.db-wal", "s.db-shm", "s.db-journal"] {
            fs::write(at(name), b"a thesis").unwrap();
            let refused = database(&at("s.db"))
                .unwrap()
                .check_side_files()
                .unwrap_err();
            assert!(refused.to_string().contains(name), "{refused}");
            fs::remove_file(at(name)).unwrap();
            symlink("s.db", at(name)).unwrap();
            assert!(database(&at("s.db")).unwrap().check_side_files().is_err());
            fs::remove_file(at(name)).unwrap();
        }
        fs::write(at("s.db-wal"), [0x37, 0x7f, 0x06, 0x82]).unwrap();
        database(&at("s.db")).unwrap().check_side_files().unwrap();
        // SQLite deletes a log next to a database that has no pages yet.
        assert!(
            database(&at("s.db-none"))
                .unwrap()
                .check_side_files()
                .is_ok()
        );
        fs::write(at("s.db"), b"").unwrap();
        assert!(database(&at("s.db")).unwrap().check_side_files().is_err());
    }

    #[test]
    fn a_database_that_was_moved_hidden_or_deleted_is_no_longer_there() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("a")).unwrap();
        let mut place = database(&at("a/s.db")).unwrap();
        place.create().unwrap();
        let real = fs::canonicalize(folder.path()).unwrap();
        fs::rename(at("a/s.db"), at("a/x.db")).unwrap();
        assert!(place.still_there().is_err() && place.is_vacant());
        assert_eq!(place.moved_to(), Some(real.join("a/x.db")));
        fs::rename(at("a/x.db"), at("a/s.db")).unwrap();
        place.still_there().unwrap();
        fs::rename(at("a"), at("b")).unwrap();
        assert!(place.still_there().is_err() && !place.is_vacant());
        assert_eq!(place.moved_to(), Some(real.join("b/s.db")));
        assert_eq!(place.neighbour(".kept-1"), real.join("b/s.db.kept-1"));
        fs::create_dir(at("a")).unwrap();
        fs::write(at("a/s.db"), b"another").unwrap();
        assert!(place.still_there().is_err());
        fs::remove_file(at("b/s.db")).unwrap();
        assert_eq!(place.moved_to(), None);
    }

    #[test]
    fn rights_of_others_are_taken_away() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["s.db", "s.db-wal"] {
            fs::write(at(name), b"").unwrap();
            fs::set_permissions(at(name), Permissions::from_mode(0o664)).unwrap();
        }
        let place = database(&at("s.db")).unwrap();
        assert_eq!(place.make_private(), Some(0o664));
        assert_eq!(place.make_private(), None);
        for name in ["s.db", "s.db-wal"] {
            assert_eq!(
                fs::metadata(at(name)).unwrap().mode() & 0o777,
                0o600,
                "{name}"
            );
        }
        create_private_folders(&at("a/b/s.db")).unwrap();
        for name in ["a", "a/b"] {
            assert_eq!(
                fs::metadata(at(name)).unwrap().mode() & 0o777,
                0o700,
                "{name}"
            );
        }
    }
}
