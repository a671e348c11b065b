//! Where the I/Os of a trace go on a target that may be smaller than the devices of the trace.
//!
//! The devices are laid end to end, in regions of 1 MiB. If the target is large enough, every I/O keeps its place; if the
//! regions that the trace uses fit, they are laid end to end in their order; else regions are placed by a keyed hash, so
//! that some share a place. Offsets and lengths are rounded outwards to the target's unit. Omitted: when I/Os are issued.

use crate::error::TraceError;
use model::Bytes;
use model::trace::TraceRecord;
use std::collections::{HashMap, HashSet};

const REGION: u64 = 1 << 20;
/// So many regions are counted at most: 16 TiB of used data.
const REGIONS_MAX: usize = 1 << 24;
/// What the hash of a region begins with, so that each replay of a trace has the same places.
const KEY: u64 = 0x6661_7468_6f6d_2121;

/// How places are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// As they are.
    Identity,
    /// The used regions end to end, in their order.
    Compact,
    /// Each region somewhere, by its hash.
    Hash,
    /// Offsets modulo the length of the target.
    Modulo,
    /// Offsets in proportion.
    Scale,
}

impl Fit {
    /// All with their names.
    pub const ALL: [(&str, Fit); 5] = [
        ("identity", Fit::Identity),
        ("compact", Fit::Compact),
        ("hash", Fit::Hash),
        ("modulo", Fit::Modulo),
        ("scale", Fit::Scale),
    ];

    /// Returns the name.
    pub const fn name(self) -> &'static str {
        Self::ALL[self as usize].0
    }
}

/// What a trace uses of its devices, from one pass over it.
#[derive(Debug, Default)]
pub struct Used {
    ends: Vec<u64>,               // by device
    regions: HashSet<(u16, u64)>, // the first REGIONS_MAX
    overflow: bool,
    largest: u64,
    unaligned: u64, // bits of all offsets and lengths
}

impl Used {
    /// Counts an I/O that transfers data.
    pub fn count(&mut self, record: &TraceRecord) {
        let (device, end) = (usize::from(record.device), record.offset + record.length);
        if self.ends.len() <= device {
            self.ends.resize(device + 1, 0);
        }
        self.ends[device] = self.ends[device].max(end);
        self.largest = self.largest.max(record.length);
        self.unaligned |= record.offset | record.length;
        for region in record.offset / REGION..end.div_ceil(REGION) {
            if self.regions.len() < REGIONS_MAX {
                self.regions.insert((record.device, region));
            } else {
                self.overflow |= !self.regions.contains(&(record.device, region));
            }
        }
    }
}

/// A target, as far as places depend on it.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Its length.
    pub length: Bytes,
    /// Offsets and lengths are multiples of this. // at most 1 MiB
    pub unit: Bytes,
}

/// The places of the I/Os of some devices on one target.
#[derive(Debug)]
pub struct Placement {
    fit: Fit,
    bases: Vec<u64>, // by device, of those that go to the target
    ends: Vec<u64>,  // by device: where its last I/O ends
    end: u64,        // of all of them, laid end to end
    largest: u64,    // I/O, rounded
    room: Room,
    table: HashMap<u64, u64>, // of regions, if they are compacted
    /// Share of the used regions that share their place with another, in millionths; `None` if they were too many to
    /// count.
    pub overlap_ppm: Option<u32>,
}

