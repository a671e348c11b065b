//! How the data of a target lies and what it is like, as seen before the run.
//!
//! Deliberately absent: how it is found out (`host`), and what follows from it (`analysis`).

use crate::units::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the data of a target lies and what it is like.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Layout {
    /// Where a file lies on its file system; `None` for what is no file and where the file system does not report it.
    pub extents: Option<Extents>,
    /// What a sample of its blocks is like; `None` where nothing could be read.
    pub sample: Option<DataSample>,
    /// Of pages spread evenly over a file or device, how many the page cache contained; `None` where the kernel does
    /// not report it (before Linux 6.5).
    pub cached: Option<CachedPages>,
}

/// Where a file lies on its file system. Source: the kernel's `Documentation/filesystems/fiemap.rst`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Extents {
    /// From the start of the file, how far was looked: very many pieces are not counted to the end.
    pub looked_at: Bytes,
    /// Pieces that do not continue each other on the device. Neighbours are one piece, however the file system cuts them.
    pub pieces: u64,
    /// Space that is reserved and not written: reads of it are zeros without any I/O.
    pub unwritten: Bytes,
    /// Holes: no space at all; read as zeros without any I/O.
    pub holes: Bytes,
    /// Stored in another form than it is read, compressed for one; its size there is not reported.
    pub encoded: Bytes,
    /// Other files have it, too (a reflink, a snapshot): the first write to it goes elsewhere.
    #[serde(default)]
    pub shared: Bytes,
}

/// What a sample of a target's blocks is like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DataSample {
    /// Blocks that were read.
    pub blocks: u32,
    /// Blocks of nothing but zeros among them.
    pub zero_blocks: u32,
    /// Bytes of the blocks that are not zeros.
    pub bytes: Bytes,
    /// What a fast compressor would make of these, block by block. An estimate, good to a tenth.
    pub pressed: Bytes,
}

/// Sampled pages, and how many of them the page cache contained. Source: cachestat(2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CachedPages {
    /// Asked for.
    pub asked: u64,
    /// Contained. // at most `asked`
    pub held: u64,
}

impl Extents {
    /// Bytes of what was looked at that a read finds without any I/O.
    pub const fn unbacked(&self) -> Bytes {
        Bytes(self.unwritten.0.saturating_add(self.holes.0))
    }
}

impl DataSample {
    /// Share of the blocks that contain only zeros; `None` when none was read. // in [0, 1]
    pub fn zero_share(&self) -> Option<f64> {
        (self.blocks > 0).then(|| f64::from(self.zero_blocks) / f64::from(self.blocks))
    }

    /// How far what is not zeros could be pressed: 0.25 is to a quarter; `None` when all is zeros. // in [0, 1]
    pub fn pressed_share(&self) -> Option<f64> {
        (self.bytes.0 > 0).then(|| self.pressed.0 as f64 / self.bytes.0 as f64)
    }
}

impl CachedPages {
    /// Share of the pages that the page cache contained; `None` when none was sampled. // in [0, 1]
    pub fn share(&self) -> Option<f64> {
        (self.asked > 0).then(|| self.held as f64 / self.asked as f64)
    }
}
