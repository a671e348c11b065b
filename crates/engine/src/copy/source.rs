//! A source that waits for other processes: a pipe, a socket, a terminal. It is opened and read only when that cannot block,
//! so that a stop request ends the copy. Omitted: files and disks, whose reads end by themselves.

use super::CopyJob;
use crate::stop::Stop;
use gate::{Access, Pins};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, OFlags, fcntl_getfl, fcntl_setfl, fstat};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, IsTerminal};
use std::path::Path;

/// How often a stop request is looked for: every 100 ms.
const PAUSE: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 100_000_000,
};

/// Opens the source. A pipe needs no writer yet.
pub(super) fn open(job: &CopyJob, access: Access) -> io::Result<File> {
    let pin = job.pins.pin(&job.input.path)?;
    let node = pin.node().ok_or(io::ErrorKind::NotFound)?;
    let is_pipe = FileType::from_raw_mode(fstat(node)?.st_mode) == FileType::Fifo;
    if !is_pipe {
        return pin.reopen(access);
    }
    let pipe = pin.reopen(access.without_waiting())?;
    fcntl_setfl(&pipe, fcntl_getfl(&pipe)? - OFlags::NONBLOCK)?;
    Ok(pipe)
}

/// Whether what the path leads to is a pipe or a socket, which has no places.
pub fn has_no_places(pins: &Pins, path: &Path) -> bool {
    let node = pins.pin(path).ok().and_then(|pin| pin.node());
    node.is_some_and(|node| is_passing(&node))
}

fn is_passing(file: &File) -> bool {
    let kind = fstat(file).map(|facts| FileType::from_raw_mode(facts.st_mode));
    matches!(kind, Ok(FileType::Fifo | FileType::Socket))
}

/// Whether a read of it may wait for another process.
pub(super) fn waits(input: &File) -> bool {
    is_passing(input) || input.is_terminal()
}

/// Waits until it has data or has ended; returns false after a stop request.
pub(super) fn ready(input: &File, stop: &Stop) -> io::Result<bool> {
    while !stop.asked() {
        match poll(&mut [PollFd::new(input, PollFlags::IN)], Some(&PAUSE)) {
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => return Ok(true),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(false)
}
