//! Where the mark of a result is: an attribute of the file. Source: xattr(7).

use rustix::fs::{XattrFlags, fgetxattr, fsetxattr};
use rustix::io::Errno;
use std::fs::File;

/// Marks a result, for formats that have no room for a mark of ours: length and checksum of its content.
pub(crate) const MARK: &str = "user.fathom.output";

/// What a file has of a mark.
pub(crate) enum MarkRead {
    /// This one.
    Text(Vec<u8>),
    /// None, or it cannot be read.
    Missing,
    /// The file system has no attributes.
    Unsupported,
}

/// Reads the mark.
pub(crate) fn read_mark(file: &File) -> MarkRead {
    let mut mark = [0u8; 64];
    match fgetxattr(file, MARK, &mut mark[..]) {
        Ok(size) => MarkRead::Text(mark[..size].to_vec()),
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => MarkRead::Unsupported,
        Err(_) => MarkRead::Missing,
    }
}

/// Writes it, where the file system has attributes.
pub(crate) fn write_mark(file: &File, text: &[u8]) {
    let _ = fsetxattr(file, MARK, text, XattrFlags::empty());
}
