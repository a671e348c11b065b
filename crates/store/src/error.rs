//! What can go wrong with the database: what was read, what is accepted, what to do.
//!
//! SQLite's own codes get their meaning here and nowhere else.

use crate::session::{RunName, SessionId};
use rusqlite::{ErrorCode, ffi};
use std::path::{Path, PathBuf};

/// The database, its write-ahead log, the log's index, and a folder.
const OPENED_AT_ONCE: u32 = 6;

/// A results database that cannot be opened, read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message describes each variant and field")]
pub enum StoreError {
    #[error(
        "{}: this is a folder; a store is one file: specify a file in it, such as {}",
        path.display(), path.join("fathom.sqlite").display()
    )]
    Folder { path: PathBuf },
    #[error(
        "{}: this is not a regular file; a store is one file: specify a file, or a new name", path.display()
    )]
    NotAFile { path: PathBuf },
    #[error(
        "{}: this is not a fathom store, and it was not changed: specify a store, or a new name to begin one",
        path.display()
    )]
    NotADatabase { path: PathBuf },
    #[error(
        "{}: this is an SQLite file of another program (application id {read:#010x}, a fathom store has {:#010x}), \
        and it was not changed: specify a store, or a new name to begin one",
        path.display(), crate::APPLICATION_ID
    )]
    Foreign { path: PathBuf, read: u32 },
    #[error(
        "{}: {what}, which fathom never puts into a store, so this is not fathom's alone and it was not \
        changed; hint: specify another store, or a new name to begin one", path.display()
    )]
    ForeignSchema { path: PathBuf, what: String },
    #[error("{}: {reason}", path.display())]
    Refused { path: PathBuf, reason: String },
    #[error(
        "{}: written by a newer fathom: its schema is version {read}, this fathom reads up to version {known}, and \
        it was not changed: use the newer fathom, or specify another store", path.display()
    )]
    Newer {
        path: PathBuf,
        read: u32,
        known: u32,
    },
    #[error(
        "{}: the store is damaged: {what}; nothing in it was changed; `fathom db check` lists \
         all damage, intact results can still be shown, and `sqlite3 STORE .recover` saves the rest", path.display()
    )]
    Damaged { path: PathBuf, what: String },
    #[error(
        "{}: its folder could not be created: {reason}; create the folder yourself, or specify another store",
        path.display()
    )]
    MakeFolder { path: PathBuf, reason: String },
    #[error(
        "{}: the store cannot be written: {reason}; it and its folder must be writable for this user: mend the \
        permissions, or specify another store", path.display()
    )]
    Unwritable { path: PathBuf, reason: String },
    #[error(
        "{}: the store cannot be opened: {reason}; hint: raise the limit on open files (ulimit -n 65536)", path.display()
    )]
    OpenFiles { path: PathBuf, reason: String },
    #[error(
        "{}: no space left to store this; earlier results are safe: free space, or specify a store elsewhere",
        path.display()
    )]
    Full { path: PathBuf },
    #[error(
        "{}: another program has kept the store locked for more than 10 seconds: let it finish, or end it",
        path.display()
    )]
    Busy { path: PathBuf },
    #[error(
        "{}: the store was {} while it was in use, and nothing more was written to it", path.display(),
        match now {
            Some(now) => format!("moved to {}", now.display()),
            None => "deleted, replaced or hidden by a mount".to_owned(),
        }
    )]
    Moved { path: PathBuf, now: Option<PathBuf> },
    #[error(
        "{}: the store could not be written: files may have {limit} bytes at most in this shell; hint: raise the limit \
        (ulimit -f unlimited)", path.display()
    )]
    FileLength { path: PathBuf, limit: u64 },
    #[error("{}: the store could not be read or written: {reason}; check the disk that contains it", path.display())]
    Io { path: PathBuf, reason: String },
    #[error(
        "{what} cannot be stored: {reason}; names must be UTF-8: rename the file, or reach it by a link"
    )]
    Text { what: String, reason: String },
    #[error(
        "{what}: read {read}; a store counts up to 9223372036854775807, so this cannot be right"
    )]
    TooLarge { what: &'static str, read: u64 },
    #[error("session {read}: {}", known_sessions(path, *known))]
    NoSession {
        path: PathBuf,
        read: SessionId,
        known: Option<(SessionId, SessionId)>,
    },
    #[error(
        "invalid value '{read}': must be the number of a session, as 12, and a run in it as 12.3: see `fathom list`"
    )]
    Name { read: String },
    #[error("-{read}: there are not so many sessions: see `fathom list`; -1 or last is the newest")]
    NotSoMany { read: u64 },
    #[error(
        "cell `{read}`: session {session} has it already, as {session}.{number}; a cell is stored once: delete that \
        one first, or omit it"
    )]
    CellTwice {
        read: String,
        session: SessionId,
        number: u32,
    },
    #[error("{read}: {}", known_results(*read, *last))]
    NoResult { read: RunName, last: Option<u32> },
    #[error(
        "tag `{read}`: a tag is one word of letters, digits and -_./:@#%, at most 60 of them, and does not begin with -"
    )]
    Tag { read: String },
    #[error(
        "baseline `{read}`: its name is one word of letters, digits and -_./:@#%, at most 60 of them, and does not begin \
         with -"
    )]
    BaselineName { read: String },
    #[error(
        "baseline `{read}`: there is none of that name: {}",
        known_baselines(known)
    )]
    NoBaseline { read: String, known: Vec<String> },
    #[error(
        "{read}: it is, or belongs to, the baseline `{name}`, and nothing was deleted; to delete it, first remove \
         the name: fathom baseline remove {}",
        model::shell_word(name)
    )]
    IsBaseline { read: RunName, name: String },
    #[error("{}: this is there already, and was not changed: specify a new file", path.display())]
    Exists { path: PathBuf },
    #[error(
        "invalid value '{read}': {reason}; the view `results` has one line a result: try SELECT * FROM results LIMIT \
        3"
    )]
    Question { read: String, reason: String },
    #[error("{}: SQLite refused: {reason}", path.display())]
    Sql { path: PathBuf, reason: String },
}

