//! What system calls name an open file by.

use std::fs::File;
use std::os::fd::{AsRawFd, RawFd};

/// A file descriptor. It does not keep the file open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor(RawFd);

impl Descriptor {
    /// Of no file.
    pub const NONE: Descriptor = Descriptor(-1);

    /// Returns that of an open file.
    pub fn of(file: &File) -> Descriptor {
        Descriptor(file.as_raw_fd())
    }

    /// Returns the number that system calls take.
    pub fn raw(self) -> RawFd {
        self.0
    }
}
