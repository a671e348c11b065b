//! Whose a file is. Source: fstat(2), geteuid(2).

use std::fmt;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;

/// A user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner(u32);

impl Owner {
    /// Returns the user to whom files belong that this process creates.
    pub fn own() -> Owner {
        Owner(rustix::process::geteuid().as_raw())
    }

    /// Returns the owner of an open file.
    ///
    /// # Errors
    /// Those of fstat(2).
    pub fn of(file: &File) -> io::Result<Owner> {
        Ok(Owner(file.metadata()?.uid()))
    }

    /// Whether this is root or the effective user, which need not protect themselves from each other.
    pub(crate) fn is_trusted(&self) -> bool {
        super::trust::is_own(self.0)
    }

    pub(crate) fn from_number(user: u32) -> Owner {
        Owner(user)
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.0)
    }
}
