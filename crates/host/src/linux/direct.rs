//! What unbuffered I/O must be aligned to: asked of the file system, otherwise found out by opening.
//!
//! `statx` answers since kernel 6.1 for most file systems. Where it does not, a file that opens with
//! `O_DIRECT` is taken to need the logical block of its device. File systems in memory open so and then
//! copy all the same: for them the answer is no. Nothing is left behind: for a file that does not exist
//! yet, a file without a name is made in its folder and is gone when it is closed. Where no file can be
//! made at all, that is what stands against the target, not its file system's ways with unbuffered I/O.

use super::sys;
use gate::{OFlags, Pin};
use model::{Bytes, DirectIo};

const IN_MEMORY: [&str; 4] = ["tmpfs", "ramfs", "devtmpfs", "hugetlbfs"];
/// Cannot make a file without a name, but do unbuffered I/O. Source: `direct_IO` or `FMODE_CAN_ODIRECT`
/// in the kernel's `fs/fat`, `fs/exfat`, `fs/ntfs3`, `fs/nfs`.
const UNBUFFERED_WITHOUT_TMPFILE: [&str; 6] = ["vfat", "msdos", "exfat", "ntfs3", "nfs", "nfs4"];
/// Aligned enough for every device in use.
const SAFE_BLOCK: Bytes = Bytes(4096);

/// Of a file or a device that exists. `block` is the logical block of the device below.
pub(super) fn existing(pin: &Pin, kind: &str, block: Option<Bytes>) -> Option<DirectIo> {
    if IN_MEMORY.contains(&kind) {
        return None;
    }
    sys::extended(&*pin.node()?).direct.unwrap_or_else(|| {
        let opened = pin.reopen(OFlags::RDONLY | OFlags::DIRECT | OFlags::NONBLOCK);
        opened.ok().map(|_| aligned_to(block))
    })
}

/// Of a file that is not there yet.
pub(super) fn missing(pin: &Pin, kind: &str, block: Option<Bytes>) -> Option<DirectIo> {
    if IN_MEMORY.contains(&kind) {
        return None;
    }
    match pin.nameless(OFlags::DIRECT) {
        Ok(nameless) => sys::extended(&nameless)
            .direct
            .unwrap_or_else(|| Some(aligned_to(block))),
        Err(error) => match error.raw_os_error() {
            Some(libc::EINVAL) => None,
            Some(libc::EOPNOTSUPP | libc::EISDIR | libc::ENOENT) => UNBUFFERED_WITHOUT_TMPFILE
                .contains(&kind)
                .then(|| aligned_to(block)),
            _ => Some(aligned_to(block)), // read-only, no permission, full: not an answer to this question
        },
    }
}

fn aligned_to(block: Option<Bytes>) -> DirectIo {
    let block = block.unwrap_or(SAFE_BLOCK);
    DirectIo {
        memory: block,
        offset: block,
    }
}
