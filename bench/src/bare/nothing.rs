//! A bare loop without any I/O: choosing an offset, two stamps and a count, in rounds of the depth. What is above it in
//! fathom's own loop is the loop's.

use super::{Latencies, Offsets, Work, ring::ticks};
use std::hint::black_box;
use std::io;

/// Counts I/Os until the word to stop.
pub(super) fn turn(work: &Work<'_>) -> io::Result<u64> {
    let mut offsets = Offsets::new(work.seed, 1 << 30);
    let mut slots = vec![(0, 0); work.depth];
    let mut latencies = Latencies::new();
    let mut done = 0;
    while !work.over() {
        for slot in &mut slots {
            *slot = (offsets.next(), if work.stamps { ticks() } else { 0 });
        }
        for (_, begun) in black_box(&slots) {
            if work.stamps {
                latencies.add(ticks().wrapping_sub(*begun));
            }
        }
        done += slots.len() as u64;
    }
    Ok(done)
}
