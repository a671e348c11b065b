//! Which files are taken as a shelf.
//!
//! A file is judged by its first bytes before SQLite ever touches it, so that what is not ours stays as it
//! is. The schema in it is `schema`'s business.

use crate::error::Fault;
use crate::schema::{
    APPLICATION_ID, BASELINES_FROM, LINES_FROM, SCHEMA_VERSION, bring_up_to_date, version,
};
use crate::{Result, StoreError};
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The oldest version that is read as it lies: what came after it only added a column that reading can do without.
const READABLE_FROM: u32 = 1;

/// How long one program waits for another's write.
const PATIENCE: Duration = Duration::from_secs(10);

/// Length of the header that every SQLite file begins with. Source: <https://www.sqlite.org/fileformat.html>.
const HEADER_BYTES: usize = 100;
const HEADER_MAGIC: &[u8] = b"SQLite format 3\0";
const HEADER_APPLICATION_ID: std::ops::Range<usize> = 68..72;

/// When the disk is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flush {
    /// Before each write counts as done.
    EachWrite,
    /// Not now.
    Never,
}

/// One shelf. Not shared between threads: each opens its own.
pub struct Store {
    pub(crate) connection: Connection,
    path: PathBuf,
    version: u32, // of the schema in it
    full: bool,   // the disk had no room to open it for writing
}

impl Store {
    /// Opens the shelf at `path`, or begins one where there is nothing or an empty file. Missing folders
    /// above it are made.
    ///
    /// Errors: what is not a fathom store, or a newer one, is refused and left as it is; see [`StoreError`].
    pub fn open(path: &Path) -> Result<Store> {
        look_at(path)?;
        make_folder(path)?;
        let connection = connect(path).map_err(|fault| fault.at(path))?;
        Ok(Store {
            connection,
            path: path.to_owned(),
            version: SCHEMA_VERSION,
            full: false,
        })
    }

    /// Opens the shelf at `path` to look into it: where this user may not write it, or the disk is full to its last byte,
    /// for reading only.
    ///
    /// Errors: as [`Store::open`]; and a shelf of an older version that cannot be brought up to date.
    pub fn look(path: &Path) -> Result<Store> {
        match Store::open(path) {
            Err(why @ (StoreError::Unwritable { .. } | StoreError::Full { .. }))
                if path.is_file() =>
            {
                let store = connect_to_read(path).map_err(|fault| fault.at(path))?;
                Ok(Store {
                    full: matches!(why, StoreError::Full { .. }),
                    ..store
                })
            }
            other => other,
        }
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether its results have lines; a file of old that cannot be written has none.
    pub(crate) fn has_lines(&self) -> bool {
        self.version >= LINES_FROM
    }

    /// Whether it can hold baselines; a file of old that cannot be written has none.
    pub(crate) fn has_baselines(&self) -> bool {
        self.version >= BASELINES_FROM
    }

    /// Where each result has one row with `session_id` and `number`.
    pub(crate) fn lines_in(&self) -> &'static str {
        if self.has_lines() {
            "headlines"
        } else {
            "runs"
        }
    }

    /// A transaction that holds the right to write from its start, so that it cannot fail halfway for it.
    pub(crate) fn write(&self) -> Result<Transaction<'_>, Fault> {
        if self.full {
            let path = self.path.clone();
            return Err(Fault::Told(StoreError::Full { path }));
        }
        Ok(Transaction::new_unchecked(
            &self.connection,
            TransactionBehavior::Immediate,
        )?)
    }

    /// Whether writes go through a write-ahead log.
    pub(crate) fn has_log(&self) -> Result<bool, Fault> {
        let mode: String = self
            .connection
            .query_row("PRAGMA journal_mode", [], |row| row.get(0))?;
        Ok(mode == "wal")
    }

    /// When the disk is waited for. With `Never` a power cut may lose what was written since, and a killed program loses
    /// nothing; it is for the moment before the log is emptied.
    pub(crate) fn flush(&self, when: Flush) -> Result<(), Fault> {
        let mode = match when {
            Flush::EachWrite => "FULL",
            Flush::Never => "OFF",
        };
        Ok(self.connection.pragma_update(None, "synchronous", mode)?)
    }

    /// Moves what is in the log into the file, with a flush before and after; whether all of it could be moved.
    pub(crate) fn empty_log(&self) -> Result<bool, Fault> {
        let moved = "PRAGMA wal_checkpoint(PASSIVE)";
        Ok(self.connection.query_row(moved, [], |row| {
            let (busy, log, moved): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(busy == 0 && log == moved)
        })?)
    }

    /// A transaction that sees one state from its first read to its end.
    pub(crate) fn read(&self) -> Result<Transaction<'_>, Fault> {
        Ok(self.connection.unchecked_transaction()?)
    }
}

