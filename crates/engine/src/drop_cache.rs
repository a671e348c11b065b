//! A cold start: what the system's cache holds of one file or device is let go. Source: posix_fadvise(2).
//!
//! Only clean pages go, so what is dirty is written back first; everybody else's pages stay.

use gate::{OFlags, Pin};
use rustix::fs::{Advice, fadvise};
use std::io;

/// Lets go of what the system's cache holds of this file or device. What a program has mapped or reads meanwhile may stay.
///
/// Errors: it cannot be opened for reading, or written back.
pub fn forget_cached(pin: &Pin) -> io::Result<()> {
    let file = pin.reopen(OFlags::RDONLY)?;
    file.sync_data()?;
    Ok(fadvise(&file, 0, None, Advice::DontNeed)?)
}
