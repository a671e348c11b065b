//! Which files are taken as a results database.
//!
//! A file is judged by its owner, its place and its first bytes before SQLite ever touches it, and by its schema before
//! anything is written, so that what is not ours stays as it is. SQLite gets names below the descriptor of the folder alone, or
//! absolute ones: others it might read as URIs. The schema is `schema`'s business.

use crate::error::Fault;
use crate::record::Later;
use crate::schema::{
    ANSWERS_FROM, APPLICATION_ID, BASELINES_FROM, LINES_FROM, NOTES_FROM, RESPONSE_FROM,
    SCHEMA_VERSION, SERIES_FROM, SUMMARIES_FROM, bring_up_to_date, create_filled, version,
    version_of_ours,
};
use crate::{Notice, Result, StoreError, vfs};
use gate::DatabasePlace;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The oldest version that is read as it lies: what came after it only added what reading can do without.
const READABLE_FROM: u32 = 1;

/// How long one program waits for another's write.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// Length of the header that every SQLite file begins with. Source: <https://www.sqlite.org/fileformat.html>.
const HEADER_BYTES: u64 = 100;
const HEADER_MAGIC: &[u8] = b"SQLite format 3\0";
const HEADER_APPLICATION_ID: std::ops::Range<usize> = 68..72;

/// Longest text or blob that is read or written; a file that claims a longer one costs no memory.
const LENGTH_MAX: i32 = 256 << 20;

/// When the disk is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flush {
    /// Before each write counts as done.
    EachWrite,
    /// Not now.
    Never,
}

/// One results database. Not shared between threads: each opens its own.
pub struct Store {
    pub(crate) connection: Connection,
    path: PathBuf,
    place: Option<DatabasePlace>, // none of one in memory
    version: u32,                 // of the schema in it
    full: bool,                   // the disk had no room to open it for writing
    moved: Cell<bool>,            // it is no longer where it was opened
    _open: Option<OpenFile>,      // dropped after the connection
}

impl Store {
    /// Opens the database at `path`, or begins one where there is nothing or an empty file. Missing folders
    /// above it are created. All of it belongs to this user alone.
    ///
    /// Errors: what is not a fathom store, or a newer one, is refused and left as it is; see [`StoreError`].
    pub fn open(path: &Path) -> Result<Store> {
        Store::open_with(path, &mut |_| ())
    }

    /// The same, and reports what is done on the way.
    pub fn open_with(path: &Path, report: &mut dyn FnMut(Notice)) -> Result<Store> {
        let place = pin(path)?;
        place
            .has_one_name()
            .map_err(|refusal| StoreError::Unwritable {
                path: path.to_owned(),
                reason: refusal.to_string(),
            })?;
        let connect = || -> Result<_, Fault> {
            let (place, open) = OpenFile::take(place, path, true)?;
            make_private(&place, path, report);
            Ok((connect(&place, path, report)?, place, open))
        };
        let (connection, place, open) = connect().map_err(|fault: Fault| fault.at(path))?;
        Ok(Store {
            connection,
            path: path.to_owned(),
            place: Some(place),
            version: SCHEMA_VERSION,
            full: false,
            moved: Cell::new(false),
            _open: Some(open),
        })
    }

