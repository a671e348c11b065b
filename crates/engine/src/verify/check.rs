//! What one block contains, compared with what it may contain.
//!
//! The comparison accuses in one case only: nothing was written to the grain from before the read was issued until it was
//! compared, and the block is not the version that was there. A block that a write may have overlapped is undecided.
//! Omitted: what kind of damage it is (`diagnose`), which needs further readings.

use super::block_sums;
use super::map::{Expected, distance};
use model::block_header::{self, BLOCK, BLOCK_BYTES, BlockHeader, Flaw, GENERATION_MAX, TAGS};
use model::{CorruptKind, VerifyCounts};

/// A block.
pub(crate) type Block = [u8; BLOCK_BYTES];

/// Where a block is, and whose it should be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The random number of the run.
    pub(crate) run: u64,
    pub(crate) target: u16,
    /// From the start of the target.
    pub(crate) offset: u64,
    /// What the blocks that the run did not write contain.
    pub(crate) before: Before,
}

/// What is known of the blocks of a target before the run writes any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Before {
    /// Each was written for this place: the file was filled for the run, or all blocks of a sample are at their places.
    Placed {
        /// None is zeros.
        filled: bool,
    },
    /// Each was written by fathom or is zeros, perhaps for another place: a copy of a part of another file, or stripes
    /// that were written one by one.
    Ours,
    /// There may be anything.
    Unknown,
}

/// What the comparison gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compared {
    Right,
    /// Whole, and of an earlier run.
    OlderData,
    /// Zeros where the run wrote nothing.
    Zeros,
    Undecided,
    Unknown,
    Wrong(Wrong),
}

/// What one reading of a wrong block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    /// As far as one reading shows it.
    pub(crate) kind: CorruptKind,
    pub(crate) found: Option<BlockHeader>,
    /// One bit for each sector that is not of the header's write.
    pub(crate) other_sectors: u8,
}

impl Place {
    pub(super) fn block(&self) -> u64 {
        self.offset / BLOCK.0
    }

    /// Compares one block; `bodies` where every byte counts.
    #[inline]
    pub(crate) fn compare(&self, data: &Block, expected: Expected, bodies: bool) -> Compared {
        let read = match bodies {
            true => BlockHeader::read_with(data, block_sums::sums),
            false => BlockHeader::read_tags(data),
        };
        match (&read, expected) {
            (Ok(header), Expected::Exactly(generation))
                if self.is_own(header) && header.generation == generation =>
            {
                Compared::Right
            }
            (Ok(header), Expected::Unwritten) if self.is_older(header) => Compared::OlderData,
            _ => self.compare_rare(data, read, expected),
        }
    }

    /// Whether this run wrote it for this place.
    #[inline]
    pub(super) fn is_own(&self, header: &BlockHeader) -> bool {
        header.run == self.run && header.block == self.block() && header.target == self.target
    }

    #[cold]
    fn compare_rare(
        &self,
        data: &Block,
        read: Result<BlockHeader, Flaw>,
        expected: Expected,
    ) -> Compared {
        match expected {
            Expected::Anything => Compared::Unknown,
            Expected::AfterCut(rule) => self.compare_after_cut(data, read, rule),
            Expected::Between(from, to) => match read {
                Ok(header) if self.is_own(&header) && is_between(header.generation, from, to) => {
                    Compared::Right
                }
                Ok(header) if from == 0 && self.is_older(&header) => Compared::OlderData,
                _ => Compared::Undecided,
            },
            Expected::Exactly(_) => Compared::Wrong(self.wrong(data, expected)),
            Expected::Unwritten => match read {
                Err(_) if self.before == Before::Unknown && !block_header::is_zero(data) => {
                    Compared::Unknown
                }
                Err(_) if self.may_be_zeros() && block_header::is_zero(data) => Compared::Zeros,
                _ => Compared::Wrong(self.wrong(data, expected)),
            },
        }
    }

    /// Whether a block of an earlier run may be here.
    #[inline]
    fn is_older(&self, header: &BlockHeader) -> bool {
        let placed = matches!(self.before, Before::Placed { .. });
        header.run != self.run && (header.block == self.block() || !placed)
    }

    fn may_be_zeros(&self) -> bool {
        self.before != Before::Placed { filled: true }
    }

    /// What one reading of a block is, that is not as it should be.
    fn wrong(&self, data: &Block, expected: Expected) -> Wrong {
        let of = |kind, found, other_sectors| Wrong {
            kind,
            found,
            other_sectors,
        };
        if block_header::is_zero(data) {
            return of(CorruptKind::Zeroed, None, 0);
        }
        match BlockHeader::read(data) {
            Ok(header)
                if header.block != self.block()
                    || header.run == self.run && !self.is_own(&header) =>
            {
                of(CorruptKind::Misdirected, Some(header), 0)
            }
            Ok(header) => {
                let newer = header.run == self.run && is_newer(header.generation, expected);
                let kind = match newer {
                    true => CorruptKind::Future,
                    false => CorruptKind::Lost,
                };
                of(kind, Some(header), 0)
            }
            Err(_) => self.flawed(data),
        }
    }

