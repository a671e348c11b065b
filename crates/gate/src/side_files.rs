//! What lies around a database: the folders above it, and names next to it of SQLite's files and of sessions' locks. A result or a
//! target of such a name would be lost to it.
//!
//! Omitted: what may lie there when a database is opened (`database`).

use crate::file_facts::NodeKind;
use crate::system;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

/// What SQLite may place next to a database.
pub const SIDE_FILES: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Between the name of a database and the number of the session that is locked.
const LOCK_SUFFIX: &str = "-sweep-";

/// How a database begins. Source: <https://www.sqlite.org/fileformat.html>.
const SQLITE: &[u8; 16] = b"SQLite format 3\0";

/// The name of the database next to which this would be the name of a file of SQLite's, or of a lock of a session that is stored
/// there. Case does not matter, as on some file systems.
pub fn side_of(name: &OsStr) -> Option<&OsStr> {
    let whole = name;
    let name = name.as_encoded_bytes();
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
    system::beginning(whole, start)
}

/// That database, if there is one. What cannot be read may be one.
pub(crate) fn database_of(folder: &File, name: &OsStr) -> Option<PathBuf> {
    let base = side_of(name)?;
    if system::named(folder, base, true).ok()?.kind != NodeKind::File {
        return None;
    }
    let mut head = Vec::new();
    let read = system::open_target(folder, base).map(|file| {
        let mut file = file.take(SQLITE.len() as u64);
        file.read_to_end(&mut head)
    });
    let is_one = !matches!(read, Ok(Ok(_))) || head.is_empty() || head == SQLITE;
    is_one.then(|| PathBuf::from(base))
}