impl Placement {
    /// Chooses the places of these devices; `fit` is what was requested.
    ///
    /// # Errors
    /// The target has no room for what was requested, or for the largest I/O.
    pub fn choose(
        used: &Used,
        devices: &[u16],
        room: Room,
        fit: Option<Fit>,
    ) -> Result<Placement, TraceError> {
        let mut bases = vec![0; used.ends.len()];
        let mut is_placed = vec![false; used.ends.len()];
        let mut end = 0;
        for &device in devices {
            let device = usize::from(device);
            if let Some(&its) = used.ends.get(device) {
                bases[device] = end;
                is_placed[device] = true;
                end += its.next_multiple_of(REGION);
            }
        }
        let last = devices
            .last()
            .and_then(|&device| used.ends.get(usize::from(device)));
        let exact = end - last.map_or(0, |end| end.next_multiple_of(REGION) - end);
        let global = |(device, region): &(u16, u64)| bases[usize::from(*device)] / REGION + region;
        let its = used
            .regions
            .iter()
            .filter(|(device, _)| is_placed[usize::from(*device)]);
        let mut regions: Vec<u64> = its.map(global).collect();
        regions.sort_unstable();
        let needed = regions.len() as u64 * REGION;
        let compacts = !used.overflow && needed <= room.length.0;
        let fits = exact.next_multiple_of(room.unit.0) <= room.length.0;
        let fit = match fit {
            Some(fit) => fit,
            None if fits => Fit::Identity,
            None if compacts => Fit::Compact,
            None => Fit::Hash,
        };
        let refuse = |why: String| Err(TraceError::Request(why));
        match fit {
            Fit::Identity if !fits => return refuse(no_room("identity", exact, room)),
            Fit::Compact if !compacts => return refuse(no_room("compact", needed, room)),
            _ => {}
        }
        // An I/O that does not begin at a multiple of the unit may need one more.
        let apart = if used.unaligned & (room.unit.0 - 1) == 0 {
            0
        } else {
            room.unit.0
        };
        let largest = used.largest.next_multiple_of(room.unit.0) + apart;
        if largest > room.length.0 {
            return refuse(no_room("the largest I/O", largest, room));
        }
        let mut placement = Placement {
            fit,
            bases,
            ends: used.ends.clone(),
            end: end.max(1),
            largest,
            room,
            table: HashMap::new(),
            overlap_ppm: None,
        };
        if fit == Fit::Compact {
            placement.table = regions.iter().copied().zip(0..).collect();
        }
        placement.overlap_ppm = (!used.overflow).then(|| placement.overlap(&regions));
        Ok(placement)
    }

    /// Returns how places are kept.
    pub fn fit(&self) -> Fit {
        self.fit
    }

    /// Returns the length that no I/O exceeds.
    pub fn largest(&self) -> u64 {
        self.largest
    }

    /// Returns offset and length of an I/O on the target.
    pub fn place(&self, record: &TraceRecord) -> (u64, u64) {
        let unit = self.room.unit.0;
        let start = record.offset / unit * unit;
        let length = (record.offset + record.length).next_multiple_of(unit) - start;
        let base = self
            .bases
            .get(usize::from(record.device))
            .copied()
            .unwrap_or(0);
        let offset = self.offset(base + start);
        let last = (self.room.length.0 - length) / unit * unit;
        (offset.min(last), length)
    }

    /// Returns offset and length of a discard: never more than was discarded, and nothing beyond what the other I/Os of its
    /// device use. `None` if nothing is left of it, or if places are not those of the trace.
    pub fn place_inwards(&self, record: &TraceRecord) -> Option<(u64, u64)> {
        let (unit, device) = (self.room.unit.0, usize::from(record.device));
        let (base, used) = (*self.bases.get(device)?, *self.ends.get(device)?);
        let end = record.offset.saturating_add(record.length).min(used) / unit * unit;
        let start = record.offset.checked_next_multiple_of(unit)?;
        (self.fit == Fit::Identity && start < end).then(|| (base + start, end - start))
    }

    fn offset(&self, global: u64) -> u64 {
        let (region, within) = (global / REGION, global % REGION);
        let (length, unit) = (self.room.length.0, self.room.unit.0);
        match self.fit {
            Fit::Identity => global,
            Fit::Compact => self.table.get(&region).copied().unwrap_or(0) * REGION + within,
            Fit::Hash => {
                let places = (length / REGION).max(1);
                crate::footprint::mix(region ^ KEY) % places * REGION + within
            }
            Fit::Modulo => global % (length / unit * unit),
            Fit::Scale => {
                let scaled = u128::from(global) * u128::from(length) / u128::from(self.end);
                scaled as u64 / unit * unit
            }
        }
    }

    /// Returns the share of these regions whose place begins in the region of another, in millionths.
    fn overlap(&self, regions: &[u64]) -> u32 {
        let place = |&region: &u64| self.offset(region * REGION) / REGION;
        let mut places: Vec<u64> = regions.iter().map(place).collect();
        places.sort_unstable();
        let groups = places.chunk_by(|one, other| one == other);
        let shared: usize = groups.map(<[u64]>::len).filter(|&count| count > 1).sum();
        (shared as u64 * 1_000_000 / (regions.len() as u64).max(1)) as u32
    }
}

