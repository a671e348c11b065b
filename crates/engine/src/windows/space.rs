//! Space of files: reserved, given back, and brought to the device. Sources: `SetFileInformationByHandle`,
//! `FSCTL_FILE_LEVEL_TRIM`.
#![allow(unsafe_code, reason = "system calls on handles")]

use super::transfer::{Event, control};
use gate::Descriptor;
use model::Bytes;
use std::fs::File;
use std::io;
use windows_sys::Win32::Storage::FileSystem::{
    FILE_ALLOCATION_INFO, FileAllocationInfo, SetFileInformationByHandle,
};
use windows_sys::Win32::System::Ioctl::{
    FILE_LEVEL_TRIM, FILE_LEVEL_TRIM_RANGE, FILE_SET_SPARSE_BUFFER, FSCTL_FILE_LEVEL_TRIM,
    FSCTL_SET_SPARSE,
};

/// Windows brings whole files to the device only: the sync at the end does.
pub(crate) fn write_back(_: &File, _: u64, _: u64) -> io::Result<()> {
    Ok(())
}

/// Reserves the space up to `to`, so that a full disk is found out before anything is written.
pub(crate) fn reserve(file: &File, from: Bytes, to: Bytes) -> io::Result<()> {
    if to <= from {
        return Ok(());
    }
    let wanted = FILE_ALLOCATION_INFO {
        AllocationSize: to.0.cast_signed(),
    };
    // SAFETY: the system reads one such structure, whose size is passed.
    let reserved = unsafe {
        SetFileInformationByHandle(
            Descriptor::of(file).raw(),
            FileAllocationInfo,
            (&raw const wanted).cast(),
            size_of_val(&wanted) as u32,
        )
    };
    if reserved == 0 {
        let refused = io::Error::last_os_error();
        // What the file system cannot reserve is found out while writing.
        if refused.kind() == io::ErrorKind::StorageFull {
            return Err(refused);
        }
    }
    match file.metadata()?.len() < to.0 {
        true => file.set_len(to.0),
        false => Ok(()),
    }
}

/// Refuses: Windows gives space behind the end of a file back when its last handle is closed.
pub(crate) fn reserve_behind_end(_: &File, _: Bytes) -> io::Result<()> {
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        "Windows gives space behind the end of a file back when it is closed",
    ))
}

/// Lets a file have holes.
pub(crate) fn make_sparse(file: &File) -> io::Result<()> {
    let sparse = FILE_SET_SPARSE_BUFFER { SetSparse: true };
    control(file, FSCTL_SET_SPARSE, &sparse, &Event::new()?)
}

/// Reports to the device that the data of a stretch is not needed any more.
pub(crate) fn discard(file: &File, offset: u64, length: u64) -> io::Result<()> {
    let trim = FILE_LEVEL_TRIM {
        Key: 0,
        NumRanges: 1,
        Ranges: [FILE_LEVEL_TRIM_RANGE {
            Offset: offset,
            Length: length,
        }],
    };
    control(file, FSCTL_FILE_LEVEL_TRIM, &trim, &Event::new()?)
}
