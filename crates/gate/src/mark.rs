//! The mark of a result: an attribute with length and checksum of its content, so that a later change is seen.
//! Omitted: which files may be replaced (`output`).

use crate::system::{MarkRead, read_mark, write_mark};
use std::fs::File;
use std::io::{self, Read};

/// What the mark reports of a file's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marked {
    /// It is all as fathom wrote it.
    Whole,
    /// It was changed since.
    Changed,
    /// fathom wrote no file here, or a copy without its attributes.
    Missing,
    /// The file system has no attributes.
    Unsupported,
}

/// Compares the mark with the whole content, of which `head` was read already.
pub(crate) fn compare(file: &mut File, head: &[u8], length: u64) -> io::Result<Marked> {
    let mark = match read_mark(file) {
        MarkRead::Text(mark) => mark,
        MarkRead::Missing => return Ok(Marked::Missing),
        MarkRead::Unsupported => return Ok(Marked::Unsupported),
    };
    let mut sum = Checksum::new();
    sum.add(head);
    let mut buffer = vec![0; 64 << 10];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            count => sum.add(&buffer[..count]),
        }
    }
    let is_whole = mark == sum.text().as_bytes() && sum.length == length;
    Ok(match is_whole {
        true => Marked::Whole,
        false => Marked::Changed,
    })
}

/// Writes the mark. Without one the file counts as foreign, where the file system has attributes.
pub(crate) fn mark(file: &File, bytes: &[u8]) {
    let mut sum = Checksum::new();
    sum.add(bytes);
    write_mark(file, sum.text().as_bytes());
}

/// FNV-1a of 64 bits, and the length. It finds a change, not a forgery: a user who forges it loses a file of their own.
/// Source: draft-eastlake-fnv.
pub(crate) struct Checksum {
    hash: u64,
    length: u64,
}

impl Checksum {
    pub(crate) fn new() -> Self {
        Checksum {
            hash: 0xcbf2_9ce4_8422_2325,
            length: 0,
        }
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.hash = (self.hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
        self.length += bytes.len() as u64;
    }

    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }

    fn text(&self) -> String {
        format!("1 {} {:016x}", self.length, self.hash)
    }
}
