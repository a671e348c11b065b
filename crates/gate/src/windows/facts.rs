//! Facts of an open file. Source: GetFileInformationByHandleEx, `FILE_ID_INFO`, `FILE_STANDARD_INFO`.

use super::handle::{device_length, device_number, file_type, info, old_info, raw};
use crate::file_facts::{FileFacts, NodeKind};
use std::fs::File;
use std::io;
use windows_sys::Win32::Storage::FileSystem::{
    FILE_ATTRIBUTE_DIRECTORY, FILE_ATTRIBUTE_REPARSE_POINT, FILE_ATTRIBUTE_TAG_INFO,
    FILE_BASIC_INFO, FILE_ID_INFO, FILE_STANDARD_INFO, FILE_TYPE_CHAR, FILE_TYPE_PIPE,
    FileAttributeTagInfo, FileBasicInfo, FileIdInfo, FileStandardInfo,
};

/// The bit of a reparse tag that makes the name that of another file: symbolic links, junctions, mounted folders.
const IS_NAME_SURROGATE: u32 = 0x2000_0000;
/// 1970 in units of 100 ns since 1601.
const EPOCH: i128 = 116_444_736_000_000_000;
/// The volume of what has none.
const NO_VOLUME: u64 = u64::MAX;

/// Returns the facts of an open file or device.
///
/// # Errors
/// Those of GetFileInformationByHandleEx.
pub fn file_facts(file: &File) -> io::Result<FileFacts> {
    match file_type(file) {
        FILE_TYPE_CHAR => return Ok(without_file(NodeKind::CharacterDevice, 1)),
        FILE_TYPE_PIPE => return Ok(without_file(NodeKind::Pipe, raw(file) as u64)),
        _ => {}
    }
    let standard: FILE_STANDARD_INFO = match info(file, FileStandardInfo) {
        Ok(standard) => standard,
        Err(error) => return device(file).ok_or(error),
    };
    let basic: FILE_BASIC_INFO = info(file, FileBasicInfo)?;
    Ok(FileFacts {
        identity: identity(file)?,
        device: 0,
        kind: kind(file, &basic),
        length: u64::try_from(standard.EndOfFile).unwrap_or(0),
        names: standard.NumberOfLinks.into(),
        modified_ns: (i128::from(basic.LastWriteTime) - EPOCH) * 100,
    })
}

fn kind(file: &File, basic: &FILE_BASIC_INFO) -> NodeKind {
    if is_link(file, basic.FileAttributes) {
        NodeKind::Link
    } else if basic.FileAttributes & FILE_ATTRIBUTE_DIRECTORY != 0 {
        NodeKind::Folder
    } else {
        NodeKind::File
    }
}

/// Whether what is open is a link itself. Reparse points of files that are stored elsewhere (OneDrive, deduplication) are none.
fn is_link(file: &File, attributes: u32) -> bool {
    let tag = || info::<FILE_ATTRIBUTE_TAG_INFO>(file, FileAttributeTagInfo);
    attributes & FILE_ATTRIBUTE_REPARSE_POINT != 0
        && tag().is_ok_and(|facts| facts.ReparseTag & IS_NAME_SURROGATE != 0)
}

/// Whether it has a reparse point of any kind.
pub(super) fn has_reparse_point(file: &File) -> bool {
    let facts = info::<FILE_BASIC_INFO>(file, FileBasicInfo);
    facts.is_ok_and(|facts| facts.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT != 0)
}

fn identity(file: &File) -> io::Result<(u64, u64)> {
    if let Ok(facts) = info::<FILE_ID_INFO>(file, FileIdInfo) {
        let (low, high) = facts.FileId.Identifier.split_at(8);
        let number = |bytes: &[u8]| {
            bytes
                .iter()
                .rev()
                .fold(0, |sum: u64, byte| sum << 8 | u64::from(*byte))
        };
        // Only ReFS uses the upper half.
        let file = number(low) ^ number(high).rotate_left(32);
        return Ok((facts.VolumeSerialNumber, file));
    }
    let facts = old_info(file)?;
    let file = u64::from(facts.nFileIndexHigh) << 32 | u64::from(facts.nFileIndexLow);
    Ok((facts.dwVolumeSerialNumber.into(), file))
}

/// A volume, a partition or a disk. Its number distinguishes disks and partitions; zero is no number.
fn device(file: &File) -> Option<FileFacts> {
    let (disk, partition) = device_number(file)?;
    let number = (u64::from(disk) + 1) << 32 | u64::from(partition);
    Some(FileFacts {
        device: number,
        length: device_length(file).unwrap_or(0),
        ..without_file(NodeKind::BlockDevice, number)
    })
}

fn without_file(kind: NodeKind, number: u64) -> FileFacts {
    FileFacts {
        identity: (NO_VOLUME, number),
        device: 0,
        kind,
        length: 0,
        names: 1,
        modified_ns: 0,
    }
}
