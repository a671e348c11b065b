//! Keeps the same sweep from running twice at a time: a lock beside the store.

use crate::failure::Failure;
use crate::output;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use store::SessionId;

/// Held while a sweep runs; the system lets go of it however the program ends.
pub(super) struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    pub(super) fn take(store: &Path, session: SessionId) -> Result<Self, Failure> {
        let mut path = store.as_os_str().to_owned();
        path.push(format!("-sweep-{session}"));
        let path = PathBuf::from(path);
        let cannot = |error: &std::io::Error| {
            Failure::failed(format!(
                "{}: the lock of the sweep cannot be had: {}",
                path.display(),
                output::errno_text(error)
            ))
        };
        let file = loop {
            let file = File::create(&path).map_err(|error| cannot(&error))?;
            let number = |there: std::io::Result<fs::Metadata>| {
                there.ok().map(|there| host::file_identity(&there))
            };
            let locked = file.try_lock();
            // Whoever held it before takes its name away: a lock on a file without a name keeps nobody out.
            if locked.is_err() || number(file.metadata()) == number(fs::metadata(&path)) {
                break locked.map(|()| file);
            }
        };
        match file {
            Ok(file) => Ok(Lock { path, _file: file }),
            Err(TryLockError::WouldBlock) => Err(Failure::refused(format!(
                "sweep {session} is running just now, in another fathom: wait for its end, or say --new for another one"
            ))),
            Err(TryLockError::Error(error)) => Err(cannot(&error)),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path); // only its name; another sweep makes it again
    }
}
