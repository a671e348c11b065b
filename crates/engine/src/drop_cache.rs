//! A cold start: the pages of one file or device are dropped from the system's cache. Source: posix_fadvise(2).
//!
//! Only clean pages go, so what is dirty is written back first; everybody else's pages stay.

use gate::{Access, Pin};
use rustix::fs::{Advice, fadvise};
use std::io;

/// Drops the pages of this file or device from the system's cache. Pages that a program has mapped or reads may stay.
///
/// Errors: it cannot be opened for reading, or written back.
pub fn forget_cached(pin: &Pin) -> io::Result<()> {
    let file = pin.reopen(Access::READ)?;
    file.sync_data()?;
    Ok(fadvise(&file, 0, None, Advice::DontNeed)?)
}