/// Refuses what is not ours by its first bytes.
fn look_at(path: &Path) -> Result<()> {
    let owned = || path.to_owned();
    let kind = match path.metadata() {
        Ok(metadata) => metadata.file_type(),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(cannot(path, &error)),
    };
    if kind.is_dir() {
        return Err(StoreError::Folder { path: owned() });
    }
    if !kind.is_file() {
        return Err(StoreError::NotAFile { path: owned() });
    }
    let mut header = Vec::with_capacity(HEADER_BYTES);
    File::open(path)
        .and_then(|file| file.take(HEADER_BYTES as u64).read_to_end(&mut header))
        .map_err(|error| cannot(path, &error))?;
    if header.is_empty() {
        return Ok(());
    }
    if header.iter().all(|byte| *byte == 0) {
        return Err(StoreError::Damaged {
            path: owned(),
            what: "its first bytes are zeros, if it was a store".to_owned(),
        });
    }
    if !header.starts_with(HEADER_MAGIC) {
        return Err(StoreError::NotADatabase { path: owned() });
    }
    let id = header
        .get(HEADER_APPLICATION_ID)
        .and_then(|bytes| bytes.try_into().ok())
        .map(u32::from_be_bytes);
    match id {
        Some(APPLICATION_ID) => Ok(()),
        Some(read) => Err(StoreError::Foreign {
            path: owned(),
            read,
        }),
        None => Err(StoreError::Damaged {
            path: owned(),
            what: "it ends within its header".to_owned(),
        }),
    }
}

fn cannot(path: &Path, error: &std::io::Error) -> StoreError {
    let (path, reason) = (path.to_owned(), error.to_string());
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::NotADirectory | ErrorKind::ReadOnlyFilesystem => {
            StoreError::Unwritable { path, reason }
        }
        _ => StoreError::Io { path, reason },
    }
}

fn make_folder(path: &Path) -> Result<()> {
    let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    else {
        return Ok(());
    };
    std::fs::create_dir_all(folder).map_err(|error| match error.kind() {
        ErrorKind::StorageFull => StoreError::Full {
            path: path.to_owned(),
        },
        _ => StoreError::MakeFolder {
            path: path.to_owned(),
            reason: error.to_string(),
        },
    })
}

fn connect(path: &Path) -> Result<Connection, Fault> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    if connection.is_readonly("main")? {
        return Err(Fault::Told(StoreError::Unwritable {
            path: path.to_owned(),
            reason: "it is read-only".to_owned(),
        }));
    }
    bring_up_to_date(&connection, path)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    use_write_ahead_log(&connection)?;
    Ok(connection)
}

/// For reading only. A shelf in a folder that cannot be written, or on a full disk, has no room for the index of its
/// write-ahead log; where nothing waits in that log, nobody can be writing and the file is read as it lies.
fn connect_to_read(path: &Path) -> Result<Store, Fault> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let plain = Connection::open_with_flags(path, flags)?;
    plain.busy_timeout(PATIENCE)?;
    let connection = match version(&plain, path) {
        Err(Fault::Sql(_)) if !has_waiting_log(path) => {
            let flags = flags | OpenFlags::SQLITE_OPEN_URI;
            Connection::open_with_flags(immutable_uri(path)?, flags)?
        }
        _ => plain,
    };
    match version(&connection, path)? {
        version @ READABLE_FROM.. => Ok(Store {
            connection,
            path: path.to_owned(),
            version,
            full: false,
        }),
        older => Err(Fault::Told(StoreError::Unwritable {
            path: path.to_owned(),
            reason: format!(
                "it is read-only, and of version {older}, which must be brought up to date first"
            ),
        })),
    }
}

