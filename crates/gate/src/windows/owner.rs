//! Whose a file is, by its security identifier.

use super::handle::file_type;
use super::security::{self, Sid};
use std::fmt;
use std::fs::File;
use std::io;
use windows_sys::Win32::Storage::FileSystem::FILE_TYPE_CHAR;

/// A user or group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner(Sid);

impl Owner {
    /// Returns the user or group to whom files belong that this process creates. One that the system does not name equals no
    /// owner of a file.
    pub fn own() -> Owner {
        Owner(security::own_owner().unwrap_or_default())
    }

    /// Returns the owner of an open file.
    ///
    /// # Errors
    /// Those of GetKernelObjectSecurity.
    pub fn of(file: &File) -> io::Result<Owner> {
        match file_type(file) {
            FILE_TYPE_CHAR => Ok(Owner(Sid::system())), // a console and `NUL` have no owner
            _ => security::owner(file).map(Owner),
        }
    }

    /// Whether this is the user of this process, the system or its administrators.
    pub(crate) fn is_trusted(&self) -> bool {
        security::is_trusted(&self.0)
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}
