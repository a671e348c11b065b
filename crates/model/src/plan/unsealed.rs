//! Which writes carry block headers, and why others do not.
//!
//! A header needs a whole block at a multiple of its length, with content that fathom generates. Everything else is unsealed:
//! it cannot prove by its bytes whose it is, so a record states it (`docs/safety.md`).

use super::planned::PlannedTarget;
use super::target::WriteContent;
use super::workload::Access;
use crate::block_header::BLOCK;
use crate::units::{Bytes, Ratio};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why content carries no block headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unsealed {
    /// Counting bytes, or the same few repeatedly.
    Pattern,
    /// Zeros.
    Zeros,
    /// A shared buffer of random bytes, or a file.
    Source,
    /// Part of the blocks are equal: they cannot all contain their own place.
    Duplicates,
    /// Sizes or offsets are not multiples of 4096.
    Unaligned,
}

impl Unsealed {
    /// Its short name, in records.
    pub const fn name(self) -> &'static str {
        match self {
            Unsealed::Pattern => "pattern",
            Unsealed::Zeros => "zeros",
            Unsealed::Source => "source",
            Unsealed::Duplicates => "duplicates",
            Unsealed::Unaligned => "unaligned",
        }
    }
}

impl fmt::Display for Unsealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl PlannedTarget {
    /// Why its writes carry no block headers; `None` where they do, or where it does not write.
    pub fn unsealed(&self) -> Option<Unsealed> {
        if self.workload.write == Ratio::NONE {
            return None;
        }
        match self.content {
            WriteContent::Pattern | WriteContent::Repeated(_) => Some(Unsealed::Pattern),
            WriteContent::Zero => Some(Unsealed::Zeros),
            WriteContent::Source { .. } => Some(Unsealed::Source),
            WriteContent::Shaped { dedupe, .. } if dedupe != Ratio::NONE => {
                Some(Unsealed::Duplicates)
            }
            WriteContent::Marked | WriteContent::Shaped { .. } | WriteContent::Fresh => {
                (!self.has_whole_blocks()).then_some(Unsealed::Unaligned)
            }
        }
    }

    /// The same of what fills a file that is created.
    pub fn fill_unsealed(&self) -> Option<Unsealed> {
        match (&self.content, self.create) {
            (_, None) => None,
            (WriteContent::Shaped { dedupe, .. }, _) if *dedupe != Ratio::NONE => {
                Some(Unsealed::Duplicates)
            }
            (_, Some(size)) => (size < BLOCK).then_some(Unsealed::Unaligned),
        }
    }

    /// Whether the size and the place of each I/O are multiples of a block.
    pub(crate) fn has_whole_blocks(&self) -> bool {
        let whole = |size: Bytes| size.is_multiple_of(BLOCK);
        let workload = match &self.workload.access {
            Access::Mixed(mixed) => {
                let mut lines = mixed.lines.iter();
                lines.all(|line| whole(line.block) && whole(line.align))
            }
            Access::Diskspd(walk) => {
                whole(self.workload.block) && whole(walk.align) && whole(walk.thread_stride)
            }
            Access::Recorded(recorded) => whole(recorded.unit),
            Access::Sequential
            | Access::Random
            | Access::Permuted(_)
            | Access::Skewed(_)
            | Access::Runs { .. }
            | Access::Stripe(_) => whole(self.workload.block),
        };
        workload && whole(self.base)
    }
}
