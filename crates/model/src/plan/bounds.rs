//! What a thread has to reach, and which zones of a range it uses in turn. Omitted: who checks and walks them, which is the engine.

use crate::units::{Bytes, Nanos};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What each thread of a target has to reach; where it does not, the run ends and has failed. Called elsewhere: fio `rate_min`,
/// `rate_iops_min`, `max_latency`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Bounds {
    /// Bytes per second at least; 0 for no bound.
    pub bytes_per_s_min: u64,
    /// IOPS at least; 0 for no bound.
    pub iops_min: u64,
    /// Both are taken over so long. // above 0
    pub cycle: Nanos,
    /// The latency of an I/O at most; 0 for no bound.
    pub latency_max: Nanos,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds {
            bytes_per_s_min: 0,
            iops_min: 0,
            cycle: Nanos::seconds(1),
            latency_max: Nanos(0),
        }
    }
}

impl Bounds {
    /// Returns whether nothing has to be reached.
    #[allow(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde asks with a reference"
    )]
    pub const fn is_none(&self) -> bool {
        self.bytes_per_s_min == 0 && self.iops_min == 0 && self.latency_max.0 == 0
    }
}

/// Zones of a range that a thread uses one after another, and from the first again. A zone that would pass the end of the range is
/// not used. Called elsewhere: fio `zonemode=strided`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StridedZones {
    /// Bytes that are moved before the next zone. // at least a block
    pub moved: Bytes,
    /// Length of a zone. // at least a block, at most the range
    pub length: Bytes,
    /// From the end of a zone to the next.
    pub gap: Bytes,
}
