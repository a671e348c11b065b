//! What bounds the rate at each block size: the most IOPS, and the most bytes per second.
//!
//! After the roofline model: Williams, Waterman and Patterson, "Roofline: an insightful visual performance model",
//! Communications of the ACM 52 (2009). Here the size of an I/O takes the place of operational intensity; the slanted ceiling
//! is the highest rate of I/Os, the level one the highest bandwidth, both as measured; of a load that a survey ran more than
//! once, the mean of its runs.

use super::curves::Seen;
use super::loads::{is_shown, load_of};
use super::{PageLoad, PageRoof};

/// Whether a share of writes is of this kind. // in percent
type FitsShare = fn(u8) -> bool;

/// Kinds of I/O with a ceiling of their own.
const KINDS: [(&str, FitsShare); 3] = [
    ("reads", |write| write == 0),
    ("writes", |write| write == 100),
    ("reads and writes", |write| write > 0 && write < 100),
];

/// The ceilings of one part, of the kinds that have a cell.
pub(super) fn roofs(cells: &[Seen<'_>], loads: &[PageLoad], part: usize) -> Vec<PageRoof> {
    let of_part = |seen: &&Seen<'_>| {
        seen.cell.part == part && seen.is_usable() && is_shown(loads, seen.place)
    };
    let load = |seen: &Seen<'_>| load_of(loads, seen.place);
    let rate_of = |seen: &Seen<'_>| load(seen).map_or(seen.rate(), |load| load.iops);
    let bytes_of = |seen: &Seen<'_>| load(seen).map_or(seen.bytes_per_s(), |load| load.bytes_per_s);
    let kind = |(name, fits): &(&str, FitsShare)| {
        let under: Vec<&Seen<'_>> = cells
            .iter()
            .filter(of_part)
            .filter(|seen| seen.row.work.write_percent.is_some_and(fits))
            .filter(|seen| seen.row.work.block.is_some())
            .collect();
        let rate = first_most(&under, rate_of)?;
        let bytes = first_most(&under, bytes_of)?;
        Some(PageRoof {
            part,
            name: (*name).to_owned(),
            iops: rate_of(rate),
            iops_cell: rate.place,
            bytes_per_s: bytes_of(bytes),
            bytes_cell: bytes.place,
            cells: under.iter().map(|seen| seen.place).collect(),
        })
    };
    KINDS.iter().filter_map(kind).collect()
}

/// The first of those with the largest figure; none where none has any.
pub(super) fn first_most<'a, 'b>(
    cells: &[&'a Seen<'b>],
    of: impl Fn(&Seen<'b>) -> f64,
) -> Option<&'a Seen<'b>> {
    let mut best: Option<&Seen<'_>> = None;
    for seen in cells {
        if of(seen) > best.map_or(0.0, &of) {
            best = Some(seen);
        }
    }
    best
}
