//! The folders above a file of this user's.

use super::folder::create_folder_in;
use super::handle::{SHARE_ALL, reopen};
use super::walk::resolve;
use std::io::{self, ErrorKind};
use std::path::Path;
use windows_sys::Win32::Storage::FileSystem::{FILE_FLAG_BACKUP_SEMANTICS, FILE_READ_ATTRIBUTES};

/// Creates the missing folders above `path`, for this user alone.
///
/// # Errors
/// Those of NtCreateFile.
pub fn create_private_folders(path: &Path) -> io::Result<()> {
    let folders: Vec<&Path> = path.ancestors().skip(1).collect();
    for folder in folders.into_iter().rev() {
        if folder.as_os_str().is_empty() || folder.is_dir() {
            continue;
        }
        let found = resolve(folder)?;
        let above = reopen(
            &found.folder,
            FILE_READ_ATTRIBUTES,
            SHARE_ALL,
            FILE_FLAG_BACKUP_SEMANTICS,
        )?;
        match create_folder_in(&above, &found.name, true) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
