//! What a folder offers before anything is created in it: whether it answers, may be written, and has room.
//!
//! A mount that does not answer blocks the thread that asked it, not the program.

use super::FilesError;
use crate::system::{caches, room};
use model::{Bytes, Nanos};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;

/// What a folder offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Room {
    /// It is a folder.
    pub is_folder: bool,
    /// This user may create files in it.
    pub writable: bool,
    /// Its file system is mounted read-only.
    pub read_only: bool,
    /// Bytes that this user may still write.
    pub free: Bytes,
    /// Files that this user may still make; `None` where the file system does not count them.
    pub files_free: Option<u64>,
    /// Bytes of the file system, and how many of them are free.
    pub bytes: [u64; 2],
    /// Files that it can have, and how many more of them.
    pub files: [u64; 2],
}

/// Asks, and waits at most this long for an answer.
///
/// Errors: one that is not there or cannot be looked at, and one that does not answer.
pub fn room_of(folder: &Path, patience: Nanos) -> Result<Room, FilesError> {
    let (sender, answer) = mpsc::channel();
    let asked: PathBuf = folder.to_owned();
    let ask = move || {
        let _ = sender.send(room(&asked)); // the receiver may be gone
    };
    let thread = thread::Builder::new().name("look".to_owned());
    thread.spawn(ask).map_err(FilesError::Thread)?;
    match answer.recv_timeout(patience.as_duration()) {
        Ok(room) => room.map_err(|source| FilesError::Look {
            folder: folder.to_owned(),
            source,
        }),
        Err(RecvTimeoutError::Timeout) => Err(FilesError::Stalled {
            folder: folder.to_owned(),
            doing: "a first look".to_owned(),
            patience,
            left: super::PREFIX,
        }),
        Err(RecvTimeoutError::Disconnected) => Err(FilesError::Lost),
    }
}

/// Whether this process may empty the system's caches; `Err` has the reason.
pub fn may_drop_caches() -> Result<(), String> {
    caches::may_drop().map_err(|error| model::errno_text(&error))
}
