//! What system calls name an open file by.

use std::fs::File;
use std::os::windows::io::AsRawHandle;
use windows_sys::Win32::Foundation::HANDLE;

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
