//! The system's caches: hints about one file, its pages dropped, and all caches emptied on request. Sources:
//! posix_fadvise(2); the kernel's `Documentation/admin-guide/sysctl/vm.rst`, `drop_caches`.
//!
//! Emptying all caches slows the whole machine down for a while and needs root, so it is done only where it was asked for
//! in words.

use model::{Bytes, Hint};
use rustix::fs::{Advice, fadvise};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::num::NonZeroU64;

const SWITCH: &str = "/proc/sys/vm/drop_caches";
/// Pages, and names with their facts.
const ALL: &[u8] = b"3\n";

/// Whether this process may empty all caches, without doing it.
pub(crate) fn may_drop() -> io::Result<()> {
    OpenOptions::new().write(true).open(SWITCH).map(drop)
}

/// Writes back what is dirty, then empties the caches: only what is clean can be dropped.
pub(crate) fn drop_all() -> io::Result<()> {
    sync_all()?;
    OpenOptions::new().write(true).open(SWITCH)?.write_all(ALL)
}

/// Writes back what is dirty in all file systems.
///
/// # Errors
/// None on this system.
pub(crate) fn sync_all() -> io::Result<()> {
    rustix::fs::sync();
    Ok(())
}

/// Gives the system's cache a hint about the pattern. It is advice: a refusal changes nothing.
pub(crate) fn hint(file: &File, hint: Hint) {
    let advice = match hint {
        Hint::Sequential => Advice::Sequential,
        Hint::Random => Advice::Random,
        Hint::None => return,
    };
    let _ = fadvise(file, 0, None, advice);
}

/// Drops the clean pages of a file from the system's cache, so that the run begins with none.
pub(crate) fn drop_cache(file: &File) {
    let _ = fadvise(file, 0, None, Advice::DontNeed); // it is advice
}

/// Drops the clean pages of a stretch. Dirty ones stay, and are on their way to the device then.
pub(crate) fn drop_pages(file: &File, from: Bytes, length: Bytes) -> io::Result<()> {
    let length = NonZeroU64::new(length.0);
    Ok(fadvise(file, from.0, length, Advice::DontNeed)?)
}

/// Writes back what is dirty of a file or device, so that direct reads find it.
pub(crate) fn write_back_to_read(file: &File) -> io::Result<()> {
    file.sync_data()
}

/// Writes back what is dirty of a file or device, then drops its pages.
pub(crate) fn forget(file: &File) -> io::Result<()> {
    file.sync_data()?;
    drop_pages(file, Bytes(0), Bytes(0))
}
