//! Where DISKSPD's random offsets fall on a target of a given size: its spread, laid out in bytes.
//!
//! Source: the rules for effective distributions restated in `docs/compatibility/diskspd.md`. Two of its accidents are put right: a
//! range that got no length has one aligned offset, and a list of which nothing fits is for `check` to refuse.
//! Drawing from the ranges is the engine's business.

use super::workload::{DiskspdAccess, Distribution};
use crate::units::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The part of a target that a walk uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Its length. // at least `block`
    pub length: u64,
    /// Bytes of one I/O. // above 0
    pub block: u64,
    /// What offsets are multiples of. // above 0
    pub align: u64,
}

/// A part of the range and its share of the random I/Os.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EffectiveRange {
    /// Where its share begins. // below the span
    pub io_from: u32,
    /// Its share. // above 0
    pub io: u32,
    /// First byte, from the start of the range that is used.
    pub from: u64,
    /// First byte after it. // above `from`
    pub to: u64,
}

/// The ranges of a walk and what their shares add up to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Effective {
    /// In ascending order; empty where all offsets are equally likely, or where nothing fits.
    pub ranges: Vec<EffectiveRange>,
    /// Sum of the shares: 100, or less where the target ends before the list does.
    pub span: u32,
}

impl Extent {
    /// First byte after the last place where an aligned block may begin.
    pub const fn starts_to(&self) -> u64 {
        (self.length - self.block) / self.align * self.align + self.align
    }
}

impl DiskspdAccess {
    /// The extent of this walk over so many bytes.
    pub const fn extent(&self, length: Bytes, block: Bytes) -> Extent {
        Extent {
            length: length.0,
            block: block.0,
            align: self.align.0,
        }
    }
}

impl Distribution {
    /// Laid out over `extent`.
    pub fn effective(&self, extent: &Extent) -> Effective {
        let ranges = match self {
            Distribution::Uniform => Vec::new(),
            Distribution::Percent(parts) => Percents::lay_out(parts, extent),
            Distribution::Absolute(parts) => absolute(parts, extent),
        };
        let span = ranges.iter().map(|range| range.io).sum();
        Effective { ranges, span }
    }
}

/// Ranges by percent, as they are laid one after another.
struct Percents {
    ranges: Vec<EffectiveRange>,
    /// Shares of parts without an aligned offset or a neighbour to receive them.
    carry: u32,
    end: u64, // `Extent::starts_to`
    align: u64,
}

impl Percents {
    fn lay_out(parts: &[(u8, u8)], extent: &Extent) -> Vec<EffectiveRange> {
        let mut laid = Percents {
            ranges: Vec::new(),
            carry: 0,
            end: extent.starts_to(),
            align: extent.align,
        };
        let (mut first, mut io_from) = (0u64, 0u32);
        for &(io, percent) in parts {
            if io > 0 {
                laid.add(io_from, u32::from(io), first, u64::from(percent));
            }
            first += u64::from(percent);
            io_from += u32::from(io);
        }
        laid.finish()
    }

    fn share(&self, percent: u64) -> u64 {
        (u128::from(self.end) * u128::from(percent) / 100) as u64
    }

    fn add(&mut self, io_from: u32, io: u32, first: u64, percent: u64) {
        let mut from = self.share(first);
        let to = if first + percent >= 100 {
            self.end
        } else {
            from + self.share(percent)
        };
        let to = to / self.align * self.align;
        if to < from {
            match self.ranges.last_mut().filter(|last| last.to == to) {
                Some(last) => last.io += io,
                None => self.carry += io,
            }
            return;
        }
        from = from / self.align * self.align;
        if let Some(last) = self
            .ranges
            .last_mut()
            .filter(|last| from < to && last.from == from)
        {
            from += self.align;
            last.to = from;
            if from == self.end {
                self.carry += io;
                return;
            }
            if from == to {
                last.io += io;
                return;
            }
        }
        if self.carry > 0
            && let Some(last) = self.ranges.last_mut().filter(|last| last.io < io)
        {
            last.io += self.carry;
            self.carry = 0;
        }
        let carried = std::mem::take(&mut self.carry);
        self.ranges.push(EffectiveRange {
            io_from: io_from - carried,
            io: io + carried,
            from,
            to,
        });
    }

    fn finish(mut self) -> Vec<EffectiveRange> {
        if let Some(last) = self.ranges.last_mut().filter(|_| self.carry > 0) {
            last.io += self.carry;
            last.to = self.end;
        }
        for range in self
            .ranges
            .iter_mut()
            .filter(|range| range.from == range.to)
        {
            range.to = range.from + self.align;
        }
        self.ranges
    }
}

