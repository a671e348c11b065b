//! What an open file or device is, in the words of both systems. Omitted: what follows from it.

/// Facts of an open file, folder or device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileFacts {
    /// Which file of which file system it is. // device and inode; volume and file ID
    pub identity: (u64, u64),
    /// The number of the device that it leads to; zero where it leads to none.
    pub device: u64,
    /// What it is.
    pub kind: NodeKind,
    /// Its length in bytes; zero for what has none.
    pub length: u64,
    /// Under how many names it is.
    pub names: u64,
    /// When its content was changed last, in nanoseconds since 1970.
    pub modified_ns: i128,
}

impl FileFacts {
    /// What a target is known by: the number of a device, by any of its nodes; otherwise the file.
    pub fn target_identity(&self) -> (u64, u64) {
        match self.kind {
            NodeKind::BlockDevice | NodeKind::CharacterDevice => (self.device, 0),
            _ => self.identity,
        }
    }

    /// Whether both are one file or one device.
    pub fn is_same(&self, other: &FileFacts) -> bool {
        self.identity == other.identity || self.device != 0 && self.device == other.device
    }
}

/// What something with a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A disk, a partition or a volume.
    BlockDevice,
    /// A terminal, a device that passes bytes on.
    CharacterDevice,
    /// A pipe.
    Pipe,
    /// A socket.
    Socket,
    /// A link that was not followed.
    Link,
    /// The rest.
    Other,
}