    /// Opens a new database in memory. `fill` puts rows of this version of the schema into it; `name` is for messages.
    ///
    /// # Errors
    /// The rows contradict the schema.
    pub(crate) fn in_memory_with(
        name: &Path,
        schema: u32,
        fill: &dyn Fn(&Transaction<'_>) -> Result<(), Fault>,
    ) -> Result<Store> {
        let open = || -> Result<Connection, Fault> {
            let connection = Connection::open_in_memory()?;
            harden(&connection)?;
            create_filled(&connection, schema, fill)?;
            connection.pragma_update(None, "foreign_keys", true)?;
            Ok(connection)
        };
        Ok(Store {
            connection: open().map_err(|fault| fault.at(name))?,
            path: name.to_owned(),
            place: None,
            version: SCHEMA_VERSION,
            full: false,
            moved: Cell::new(false),
            _open: None,
        })
    }

    /// Opens an empty database in memory; `name` is for messages.
    ///
    /// # Errors
    /// There is no memory.
    pub fn in_memory(name: &Path) -> Result<Store> {
        Store::in_memory_with(name, SCHEMA_VERSION, &|_| Ok(()))
    }

    /// Opens the database at `path` to look into it: where this user may not write it, or the disk is full to its last byte,
    /// for reading only.
    ///
    /// Errors: as [`Store::open`]; and a results database of an older version that cannot be brought up to date.
    pub fn look(path: &Path) -> Result<Store> {
        Store::look_with(path, &mut |_| ())
    }

    /// The same, and reports what is done on the way.
    pub fn look_with(path: &Path, report: &mut dyn FnMut(Notice)) -> Result<Store> {
        match Store::open_with(path, report) {
            Err(why @ (StoreError::Unwritable { .. } | StoreError::Full { .. }))
                if path.is_file() =>
            {
                let mut store = connect_to_read(path).map_err(|fault| fault.at(path))?;
                store.full = matches!(why, StoreError::Full { .. });
                Ok(store)
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

    /// Whether its lines have summaries; a file of old that cannot be written has none.
    pub(crate) fn has_summaries(&self) -> bool {
        self.version >= SUMMARIES_FROM
    }

    /// Whether it can contain baselines; a file of an older version that cannot be written has none.
    pub(crate) fn has_baselines(&self) -> bool {
        self.version >= BASELINES_FROM
    }

    /// Whether it can contain notes; a file of an older version that cannot be written has none.
    pub(crate) fn has_notes(&self) -> bool {
        self.version >= NOTES_FROM
    }

    /// Whether it can contain answers; a file of an older version that cannot be written has none.
    pub(crate) fn has_answers(&self) -> bool {
        self.version >= ANSWERS_FROM
    }

    /// Which columns it has that came after version 1.
    pub(crate) fn later(&self) -> Later {
        Later {
            response: self.version >= RESPONSE_FROM,
            series: self.version >= SERIES_FROM,
        }
    }

    /// Where each result has one row with `session_id` and `number`.
    pub(crate) fn lines_in(&self) -> &'static str {
        if self.has_lines() {
            "headlines"
        } else {
            "runs"
        }
    }

    /// A transaction with the right to write from its start, so that it cannot fail halfway for it.
    pub(crate) fn write(&self) -> Result<Transaction<'_>, Fault> {
        if self.full {
            let path = self.path.clone();
            return Err(Fault::Named(StoreError::Full { path }));
        }
        self.still_there()?;
        Ok(Transaction::new_unchecked(
            &self.connection,
            TransactionBehavior::Immediate,
        )?)
    }

    /// Refuses a database that is no longer where it was opened: a user finds nothing there of what would be written.
    pub(crate) fn still_there(&self) -> Result<(), Fault> {
        let Some(place) = self
            .place
            .as_ref()
            .filter(|place| place.still_there().is_err())
        else {
            return Ok(());
        };
        self.moved.set(true);
        Err(Fault::Named(StoreError::Moved {
            path: self.path.clone(),
            now: place.moved_to(),
        }))
    }

    /// A name next to the database.
    pub(crate) fn neighbour(&self, suffix: &str) -> PathBuf {
        match &self.place {
            Some(place) => place.neighbour(suffix),
            None => self.path.clone(),
        }
    }

    /// Whether two have the same file open.
    pub fn is_same(&self, other: &Store) -> bool {
        let places = self.place.as_ref().zip(other.place.as_ref());
        places.is_some_and(|(own, other)| own.identity() == other.identity())
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

    /// Writes without a log from now on, if no other process has the file open.
    pub(crate) fn leave_log(&self) -> rusqlite::Result<()> {
        let leave = "PRAGMA journal_mode = DELETE";
        self.connection.query_row(leave, [], |_| Ok(()))
    }

    /// Whether its schema is the newest one; a file of an older version that cannot be written stays as it is.
    pub(crate) fn is_current(&self) -> bool {
        self.version == SCHEMA_VERSION
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

impl Drop for Store {
    fn drop(&mut self) {
        // The log of a file that was moved would stay behind under a name that belongs to nothing. SQLite moves its content
        // into the file, and removes it, if no other process has the file open. Afterwards it cannot be read here.
        let is_vacant = |place: &DatabasePlace| place.is_vacant();
        if self.moved.get() && self.place.as_ref().is_some_and(is_vacant) {
            let _ = self.connection.busy_timeout(Duration::ZERO);
            let _ = self.leave_log();
        }
    }
}

/// Refuses the names that SQLite reads as something else than a file: `:memory:` and URIs.
pub fn check_name(path: &Path) -> Result<()> {
    gate::check_database_name(path).map_err(|refusal| refused(refusal, path))
}

/// Finds the file, or the place of a new one; missing folders above it are created.
fn pin(path: &Path) -> Result<DatabasePlace> {
    check_name(path)?;
    match gate::database(path) {
        Err(gate::DatabaseRefusal::Io(error)) if error.kind() == ErrorKind::NotFound => {
            gate::create_private_folders(path).map_err(|error| match error.kind() {
                ErrorKind::StorageFull => StoreError::Full {
                    path: path.to_owned(),
                },
                _ => StoreError::MakeFolder {
                    path: path.to_owned(),
                    reason: error.to_string(),
                },
            })?;
            gate::database(path).map_err(|refusal| refused(refusal, path))
        }
        other => other.map_err(|refusal| refused(refusal, path)),
    }
}

/// The gate's error, as an error of this crate.
pub(crate) fn refused(refusal: gate::DatabaseRefusal, path: &Path) -> StoreError {
    let path = path.to_owned();
    match refusal {
        gate::DatabaseRefusal::Folder => StoreError::Folder { path },
        gate::DatabaseRefusal::NotAFile => StoreError::NotAFile { path },
        gate::DatabaseRefusal::Exists => StoreError::Exists { path },
        gate::DatabaseRefusal::Io(error) => {
            let reason = error.to_string();
            match error.kind() {
                _ if gate::is_out_of_descriptors(&error) => StoreError::OpenFiles { path, reason },
                ErrorKind::PermissionDenied
                | ErrorKind::NotADirectory
                | ErrorKind::ReadOnlyFilesystem
                | ErrorKind::NotFound => StoreError::Unwritable { path, reason },
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => StoreError::Full { path },
                _ => StoreError::Io { path, reason },
            }
        }
        other => StoreError::Refused {
            path,
            reason: other.to_string(),
        },
    }
}

fn make_private(place: &DatabasePlace, path: &Path, report: &mut dyn FnMut(Notice)) {
    if let Some(mode) = place.make_private() {
        report(Notice::MadePrivate {
            path: path.to_owned(),
            mode,
        });
    }
}

/// Files that this process has open, by device and inode, and how often. POSIX locks belong to the process: reading the
/// header of a file that SQLite has open here would end its locks when the reading is over.
static OPEN: Mutex<BTreeMap<(u64, u64), usize>> = Mutex::new(BTreeMap::new());

struct OpenFile((u64, u64));

impl OpenFile {
    /// Judges a file that this process does not have open yet, and notes that it does now. A new one is created if that
    /// is meant.
    fn take(
        mut place: DatabasePlace,
        path: &Path,
        make: bool,
    ) -> Result<(DatabasePlace, OpenFile), StoreError> {
        let refused = |refusal| refused(refusal, path);
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        if place.identity().is_none() && make {
            place.check_side_files().map_err(refused)?;
            place.create().map_err(refused)?;
        }
        let identity = place
            .identity()
            .ok_or_else(|| refused(gate::DatabaseRefusal::Io(ErrorKind::NotFound.into())))?;
        let count = open.entry(identity).or_default();
        if *count == 0 {
            let judge = || {
                look_at(&place.first_bytes(HEADER_BYTES).map_err(refused)?, path)?;
                place.check_side_files().map_err(refused)
            };
            if let Err(error) = again(judge) {
                open.remove(&identity);
                return Err(error);
            }
        }
        *open.entry(identity).or_default() += 1;
        Ok((place, OpenFile(identity)))
    }
}

/// Judges files once more that another process may be writing at this moment: what is foreign stays so.
fn again<T>(judge: impl Fn() -> Result<T>) -> Result<T> {
    const TIMES: u32 = 5;
    const PAUSE: Duration = Duration::from_millis(20);
    for _ in 1..TIMES {
        match judge() {
            Ok(judged) => return Ok(judged),
            Err(_) => std::thread::sleep(PAUSE),
        }
    }
    judge()
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.0) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.0);
            }
        }
    }
}

