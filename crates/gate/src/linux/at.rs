//! Reads and writes at a place of a file, which leave its position as it is. Source: pread(2), pwrite(2).

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Reads once at this place; returns how much.
///
/// # Errors
/// Those of pread(2).
pub fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    file.read_at(into, at)
}

/// Writes once at this place; returns how much.
///
/// # Errors
/// Those of pwrite(2).
pub fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<usize> {
    file.write_at(bytes, at)
}
