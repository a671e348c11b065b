//! A source that waits for other processes: a pipe, a socket, a terminal. It is opened and read only when that cannot block,
//! so that a stop request ends the copy. Omitted: files and disks, whose reads end by themselves.

use super::CopyJob;
use crate::stop::Stop;
use crate::system::source;
use gate::{Access, NodeKind, Pins, file_facts};
use std::fs::File;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::time::Duration;

/// How often a stop request is looked for.
const PAUSE: Duration = Duration::from_millis(100);

/// Opens the source. A pipe needs no writer yet.
pub(super) fn open(job: &CopyJob, access: Access) -> io::Result<File> {
    source::open(&*job.pins.pin(&job.input.path)?, access)
}

/// Whether what the path leads to is a pipe or a socket, which has no places.
pub fn has_no_places(pins: &Pins, path: &Path) -> bool {
    let node = pins.pin(path).ok().and_then(|pin| pin.node());
    node.is_some_and(|node| is_passing(&node))
}

fn is_passing(file: &File) -> bool {
    let kind = file_facts(file).map(|there| there.kind);
    matches!(kind, Ok(NodeKind::Pipe | NodeKind::Socket))
}

/// Whether a read of it may wait for another process.
pub(super) fn waits(input: &File) -> bool {
    is_passing(input) || input.is_terminal()
}

/// Waits until it has data or has ended; returns false after a stop request.
pub(super) fn ready(input: &File, stop: &Stop) -> io::Result<bool> {
    while !stop.asked() {
        if source::can_be_read(input, PAUSE)? {
            return Ok(true);
        }
    }
    Ok(false)
}