    /// The kind of a block that is not whole. Damage is small compared with the rest: one header or one set of tags
    /// that fits shows whose it is.
    pub(super) fn flawed(&self, data: &Block) -> Wrong {
        let header = BlockHeader::of(data).filter(|_| block_header::has_magic(data));
        let sectors = self.sectors(data, header.as_ref());
        let count = |class| sectors.iter().filter(|one| **one == class).count();
        let mut wrong = Wrong {
            kind: CorruptKind::Foreign,
            found: header,
            other_sectors: 0,
        };
        if begins_late(data) {
            wrong.kind = CorruptKind::Shifted;
        } else if header.is_some() && (count(Sector::Other) + count(Sector::Zero)) > 0 {
            wrong.kind = CorruptKind::Torn;
            wrong.other_sectors = (1..8u8)
                .zip(sectors)
                .filter(|(_, class)| matches!(class, Sector::Other | Sector::Zero))
                .fold(0, |mask, (number, _)| mask | 1 << number);
        } else if header.is_some() || count(Sector::Own) * 2 > TAGS {
            wrong.kind = CorruptKind::BitRot;
        }
        wrong
    }

    /// Whose each sector after the first is: by the header, or where there is none, by most of the tags.
    fn sectors(&self, data: &Block, header: Option<&BlockHeader>) -> [Sector; TAGS] {
        let here = BlockHeader {
            run: self.run,
            block: self.block(),
            target: self.target,
            ..BlockHeader::default()
        };
        let by_place = here.sector_serials(data);
        let by_header = header.map_or(by_place, |header| header.sector_serials(data));
        let own = header.map_or_else(|| most_frequent(&by_place), |header| header.serial);
        let distances = BlockHeader {
            serial: own,
            ..*header.unwrap_or(&here)
        }
        .tag_distances(data);
        // Two sectors with one tag are of one write, whichever run it is of.
        let alike = |at: usize| by_place.iter().filter(|one| **one == by_place[at]).count() > 1;
        std::array::from_fn(|at| {
            let sector = &data[(at + 1) * block_header::SECTOR..][..block_header::SECTOR];
            let serials = [by_header[at], by_place[at]];
            match distances[at] {
                0 => Sector::Own,
                _ if block_header::is_zero(sector) => Sector::Zero,
                1..=FLIPPED_MAX => Sector::Own,
                _ if alike(at) || serials.into_iter().any(block_header::is_serial) => Sector::Other,
                _ => Sector::Unknown,
            }
        })
    }
}

/// Bits of a tag of 64 that may be flipped while it is still taken for the same one. The tags of two writes differ in 32
/// on average, in as few as this in one of 10^12.
pub(super) const FLIPPED_MAX: u32 = 5;

/// Whose a sector is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sector {
    /// Of the header's write.
    Own,
    /// Of another write to this place.
    Other,
    Zero,
    Unknown,
}

fn most_frequent(serials: &[u64; TAGS]) -> u64 {
    let count = |serial: &u64| serials.iter().filter(|other| *other == serial).count();
    let most = serials.iter().max_by_key(|serial| count(serial));
    most.copied().unwrap_or_default()
}

/// Whether a header stands at a later sector than the first.
fn begins_late(data: &Block) -> bool {
    let mut sectors = data.chunks(block_header::SECTOR).skip(1);
    sectors.any(block_header::has_magic)
}

fn is_between(generation: u16, from: u16, to: u16) -> bool {
    match from {
        0 => generation <= to,
        _ => distance(from, generation) <= distance(from, to),
    }
}

/// Whether a version was never issued. In the ring, half of all are older and half newer.
fn is_newer(generation: u16, expected: Expected) -> bool {
    match expected {
        Expected::Exactly(last) => distance(generation, last) > GENERATION_MAX / 2,
        _ => true,
    }
}

/// Counts what a comparison gave, but for what is wrong, which is confirmed first.
pub(crate) fn count(counts: &mut VerifyCounts, compared: Compared) {
    match compared {
        Compared::Right => counts.right += 1,
        Compared::OlderData => counts.older_data += 1,
        Compared::Zeros => counts.zeros += 1,
        Compared::Undecided => counts.undecided += 1,
        Compared::Unknown => counts.unknown += 1,
        Compared::Wrong(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_damage_only_where_the_whole_file_was_filled() {
        let compared = |before| {
            let place = Place {
                run: 1,
                target: 0,
                offset: 8192,
                before,
            };
            place.compare(&[0; BLOCK_BYTES], Expected::Unwritten, true)
        };
        for before in [
            Before::Placed { filled: false },
            Before::Ours,
            Before::Unknown,
        ] {
            assert_eq!(compared(before), Compared::Zeros);
        }
        let filled = compared(Before::Placed { filled: true });
        assert!(
            matches!(filled, Compared::Wrong(wrong) if wrong.kind == CorruptKind::Zeroed),
            "{filled:?}"
        );
    }
}
