//! Why a result was not written. Omitted: what decides it (`output`, `walk`).

use crate::errno_text;
use crate::resolved::ForeignName;
use crate::system::trust::Distrust;
use crate::system::{LIST_OPENERS, Owner};
use std::io;
use std::path::{Path, PathBuf};

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message describes each variant and field")]
pub enum OutputError {
    #[error("{}: {name}, so that user decides which file is written; hint: {}", path.display(), name.hint())]
    ForeignName { path: PathBuf, name: ForeignName },
    #[error("{}: already exists, and was not changed; hint: specify a new file", path.display())]
    Exists { path: PathBuf },
    #[error(
        "{}: already exists and is not an earlier result of fathom of this kind; its {bytes} bytes would be \
        lost; hint: delete it, or specify another file", path.display()
    )]
    NotOurs { path: PathBuf, bytes: u64 },
    #[error(
        "{}: was changed since fathom wrote it; its {bytes} bytes would be lost; hint: rename it, or specify another file",
        path.display()
    )]
    Edited { path: PathBuf, bytes: u64 },
    #[error(
        "{}: another program has it open for writing, and what it writes would be lost ({LIST_OPENERS}); hint: \
        specify another file", path.display()
    )]
    OpenForWriting { path: PathBuf },
    #[error("{}: its folder does not exist; hint: create it, or specify another place", path.display())]
    NoFolder { path: PathBuf },
    #[error("{}: this is {what}; hint: specify a file", path.display())]
    NotAFile { path: PathBuf, what: &'static str },
    #[error(
        "{}: belongs to another user, and a new file in its place would not; hint: specify another file",
        path.display()
    )]
    NotOwner { path: PathBuf },
    #[error(
        "{}: this file belongs to user {user}, who could read and change what is written to it, in a folder that \
        another user can change ({why}); hint: specify another file, or remove this one", path.display()
    )]
    ForeignOwner {
        path: PathBuf,
        user: Owner,
        why: Distrust,
    },
    #[error(
        "{}: SQLite keeps data of the database {} under this name, and would lose it; hint: specify another file",
        path.display(), database.display()
    )]
    OfDatabase { path: PathBuf, database: PathBuf },
    #[error(
        "{}: nothing in its folder can be replaced or renamed (chattr +a); hint: specify {instead}", path.display()
    )]
    AppendOnly {
        path: PathBuf,
        instead: &'static str,
    },
    #[error("{error}; {} stays, because it cannot be removed", left.display())]
    Left {
        error: Box<OutputError>,
        left: PathBuf,
    },
    #[error("{}: written, and {} stays next to it, because it cannot be removed", path.display(), left.display())]
    Beside { path: PathBuf, left: PathBuf },
    #[error(
        "{}: another process replaced it; nothing there was changed; hint: run again", path.display()
    )]
    Changed { path: PathBuf },
    #[error(
        "{}: another process replaced it; its file is now {}", path.display(), now.display()
    )]
    Moved { path: PathBuf, now: PathBuf },
    #[error("{}: cannot be {what}: {}", path.display(), errno_text(source))]
    Io {
        path: PathBuf,
        what: &'static str,
        source: io::Error,
    },
}

impl OutputError {
    pub(crate) fn foreign(path: &Path, name: ForeignName) -> Self {
        let path = path.to_owned();
        OutputError::ForeignName { path, name }
    }

    pub(crate) fn open(path: &Path, source: io::Error) -> Self {
        Self::io(path, "opened", source)
    }

    /// Returns the error of a file that was to be `what`: created, written.
    pub fn io(path: &Path, what: &'static str, source: impl Into<io::Error>) -> Self {
        OutputError::Io {
            path: path.to_owned(),
            what,
            source: source.into(),
        }
    }

    /// Whether the place itself rules it out, so that nothing was tried.
    pub fn is_refusal(&self) -> bool {
        !matches!(
            self,
            OutputError::Io { .. }
                | OutputError::Moved { .. }
                | OutputError::Left { .. }
                | OutputError::Beside { .. }
        )
    }

    /// Returns whether the file system has no room for it, or for its name.
    pub fn is_full(&self) -> bool {
        matches!(self, OutputError::Io { source, .. } if source.kind() == io::ErrorKind::StorageFull)
    }

    /// The same, with a file that stays.
    pub(crate) fn leaving(self, left: Option<PathBuf>) -> Self {
        match left {
            Some(left) => OutputError::Left {
                error: Box::new(self),
                left,
            },
            None => self,
        }
    }
}
