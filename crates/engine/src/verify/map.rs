//! The write map: which version of each grain was written last, and whether a write of it is in flight.
//!
//! A grain is what every I/O of a target begins and ends at a multiple of. Its entry is 16 bits: 14 of the generation (0
//! where the run has not written it), one while a write is in flight, one while its content is uncertain because a write
//! failed. All threads share it. Omitted: what a block contains (`check`).

use super::block_sums::load_ahead;
use model::block_header::{BLOCK_BYTES, GENERATION_MAX};
use model::journal::Durable;
use std::sync::atomic::{AtomicU16, Ordering};

const IN_FLIGHT: u16 = 1 << 15;
const UNCERTAIN: u16 = 1 << 14;
/// Entries of a map that stays in the caches of a core, next to the data of its I/Os: 64 KiB.
const NEAR_MAX: usize = 1 << 15;

/// Versions of all grains of a range.
#[derive(Debug)]
pub(crate) struct WriteMap {
    base: u64,
    grain: Grain,
    entries: Box<[AtomicU16]>,
}

/// Length of a grain, as an odd number times a power of two: most lengths are a power, which takes no division.
#[derive(Clone, Copy, Debug)]
struct Grain {
    log2: u32,
    odd: u64,
}

/// The map's entry of a grain at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry(u16);

/// What a block may contain that was read between two moments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// This version and no other.
    Exactly(u16),
    /// No version of this run.
    Unwritten,
    /// A write met the read: any version from the first to the second, or parts of them. The first may be 0.
    Between(u16, u16),
    /// Anything: a write failed.
    Anything,
    /// Any content that a power cut may leave.
    AfterCut(CutRule),
}

/// What a block has to be after a power cut, with any write in flight then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CutRule {
    /// This version or a newer one; any without.
    pub(crate) durable: Option<Durable>,
    /// Sectors that are written together or not at all; 0 where that is unknown.
    pub(crate) atomic_sectors: u8,
}

impl WriteMap {
    /// For a range of whole grains.
    pub(crate) fn new(base: u64, length: u64, grain: u64) -> WriteMap {
        let grain = Grain::of(grain);
        let grains = grain.times_up(length);
        WriteMap {
            base,
            grain,
            entries: (0..grains).map(|_| AtomicU16::new(0)).collect(),
        }
    }

    /// Most grains of an I/O of so many bytes.
    #[inline]
    pub(crate) fn grains_of(&self, length: u64) -> usize {
        self.grain.times_up(length) as usize
    }

    /// The grain of an offset from the start of the target.
    #[inline]
    pub(crate) fn grain_at(&self, offset: u64) -> usize {
        self.grain.times(offset - self.base) as usize
    }

    #[inline]
    pub(crate) fn entry(&self, grain: usize) -> Entry {
        Entry(self.entries[grain].load(Ordering::Acquire))
    }

    /// Whether it is too large for the caches next to a core.
    #[inline]
    pub(crate) fn is_far(&self) -> bool {
        self.entries.len() > NEAR_MAX
    }

    /// Has the first entry of an I/O loaded, which [`WriteMap::entry`] would wait for: a map of a large range is in no
    /// cache, and the wait would be a tenth of a read from memory.
    #[inline]
    pub(crate) fn load_ahead(&self, offset: u64) {
        load_ahead(&self.entries[self.grain_at(offset)]);
    }

    /// Marks all grains of a write as in flight with their next versions; none of them if one is in flight already.
    pub(crate) fn begin_write(&self, offset: u64, length: u64) -> bool {
        let first = self.grain_at(offset);
        let grains = &self.entries[first..first + self.grains_of(length)];
        let is_taken = |entry: &AtomicU16| entry.fetch_or(IN_FLIGHT, Ordering::AcqRel) & IN_FLIGHT;
        if let Some(busy) = grains.iter().position(|entry| is_taken(entry) != 0) {
            for entry in &grains[..busy] {
                entry.fetch_and(!IN_FLIGHT, Ordering::AcqRel);
            }
            return false;
        }
        for entry in grains {
            let old = entry.load(Ordering::Relaxed); // its owner alone changes it
            let generation = next(old & GENERATION_MAX);
            entry.store(old & !GENERATION_MAX | generation, Ordering::Release);
        }
        true
    }

