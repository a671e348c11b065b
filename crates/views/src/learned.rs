//! The document of a learned workload. Omitted: how it is written (`trace`), and the profile itself, which is TOML.

use schemars::JsonSchema;
use serde::Serialize;

/// A learned workload, as `fathom learn --json` prints it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LearnedSummary {
    /// The trace, device, file or process.
    pub from: String,
    /// Format of the trace, or how a device was observed.
    pub format: String,
    /// From the first I/O to the last.
    pub duration_ns: u64,
    /// Reads, writes and flushes.
    pub ios: u64,
    /// Events that were lost.
    pub lost: u64,
    /// Time that was omitted, because events of it were lost.
    pub omitted_ns: u64,
    /// Ended by an interrupt: the profile is that of the I/Os until there.
    pub interrupted: bool,
    /// The profile, as it is written with `-o`.
    pub profile: String,
}
