//! Where a block of a file or device is read again: past the page cache where the system allows it.
//!
//! Omitted: simulated devices, whose store is a medium itself.

use super::check::Block;
use super::diagnose::Medium;
use crate::RunError;
use crate::prepare::raw::{self, Piece};
use crate::target::unopened;
use gate::{Access, Pins};
use model::PlannedTarget;
use model::block_header::BLOCK_BYTES;
use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Duration;

/// A file or device.
pub(crate) struct FileMedium {
    pub(crate) file: File,
}

impl FileMedium {
    /// Opens what a target is read from: a namespace's block device.
    pub(crate) fn open(target: &PlannedTarget, pins: &Pins) -> Result<Box<dyn Medium>, RunError> {
        Ok(Box::new(FileMedium::of(target, pins)?))
    }

    /// The same, to be read whole.
    pub(crate) fn of(target: &PlannedTarget, pins: &Pins) -> Result<Self, RunError> {
        let path = target
            .held_by()
            .expect("the check refuses targets without data");
        FileMedium::at(path, pins)
    }

    /// The same of a path.
    pub(crate) fn at(path: &Path, pins: &Pins) -> Result<Self, RunError> {
        let open = |unbuffered| {
            let pin = pins.pin(path)?;
            pin.reopen(Access::READ.direct(unbuffered))
        };
        let opened = open(true).or_else(|_| open(false));
        let file = opened.map_err(|source| unopened(path, "reading", source))?;
        Ok(FileMedium { file })
    }
}

impl Medium for FileMedium {
    fn read(&self, offset: u64) -> io::Result<Box<Block>> {
        let mut piece = Piece::new(BLOCK_BYTES);
        let data = piece.data(BLOCK_BYTES);
        match raw::read_up_to(&self.file, data, offset)? {
            BLOCK_BYTES => {
                let mut block = Box::new([0; BLOCK_BYTES]);
                block.copy_from_slice(data);
                Ok(block)
            }
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    fn pause(&self, time: Duration) {
        std::thread::sleep(time);
    }
}
