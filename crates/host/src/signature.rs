//! The marks that known formats leave on a disk, so that nothing of worth is taken for an empty target.
//!
//! One table of rows: a name, where the mark stands, its bytes, and, where the mark is short, what else
//! must be true. Only a bounded piece at the start and at the end is read. A mark that is left from an
//! earlier use counts too: a needless question is cheaper than user data. Deliberately absent:
//! labels, sizes and other metadata of a format.

mod confirm;
mod table;

use model::Bytes;
use table::{Place, ROWS, Row};

/// Enough for the first two labels of ZFS, 256 KiB each: of all formats they reach furthest.
const HEAD_BYTES: u64 = 512 << 10;
/// Enough for the last two labels of ZFS, which end at a multiple of 256 KiB.
const TAIL_BYTES: u64 = 768 << 10;

/// The two ends of a target, as far as they could be read.
pub(crate) struct Ends {
    size: u64,
    head: Vec<u8>,
    tail: Vec<u8>,
    tail_at: u64,
}

impl Ends {
    /// Reads both ends by `read`, which fills the buffer from an offset or reports that it could not.
    pub(crate) fn read(size: Bytes, mut read: impl FnMut(u64, &mut [u8]) -> bool) -> Option<Self> {
        let tail_at = size.0.saturating_sub(TAIL_BYTES) / 4096 * 4096;
        let mut ends = Ends {
            size: size.0,
            head: vec![0; size.0.min(HEAD_BYTES) as usize],
            tail: vec![0; (size.0 - tail_at) as usize],
            tail_at,
        };
        (read(0, &mut ends.head) && read(tail_at, &mut ends.tail)).then_some(ends)
    }

    /// `length` bytes at an absolute offset; `None` when they were not read.
    fn bytes(&self, at: u64, length: usize) -> Option<&[u8]> {
        let within = |piece: &'_ [u8], from: u64| {
            let start = usize::try_from(at.checked_sub(from)?).ok()?;
            let end = start.checked_add(length)?;
            (end <= piece.len()).then_some((start, end))
        };
        if let Some((start, end)) = within(&self.head, 0) {
            return Some(&self.head[start..end]);
        }
        let (start, end) = within(&self.tail, self.tail_at)?;
        Some(&self.tail[start..end])
    }

    fn array<const N: usize>(&self, at: u64) -> Option<[u8; N]> {
        self.bytes(at, N)?.try_into().ok()
    }

    fn le16(&self, at: u64) -> Option<u16> {
        self.array(at).map(u16::from_le_bytes)
    }

    fn le32(&self, at: u64) -> Option<u32> {
        self.array(at).map(u32::from_le_bytes)
    }
}

/// Names of all formats whose marks stand there, in the order of the table.
pub(crate) fn signatures(ends: &Ends) -> Vec<&'static str> {
    let mut found: Vec<&'static str> = Vec::new();
    for row in ROWS {
        if !found.contains(&row.what) && stands(row, ends) {
            found.push(row.what);
        }
    }
    found
}

fn stands(row: &Row, ends: &Ends) -> bool {
    row.places.iter().any(|place| {
        offsets(place, ends.size)
            .any(|at| ends.bytes(at, row.mark.len()) == Some(row.mark) && (row.confirm)(ends, at))
    })
}

/// Absolute offsets that a place means on a target of this size. Bounded by the place itself.
fn offsets(place: &Place, size: u64) -> impl Iterator<Item = u64> + use<> {
    let (from, step, count) = match *place {
        Place::At(offset) => (Some(offset), 0, 1),
        Place::Every { from, step, count } => (Some(from), step, count),
        Place::BeforeEnd { back, align } => {
            (size.checked_sub(back).map(|at| at / align * align), 0, 1)
        }
        Place::EndAligned { align, back, plus } => {
            let end = size / align * align;
            (end.checked_sub(back).map(|at| at + plus), 0, 1)
        }
        Place::EndEvery {
            align,
            back,
            step,
            count,
        } => ((size / align * align).checked_sub(back), step, count),
    };
    from.into_iter()
        .flat_map(move |from| (0..count).map(move |i| from + i * step))
}

#[cfg(test)]
mod tests;
