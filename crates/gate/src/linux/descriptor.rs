//! What system calls name an open file by.

use std::fs::File;
use std::io;
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

/// Whether an error means that no more files can be opened. Source: errno(3): of the whole system, of this process.
pub fn is_out_of_descriptors(error: &io::Error) -> bool {
    let [system, process] = [libc::ENFILE, libc::EMFILE].map(Some);
    [system, process].contains(&error.raw_os_error())
}
