//! Keeps the same sweep from running twice at a time: a lock file beside the store.

use gate::FileLock;
use model::CommandError;
use std::path::{Path, PathBuf};
use store::SessionId;

/// What the file contains; a file of this name without it is foreign.
const MARK: &str =
    "A sweep of fathom locks this file while it runs. It may be removed when none does.\n";

/// Held while a sweep runs; the system lets go of it however the program ends.
pub(super) struct Lock {
    _file: FileLock,
}

impl Lock {
    pub(super) fn take(store: &Path, session: SessionId) -> Result<Self, CommandError> {
        let mut path = store.as_os_str().to_owned();
        path.push(format!("-sweep-{session}"));
        let path = PathBuf::from(path);
        match FileLock::take(&path, MARK) {
            Ok(Some(file)) => Ok(Lock { _file: file }),
            Ok(None) => Err(CommandError::refused(format!(
                "sweep {session} is running just now, in another fathom: wait for its end, or say --new for another one"
            ))),
            Err(error) => Err(crate::failure::of_output(&error)),
        }
    }
}