    /// A write is complete: its versions are what the device contains.
    pub(crate) fn complete(&self, offset: u64, length: u64) {
        self.end_write(offset, length, |entry| entry & GENERATION_MAX);
    }

    /// A write failed or was short: until the next that is complete, any version may be there.
    pub(crate) fn fail(&self, offset: u64, length: u64) {
        self.end_write(offset, length, |entry| entry & GENERATION_MAX | UNCERTAIN);
    }

    fn end_write(&self, offset: u64, length: u64, to: impl Fn(u16) -> u16) {
        let first = self.grain_at(offset);
        for entry in &self.entries[first..first + self.grains_of(length)] {
            let in_flight = entry.load(Ordering::Relaxed); // its owner alone changes it
            entry.store(to(in_flight), Ordering::Release);
        }
    }

    /// Puts the version of each block of a write that is in flight into `generations`.
    pub(crate) fn versions(&self, offset: u64, length: u64, generations: &mut Vec<u16>) {
        generations.clear();
        let blocks = length / BLOCK_BYTES as u64;
        let of = |block| self.grain_at(offset + block * BLOCK_BYTES as u64);
        generations.extend((0..blocks).map(|block| self.entry(of(block)).generation()));
    }

    /// Keeps writes of a quiet grain back until it is released; `false` where it is not as it was seen.
    pub(crate) fn keep_back(&self, grain: usize, seen: Entry) -> bool {
        let order = (Ordering::AcqRel, Ordering::Acquire);
        let kept = seen.0 | IN_FLIGHT;
        let changed = self.entries[grain].compare_exchange(seen.0, kept, order.0, order.1);
        seen.0 & IN_FLIGHT == 0 && changed.is_ok()
    }

    /// Ends [`WriteMap::keep_back`].
    pub(crate) fn release(&self, grain: usize, seen: Entry) {
        self.entries[grain].store(seen.0, Ordering::Release);
    }
}

impl Grain {
    fn of(bytes: u64) -> Grain {
        let log2 = bytes.trailing_zeros();
        Grain {
            log2,
            odd: bytes >> log2,
        }
    }

    /// How many whole grains a length has.
    #[inline]
    fn times(self, length: u64) -> u64 {
        match self.odd {
            1 => length >> self.log2,
            odd => (length >> self.log2) / odd,
        }
    }

    /// The same with one that is begun.
    #[inline]
    fn times_up(self, length: u64) -> u64 {
        self.times(length + (self.odd << self.log2) - 1)
    }
}

impl Entry {
    #[inline]
    pub(crate) fn generation(self) -> u16 {
        self.0 & GENERATION_MAX
    }

    /// What may be read of a grain that was `self` when the read was issued and is `now` since it is complete. Only where
    /// nothing changed meanwhile is a version certain: a generation never stays while a write comes and goes.
    #[inline]
    pub(crate) fn expected(self, now: Entry) -> Expected {
        if (self.0 | now.0) & UNCERTAIN != 0 {
            return Expected::Anything;
        }
        if self == now && self.0 & IN_FLIGHT == 0 {
            return match self.generation() {
                0 => Expected::Unwritten,
                generation => Expected::Exactly(generation),
            };
        }
        let floor = match self.0 & IN_FLIGHT {
            0 => self.generation(),
            _ => previous_or_none(self.generation()),
        };
        Expected::Between(floor, now.generation())
    }
}

/// The version after another, in a ring without 0.
fn next(generation: u16) -> u16 {
    if generation >= GENERATION_MAX {
        1
    } else {
        generation + 1
    }
}

/// The version before the one in flight. After 16,383 writes of a grain its first version has one before it, which
/// reads as unwritten: a weaker test of one version, never a wrong one.
fn previous_or_none(generation: u16) -> u16 {
    generation.saturating_sub(1)
}

