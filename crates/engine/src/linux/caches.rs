//! The system's caches of names, facts and pages, emptied on request. Source: the kernel's
//! `Documentation/admin-guide/sysctl/vm.rst`, `drop_caches`.
//!
//! It slows the whole machine down for a while and needs root, so it is done only where it was asked for in words.

use std::fs::OpenOptions;
use std::io::{self, Write};

const SWITCH: &str = "/proc/sys/vm/drop_caches";
/// Pages, and names with their facts.
const ALL: &[u8] = b"3\n";

/// Whether this process may do that, without doing it.
pub(crate) fn may_drop() -> io::Result<()> {
    OpenOptions::new().write(true).open(SWITCH).map(drop)
}

/// Writes back what is dirty, then empties the caches: only what is clean can be dropped.
pub(crate) fn drop_all() -> io::Result<()> {
    rustix::fs::sync();
    OpenOptions::new().write(true).open(SWITCH)?.write_all(ALL)
}
