//! Facts of an open file. Source: fstat(2).

use crate::file_facts::{FileFacts, NodeKind};
use std::fs::{File, FileType};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

/// Returns the facts of an open file or device.
///
/// # Errors
/// Those of fstat(2).
pub fn file_facts(file: &File) -> io::Result<FileFacts> {
    let there = file.metadata()?;
    Ok(FileFacts {
        identity: (there.dev(), there.ino()),
        device: there.rdev(),
        kind: kind(there.file_type()),
        length: there.len(),
        names: there.nlink(),
    })
}

fn kind(of: FileType) -> NodeKind {
    match of {
        file if file.is_file() => NodeKind::File,
        folder if folder.is_dir() => NodeKind::Folder,
        device if device.is_block_device() => NodeKind::BlockDevice,
        device if device.is_char_device() => NodeKind::CharacterDevice,
        pipe if pipe.is_fifo() => NodeKind::Pipe,
        socket if socket.is_socket() => NodeKind::Socket,
        _ => NodeKind::Other,
    }
}
