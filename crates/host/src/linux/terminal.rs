//! The terminal that a person types at: whether there is something to read, and whether he is still there.
//!
//! A library that reads keys finds the end of a terminal that has gone again and again, and waits for a key for ever.
//! So a reader of keys asks here first. Deliberately absent: reading.

use super::sys;
use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::time::Duration;

/// Waits for keys, at most so long, and less where a signal comes. The terminal is standard input, or else the one that
/// controls this process.
///
/// # Errors
/// There is no terminal, or its other end is closed.
pub fn wait_for_keys(most: Duration) -> io::Result<()> {
    let input = io::stdin();
    let there = if input.is_terminal() {
        sys::wait_to_read(input.as_fd(), most)?
    } else {
        sys::wait_to_read(File::open("/dev/tty")?.as_fd(), most)?
    };
    if there {
        Ok(())
    } else {
        Err(io::Error::new(
            io::ErrorKind::BrokenPipe,
            "the terminal has gone",
        ))
    }
}
