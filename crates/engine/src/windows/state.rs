//! What another program may change of a file. Source: `GetFileInformationByHandleEx`, `FILE_STANDARD_INFO`.
#![allow(unsafe_code, reason = "asks the system about a handle")]

use gate::Descriptor;
use std::fs::File;
use windows_sys::Win32::Storage::FileSystem::{
    FILE_STANDARD_INFO, FileStandardInfo, GetFileInformationByHandleEx,
};

/// Bytes of what is called a block.
const BLOCK: u64 = 512;

/// Attributes of a file that another program may change.
pub(crate) struct State {
    /// Names that it has; none while its deletion is pending.
    pub(crate) links: u32,
    pub(crate) size: u64,
    /// Blocks of 512 bytes that it occupies.
    pub(crate) blocks: u64,
}

/// Asks; `None` where the system does not report it.
pub(crate) fn state(file: &File) -> Option<State> {
    let mut now = FILE_STANDARD_INFO::default();
    // SAFETY: the system writes one such structure, whose size is passed.
    let answered = unsafe {
        GetFileInformationByHandleEx(
            Descriptor::of(file).raw(),
            FileStandardInfo,
            (&raw mut now).cast(),
            size_of_val(&now) as u32,
        )
    };
    (answered != 0).then(|| State {
        links: if now.DeletePending {
            0
        } else {
            now.NumberOfLinks
        },
        size: now.EndOfFile.cast_unsigned(),
        blocks: now.AllocationSize.cast_unsigned() / BLOCK,
    })
}
