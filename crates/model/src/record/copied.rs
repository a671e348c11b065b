//! What a copy was asked, and how much it moved.
//!
//! Omitted: the times of its reads and writes, which are steps (`files`).

use crate::units::{Bytes, Nanos};
use serde::{Deserialize, Serialize};

/// What `fathom dd`, `fathom lmdd` or `fathom sgp_dd` was asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopyWork {
    /// Bytes of one read.
    pub input_block: Bytes,
    /// Bytes of one write.
    pub output_block: Bytes,
    /// The operands as they were given.
    pub operands: Vec<String>,
    /// Reads that brought a whole block, and those that brought a part of one.
    pub records_in: (u64, u64),
    /// The same of writes.
    pub records_out: (u64, u64),
    /// Bytes that were written.
    pub copied: Bytes,
    /// From the first read to the end of the last write or flush.
    pub elapsed: Nanos,
    /// How it was done, where not as dd does it.
    #[serde(default)]
    pub transfers: Option<CopyTransfers>,
}

/// Transfers that each have a place of their own: those of `fathom lmdd` and `fathom sgp_dd`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopyTransfers {
    /// Threads, each with one transfer at a time. // at least 1
    pub threads: u32,
    /// Random places; `None` one after the other.
    pub random: Option<CopyRandom>,
    /// No transfer begins after this time.
    pub time_limit: Option<Nanos>,
    /// Pause behind each transfer.
    pub pause: Nanos,
    /// Nothing is read: zeros are written.
    pub no_input: bool,
    /// Nothing is written: what is read is thrown away.
    pub no_output: bool,
    /// All file systems are flushed before it is over.
    pub syncs_system: bool,
}

/// Where random transfers go, at both ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopyRandom {
    /// Where the range begins.
    pub start: Bytes,
    /// How long it is. // at least one block
    pub length: Bytes,
    /// In turns within so many bytes at its begin and at its end. // at least one block
    pub ends: Option<Bytes>,
    /// The order follows from it.
    pub seed: u64,
}