impl StoreError {
    /// Whether the file cannot be written, other than for what was to be written.
    pub fn is_of_the_file(&self) -> bool {
        !matches!(
            self,
            StoreError::Text { .. } | StoreError::TooLarge { .. } | StoreError::CellTwice { .. }
        )
    }
}

fn known_baselines(known: &[String]) -> String {
    match known {
        [] => "none was set yet: fathom baseline set NAME ID".to_owned(),
        known => format!("there are {}", known.join(", ")),
    }
}

fn known_sessions(path: &Path, known: Option<(SessionId, SessionId)>) -> String {
    let path = path.display();
    match known {
        None => {
            format!("{path} is empty: `fathom survey` or `fathom run` puts the first one there")
        }
        Some((only, last)) if only == last => format!("{path} has session {only} only"),
        Some((first, last)) => {
            format!("{path} has sessions from {first} to {last}: see `fathom list`")
        }
    }
}

fn known_results(name: RunName, last: Option<u32>) -> String {
    let session = name.session;
    match last {
        None => format!("session {session} has no results"),
        Some(1) => format!("session {session} has one result, {session}.1"),
        Some(last) => {
            format!("session {session} has results from {session}.1 to {session}.{last}")
        }
    }
}

/// What went wrong inside, before the file's name is put to it.
#[derive(Debug)]
pub(crate) enum Fault {
    Sql(rusqlite::Error),
    Damaged(String),
    Named(StoreError),
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Fault::Sql(error)
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Fault::Named(error)
    }
}

impl Fault {
    /// The same of a copy: damage is the database's, all else the copy's.
    pub(crate) fn of_copy(self, path: &Path, copy: &Path) -> StoreError {
        match self.at(path) {
            damaged @ StoreError::Damaged { .. } => damaged,
            StoreError::Full { .. } => StoreError::Full {
                path: copy.to_owned(),
            },
            StoreError::Unwritable { reason, .. } | StoreError::Sql { reason, .. } => {
                StoreError::Unwritable {
                    path: copy.to_owned(),
                    reason,
                }
            }
            other => other,
        }
    }

