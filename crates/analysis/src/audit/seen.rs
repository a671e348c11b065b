//! What the rules of audits check. Omitted: how it is derived.

use model::record::audited::Audit;
use schemars::JsonSchema;
use serde::Serialize;

/// What the kernel's account shows of the printed figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AuditAnswer {
    /// No figures were printed, or none that can be read: the account stands alone.
    Account,
    /// The devices did what was printed.
    Device,
    /// The devices moved the bytes in far fewer I/Os.
    Merged,
    /// Memory answered a part.
    PartMemory,
    /// Other programs used the devices too much, or the figures are too small.
    Undecided,
    /// A server did the I/O, which this machine does not count.
    Remote,
    /// The page cache below a loop device answered.
    CacheBelow,
    /// Memory answered.
    Memory,
    /// The files are in memory: no device took part.
    NoDevice,
}

impl AuditAnswer {
    /// Whether the figures are not those of a device.
    pub(crate) fn is_memory(self) -> bool {
        self >= AuditAnswer::CacheBelow
    }
}

/// What the rules of audits check.
pub struct AuditSeen<'a> {
    /// The record.
    pub(crate) audit: &'a Audit,
    /// The answer, and the figures that it is based on.
    pub(crate) answer: AuditAnswer,
    pub(crate) sentence: &'a str,
    pub(crate) printed_bytes: f64,
    pub(crate) device_bytes: f64,
    /// Bytes that were to be written, and those that the devices wrote meanwhile; none where no device of this machine does it.
    pub(crate) written: Option<[u64; 2]>,
    /// What the devices of the program moved, reads and writes.
    pub(crate) moved_bytes: u64,
}

/// Bytes below which nothing is concluded.
pub(crate) const BYTES_MIN: u64 = 256 << 10;

/// What is left, where it is more than file systems hold back anyway.
pub(crate) fn left_of(to_write: u64, written: u64) -> Option<u64> {
    let left = to_write.saturating_sub(written);
    (left >= BYTES_MIN && left as f64 > 0.10 * to_write as f64).then_some(left)
}
