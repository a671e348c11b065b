//! What a folder's file system offers. Source: statvfs(3).

use crate::files::Room;
use model::Bytes;
use rustix::fs::{Access, StatVfsMountFlags};
use std::io;
use std::path::Path;

/// Asks; a mount that does not answer blocks the calling thread.
pub(crate) fn room(folder: &Path) -> io::Result<Room> {
    let is_folder = std::fs::metadata(folder)?.is_dir();
    let there = rustix::fs::statvfs(folder)?;
    let may = rustix::fs::access(folder, Access::WRITE_OK | Access::EXEC_OK);
    Ok(Room {
        is_folder,
        writable: may.is_ok(),
        read_only: there.f_flag.contains(StatVfsMountFlags::RDONLY),
        free: Bytes(there.f_bavail.saturating_mul(there.f_frsize)),
        files_free: (there.f_files > 0).then_some(there.f_favail),
        bytes: [there.f_blocks, there.f_bfree].map(|blocks| blocks.saturating_mul(there.f_frsize)),
        files: [there.f_files, there.f_ffree],
    })
}
