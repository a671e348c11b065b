//! What lies around a database: the folders above it, and names next to it of SQLite's files and of sessions' locks. A result or a
//! target of such a name would be lost to it.
//!
//! Omitted: what may lie there when a database is opened (`database`).

use rustix::fs::{AtFlags, FileType, Mode, OFlags, openat, statat};
use std::ffi::OsStr;
use std::fs::{DirBuilder, File, Permissions};
use std::io::{self, ErrorKind, Read};
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// What SQLite may place next to a database.
pub const SIDE_FILES: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Between the name of a database and the number of the session that is locked.
const LOCK_SUFFIX: &str = "-sweep-";

/// How a database begins. Source: <https://www.sqlite.org/fileformat.html>.
const SQLITE: &[u8; 16] = b"SQLite format 3\0";

/// Creates the missing folders above `path`, for this user alone, regardless of the umask.
///
/// # Errors
/// Those of mkdir(2).
pub fn create_private_folders(path: &Path) -> io::Result<()> {
    let folders: Vec<&Path> = path.ancestors().skip(1).collect();
    for folder in folders.into_iter().rev() {
        if folder.as_os_str().is_empty() || folder.is_dir() {
            continue;
        }
        match DirBuilder::new().mode(0o700).create(folder) {
            Ok(()) => std::fs::set_permissions(folder, Permissions::from_mode(0o700))?,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The name of the database next to which this would be the name of a file of SQLite's, or of a lock of a session that is stored
/// there. Case does not matter, as on some file systems.
pub fn side_of(name: &OsStr) -> Option<&OsStr> {
    let name = name.as_bytes();
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit());
    let number = digits.count();
    let lock = (number > 0).then(|| &name[..name.len() - number]);
    let ends = |name: &[u8], suffix: &str| {
        let start = name.len().checked_sub(suffix.len())?;
        name[start..]
            .eq_ignore_ascii_case(suffix.as_bytes())
            .then_some(start)
    };
    let side = SIDE_FILES.iter().find_map(|suffix| ends(name, suffix));
    let start = side
        .or_else(|| ends(lock?, LOCK_SUFFIX))
        .filter(|&start| start > 0)?;
    Some(OsStr::from_bytes(&name[..start]))
}

/// That database, if there is one. What cannot be read may be one.
pub(crate) fn database_of(folder: BorrowedFd<'_>, name: &OsStr) -> Option<PathBuf> {
    let base = side_of(name)?;
    let there = statat(folder, base, AtFlags::empty()).ok()?;
    if FileType::from_raw_mode(there.st_mode) != FileType::RegularFile {
        return None;
    }
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut head = Vec::new();
    let read = openat(folder, base, flags, Mode::empty()).map(|file| {
        let mut file = File::from(file).take(SQLITE.len() as u64);
        file.read_to_end(&mut head)
    });
    let is_one = !matches!(read, Ok(Ok(_))) || head.is_empty() || head == SQLITE;
    is_one.then(|| PathBuf::from(base))
}
