//! The system's cache. Windows drops neither the pages of one file nor all of them on request, and takes a hint about the
//! pattern only when a file is opened (`gate::Access`).

use model::{Bytes, Hint};
use std::fs::File;
use std::io;

/// Why a cache cannot be emptied.
const NOT_OFFERED: &str = "Windows offers no call that empties its cache; direct I/O bypasses it";

fn not_offered<T>(why: &'static str) -> io::Result<T> {
    Err(io::Error::new(io::ErrorKind::Unsupported, why))
}

/// Refuses, with the reason.
pub(crate) fn may_drop() -> io::Result<()> {
    not_offered(NOT_OFFERED)
}

/// Refuses, with the reason.
pub(crate) fn drop_all() -> io::Result<()> {
    not_offered(NOT_OFFERED)
}

/// Refuses: what is dirty is written back by file, or by volume with the rights of an administrator.
pub(crate) fn sync_all() -> io::Result<()> {
    not_offered("Windows offers no call that flushes all file systems")
}

/// Does nothing: the hint was given when the file was opened.
pub(crate) fn hint(_: &File, _: Hint) {}

/// Does nothing: what filled the file bypassed the cache, or stays in it.
pub(crate) fn drop_cache(_: &File) {}

/// Refuses, with the reason.
pub(crate) fn drop_pages(_: &File, _: Bytes, _: Bytes) -> io::Result<()> {
    not_offered(NOT_OFFERED)
}

/// Does nothing: an unbuffered read writes back what the cache has of its range. A handle that only reads could not.
pub(crate) fn write_back_to_read(_: &File) -> io::Result<()> {
    Ok(())
}

/// Refuses, with the reason.
pub(crate) fn forget(_: &File) -> io::Result<()> {
    not_offered(NOT_OFFERED)
}
