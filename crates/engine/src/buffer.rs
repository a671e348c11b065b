//! Aligned memory for the I/Os of one thread: a read part and, where there are writes, a write part.
//!
//! They are apart so that what a read brings in is never written back. Each slot owns its piece of both, so
//! two I/Os in flight never share memory. The write part holds several windows a slot, used in turn, so that
//! even depth 1 does not write the same bytes again and again.
//!
//! Pages are ordinary ones, as applications have them. Huge pages make a large I/O one piece of memory instead of
//! many, and on a device whose requests hold few pieces that alone made 1 MiB reads 2.6 times as fast: true, but
//! not what anybody's program would see.
#![allow(unsafe_code, reason = "maps memory that the kernel reads and writes")]

use crate::RunError;
use crate::rng::Rng;
use model::{Bytes, PlannedTarget, stamp};
use std::io;
use std::ptr::NonNull;

/// Smallest alignment that every device takes for memory.
const PAGE: usize = 4096;
/// Write data of one thread that is different before it is used again, where the depth alone gives less.
const WRITE_POOL: usize = 4 << 20;

/// All I/O memory of one thread.
#[derive(Debug)]
pub(crate) struct Buffers {
    map: Map,
    slot_bytes: usize, // block rounded up to a page
    block: usize,
    write_base: usize, // where the write part begins
    windows: usize,    // windows a slot, 0 without writes
    next_window: Box<[u32]>,
    serial: u64,
}

#[derive(Debug)]
struct Map {
    start: NonNull<u8>,
    bytes: usize,
}

impl Buffers {
    /// Maps and fills everything that the thread will need. `seed` makes the write data of each thread its own.
    pub(crate) fn new(target: &PlannedTarget, seed: u64) -> Result<Self, RunError> {
        let depth = target.workload.queue_depth.0 as usize;
        let block = target.workload.block.0 as usize;
        let slot_bytes = block.next_multiple_of(PAGE.max(target.alignment.0 as usize));
        let share = target.workload.write.as_percent();
        let read_bytes = if share < 100 { depth * slot_bytes } else { 0 };
        let windows = if share > 0 {
            (WRITE_POOL / (depth * slot_bytes)).max(1)
        } else {
            0
        };
        let map = Map::new(read_bytes + depth * slot_bytes * windows)?;
        let mut buffers = Buffers {
            map,
            slot_bytes,
            block,
            write_base: read_bytes,
            windows,
            next_window: vec![0; depth].into(),
            serial: seed,
        };
        let write_base = buffers.write_base;
        Rng::new(seed, 0).fill(&mut buffers.map.bytes_mut()[write_base..]);
        Ok(buffers)
    }

    /// Where the next read of `slot` puts its data.
    #[inline]
    pub(crate) fn for_read(&mut self, slot: u32) -> NonNull<u8> {
        self.at(slot as usize * self.slot_bytes)
    }

    /// Where the next write of `slot` takes its data: incompressible, marked as fathom's, each mark new.
    #[inline]
    pub(crate) fn for_write(&mut self, slot: u32, offset: Bytes) -> NonNull<u8> {
        let slot = slot as usize;
        let window = self.next_window[slot] as usize;
        self.next_window[slot] = if window + 1 == self.windows {
            0
        } else {
            window as u32 + 1
        };
        let place = self.write_base + (slot * self.windows + window) * self.slot_bytes;
        let block = self.block;
        let data = &mut self.map.bytes_mut()[place..place + block];
        self.serial = stamp::stamp(data, offset, self.serial);
        self.at(place)
    }

    /// All of it, for registering with the kernel.
    pub(crate) fn whole(&self) -> (NonNull<u8>, usize) {
        (self.map.start, self.map.bytes)
    }

    #[inline]
    fn at(&self, place: usize) -> NonNull<u8> {
        assert!(
            place + self.block <= self.map.bytes,
            "every slot has its place"
        );
        // SAFETY: the place was just checked to lie inside the mapping.
        unsafe { self.map.start.add(place) }
    }

    /// Leaves the memory mapped for good, for I/Os that the device never answered: the kernel may still
    /// write to it.
    pub(crate) fn abandon(self) {
        std::mem::forget(self);
    }
}

impl Map {
    fn new(bytes: usize) -> Result<Self, RunError> {
        let bytes = bytes.max(PAGE);
        // SAFETY: a fresh anonymous mapping touches nothing that exists.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        let refused = || RunError::Buffers {
            bytes: Bytes(bytes as u64),
            source: io::Error::last_os_error(),
        };
        if start == libc::MAP_FAILED {
            return Err(refused());
        }
        let map = Map {
            start: NonNull::new(start.cast()).ok_or_else(refused)?,
            bytes,
        };
        Ok(map)
    }

    #[inline]
    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the mapping is `bytes` long, lives as long as `self`, and `&mut self` keeps other users of
        // this process out; the kernel only touches pieces of slots in flight, which the worker leaves alone.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.bytes) }
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: mapped by `new` with this length, and nothing in flight uses it: see `Buffers::abandon`.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rehearsal::tests::planned;
    use model::{QueueDepth, Ratio};

    fn written(buffers: &mut Buffers, slot: u32, offset: u64) -> Vec<u8> {
        let start = buffers.for_write(slot, Bytes(offset));
        // SAFETY: nothing is in flight in this test, and the block lies inside the mapping.
        unsafe { std::slice::from_raw_parts(start.as_ptr(), buffers.block) }.to_vec()
    }

    fn buffers(depth: u32, write: u8) -> Buffers {
        let mut target = planned();
        target.workload.queue_depth = QueueDepth(depth);
        target.workload.write = Ratio::percent(write).unwrap();
        Buffers::new(&target, 1).unwrap()
    }

    #[test]
    fn writes_are_marked_and_never_the_same_twice() {
        let mut buffers = buffers(2, 100);
        let blocks: Vec<Vec<u8>> = (0..2000)
            .map(|i| written(&mut buffers, i % 2, u64::from(i) * 4096))
            .collect();
        assert!(blocks.iter().all(|block| stamp::is_stamped(block)));
        let mut unique = blocks.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), blocks.len());
    }

    #[test]
    fn slots_and_operations_do_not_share_memory() {
        let mut buffers = buffers(4, 30);
        let mut places: Vec<usize> = (0..4)
            .map(|slot| buffers.for_read(slot).as_ptr() as usize)
            .collect();
        places.extend((0..4).map(|slot| buffers.for_write(slot, Bytes(0)).as_ptr() as usize));
        places.sort_unstable();
        assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= 4096));
        assert!(places.iter().all(|place| place.is_multiple_of(4096)));
    }

    #[test]
    fn write_data_is_incompressible() {
        let mut buffers = buffers(1, 100);
        let mut counts = [0u32; 256];
        for i in 0..64 {
            for byte in written(&mut buffers, 0, i * 4096) {
                counts[byte as usize] += 1;
            }
        }
        let total = f64::from(counts.iter().sum::<u32>());
        let entropy: f64 = counts
            .iter()
            .map(|&c| f64::from(c) / total)
            .map(|p| if p > 0.0 { -p * p.log2() } else { 0.0 })
            .sum();
        assert!(entropy > 7.98, "{entropy} bits a byte");
    }
}
