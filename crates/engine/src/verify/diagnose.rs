//! From a block that was read wrongly to a case: two further readings with direct I/O, and a reading of the place that its
//! header specifies.
//!
//! Writes of the grain are kept back meanwhile, so that all readings are of the same version. Omitted: the first reading
//! and its comparison (`check`).

use super::check::{Block, Compared, Place, Wrong};
use super::map::Expected;
use model::block_header::{self, BLOCK, BLOCK_BYTES, BlockHeader};
use model::verified::DifferentBits;
use model::{Bytes, CorruptBlock, CorruptKind, FoundHeader, Nanos};
use std::io;
use std::time::Duration;

/// Where a block is read again, bypassing the cache that answered first.
pub(crate) trait Medium: Send + Sync {
    /// Reads one block.
    fn read(&self, offset: u64) -> io::Result<Box<Block>>;

    /// Waits between two readings; a simulated device has no time to wait for.
    fn pause(&self, time: Duration);
}

/// What a further reading gave: what is wrong with the block, or the block where it is right.
type Reading = (Option<CorruptKind>, Option<Box<Block>>);

/// From the first further reading to the second.
const PAUSE: Duration = Duration::from_millis(1);

/// What was read first.
pub(crate) struct Suspect<'a> {
    pub(crate) place: Place,
    pub(crate) expected: Expected,
    /// None where it cannot be read.
    pub(crate) first: Result<(&'a Block, Wrong), i32>,
    pub(crate) read_by: Option<(u32, Nanos)>,
}

impl Suspect<'_> {
    /// Reads it twice more, and decides on its kind.
    pub(crate) fn confirm(&self, medium: &dyn Medium) -> CorruptBlock {
        let again = [Duration::ZERO, PAUSE].map(|pause| {
            medium.pause(pause);
            self.read_again(medium)
        });
        let right = again.iter().any(|one| one.1.is_some());
        let of = |(_, wrong): (&Block, Wrong)| self.kind(medium, &wrong, right);
        self.case(self.first.map_or(CorruptKind::Unreadable, of), &again)
    }

    /// Decides on its kind by the first reading alone.
    pub(crate) fn unconfirmed(&self) -> CorruptBlock {
        let of = |(_, wrong): (&Block, Wrong)| wrong.kind;
        self.case(self.first.map_or(CorruptKind::Unreadable, of), &[])
    }

    fn case(&self, kind: CorruptKind, again: &[Reading]) -> CorruptBlock {
        let right = again.iter().find_map(|one| one.1.as_ref());
        let wrong = self.first.ok().map(|(_, wrong)| wrong);
        let bits = match (self.first, right) {
            (Ok((first, _)), Some(right)) if kind == CorruptKind::BitRot => bits(first, right),
            _ => None,
        };
        let expected = match self.expected {
            Expected::Exactly(generation) => generation,
            Expected::AfterCut(rule) => rule.durable.map_or(0, |durable| durable.generation),
            _ => 0,
        };
        CorruptBlock {
            kind,
            target: u32::from(self.place.target),
            offset: Bytes(self.place.offset),
            expected,
            found: wrong
                .and_then(|wrong| wrong.found)
                .map(|header| FoundHeader {
                    own: header.run == self.place.run,
                    generation: header.generation,
                    place: Bytes(header.block * BLOCK.0),
                    thread: (header.serial >> 48) as u32,
                    issued: Nanos(header.issued_ns),
                }),
            readings: again.iter().map(|(kind, _)| *kind).collect(),
            other_sectors: wrong.map_or(0, |wrong| wrong.other_sectors),
            bits,
            errno: self.first.err(),
            read_by: self.read_by,
            bytes: None,
        }
    }

    /// One further reading: what is wrong with it, or the block where it is right.
    fn read_again(&self, medium: &dyn Medium) -> Reading {
        let Ok(block) = medium.read(self.place.offset) else {
            return (Some(CorruptKind::Unreadable), None);
        };
        match self.place.compare(&block, self.expected, true) {
            Compared::Wrong(wrong) => (Some(wrong.kind), None),
            _ => (None, Some(block)),
        }
    }

    fn kind(&self, medium: &dyn Medium, wrong: &Wrong, right_later: bool) -> CorruptKind {
        match (wrong.kind, wrong.found) {
            (CorruptKind::Lost, _) if right_later => CorruptKind::StaleRead,
            (CorruptKind::Misdirected, Some(header)) if !right_later => {
                let same_target = header.target == self.place.target;
                match same_target && is_also_there(medium, &header) {
                    true => CorruptKind::Duplicated,
                    false => CorruptKind::Misdirected,
                }
            }
            (kind, _) => kind,
        }
    }
}

/// Whether the place that a header specifies has the same block. Serial numbers are those of a run.
fn is_also_there(medium: &dyn Medium, header: &BlockHeader) -> bool {
    let there = medium.read(header.block * BLOCK.0);
    let other = there.ok().and_then(|block| BlockHeader::of(&block));
    other.is_some_and(|other| (other.run, other.serial) == (header.run, header.serial))
}

fn bits(one: &Block, other: &Block) -> Option<DifferentBits> {
    let differ = |at: &usize| one[*at] != other[*at];
    let first = (0..BLOCK_BYTES).find(differ)?;
    let bits = one
        .iter()
        .zip(other)
        .map(|(one, other)| (one ^ other).count_ones());
    Some(DifferentBits {
        bits: bits.sum(),
        first_byte: first as u32,
    })
}

/// The block in hexadecimal, where it begins as fathom's do or is asked for as evidence: other data is not kept.
pub(super) fn in_hexadecimal(block: &Block, evidence: bool) -> Option<String> {
    let text = || block.iter().map(|byte| format!("{byte:02x}")).collect();
    (evidence || block_header::has_magic(block)).then(text)
}
