//! Reads and writes at a place of a file. The position of the handle moves with them, and nothing of fathom relies on it.

use std::fs::File;
use std::io;
use std::os::windows::fs::FileExt;

/// Reads once at this place; returns how much.
///
/// # Errors
/// Those of ReadFile.
pub fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    file.seek_read(into, at)
}

/// Writes once at this place; returns how much.
///
/// # Errors
/// Those of WriteFile.
pub fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<usize> {
    file.seek_write(bytes, at)
}
