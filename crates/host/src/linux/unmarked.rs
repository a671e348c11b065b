//! Opens a file so that reading it leaves its access time as it was, where the system allows that: to the owner and to
//! root. A file that was only inspected or measured then still shows when it was last used, and no read is followed by
//! a write of its time. Omitted: everything else about opening, which the caller sets.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// `flags` are those of open(2) that `options` has no word for. For what is there: with `create_new` the second try could
/// find the file of the first one. Source: open(2), `O_NOATIME`.
///
/// # Errors
/// Those of open(2), but for a refusal of `O_NOATIME` itself: then the file is opened without.
pub(super) fn open_unmarked(
    options: &mut OpenOptions,
    flags: i32,
    path: &Path,
) -> io::Result<File> {
    let unmarked = options.custom_flags(flags | libc::O_NOATIME).open(path);
    match unmarked {
        Err(refused) if refused.raw_os_error() == Some(libc::EPERM) => {
            options.custom_flags(flags).open(path)
        }
        opened_or_not => opened_or_not,
    }
}
