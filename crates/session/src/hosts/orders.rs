//! The orders of a session, in the order in which rank 0 gives them.

use model::Timespan;
use serde::{Deserialize, Serialize};

/// Report host and version.
pub(super) const JOIN: u8 = 1;
/// Check a step.
pub(super) const CHECK: u8 = 2;
/// Create and prove its files, and get ready to run.
pub(super) const PREPARE: u8 = 3;
/// Take note of the moment of the start, and answer how far ahead it is.
pub(super) const GO: u8 = 4;
/// Begin at that moment.
pub(super) const BEGIN: u8 = 5;
/// Send the result.
pub(super) const GATHER: u8 = 6;
/// Open the test folder of rank 0.
pub(super) const OPEN: u8 = 7;
/// Do a phase in it.
pub(super) const PHASE: u8 = 8;
/// Send what was done of it.
pub(super) const PARTS: u8 = 9;

/// A step to check.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Check {
    /// The request, for all ranks.
    pub(super) timespan: Timespan,
    /// The page cache of its target is dropped before.
    pub(super) cold: bool,
}
