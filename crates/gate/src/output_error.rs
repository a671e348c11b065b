//! Why a result was not written. Omitted: what decides it (`output`, `walk`).

use std::io;
use std::path::{Path, PathBuf};

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message describes each variant and field")]
pub enum OutputError {
    #[error(
        "{}: the link {} is in a folder that another user can change, so that user decides which file is \
        written; hint: specify the file that the link leads to", path.display(), link.display()
    )]
    ForeignLink { path: PathBuf, link: PathBuf },
    #[error("{}: already exists, and was not changed; hint: specify a new file", path.display())]
    Exists { path: PathBuf },
    #[error(
        "{}: already exists and is not an earlier result of fathom of this kind; its {bytes} bytes would be \
        lost; hint: delete it, or specify another file", path.display()
    )]
    NotOurs { path: PathBuf, bytes: u64 },
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
        "{}: another process replaced it; nothing there was changed; hint: run again", path.display()
    )]
    Changed { path: PathBuf },
    #[error(
        "{}: another process replaced it; its file is now {}", path.display(), now.display()
    )]
    Moved { path: PathBuf, now: PathBuf },
    #[error("{}: cannot be {what}: {}", path.display(), text(source))]
    Io {
        path: PathBuf,
        what: &'static str,
        source: io::Error,
    },
}

impl OutputError {
    pub(crate) fn foreign_link(path: &Path, link: PathBuf) -> Self {
        let path = path.to_owned();
        OutputError::ForeignLink { path, link }
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
        !matches!(self, OutputError::Io { .. } | OutputError::Moved { .. })
    }
}

/// The kernel's words without Rust's number behind them.
fn text(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}
