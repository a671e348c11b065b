//! A bare `preadv2` loop: one I/O at a time, with the cheapest call that takes an offset and flags.
#![allow(unsafe_code, reason = "hands memory to the kernel")]

use super::{BLOCK, Latencies, Offsets, Page, Work, ring::ticks, size};
use std::io;
use std::os::fd::AsRawFd;

/// Counts I/Os until the word to stop.
pub(super) fn turn(work: &Work<'_>) -> io::Result<u64> {
    let Some(file) = work.place.open()? else {
        return Err(io::Error::other("preadv2 needs a target"));
    };
    let mut page = Box::new(Page([0; BLOCK]));
    let memory = libc::iovec {
        iov_base: page.0.as_mut_ptr().cast(),
        iov_len: BLOCK,
    };
    let mut offsets = Offsets::new(work.seed, size(&file)?);
    let mut latencies = Latencies::new();
    let mut done = 0;
    while !work.over() {
        let begun = if work.stamps { ticks() } else { 0 };
        let offset = offsets.next() as libc::off_t;
        // SAFETY: the page and the one vector live longer than the call, and no other code accesses them.
        let read = unsafe { libc::preadv2(file.as_raw_fd(), &raw const memory, 1, offset, 0) };
        if read != BLOCK as isize {
            return Err(io::Error::last_os_error());
        }
        if work.stamps {
            latencies.add(ticks().wrapping_sub(begun));
        }
        done += 1;
    }
    Ok(done)
}
