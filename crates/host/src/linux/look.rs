//! Devices that are opened to be inspected, and who has them open. Deliberately absent: reading them (`crate::look`).

use super::block::Node;
use super::sys;
use crate::look::Look;
use crate::patience::Patience;
use gate::{Access, Pin, Pins};
use std::fs::File;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

impl Look {
    /// A device by its name in `/dev`; `None` also when that name means another one.
    pub(super) fn at_device(node: &Node, patience: &Patience) -> Option<Self> {
        Self::at(&pin_of(node)?, patience)
    }
}

/// Opens for reading. Does not wait for a medium or for a writer.
fn open(pin: &Pin, access: Access) -> std::io::Result<File> {
    pin.reopen(access.without_waiting())
}

/// A device by its name in `/dev`; `None` where that name means another one.
pub(super) fn pin_of(node: &Node) -> Option<Pin> {
    let pin = Pin::new(&node.path()).ok()?;
    let there = pin.metadata()?;
    let is_it = there.file_type().is_block_device() && Some(there.rdev()) == node.number();
    is_it.then_some(pin)
}

/// Takes a device exclusively for the session, because it is below one that is written.
pub(super) fn claim(pins: &Pins, node: &Node) -> Claimed {
    let Some(pin) = pin_of(node) else {
        return Claimed::Unknown;
    };
    match pins.claim(&pin) {
        Ok(()) => Claimed::Taken,
        Err(error) if error.raw_os_error() == Some(libc::EBUSY) => Claimed::Busy,
        Err(_) => Claimed::Unknown,
    }
}

/// The result of taking a device exclusively.
pub(super) enum Claimed {
    Taken,
    /// Another process uses it.
    Busy,
    /// It could not be opened.
    Unknown,
}

/// Whether another process has this device open exclusively. Asked by opening it so for a moment, unless this session
/// has it open. // open(2)
pub(super) fn is_busy(pins: &Pins, pin: &Pin) -> bool {
    let busy = |error: &std::io::Error| error.raw_os_error() == Some(libc::EBUSY);
    !pins.claims(pin) && open(pin, Access::READ.exclusive()).is_err_and(|error| busy(&error))
}

/// What is behind a loop device, where this user may open it.
pub(super) fn loop_backing(node: &Node) -> Option<sys::Backing> {
    sys::loop_backing(&open(&pin_of(node)?, Access::READ).ok()?)
}
