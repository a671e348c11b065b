//! Several sizes and mixes in one workload: lines that take turns by chance.
//!
//! A line is drawn by its share, gives the I/Os of one burst, and then the next line is drawn. Each I/O of it is drawn by
//! itself: a read or a write, somewhere or behind the I/O before. Called elsewhere: the lines of an access specification
//! (IOmeter), `bssplit` and sizes of reads and writes apart (fio). Deliberately absent: the drawing, which is the engine's.

use super::skew::Skew;
use crate::units::{Bytes, Nanos, Ratio};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most lines of one workload: the sizes of fio's `bsrange=4k-1m`. IOmeter has 100.
pub const LINES_MAX: usize = 256;
/// Largest share of a line, so that no sum of them can pass 32 bits.
pub const SHARE_MAX: u32 = 1_000_000;

/// The lines of a workload.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MixedAccess {
    /// In the order in which they were given. // 1 to 256 of them
    pub lines: Vec<MixedLine>,
    /// How often random places come that are not equally likely, as places of the smallest alignment; then lines have no parts of
    /// the range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skew: Option<Skew>,
    /// Each place of the smallest alignment is visited once a pass: an I/O begins at the next free place and ends before one that
    /// was visited. For lines of one alignment that are all random. Called elsewhere: fio's random map, where sizes differ.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub once: bool,
}

/// One size with its own mix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MixedLine {
    /// Its part of the bursts, measured against the shares of all lines. // in [1, 1 000 000]
    pub share: u32,
    /// Bytes of one I/O.
    pub block: Bytes,
    /// Share of its I/Os that are writes.
    pub write: Ratio,
    /// Share of its I/Os that go anywhere in the range; the others go on where the I/O before ended.
    pub random: Ratio,
    /// What its offsets are multiples of, from the start of the range. // above 0
    pub align: Bytes,
    /// I/Os in a row. // above 0
    pub burst: u32,
    /// How long the thread issues nothing to this target after a burst.
    pub pause: Nanos,
    /// Where its random I/Os are.
    #[serde(default, skip_serializing_if = "RangePart::is_whole")]
    pub part: RangePart,
}

/// A part of the range, from and to so many percent of it. Called elsewhere: a zone of fio's `random_distribution=zoned`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RangePart {
    /// Where it begins.
    pub from: Ratio,
    /// Where it ends. // above `from`
    pub to: Ratio,
}

impl Default for RangePart {
    fn default() -> Self {
        RangePart::WHOLE
    }
}

impl RangePart {
    /// The whole range.
    pub const WHOLE: RangePart = RangePart {
        from: Ratio::NONE,
        to: Ratio::ALL,
    };

    /// Returns whether it is the whole range.
    #[allow(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde asks with a reference"
    )]
    pub fn is_whole(&self) -> bool {
        *self == RangePart::WHOLE
    }

    /// Returns where it begins and ends in a range of this length.
    pub fn of(self, length: u64) -> (u64, u64) {
        let at = |part: Ratio| {
            let bytes = u128::from(length) * u128::from(part.as_percent()) / 100;
            bytes as u64 // at most the length
        };
        (at(self.from), at(self.to))
    }
}

impl MixedLine {
    /// Single I/Os of this size, aligned to it, all reads and all random, as one of equal lines.
    pub const fn new(block: Bytes) -> MixedLine {
        MixedLine {
            share: 1,
            block,
            write: Ratio::NONE,
            random: Ratio::ALL,
            align: block,
            burst: 1,
            pause: Nanos(0),
            part: RangePart::WHOLE,
        }
    }

    /// What its I/Os weigh among those of all lines.
    const fn weight(&self) -> u128 {
        self.share as u128 * self.burst as u128
    }
}

impl MixedAccess {
    /// The largest block; 0 without lines.
    pub fn block_max(&self) -> Bytes {
        let blocks = self.lines.iter().map(|line| line.block);
        blocks.max().unwrap_or_default()
    }

    /// Sum of the shares.
    pub fn shares(&self) -> u64 {
        self.lines.iter().map(|line| u64::from(line.share)).sum()
    }

    /// Share of the I/Os that are writes, in whole percent: 0 only if none is, 100 only if all are.
    pub fn write(&self) -> Ratio {
        self.weighted(|line| line.write)
    }

    /// Share of the I/Os that are random, in whole percent: 0 only if none is, 100 only if all are.
    pub fn random(&self) -> Ratio {
        self.weighted(|line| line.random)
    }

    fn weighted(&self, of: fn(&MixedLine) -> Ratio) -> Ratio {
        let whole: u128 = self.lines.iter().map(MixedLine::weight).sum();
        let parts = |line: &MixedLine| line.weight() * u128::from(of(line).as_percent());
        let sum: u128 = self.lines.iter().map(parts).sum();
        match (sum, whole) {
            (0, _) | (_, 0) => Ratio::NONE,
            (sum, whole) if sum >= whole * 100 => Ratio::ALL,
            (sum, whole) => {
                let percent = ((sum + whole / 2) / whole).clamp(1, 99);
                Ratio::percent(percent as u8).unwrap_or(Ratio::ALL)
            }
        }
    }

    /// Share of the I/Os that this line gives, by what was asked. // in [0, 1]
    pub fn part_of(&self, line: &MixedLine) -> f64 {
        let whole: u128 = self.lines.iter().map(MixedLine::weight).sum();
        line.weight() as f64 / (whole as f64).max(1.0)
    }

    /// Whether any line pauses.
    pub fn pauses(&self) -> bool {
        self.lines.iter().any(|line| line.pause.0 > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{QueueDepth, Workload};

    fn line(share: u32, write: u8) -> MixedLine {
        MixedLine {
            share,
            write: Ratio::percent(write).unwrap(),
            ..MixedLine::new(Bytes::kib(4))
        }
    }

    #[test]
    fn a_share_of_writes_is_never_rounded_to_none_or_all() {
        let write = |lines: &[MixedLine]| {
            let lines = lines.to_vec();
            MixedAccess {
                lines,
                skew: None,
                once: false,
            }
            .write()
            .as_percent()
        };
        assert_eq!(write(&[line(999_999, 0), line(1, 1)]), 1);
        assert_eq!(write(&[line(999_999, 100), line(1, 99)]), 99);
        assert_eq!(write(&[line(60, 0), line(40, 100)]), 40);
        assert_eq!(write(&[line(60, 0), line(40, 0)]), 0);
        assert_eq!(write(&[line(60, 100), line(40, 100)]), 100);
        assert_eq!(write(&[]), 0);
    }

    #[test]
    fn a_line_with_bursts_gives_more_of_the_ios_than_of_the_bursts() {
        let burst = MixedLine {
            burst: 3,
            ..line(50, 100)
        };
        let mixed = MixedAccess {
            lines: vec![line(50, 0), burst],
            skew: None,
            once: false,
        };
        assert_eq!(mixed.write().as_percent(), 75);
        assert!((mixed.part_of(&burst) - 0.75).abs() < 1e-12);
    }

    #[test]
    fn a_mixed_workload_has_a_single_block_only_if_all_lines_have_it() {
        let one = Workload::mixed(vec![line(1, 0), line(1, 100)], QueueDepth(1));
        assert_eq!(one.single_block(), Some(Bytes::kib(4)));
        let two = Workload::mixed(
            vec![line(1, 0), MixedLine::new(Bytes::kib(64))],
            QueueDepth(1),
        );
        assert_eq!((two.single_block(), two.block), (None, Bytes::kib(64)));
    }
}
