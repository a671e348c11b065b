//! A file whose lock keeps the same work from running twice at a time.
//!
//! The file is created with a mark as its content, or it is one with this mark that a killed run left behind. It is
//! never truncated, a link is not followed, and only a file with the mark is removed, by identity.

use crate::file_facts::{FileFacts, NodeKind};
use crate::output::{OutputError, folder_of};
use crate::part::remove_if_same;
use crate::system::folder::Folder;
use crate::system::name::Name;
use crate::system::{file_facts, is_link, try_lock};
use crate::use_of_names::Use;
use std::fs::File;
use std::io::{self, Read, Write};
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
        let name = Name::of(path.file_name().unwrap_or_default()).map_err(failed)?;
        let folder = Folder::open(folder_of(path))?;
        loop {
            let (mut file, created) = match folder.create_new(&name, 0o600) {
                Ok(file) => (file, true),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    match folder.open_file(&name, Use::Write) {
                        Ok(file) => (file, false),
                        Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                        Err(error) if is_link(&error) => {
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
            if !try_lock(&file, true).map_err(failed)? {
                return Ok(None);
            }
            // Its last owner removed its name: a lock on a file without a name excludes no process.
            let identity = |there: FileFacts| there.identity;
            let now = folder.look_up(&name).map(identity).ok();
            if now.is_some() && now == file_facts(&file).map(identity).ok() {
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
    let there = file_facts(file)?;
    if there.kind != NodeKind::File {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut text = Vec::new();
    file.take(mark.len() as u64 + 1).read_to_end(&mut text)?;
    // Killed, or interrupted a moment ago, between creating the file and writing the mark.
    let ours = text.is_empty() || text == mark.as_bytes();
    Ok((!ours).then_some(there.length))
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // An empty one may be any user's.
        let own = file_facts(&self.file).ok();
        if let Some(there) = own.filter(|there| there.length > 0) {
            let _ = remove_if_same(self.folder.file(), &self.name, &there); // only its name; it is created again
        }
    }
}
