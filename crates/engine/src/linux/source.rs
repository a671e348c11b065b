//! A source that waits for other processes: opened and waited for without blocking. Sources: open(2), `O_NONBLOCK`; poll(2).

use gate::{Access, NodeKind, Pin, file_facts};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::time::Duration;

/// Opens the source. A pipe needs no writer yet.
pub(crate) fn open(pin: &Pin, access: Access) -> io::Result<File> {
    let node = pin.node().ok_or(io::ErrorKind::NotFound)?;
    if file_facts(&node)?.kind != NodeKind::Pipe {
        return pin.reopen(access);
    }
    let pipe = pin.reopen(access.without_waiting())?;
    fcntl_setfl(&pipe, fcntl_getfl(&pipe)? - OFlags::NONBLOCK)?;
    Ok(pipe)
}

/// Waits so long at most; returns whether a read would not block.
pub(crate) fn can_be_read(input: &File, wait: Duration) -> io::Result<bool> {
    let wait = Timespec::try_from(wait).map_err(io::Error::other)?;
    match poll(&mut [PollFd::new(input, PollFlags::IN)], Some(&wait)) {
        Ok(0) | Err(Errno::INTR) => Ok(false),
        Ok(_) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

/// Lets an open file go through the system's cache from now on. Returns the file that takes its place; none here, where
/// the same one changes.
pub(crate) fn through_cache(file: &File) -> io::Result<Option<File>> {
    fcntl_setfl(file, fcntl_getfl(file)? - OFlags::DIRECT)?;
    Ok(None)
}