/// How many versions after `from` another one is.
pub(super) fn distance(from: u16, to: u16) -> u16 {
    match to >= from {
        true => to - from,
        false => GENERATION_MAX - (from - to),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_second_write_of_a_grain_waits_and_leaves_no_trace() {
        let map = WriteMap::new(8192, 65536, 4096);
        assert!(map.begin_write(12288, 8192));
        assert!(!map.begin_write(8192, 16384));
        assert_eq!(map.entry(0), Entry(0));
        assert_eq!(map.entry(1), Entry(IN_FLIGHT | 1));
        map.complete(12288, 8192);
        assert!(map.begin_write(8192, 16384));
        let mut versions = Vec::new();
        map.versions(8192, 16384, &mut versions);
        assert_eq!(versions, [1, 2, 2, 1]);
    }

    #[test]
    fn a_map_takes_two_bytes_for_each_grain() {
        for (grain, per_tib) in [
            (4 << 10, 512 << 20),
            (64 << 10, 32 << 20),
            (1 << 20, 2 << 20),
        ] {
            let map = WriteMap::new(0, 1 << 30, grain);
            assert_eq!(size_of_val(&*map.entries) as u64 * 1024, per_tib);
        }
    }

    #[test]
    fn grains_of_any_length_are_counted_as_a_division_counts_them() {
        for bytes in [1, 512, 4096, 12288, 28672, 1 << 20, 3 << 30] {
            let grain = Grain::of(bytes);
            for length in [
                0,
                1,
                bytes - 1,
                bytes,
                bytes + 1,
                7 * bytes - 1,
                7 * bytes,
                1 << 40,
            ] {
                assert_eq!(grain.times(length), length / bytes);
                assert_eq!(grain.times_up(length), length.div_ceil(bytes));
            }
        }
    }

    #[test]
    fn versions_go_round_without_zero() {
        let map = WriteMap::new(0, 4096, 4096);
        for _ in 0..GENERATION_MAX {
            assert!(map.begin_write(0, 4096));
            map.complete(0, 4096);
        }
        assert_eq!(map.entry(0).generation(), GENERATION_MAX);
        assert!(map.begin_write(0, 4096));
        assert_eq!(map.entry(0).generation(), 1);
        assert_eq!(distance(GENERATION_MAX, 1), 1);
        assert_eq!(distance(1, GENERATION_MAX), GENERATION_MAX - 1);
    }

    #[test]
    fn a_failed_write_leaves_its_grain_uncertain_until_one_succeeds() {
        let map = WriteMap::new(0, 4096, 4096);
        assert!(map.begin_write(0, 4096));
        map.fail(0, 4096);
        let failed = map.entry(0);
        assert_eq!(failed.expected(failed), Expected::Anything);
        assert!(map.begin_write(0, 4096));
        let during = map.entry(0);
        assert_eq!(during.expected(during), Expected::Anything);
        map.complete(0, 4096);
        let (now, generation) = (map.entry(0), 2);
        assert_eq!(now.expected(now), Expected::Exactly(generation));
        assert_eq!(failed.expected(now), Expected::Anything);
    }

    #[test]
    fn a_grain_that_is_kept_back_is_as_before_when_it_is_released() {
        let map = WriteMap::new(0, 4096, 4096);
        let quiet = map.entry(0);
        assert!(map.keep_back(0, quiet) && !map.begin_write(0, 4096));
        assert!(!map.keep_back(0, map.entry(0)));
        map.release(0, quiet);
        assert_eq!(map.entry(0), quiet);
    }

    proptest! {
        /// Random writes of one thread against a model: a read between two moments may give what was there.
        #[test]
        fn what_is_really_there_is_always_allowed(steps in prop::collection::vec((0u8..4, 0u8..4), 1..200)) {
            let map = WriteMap::new(0, 4 * 4096, 4096);
            let mut content = [0u16; 4]; // versions on the medium
            let mut open = [false; 4];
            let mut seen = [Entry(0); 4];
            let mut after = [content; 4];
            for (action, place) in steps {
                let (at, place) = (u64::from(place) * 4096, usize::from(place));
                match action {
                    0 if !open[place] => {
                        open[place] = map.begin_write(at, 4096);
                        prop_assert!(open[place]);
                    }
                    1 if open[place] => {
                        content[place] = map.entry(place).generation();
                        map.complete(at, 4096);
                        open[place] = false;
                    }
                    2 => (seen[place], after[place]) = (map.entry(place), content),
                    _ => {
                        let expected = seen[place].expected(map.entry(place));
                        let (old, new) = (after[place][place], content[place]);
                        match expected {
                            Expected::Exactly(one) => prop_assert!(one == old && one == new),
                            Expected::Unwritten => prop_assert!(old == 0 && new == 0),
                            Expected::Between(from, to) => prop_assert!(from <= old && new <= to),
                            Expected::Anything | Expected::AfterCut(_) => prop_assert!(false, "nothing failed"),
                        }
                    }
                }
            }
        }
    }
}
