//! A file whose lock keeps the same work from running twice at a time.
//!
//! The file is created with a mark as its content, or it is one with this mark that a killed run left behind. It is
//! never truncated, a link is not followed, and only a file with the mark is removed, by identity.

use crate::output::{OutputError, folder_of};
use crate::system::folder::{Folder, Name, Use, id};
use crate::system::part::remove_if_same;
use rustix::fs::{FlockOperation, flock, fstat};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Removed with the value; the system releases the lock however the program ends.
#[derive(Debug)]
pub struct FileLock {
    folder: Folder,
    name: Name,
    file: File,
}

impl FileLock {
    /// Takes the lock; `None` while another process has it.
    ///
    /// # Errors
    /// What stands under this name is not a lock of ours: a link, a device, a file without the mark.
    pub fn take(path: &Path, mark: &str) -> Result<Option<FileLock>, OutputError> {
        let failed = |error: io::Error| OutputError::io(path, "locked", error);
        let name = path.file_name().unwrap_or_default().as_bytes();
        let name = Name::new(name).map_err(failed)?;
        let folder = Folder::open(folder_of(path))?;
        loop {
            let (mut file, created) = match folder.create_new(&name, 0o600) {
                Ok(file) => (file, true),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    match folder.open_file(&name, Use::Write) {
                        Ok(file) => (file, false),
                        Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                        Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
                            let (path, what) = (path.to_owned(), "a link, not a lock of fathom");
                            return Err(OutputError::NotAFile { path, what });
                        }
                        Err(error) => return Err(failed(error)),
                    }
                }
                Err(error) => return Err(failed(error)),
            };
            if let Some(bytes) = foreign(&mut file, mark, created).map_err(failed)? {
                let path = path.to_owned();
                return Err(OutputError::NotOurs { path, bytes });
            }
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {}
                Err(Errno::WOULDBLOCK) => return Ok(None),
                Err(error) => return Err(failed(error.into())),
            }
            // Its last owner removed its name: a lock on a file without a name excludes no process.
            let now = folder.look_up(&name).map(|there| id(&there)).ok();
            if now.is_some() && now == fstat(&file).map(|there| id(&there)).ok() {
                return Ok(Some(FileLock { folder, name, file }));
            }
        }
    }
}

/// Marks a file that was created; the length of one that is there and not ours.
fn foreign(file: &mut File, mark: &str, created: bool) -> io::Result<Option<u64>> {
    if created {
        return file.write_all(mark.as_bytes()).map(|()| None);
    }
    let there = file.metadata()?;
    if !there.is_file() {
        return Err(Errno::INVAL.into());
    }
    let mut text = Vec::new();
    file.take(mark.len() as u64 + 1).read_to_end(&mut text)?;
    // Killed, or interrupted a moment ago, between creating the file and writing the mark.
    let ours = text.is_empty() || text == mark.as_bytes();
    Ok((!ours).then_some(there.len()))
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // An empty one may be any user's.
        let own = fstat(&self.file).ok().filter(|there| there.st_size > 0);
        if let Some(there) = own {
            let _ = remove_if_same(self.folder.as_fd(), &self.name, &there); // only its name; it is created again
        }
    }
}
