//! What `fathom verify` found in a file or device: whole blocks by run, zeros, other data and damage, with places.
//!
//! Omitted: the comparison (`engine`), and what it means (`analysis`).

use super::verification::{CorruptBlock, KindCount};
pub use super::verification::{DifferentBits, DurableCounts, JournalCounts};
use crate::units::{Bytes, Nanos};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What `fathom verify` was asked, and what it found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerifyWork {
    /// First byte to be read. // a multiple of 4096
    pub from: Bytes,
    /// Behind the last byte to be read.
    pub to: Bytes,
    /// Read and compared, from the first byte on without a gap: less where it was interrupted.
    pub done: Bytes,
    /// Blocks that are not corrupt, by what they contain.
    pub blocks: ContentCounts,
    /// Corrupt blocks by kind, each kind once.
    pub kinds: Vec<KindCount>,
    /// The first of them. // at most 64
    pub cases: Vec<CorruptBlock>,
    /// Whole blocks by run, most blocks first. // at most 64
    pub runs: Vec<RunBlocks>,
    /// Whole blocks of further runs.
    pub further_runs: u64,
    /// Places of blocks that are not whole and not zeros, in order. // at most 64
    pub stretches: Vec<Stretch>,
    /// Such stretches in all.
    pub stretch_count: u64,
    /// The stored run whose blocks are expected.
    pub expected: Option<ExpectedRun>,
    /// Blocks that a journal promises, and how many of them are there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durability: Option<Durability>,
}

/// Blocks that a journal promises, and how many of them are there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Durability {
    /// As it was named.
    pub journal: PathBuf,
    /// The random number in the block headers of its run.
    pub header_run: u64,
    /// Bytes up to its last whole frame.
    pub whole: Bytes,
    /// Its length.
    pub length: Bytes,
    /// The run ended regularly, and the journal records that.
    pub ended: bool,
    /// It was on the same storage as the target.
    pub beside: bool,
    /// When its last write was complete, since its run began.
    pub last: Nanos,
    /// Blocks.
    pub blocks: DurableCounts,
}

/// Blocks that are not corrupt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentCounts {
    /// Whole, at the place that they were written for.
    pub whole: u64,
    /// Zeros.
    pub zeros: u64,
    /// Without a header of fathom.
    pub foreign: u64,
    /// Whole and not at their places, of runs of which many are not.
    pub displaced: u64,
}

impl VerifyWork {
    /// Returns how many blocks are corrupt.
    pub fn corrupt(&self) -> u64 {
        self.kinds.iter().map(|one| one.blocks).sum()
    }

    /// Returns the whole blocks with this number in their headers.
    pub fn blocks_of(&self, header_run: u64) -> u64 {
        let own = self.runs.iter().filter(|run| run.header_run == header_run);
        own.map(|run| run.blocks + run.displaced).sum()
    }
}

/// Whole blocks of one target of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunBlocks {
    /// The random number in the headers of the run.
    pub header_run: u64,
    /// Which of that run's targets, by its number from 0.
    pub target: u16,
    /// Those at the places that they were written for.
    pub blocks: u64,
    /// Place of the first.
    pub first: Bytes,
    /// Place of the last.
    pub last: Bytes,
    /// The largest version.
    pub version_max: u16,
    /// When the last of them was issued, on the clock of its run.
    pub last_issued: Nanos,
    /// Further ones that are not at the places that they were written for, where these are many.
    pub displaced: u64,
    /// How far behind their places all of these are; none where the distances differ.
    pub displaced_by: Option<i64>,
}

/// Neighbouring blocks that are not whole and not zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stretch {
    /// The first byte.
    pub from: Bytes,
    /// Behind the last byte.
    pub to: Bytes,
    /// They are corrupt; else they have no header of fathom.
    pub corrupt: bool,
}

/// A stored run whose blocks are expected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExpectedRun {
    /// Its name in the results database: `12.1`.
    pub name: String,
    /// The random number in its headers.
    pub header_run: u64,
    /// Blocks that its own pass over the whole range found after it; none where it had no complete one.
    pub left: Option<u64>,
}
