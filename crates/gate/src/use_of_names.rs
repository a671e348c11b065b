//! What has a name in a folder, and for what a file in it is opened.

use crate::file_facts::NodeKind;

/// How an existing file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// For reading.
    Read,
    /// For reading and writing.
    Write,
    /// For appending.
    Append,
}

/// What stands under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A link, a device, a pipe or a socket.
    Other,
}

impl Kind {
    pub(crate) fn of(kind: NodeKind) -> Kind {
        match kind {
            NodeKind::File => Kind::File,
            NodeKind::Folder => Kind::Folder,
            _ => Kind::Other,
        }
    }
}
