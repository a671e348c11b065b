//! Reads of a target that leave no trace in the page cache, and what the kernel reports of where its data is.
//!
//! Plain reads with reading ahead switched off. What was in the page cache stays there, and what was not is dropped at
//! once, so that a run finds the cache as it was before the look, whether it goes past it or through it. Unbuffered reads
//! would leave no trace either, but cannot read the last piece of every file.

use super::sys::{self, Advice};
use model::Bytes;
use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::os::unix::fs::FileExt;

pub(crate) use super::extents::extents;
pub(crate) use super::sys::{cached_pages, has_no_data, next_data, next_hole, page_bytes};

/// Bytes of an open file or device.
pub(crate) fn length(file: &mut File) -> Option<Bytes> {
    file.seek(SeekFrom::End(0)).ok().map(Bytes)
}

/// Switches off reading ahead.
pub(crate) fn expect_random(file: &File) {
    sys::advise(file, 0, 0, Advice::Random);
}

/// Fills a part of at most 64 KiB, and leaves the page cache as it was to within it: what the cache does not have it may begin
/// to bring in when it is asked, so that a question must not reach farther than what is dropped after it.
pub(crate) fn read_part(file: &File, at: u64, part: &mut [u8]) -> bool {
    let cached = sys::read_cached(file, at, part);
    let rest = &mut part[cached..];
    if rest.is_empty() {
        return true;
    }
    let from = at + cached as u64;
    let done = file.read_exact_at(rest, from).is_ok();
    sys::advise(file, from, rest.len() as u64, Advice::DontNeed);
    done
}