/// Refuses what is not ours by its first bytes.
fn look_at(header: &[u8], path: &Path) -> Result<()> {
    let owned = || path.to_owned();
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
    match application_id(header) {
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

fn application_id(header: &[u8]) -> Option<u32> {
    let bytes = header.get(HEADER_APPLICATION_ID)?;
    bytes.try_into().ok().map(u32::from_be_bytes)
}

/// Whether a file that begins like this can be what a killed copy left: nothing yet, or a store of ours.
pub(crate) fn may_be_a_copy(first: &[u8]) -> bool {
    let ours = first.starts_with(HEADER_MAGIC) && application_id(first) == Some(APPLICATION_ID);
    ours || first.iter().all(|byte| *byte == 0)
}

/// What every connection has, with any content of the file: nothing in its schema is run but what is harmless, lengths
/// are bounded, and no second file can be attached.
fn harden(connection: &Connection) -> Result<(), Fault> {
    connection.busy_timeout(PATIENCE)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    // Or each new value of a parameter has its statement planned again: a third of the time of a check.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LENGTH_MAX)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    // A result takes a dozen statements: with fewer kept, each is parsed again for each result.
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}

fn connect(
    place: &DatabasePlace,
    path: &Path,
    report: &mut dyn FnMut(Notice),
) -> Result<Connection, Fault> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = vfs::open(place.reached(), flags)?;
    still_there(place, path)?;
    harden(&connection)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    if connection.is_readonly("main")? {
        return Err(Fault::Named(StoreError::Unwritable {
            path: path.to_owned(),
            reason: "it is read-only".to_owned(),
        }));
    }
    bring_up_to_date(&connection, path, report)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    use_write_ahead_log(&connection)?;
    Ok(connection)
}

fn still_there(place: &DatabasePlace, path: &Path) -> Result<(), Fault> {
    let same = place.still_there();
    same.map_err(|refusal| Fault::Named(refused(refusal, path)))
}

/// For reading only. A results database in a folder that cannot be written, or on a full disk, has no room for the index of
/// its write-ahead log; where nothing waits in that log, no process can be writing and the file is read as it is.
fn connect_to_read(path: &Path) -> Result<Store, Fault> {
    let place = gate::database(path).map_err(|refusal| Fault::Named(refused(refusal, path)))?;
    let (place, open) = OpenFile::take(place, path, false)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let reached = place.reached();
    let plain = vfs::open(&reached, flags)?;
    harden(&plain)?;
    let connection = match version(&plain, path) {
        Err(Fault::Sql(_)) if !has_waiting_log(&reached) => {
            let flags = flags | OpenFlags::SQLITE_OPEN_URI;
            let connection = vfs::open(immutable_uri(&reached), flags)?;
            harden(&connection)?;
            connection
        }
        _ => plain,
    };
    still_there(&place, path)?;
    match version_of_ours(&connection, path)? {
        version @ READABLE_FROM.. => Ok(Store {
            connection,
            path: path.to_owned(),
            place: Some(place),
            version,
            full: false,
            moved: Cell::new(false),
            _open: Some(open),
        }),
        older => Err(Fault::Named(StoreError::Unwritable {
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

/// The only URI, built from an absolute name of which every unusual byte is escaped: SQLite has no other way to specify
/// that a file does not change. Source: <https://www.sqlite.org/uri.html>.
fn immutable_uri(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri + "?immutable=1"
}

/// Readers and the writer do not wait for each other in this mode. It stays with the file. Where it cannot
/// be available (another program has the file locked at this moment, a network file system), SQLite's rollback
/// journal keeps the same promises, with more waiting; so that is no error.
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
        let reading = |connection: &Connection| {
            let count = connection.query_row("SELECT count(*) FROM sessions", [], |row| row.get(0));
            assert_eq!(count, Ok(0));
            assert!(connection.execute("DELETE FROM sessions", []).is_err());
        };
        let store = connect_to_read(&path).map_err(|fault| fault.at(&path));
        reading(&store.unwrap().connection);
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        reading(&Connection::open_with_flags(immutable_uri(&path), flags).unwrap());
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
