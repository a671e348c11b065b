//! What the comparison of read data with written data found: counts, and the first corrupt blocks one by one.
//!
//! Omitted: what it means for a result (`analysis`), and the comparison itself (`engine`).

use crate::plan::Verify;
use crate::read_back::{ReadBackCounts, ReadBackIos};
use crate::units::{Bytes, Nanos};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The result of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verification {
    /// What was requested.
    pub request: Verify,
    /// Blocks that the run's own reads returned.
    pub reads: VerifyCounts,
    /// Blocks that were read again while the run continued; none where that was not requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_back: Option<ReadBackCounts>,
    /// I/Os of these readings, for each target that has any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read_back_ios: Vec<ReadBackIos>,
    /// Blocks that were read after the run; none without such a pass.
    pub pass: Option<VerifyPass>,
    /// Writes that waited because another write of the same place was in flight.
    pub deferred: u64,
    /// Blocks that writes completed.
    pub written: u64,
    /// Corrupt blocks by kind, each kind once.
    pub kinds: Vec<KindCount>,
    /// The first of them. // at most 64
    pub cases: Vec<CorruptBlock>,
    /// What a simulated device did to its data.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub injected: Vec<InjectedFault>,
    /// What was written to the journal of durable writes, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub journal: Option<JournalCounts>,
    /// Content that was there after a simulated power cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durable: Option<DurableCounts>,
}

/// Content of a journal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JournalCounts {
    /// Writes, one for each grain.
    pub writes: u64,
    /// Flushes that returned well, one for each thread and target that they cover.
    pub flushes: u64,
    /// Bytes.
    pub bytes: Bytes,
    /// How long all threads waited for room in it.
    pub waited: Nanos,
    /// CPU time of its writer.
    pub cpu: Option<Nanos>,
    /// Why it ended before the run.
    pub failed: Option<String>,
}

/// Blocks that a journal promises, by what was found after a power cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DurableCounts {
    /// Blocks that have to be there.
    pub promised: u64,
    /// With the durable version or a newer one.
    pub found: u64,
    /// Of these with a newer one.
    pub newer: u64,
    /// With an older version, or without any.
    pub lost: u64,
    /// With parts of several versions, none of which is older: a write was in flight.
    pub interrupted: u64,
    /// With data of a run that was not there before: written over since, or unknown.
    pub replaced: u64,
    /// When the latest promised write that was found was complete, since the run began.
    pub last_found: Nanos,
    /// When the earliest promised write that is lost was complete; 0 where none is.
    pub first_lost: Nanos,
    /// The same of the latest.
    pub last_lost: Nanos,
}

impl DurableCounts {
    /// Adds those of another part.
    pub fn add(&mut self, other: &DurableCounts) {
        self.promised = self.promised.saturating_add(other.promised);
        self.found = self.found.saturating_add(other.found);
        self.newer = self.newer.saturating_add(other.newer);
        self.first_lost = match (self.lost, other.lost) {
            (0, _) => other.first_lost,
            (_, 0) => self.first_lost,
            _ => self.first_lost.min(other.first_lost),
        };
        self.lost = self.lost.saturating_add(other.lost);
        self.interrupted = self.interrupted.saturating_add(other.interrupted);
        self.replaced = self.replaced.saturating_add(other.replaced);
        self.last_found = self.last_found.max(other.last_found);
        self.last_lost = self.last_lost.max(other.last_lost);
    }

    /// Returns whether a write that was durable before another one is lost, and the other is there.
    pub fn is_out_of_order(&self) -> bool {
        self.lost > 0 && self.first_lost < self.last_found
    }
}

/// A fault that a simulated device did, with the name that its diagnosis should have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InjectedFault {
    /// What it is.
    pub kind: CorruptKind,
    /// From the start of the target.
    pub offset: Bytes,
    /// Still there when the run ended.
    pub remains: bool,
}

/// Blocks by the result of their comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VerifyCounts {
    /// The expected version of this run, at its place.
    pub right: u64,
    /// Not written by this run, and whole: any version is accepted.
    pub older_data: u64,
    /// Not written by this run, and zeros: nothing shows whether data was there.
    #[serde(default)]
    pub zeros: u64,
    /// A write of the same place was in flight, or began during the read, and the block is not entirely one version.
    pub undecided: u64,
    /// Unknown content: not written by this run, or a write of it failed.
    pub unknown: u64,
    /// Corrupt, after two further readings.
    pub corrupt: u64,
}

/// The pass over the range after a run, or on its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VerifyPass {
    /// Blocks of it.
    pub counts: VerifyCounts,
    /// To be read.
    pub total: Bytes,
    /// Read: less where it was interrupted.
    pub done: Bytes,
    /// How long it took.
    pub took: Nanos,
}