fn no_room(what: &str, needed: u64, room: Room) -> String {
    let accepted = format!(
        "must have {}; {what} needs {needed} bytes, and the target has {}; hint: --fit hash, or a larger target",
        Bytes(needed).about(),
        room.length.about()
    );
    format!("the target is too small: {accepted}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn io(device: u16, offset: u64, length: u64) -> TraceRecord {
        TraceRecord {
            offset,
            length,
            device,
            ..TraceRecord::default()
        }
    }

    fn used(ios: &[TraceRecord]) -> Used {
        let mut used = Used::default();
        ios.iter().for_each(|one| used.count(one));
        used
    }

    fn room(mib: u64) -> Room {
        Room {
            length: Bytes::mib(mib),
            unit: Bytes(4096),
        }
    }

    #[test]
    fn the_simplest_fit_that_has_room_is_chosen() {
        let ios = [
            io(0, 0, 4096),
            io(0, 100 << 20, 8192),
            io(1, (50 << 20) + 512, 512),
        ];
        let used = used(&ios);
        for (mib, fit) in [
            (152, Fit::Identity),
            (100, Fit::Compact),
            (3, Fit::Compact),
            (2, Fit::Hash),
        ] {
            let placement = Placement::choose(&used, &[0, 1], room(mib), None).unwrap();
            assert_eq!(placement.fit(), fit, "{mib}");
        }
        let compact = Placement::choose(&used, &[0, 1], room(3), None).unwrap();
        let places = ios.map(|one| compact.place(&one));
        assert_eq!(places, [(0, 4096), (1 << 20, 8192), (2 << 20, 4096)]);
        assert_eq!(compact.overlap_ppm, Some(0));
        let hash = Placement::choose(&used, &[0, 1], room(2), None).unwrap();
        assert!(
            hash.overlap_ppm >= Some(666_666),
            "three regions in two places"
        );
        assert!(Placement::choose(&used, &[0, 1], room(2), Some(Fit::Compact)).is_err());
        assert!(Placement::choose(&used, &[0, 1], room(100), Some(Fit::Identity)).is_err());
    }

    proptest! {
        #[test]
        fn every_io_lies_within_the_target_and_is_aligned(
            ios in proptest::collection::vec((0u16..3, 0u64..1 << 32, 1u64..1 << 20), 1..50),
            mib in 3u64..6000,
            fit in 0usize..6,
        ) {
            let ios: Vec<TraceRecord> = ios.into_iter().map(|(device, offset, length)| io(device, offset, length)).collect();
            let fit = Fit::ALL.get(fit).map(|(_, fit)| *fit);
            if let Ok(placement) = Placement::choose(&used(&ios), &[0, 1, 2], room(mib), fit) {
                for one in &ios {
                    let (offset, length) = placement.place(one);
                    prop_assert!(offset % 4096 == 0 && length % 4096 == 0 && length >= one.length);
                    prop_assert!(offset + length <= mib << 20);
                }
            }
        }

        #[test]
        fn compaction_keeps_order_and_runs(
            ios in proptest::collection::vec((0u64..1 << 34, 1u64..4 << 20), 2..50),
        ) {
            let ios: Vec<TraceRecord> = ios.into_iter().map(|(offset, length)| io(0, offset, length)).collect();
            let placement = Placement::choose(&used(&ios), &[0], room(1 << 10), Some(Fit::Compact)).unwrap();
            let mut sorted = ios.clone();
            sorted.sort_by_key(|one| one.offset);
            prop_assert!(sorted.is_sorted_by_key(|one| placement.place(one).0));
            for one in &ios {
                let next = io(0, one.offset + one.length, 1);
                let touched = ios.iter().any(|other| other.offset / REGION <= next.offset / REGION
                    && next.offset < (other.offset + other.length).next_multiple_of(REGION));
                if touched && next.offset.is_multiple_of(4096) {
                    let (offset, length) = placement.place(one);
                    prop_assert_eq!(offset + length, placement.place(&next).0);
                }
            }
        }
    }

    #[test]
    fn a_discard_is_never_longer_than_in_the_trace_and_ends_with_the_last_io() {
        let mut used = Used::default();
        used.count(&io(0, 0, 1 << 20));
        let room = Room {
            length: Bytes::mib(4),
            unit: Bytes(4096),
        };
        let placement = Placement::choose(&used, &[0], room, None).unwrap();
        let place = |offset, length| placement.place_inwards(&io(0, offset, length));
        assert_eq!(place(8192, 4096), Some((8192, 4096)));
        assert_eq!(place(8193, 12_000), Some((12_288, 4096)));
        assert_eq!(place(512, 4096), None);
        assert_eq!(
            place((1 << 20) - 4096, u64::MAX),
            Some(((1 << 20) - 4096, 4096))
        );
        assert_eq!(place(1 << 20, 4096), None);
        let hashed = Placement::choose(&used, &[0], room, Some(Fit::Hash)).unwrap();
        assert_eq!(hashed.place_inwards(&io(0, 8192, 4096)), None);
    }
}
