//! Where a path leads, and the first name on the way that another user could have placed. Omitted: how a system walks it
//! (`linux::walk`), and what follows from that name.

use crate::system::trust::Distrust;
use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::path::PathBuf;

/// Where a path leads.
#[derive(Debug)]
pub struct Resolved {
    /// The folder that contains the last component, links followed.
    pub folder: File,
    /// The last component in that folder; `.` for a folder that was given as such.
    pub name: OsString,
    /// What is there; `None` where nothing has that name yet.
    pub node: Option<File>,
    /// The first name on the way that another user could have placed.
    pub foreign: Option<ForeignName>,
}

/// A symbolic link, or one of several names of a file, in a folder in which another user may place names: that user
/// decides where the path leads. Root's names count as the user's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignName {
    /// Where it is, as far as that is known.
    pub path: PathBuf,
    /// A symbolic link; otherwise a second name.
    pub is_link: bool,
    /// Why its folder is not trusted.
    pub why: Distrust,
}

impl ForeignName {
    /// What leads to the file without that name.
    pub fn hint(&self) -> &'static str {
        match self.is_link {
            true => "specify the file that the link leads to",
            false => "specify the file by its name in a folder that only you can change",
        }
    }
}

impl fmt::Display for ForeignName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, why) = (self.path.display(), &self.why);
        match self.is_link {
            true if why.is_of_link() => write!(out, "{path} is a link, and {why}"),
            true => write!(
                out,
                "the link {path} is in a folder that another user can change ({why})"
            ),
            false => write!(
                out,
                "{path} is one of several names of a file, in a folder that another user can change ({why})"
            ),
        }
    }
}
