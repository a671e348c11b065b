//! What direct I/O must be aligned to: as the file system reports it, otherwise as open and I/O show.
//!
//! `statx` reports it since kernel 6.1 for most file systems, not for FUSE. Where it does not, a file that opens with
//! `O_DIRECT` and then reads needs the logical block of its device. File systems in memory open so and then
//! copy all the same: for them the answer is no. Nothing is left behind: for a file that does not exist
//! yet, a file without a name is created in its folder and is gone when it is closed. Where no file can be
//! created at all, that is what stands against the target, not its file system's ways with direct I/O.
//! Omitted: what the I/O costs and where it is answered, which the counters show (`analysis`).

use super::sys;
use crate::patience::Patience;
use gate::{Access, Pin};
use model::{Bytes, DirectIo, FileSystem};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Creates no file without a name, but does direct I/O. Source: `direct_IO` or `FMODE_CAN_ODIRECT`
/// in the kernel's `fs/fat`, `fs/exfat`, `fs/ntfs3`, `fs/nfs`.
const DIRECT_WITHOUT_TMPFILE: [&str; 6] = ["vfat", "msdos", "exfat", "ntfs3", "nfs", "nfs4"];
/// Aligned enough for every device in use.
const SAFE_BLOCK: Bytes = Bytes(4096);

/// Of a file or a device that exists. `block` is the logical block of the device below.
pub(super) fn existing(
    pin: &Pin,
    on: Option<&FileSystem>,
    block: Option<Bytes>,
) -> Option<DirectIo> {
    if on.is_some_and(FileSystem::is_in_memory) {
        return None;
    }
    sys::extended(&*pin.node()?).direct.unwrap_or_else(|| {
        let opened = pin.reopen(Access::READ.direct(true).without_waiting());
        let (file, aligned) = (opened.ok()?, aligned_to(block));
        let takes = move || !is_file(&file) || takes_one(&file, aligned, false);
        // A read that does not return in time proves nothing about direct I/O.
        let takes = Patience::begin().wait_for(takes).unwrap_or(true);
        takes.then_some(aligned)
    })
}

/// Of a file that is not there yet.
pub(super) fn missing(
    pin: &Pin,
    on: Option<&FileSystem>,
    block: Option<Bytes>,
) -> Option<DirectIo> {
    let aligned = aligned_to(block);
    if on.is_some_and(FileSystem::is_in_memory) {
        return None;
    }
    if on.is_some_and(|on| DIRECT_WITHOUT_TMPFILE.contains(&on.kind.as_str())) {
        return Some(aligned);
    }
    match pin.nameless(true) {
        Ok(nameless) => sys::extended(&nameless)
            .direct
            .unwrap_or_else(|| takes_one(&nameless, aligned, true).then_some(aligned)),
        Err(error) if is_refusal(&error) => None,
        Err(_) => Some(aligned), // read-only, no permission, full: not an answer to this question
    }
}

fn is_file(file: &File) -> bool {
    file.metadata().is_ok_and(|there| there.is_file())
}

/// Whether the file takes one direct read, before it a write where the file has no other user: some open with
/// `O_DIRECT` and refuse what follows, as mergerfs refuses writes. // open(2), NOTES
fn takes_one(file: &File, aligned: DirectIo, writes: bool) -> bool {
    let align = usize::try_from(aligned.offset.0).unwrap_or(SAFE_BLOCK.0 as usize);
    let mut room = vec![0_u8; 2 * align];
    let start = room.as_ptr().align_offset(align);
    let Some(block) = room.get_mut(start..start + align) else {
        return true;
    };
    let refused = |done: io::Result<usize>| done.is_err_and(|error| is_refusal(&error));
    !(writes && refused(file.write_at(block, 0)) || refused(file.read_at(block, 0)))
}

fn is_refusal(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EINVAL | libc::EOPNOTSUPP))
}

fn aligned_to(block: Option<Bytes>) -> DirectIo {
    let block = block.filter(|block| block.0.is_power_of_two());
    let block = block.unwrap_or(SAFE_BLOCK);
    DirectIo {
        memory: block,
        offset: block,
    }
}
