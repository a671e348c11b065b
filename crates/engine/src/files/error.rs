//! Why work with files could not be done or was given up.

use crate::error::errno_text;
use model::Nanos;
use std::io;
use std::path::PathBuf;

/// Why work with files could not be done or was given up. What fails within a step is in the step's record.
#[derive(Debug, thiserror::Error)]
#[allow(
    missing_docs,
    reason = "the message says what each variant and field is"
)]
pub enum FilesError {
    #[error("{}: no folder could be made in it: {}; name a folder that you may write", folder.display(), errno_text(source))]
    Make { folder: PathBuf, source: io::Error },
    #[error("{}: cannot be looked into: {}", folder.display(), errno_text(source))]
    Look { folder: PathBuf, source: io::Error },
    #[error(transparent)]
    Refused(gate::OutputError),
    #[error(
        "{}: it does not answer: {doing} has not gone on for {patience}, so fathom gave up; if this is a network mount, \
         look at its server. Files that were made are still there in a folder that begins with {}; the next `fathom \
         files` there removes it", folder.display(), super::scratch::PREFIX
    )]
    Stalled {
        folder: PathBuf,
        doing: String,
        patience: Nanos,
    },
    #[error("a thread could not be started: {}", errno_text(.0))]
    Thread(io::Error),
    #[error(
        "the thread that worked with the files ended without a word; this is a mistake of fathom's"
    )]
    Lost,
}