fn absolute(parts: &[(u8, u64)], extent: &Extent) -> Vec<EffectiveRange> {
    let mut ranges = Vec::new();
    let (mut from, mut io_from) = (0u64, 0u32);
    for &(io, bytes) in parts {
        let io = u32::from(io);
        if io > 0 {
            if from >= extent.length {
                break;
            }
            let left = extent.length - from;
            let length = if bytes == 0 { left } else { bytes.min(left) };
            if length == left && length < extent.block {
                break;
            }
            ranges.push(EffectiveRange {
                io_from,
                io,
                from,
                to: from + length,
            });
        }
        from = from.saturating_add(bytes);
        io_from += io;
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const K: u64 = 1024;
    const G: u64 = 1 << 30;

    fn extent(length: u64) -> Extent {
        Extent {
            length,
            block: 4 * K,
            align: 4 * K,
        }
    }

    /// (share, from, to) of each range, in `unit`; and the span.
    fn laid(spread: &Distribution, extent: &Extent, unit: u64) -> (Vec<(u32, u64, u64)>, u32) {
        let effective = spread.effective(extent);
        let rows = effective
            .ranges
            .iter()
            .map(|r| (r.io, r.from / unit, r.to / unit))
            .collect();
        (rows, effective.span)
    }

    #[test]
    fn percents_come_out_as_in_the_cases() {
        type Case<'a> = (&'a str, &'a [(u8, u8)], u64, &'a [(u32, u64, u64)]);
        let cases: [Case<'_>; 7] = [
            (
                "E028",
                &[(10, 10), (10, 10), (0, 10), (80, 70)],
                100,
                &[(10, 0, 8), (10, 8, 20), (80, 28, 100)],
            ),
            (
                "E029",
                &[(10, 10), (10, 10), (0, 10), (80, 70)],
                1024,
                &[(10, 0, 100), (10, 100, 204), (80, 304, 1024)],
            ),
            (
                "E030",
                &[(10, 10), (10, 10), (10, 1), (70, 79)],
                100,
                &[(10, 0, 8), (10, 8, 20), (10, 20, 24), (70, 24, 100)],
            ),
            (
                "E032",
                &[(10, 5), (10, 1), (80, 94)],
                100,
                &[(20, 0, 4), (80, 4, 100)],
            ),
            (
                "E033",
                &[(10, 1), (10, 1), (80, 98)],
                100,
                &[(20, 0, 4), (80, 4, 100)],
            ),
            (
                "E034",
                &[(10, 1), (10, 1), (10, 1), (70, 97)],
                100,
                &[(30, 0, 4), (70, 4, 100)],
            ),
            ("E036", &[(100, 1), (0, 99)], 100, &[(100, 0, 4)]),
        ];
        for (id, parts, kib, expected) in cases {
            let found = laid(&Distribution::Percent(parts.to_vec()), &extent(kib * K), K);
            assert_eq!(found, (expected.to_vec(), 100), "{id}");
        }
    }

    #[test]
    fn bytes_come_out_as_in_the_cases() {
        type Case<'a> = (&'a str, &'a [(u8, u64)], u64, &'a [(u32, u64, u64)], u32);
        let cases: [Case<'_>; 5] = [
            (
                "E037",
                &[(10, G), (10, G), (0, 100 * G), (80, 0)],
                200 * G,
                &[(10, 0, 1), (10, 1, 2), (80, 102, 200)],
                100,
            ),
            (
                "E038",
                &[(10, G), (10, G), (0, 100 * G), (80, 1024 * G)],
                200 * G,
                &[(10, 0, 1), (10, 1, 2), (80, 102, 200)],
                100,
            ),
            (
                "E040",
                &[(10, 100 * G), (10, 200 * G), (80, 0)],
                200 * G,
                &[(10, 0, 100), (10, 100, 200)],
                20,
            ),
            (
                "E041",
                &[(10, 50 * K), (20, 10 * K), (30, G), (40, 0)],
                100 * K,
                &[(10, 0, 50), (20, 50, 60), (30, 60, 100)],
                60,
            ),
            (
                "E042",
                &[(10, 98 * K), (90, 0)],
                100 * K,
                &[(10, 0, 98)],
                10,
            ),
        ];
        for (id, parts, length, expected, span) in cases {
            let unit = if length > G { G } else { K };
            let block = if id == "E042" { 3 * K } else { 4 * K };
            let extent = Extent {
                length,
                block,
                align: block,
            };
            let found = laid(&Distribution::Absolute(parts.to_vec()), &extent, unit);
            assert_eq!(found, (expected.to_vec(), span), "{id}");
        }
    }

    #[test]
    fn e044_a_hole_as_long_as_the_target_leaves_nothing() {
        let spread = Distribution::Absolute(vec![(0, 100 * G), (100, 10 * G)]);
        assert_eq!(spread.effective(&extent(50 * G)), Effective::default());
    }

    proptest! {
        #[test]
        fn percents_keep_every_share_and_stay_aligned_inside(
            cuts in prop::collection::vec((0u8..=100, 0u8..=100), 0..6),
            blocks in 1u64..400,
        ) {
            let mut by_io: Vec<u8> = cuts.iter().map(|cut| cut.0).chain([0, 100]).collect();
            let mut by_place: Vec<u8> = cuts.iter().map(|cut| cut.1).chain([0, 100]).collect();
            by_io.sort_unstable();
            by_place.sort_unstable();
            let steps = |cuts: &[u8]| -> Vec<u8> { cuts.windows(2).map(|pair| pair[1] - pair[0]).collect() };
            let parts: Vec<(u8, u8)> =
                steps(&by_io).into_iter().zip(steps(&by_place)).filter(|part| part.1 > 0).collect();
            let asked: u32 = parts.iter().map(|part| u32::from(part.0)).sum();
            let extent = extent(blocks * 4 * K);
            let effective = Distribution::Percent(parts).effective(&extent);
            prop_assert_eq!(effective.span, asked);
            for range in &effective.ranges {
                prop_assert!(range.from < range.to && range.to <= extent.starts_to());
                prop_assert!(range.from.is_multiple_of(4 * K) && range.to.is_multiple_of(4 * K));
            }
        }
    }
}