fn has_waiting_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    std::fs::metadata(log).is_ok_and(|log| log.len() > 0)
}

/// Source: <https://www.sqlite.org/uri.html>.
fn immutable_uri(path: &Path) -> Result<String, Fault> {
    let unwritable = |reason: String| {
        Fault::Told(StoreError::Unwritable {
            path: path.to_owned(),
            reason,
        })
    };
    let whole = std::path::absolute(path).map_err(|error| unwritable(error.to_string()))?;
    let text = whole
        .to_str()
        .ok_or_else(|| unwritable("it is read-only, and its name is not UTF-8".to_owned()))?;
    let mut uri = "file:".to_owned();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    Ok(uri + "?immutable=1")
}

/// Readers and the writer do not wait for each other in this mode. It stays with the file. Where it cannot
/// be had (another program holds the file at this moment, a network file system), SQLite's rollback
/// journal keeps the same promises, only with more waiting; so that is no error.
fn use_write_ahead_log(connection: &Connection) -> Result<(), Fault> {
    let mode = |pragma: &str| connection.query_row(pragma, [], |row| row.get::<_, String>(0));
    if mode("PRAGMA journal_mode")? == "wal" {
        return Ok(());
    }
    match mode("PRAGMA journal_mode = WAL") {
        Ok(_) => Ok(()),
        Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy) => {
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_shelf_has_the_settings_it_promises() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.sqlite");
        let store = Store::open(&path).unwrap();
        let ask = |name: &str| -> String {
            let sql = format!("SELECT CAST((SELECT * FROM pragma_{name}) AS TEXT)");
            store
                .connection
                .query_row(&sql, [], |row| row.get(0))
                .unwrap()
        };
        assert_eq!(ask("journal_mode"), "wal");
        assert_eq!(ask("foreign_keys"), "1");
        assert_eq!(ask("synchronous"), "2");
        assert_eq!(ask("busy_timeout"), "10000");
        assert_eq!(ask("user_version"), SCHEMA_VERSION.to_string());
        assert_eq!(ask("application_id"), APPLICATION_ID.to_string());
        assert_eq!(ask("integrity_check"), "ok");
    }

    #[test]
    fn a_shelf_can_be_read_without_the_right_to_write_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a b%?.sqlite");
        drop(Store::open(&path).unwrap());
        let reading = |connection: Connection| {
            let count = connection.query_row("SELECT count(*) FROM sessions", [], |row| row.get(0));
            assert_eq!(count, Ok(0));
            assert!(connection.execute("DELETE FROM sessions", []).is_err());
        };
        reading(
            connect_to_read(&path)
                .map_err(|fault| fault.at(&path))
                .unwrap()
                .connection,
        );
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let uri = immutable_uri(&path)
            .map_err(|fault| fault.at(&path))
            .unwrap();
        reading(Connection::open_with_flags(uri, flags).unwrap());
    }

    #[test]
    fn an_older_shelf_is_read_as_it_lies_where_it_cannot_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.sqlite");
        let old = include_bytes!("../tests/fixtures/v1.sqlite");
        std::fs::write(&path, old).unwrap();
        let store = connect_to_read(&path)
            .map_err(|fault| fault.at(&path))
            .unwrap();
        assert_eq!(store.load(crate::SessionId(1)).unwrap().runs.len(), 2);
        drop(store);
        assert_eq!(std::fs::read(&path).unwrap(), old, "it was touched");
        let empty = folder.path().join("empty");
        std::fs::write(&empty, "").unwrap();
        assert!(connect_to_read(&empty).is_err());
    }
}
