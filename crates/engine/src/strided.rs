//! Zones of a range that one thread uses in turn: in which zone the next I/O is. Where it is in the zone is the walk's.

use model::{PlannedTarget, StridedZones};

/// The zones of one thread on one target.
#[derive(Debug)]
pub(crate) struct Strided {
    zones: StridedZones,
    range: u64,
    block: u64,
    at: u64,    // where the zone begins, from the start of the range
    moved: u64, // in it
}

impl Strided {
    /// None where the whole range is used.
    pub(crate) fn new(target: &PlannedTarget) -> Option<Box<Strided>> {
        let zones = target.zones?;
        Some(Box::new(Strided {
            zones,
            range: target.length.0,
            block: target.workload.block.0,
            at: 0,
            moved: 0,
        }))
    }

    /// The target of a walk in one zone. In order it ends where the zone is left, so that the next one begins at its start.
    pub(crate) fn in_zone(target: &PlannedTarget, random: bool) -> PlannedTarget {
        let mut target = target.clone();
        if let Some(zones) = target.zones {
            let block = target.workload.block;
            let used = match random {
                true => zones.length,
                false => zones.length.min(zones.moved),
            };
            target.length = used.min(target.length).floor_to(block).max(block);
        }
        target
    }

    /// Moves an offset into the zone, and counts its I/O.
    #[inline]
    pub(crate) fn shift(&mut self, offset: u64) -> u64 {
        if self.moved >= self.zones.moved.0 {
            self.moved = 0;
            self.at += self.zones.length.0 + self.zones.gap.0;
            if self.at + self.zones.length.0 > self.range {
                self.at = 0;
            }
        }
        self.moved += self.block;
        offset + self.at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rehearsal::tests::planned;
    use model::Bytes;

    /// As fio 3.33 with zonesize=8k, zonerange=16k and zoneskip=48k on 192 KiB, by its own log.
    #[test]
    fn zones_follow_one_another_and_begin_again() {
        let mut target = planned();
        target.length = Bytes::kib(192);
        target.zones = Some(StridedZones {
            moved: Bytes::kib(8),
            length: Bytes::kib(16),
            gap: Bytes::kib(48),
        });
        assert_eq!(Strided::in_zone(&target, false).length, Bytes::kib(8));
        assert_eq!(Strided::in_zone(&target, true).length, Bytes::kib(16));
        let mut zones = Strided::new(&target).unwrap();
        let places: Vec<u64> = (0..8).map(|_| zones.shift(0) / 1024).collect();
        assert_eq!(places, [0, 0, 64, 64, 128, 128, 0, 0]);
        target.zones = None;
        assert!(Strided::new(&target).is_none());
    }
}
