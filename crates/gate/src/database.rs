//! Which names a database may have, what of SQLite's may lie next to one, and why one is not opened. Omitted: the system's part,
//! which finds and pins the file (`system::database`), and what is in it (`store`).

use crate::resolved::ForeignName;
use crate::system::Owner;
use std::io;
use std::path::{Path, PathBuf};

/// Why a database is not opened. Nothing was changed.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message describes each variant")]
pub enum DatabaseRefusal {
    #[error(
        "SQLite gives names like this one another meaning, so no file of this name is used; hint: for a file that is \
        called so: {}", .0.display()
    )]
    SpecialName(PathBuf),
    #[error("this is a folder")]
    Folder,
    #[error("this is not a regular file")]
    NotAFile,
    #[error("{0}, so that user decides which file is opened; nothing was opened; hint: {hint}", hint = .0.hint())]
    ForeignName(ForeignName),
    #[error(
        "it belongs to user {0}, not to this user or root; nothing was opened; hint: run fathom as that user, or \
        copy the file"
    )]
    ForeignOwner(Owner),
    #[error(
        "{} is in the way: SQLite would {what} it; nothing was changed; hint: move that file, or specify another \
        database",
        file.display()
    )]
    InTheWay { file: PathBuf, what: &'static str },
    #[error(
        "other users can rename files in this folder, so it cannot be written safely; hint: specify a folder of your \
        own"
    )]
    OpenFolder,
    #[error("SQLite keeps data of the database {} under this name; hint: specify another name", .0.display())]
    OfDatabase(PathBuf),
    #[error("nothing in its folder can be renamed (chattr +a); hint: specify another folder")]
    AppendOnly,
    #[error("another process replaced it while it was being opened")]
    Replaced,
    #[error(
        "it has {0} names (hard links), and SQLite loses what is written under two of them at once; hint: a copy of its own"
    )]
    SecondName(u64),
    #[error(
        "this file is mounted from elsewhere, and SQLite loses what is written under both names at once; hint: mount its folder"
    )]
    MountedFile,
    #[error("it exists already and was not changed; hint: specify a new name")]
    Exists,
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Refuses the names that SQLite reads as something else than a file: `:memory:` and URIs.
///
/// # Errors
/// [`DatabaseRefusal::SpecialName`].
pub fn check_database_name(path: &Path) -> Result<(), DatabaseRefusal> {
    let bytes = path.as_os_str().as_encoded_bytes();
    let uri = bytes
        .get(..5)
        .is_some_and(|start| start.eq_ignore_ascii_case(b"file:"));
    match uri || bytes.starts_with(b":memory:") {
        true => Err(DatabaseRefusal::SpecialName(Path::new(".").join(path))),
        false => Ok(()),
    }
}

/// Whether a file next to a database, of this suffix, begins as SQLite writes it. `has_pages` is whether the database is not empty:
/// next to an empty one, SQLite deletes the log.
pub(crate) fn is_sqlites(suffix: &str, first: &[u8], has_pages: bool) -> bool {
    match suffix {
        "-wal" => first.starts_with(&[0x37, 0x7f, 0x06]) && has_pages,
        "-shm" => is_index(first),
        // Until it is flushed, a journal has zeros where its mark and its count will be.
        _ => {
            first.starts_with(&[0xd9, 0xd5, 0x05, 0xf9])
                || is_zero(first.get(..12).unwrap_or(first))
        }
    }
}

/// Whether bytes are the beginning of SQLite's shared index. It has two copies of a header, and the second one is written first:
/// while another process writes them, either may be zeros. Source: <https://www.sqlite.org/walformat.html>, section 2.1.
fn is_index(first: &[u8]) -> bool {
    const HEADER: usize = 48;
    let mark = 3_007_000_u32.to_ne_bytes();
    let begins = |bytes: &[u8]| bytes.len() < mark.len() || bytes.starts_with(&mark);
    match is_zero(first.get(..HEADER).unwrap_or(first)) {
        true => begins(first.get(HEADER..).unwrap_or_default()) || is_zero(first),
        false => begins(first),
    }
}

fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_sqlite_reads_otherwise_are_refused() {
        for name in [":memory:", "file:x", "FILE:/etc/x?mode=rwc", "file:"] {
            let refused = check_database_name(Path::new(name)).unwrap_err();
            let shown = Path::new(".").join(name).display().to_string();
            assert!(refused.to_string().contains(&shown), "{refused}");
        }
        for name in ["./:memory:", "./file:x", "/file:x", "files.db", "x/file:y"] {
            assert!(check_database_name(Path::new(name)).is_ok(), "{name}");
        }
    }

    #[test]
    fn an_index_that_is_being_written_is_sqlites() {
        let mark = 3_007_000_u32.to_ne_bytes();
        let with = |at: &[usize]| {
            let mut bytes = vec![0u8; 136];
            for at in at {
                bytes[*at..*at + 4].copy_from_slice(&mark);
            }
            bytes
        };
        for known in [
            with(&[]),
            with(&[48]),
            with(&[0]),
            with(&[0, 48]),
            vec![0; 3],
        ] {
            assert!(is_index(&known));
        }
        let text = b"a thesis".repeat(17);
        let mut behind = vec![0; 48];
        behind.extend_from_slice(&text);
        for foreign in [text.as_slice(), &behind, &with(&[50]), &with(&[100])] {
            assert!(!is_index(foreign));
        }
    }
}
