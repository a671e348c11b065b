//! A cold start: the pages of one file or device are dropped from the system's cache.
//!
//! Only clean pages go, so what is dirty is written back first; everybody else's pages stay.

use crate::system::caches;
use gate::{Access, Pin};
use std::io;

/// Drops the pages of this file or device from the system's cache. Pages that a program has mapped or reads may stay.
///
/// Errors: it cannot be opened for reading, or written back.
pub fn forget_cached(pin: &Pin) -> io::Result<()> {
    caches::forget(&pin.reopen(Access::READ)?)
}
