//! One component of a path.

use rustix::io::Errno;
use std::ffi::{CStr, CString, OsStr};
use std::io;
use std::os::unix::ffi::OsStrExt;

/// One component of a path: neither empty nor `.` nor `..`, and without `/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(CString);

impl Name {
    /// Checks it.
    ///
    /// # Errors
    /// `InvalidInput` for anything that is not one component.
    pub fn new(text: impl Into<Vec<u8>>) -> io::Result<Name> {
        let text = CString::new(text).map_err(|_| Errno::INVAL)?;
        let bytes = text.as_bytes();
        if matches!(bytes, b"" | b"." | b"..") || bytes.contains(&b'/') {
            return Err(Errno::INVAL.into());
        }
        Ok(Name(text))
    }

    /// The same for text of the system.
    pub(crate) fn of(text: &OsStr) -> io::Result<Name> {
        Name::new(text.as_bytes())
    }

    /// For messages and comparisons.
    pub fn as_os_str(&self) -> &OsStr {
        OsStr::from_bytes(self.0.as_bytes())
    }

    pub(crate) fn as_c_str(&self) -> &CStr {
        &self.0
    }
}
