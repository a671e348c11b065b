//! What system calls name an open file by.

use std::fs::File;
use std::io;
use std::os::windows::io::AsRawHandle;
use windows_sys::Win32::Foundation::{ERROR_TOO_MANY_OPEN_FILES, HANDLE};

/// A handle. It does not keep the file open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor(isize);

impl Descriptor {
    /// Of no file. // INVALID_HANDLE_VALUE
    pub const NONE: Descriptor = Descriptor(-1);

    /// Returns that of an open file.
    pub fn of(file: &File) -> Descriptor {
        Descriptor(file.as_raw_handle() as isize)
    }

    /// Returns the handle that system calls take.
    pub fn raw(self) -> HANDLE {
        self.0 as HANDLE
    }
}

/// Whether an error means that no more files can be opened. Source: `winerror.h`.
pub fn is_out_of_descriptors(error: &io::Error) -> bool {
    error.raw_os_error() == i32::try_from(ERROR_TOO_MANY_OPEN_FILES).ok()
}
