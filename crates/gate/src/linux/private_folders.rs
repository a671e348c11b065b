//! What lies around a database. Source: mkdir(2).

use std::fs::{DirBuilder, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;

/// Creates the missing folders above `path`, for this user alone, regardless of the umask.
///
/// # Errors
/// Those of mkdir(2).
pub fn create_private_folders(path: &Path) -> io::Result<()> {
    let folders: Vec<&Path> = path.ancestors().skip(1).collect();
    for folder in folders.into_iter().rev() {
        if folder.as_os_str().is_empty() || folder.is_dir() {
            continue;
        }
        match DirBuilder::new().mode(0o700).create(folder) {
            Ok(()) => std::fs::set_permissions(folder, Permissions::from_mode(0o700))?,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
