//! Where the mark of a result is: a data stream of the file, where its file system has these.

use super::handle::{Opening, open_at, volume_flags};
use super::names::{WAITS, opening};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use windows_sys::Wdk::Storage::FileSystem::{FILE_NON_DIRECTORY_FILE, FILE_OVERWRITE_IF};
use windows_sys::Win32::Storage::FileSystem::{FILE_GENERIC_READ, FILE_GENERIC_WRITE};
use windows_sys::Win32::System::SystemServices::FILE_NAMED_STREAMS;

/// The stream, in the file that is open.
const MARK: &str = ":fathom.output";

/// What a file has of a mark.
pub(crate) enum MarkRead {
    /// This one.
    Text(Vec<u8>),
    /// None, or it cannot be read.
    Missing,
    /// The file system has no streams.
    Unsupported,
}

fn has_streams(file: &File) -> bool {
    volume_flags(file).is_ok_and(|flags| flags & FILE_NAMED_STREAMS != 0)
}

/// Reads the mark.
pub(crate) fn read_mark(file: &File) -> MarkRead {
    if !has_streams(file) {
        return MarkRead::Unsupported;
    }
    let mut mark = Vec::new();
    let read = open_at(file, OsStr::new(MARK), &opening(FILE_GENERIC_READ))
        .and_then(|stream| stream.take(64).read_to_end(&mut mark));
    match read {
        Ok(_) => MarkRead::Text(mark),
        Err(_) => MarkRead::Missing,
    }
}

/// Writes it, where the file system has streams.
pub(crate) fn write_mark(file: &File, text: &[u8]) {
    if !has_streams(file) {
        return;
    }
    let how = Opening {
        disposition: FILE_OVERWRITE_IF,
        options: WAITS | FILE_NON_DIRECTORY_FILE,
        ..opening(FILE_GENERIC_WRITE)
    };
    // Without a mark the file counts as foreign.
    let _ = open_at(file, OsStr::new(MARK), &how).and_then(|mut stream| stream.write_all(text));
}