    /// The error for a person, with the file's name in it.
    pub(crate) fn at(self, path: &Path) -> StoreError {
        match self {
            Fault::Named(error) => error,
            Fault::Damaged(what) => StoreError::Damaged {
                path: path.to_owned(),
                what,
            },
            Fault::Sql(error) => from_sqlite(&error, path),
        }
    }
}

/// SQLite's result codes in our words. Source: <https://www.sqlite.org/rescode.html>.
fn from_sqlite(error: &rusqlite::Error, path: &Path) -> StoreError {
    let (path, reason) = (path.to_owned(), error.to_string());
    // On a full disk the index of the write-ahead log cannot grow, which has a code of its own.
    let extended = error.sqlite_error().map(|error| error.extended_code);
    if extended == Some(ffi::SQLITE_IOERR_SHMSIZE) {
        return StoreError::Full { path };
    }
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => StoreError::NotADatabase { path },
        Some(ErrorCode::DatabaseCorrupt) => StoreError::Damaged { path, what: reason },
        Some(ErrorCode::DiskFull) => StoreError::Full { path },
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy { path },
        Some(ErrorCode::CannotOpen) if let Some(reason) = no_descriptor_left() => {
            StoreError::OpenFiles { path, reason }
        }
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
            StoreError::Unwritable { path, reason }
        }
        Some(ErrorCode::SystemIoFailure) => match gate::file_length_limit() {
            // One code of SQLite is a write beyond the limit and a broken disk.
            Some(limit) => StoreError::FileLength { path, limit },
            None => StoreError::Io { path, reason },
        },
        Some(_) => StoreError::Sql { path, reason },
        None if is_wrong_content(error) => StoreError::Damaged { path, what: reason },
        None => StoreError::Sql { path, reason },
    }
}

/// Why no file can be opened at all, where that is so: SQLite has one code for this and for missing permissions.
fn no_descriptor_left() -> Option<String> {
    let opened: Vec<_> = (0..OPENED_AT_ONCE)
        .map(|_| std::fs::File::open("/"))
        .collect();
    let errors = opened.iter().filter_map(|opened| opened.as_ref().err());
    let is_of_all = |error: &&std::io::Error| gate::is_out_of_descriptors(error);
    errors.filter(is_of_all).map(ToString::to_string).next()
}

/// A cell without the content that the schema promises.
fn is_wrong_content(error: &rusqlite::Error) -> bool {
    matches!(
        error,
        rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::Utf8Error(..)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_result_code_has_its_meaning() {
        let path = PathBuf::from("s");
        let reason = String::new();
        let reported = |code| {
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), Some(String::new()));
            Fault::Sql(error).at(&path)
        };
        let path = path.clone();
        assert_eq!(
            reported(ffi::SQLITE_FULL),
            StoreError::Full { path: path.clone() }
        );
        assert_eq!(
            reported(ffi::SQLITE_IOERR_SHMSIZE),
            StoreError::Full { path: path.clone() }
        );
        assert_eq!(
            reported(ffi::SQLITE_BUSY),
            StoreError::Busy { path: path.clone() }
        );
        assert_eq!(
            reported(ffi::SQLITE_NOTADB),
            StoreError::NotADatabase { path: path.clone() }
        );
        let unwritable = StoreError::Unwritable {
            path: path.clone(),
            reason: reason.clone(),
        };
        assert_eq!(reported(ffi::SQLITE_READONLY), unwritable);
        assert_eq!(reported(ffi::SQLITE_CANTOPEN), unwritable);
        assert_eq!(
            reported(ffi::SQLITE_IOERR),
            StoreError::Io {
                path: path.clone(),
                reason: reason.clone()
            }
        );
        assert_eq!(
            reported(ffi::SQLITE_CORRUPT),
            StoreError::Damaged { path, what: reason }
        );
    }
}