/// How many corrupt blocks are of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KindCount {
    /// Which.
    pub kind: CorruptKind,
    /// Blocks.
    pub blocks: u64,
}

/// What is wrong with a block.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum CorruptKind {
    /// An older version, although a newer one was acknowledged.
    Lost,
    /// An older version once; the right one when it was read again.
    StaleRead,
    /// Sectors of several writes.
    Torn,
    /// Data of another place.
    Misdirected,
    /// Data of another place, which has it, too.
    Duplicated,
    /// Data of places at one constant distance: addresses wrap around.
    Aliased,
    /// Bits differ.
    BitRot,
    /// Zeros.
    Zeroed,
    /// The data begins later than it should.
    Shifted,
    /// Data that fathom did not write.
    Foreign,
    /// A version that was never issued.
    Future,
    /// It cannot be read.
    Unreadable,
    /// Older than the version that was promised to be durable.
    NotDurable,
}

impl CorruptKind {
    /// All kinds.
    pub const ALL: [CorruptKind; 13] = [
        CorruptKind::Lost,
        CorruptKind::StaleRead,
        CorruptKind::Torn,
        CorruptKind::Misdirected,
        CorruptKind::Duplicated,
        CorruptKind::Aliased,
        CorruptKind::BitRot,
        CorruptKind::Zeroed,
        CorruptKind::Shifted,
        CorruptKind::Foreign,
        CorruptKind::Future,
        CorruptKind::Unreadable,
        CorruptKind::NotDurable,
    ];

    /// Returns the id of its finding.
    pub const fn id(self) -> &'static str {
        match self {
            CorruptKind::Lost => "data-lost",
            CorruptKind::StaleRead => "data-stale-read",
            CorruptKind::Torn => "data-torn",
            CorruptKind::Misdirected => "data-misdirected",
            CorruptKind::Duplicated => "data-duplicated",
            CorruptKind::Aliased => "data-aliased",
            CorruptKind::BitRot => "data-bit-rot",
            CorruptKind::Zeroed => "data-zeroed",
            CorruptKind::Shifted => "data-shifted",
            CorruptKind::Foreign => "data-foreign",
            CorruptKind::Future => "data-future",
            CorruptKind::Unreadable => "data-unreadable",
            CorruptKind::NotDurable => "data-not-durable",
        }
    }
}

/// One corrupt block of 4096 bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CorruptBlock {
    /// What is wrong with it.
    pub kind: CorruptKind,
    /// Which of the plan's targets.
    pub target: u32,
    /// From the start of the target.
    pub offset: Bytes,
    /// Version that was expected; 0 for data of an earlier run.
    pub expected: u16,
    /// The header that was found, where one is whole.
    pub found: Option<FoundHeader>,
    /// What the further readings gave; none where it is right.
    pub readings: Vec<Option<CorruptKind>>,
    /// Sectors that do not belong to the header's write, one bit each from the first; of a torn block.
    pub other_sectors: u8,
    /// Bits that differ from a later reading that is right, and the first byte that does.
    pub bits: Option<DifferentBits>,
    /// Errno of a block that cannot be read.
    pub errno: Option<i32>,
    /// The thread that read it, and when on the run's clock; none in a pass.
    pub read_by: Option<(u32, Nanos)>,
    /// The block as it was read, in hexadecimal, of the first cases that begin with fathom's magic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<String>,
}

/// Bits that differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DifferentBits {
    /// How many.
    pub bits: u32,
    /// The first byte of the block that has one.
    pub first_byte: u32,
}

/// Content of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FoundHeader {
    /// Written by this run.
    pub own: bool,
    /// Version.
    pub generation: u16,
    /// The place that it was written for, from the start of the target.
    pub place: Bytes,
    /// The thread that wrote it.
    pub thread: u32,
    /// When it was issued, on its run's clock.
    pub issued: Nanos,
}

impl VerifyCounts {
    /// Adds those of another part.
    pub fn add(&mut self, other: &VerifyCounts) {
        self.right = self.right.saturating_add(other.right);
        self.older_data = self.older_data.saturating_add(other.older_data);
        self.zeros = self.zeros.saturating_add(other.zeros);
        self.undecided = self.undecided.saturating_add(other.undecided);
        self.unknown = self.unknown.saturating_add(other.unknown);
        self.corrupt = self.corrupt.saturating_add(other.corrupt);
    }

    /// Returns how many were read.
    pub fn all(&self) -> u64 {
        self.right + self.older_data + self.zeros + self.undecided + self.unknown + self.corrupt
    }
}

impl Verification {
    /// Returns how many blocks are corrupt, those read again and those of the pass included.
    pub fn corrupt(&self) -> u64 {
        let pass = self.pass.map_or(0, |pass| pass.counts.corrupt);
        let read_back = self.read_back.map_or(0, |one| one.blocks.corrupt);
        self.reads.corrupt + read_back + pass
    }
}
