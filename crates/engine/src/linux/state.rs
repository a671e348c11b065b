//! What another program may change of a file. Source: statx(2).

use rustix::fs::{AtFlags, StatxFlags, statx};
use std::fs::File;

/// Attributes of a file that another program may change.
pub(crate) struct State {
    pub(crate) links: u32,
    pub(crate) size: u64,
    /// Blocks of 512 bytes that it occupies.
    pub(crate) blocks: u64,
}

/// Asks without a request to a file server, which may not answer while it is measured. Source: statx(2),
/// `AT_STATX_DONT_SYNC`.
pub(crate) fn state(file: &File) -> Option<State> {
    let flags = AtFlags::EMPTY_PATH | AtFlags::STATX_DONT_SYNC;
    let wanted = StatxFlags::NLINK | StatxFlags::SIZE | StatxFlags::BLOCKS;
    let now = statx(file, "", flags, wanted).ok()?;
    Some(State {
        links: now.stx_nlink,
        size: now.stx_size,
        blocks: now.stx_blocks,
    })
}
