//! The orders of a session, in the order in which rank 0 gives them.

use super::keys::TargetKey;
use crate::schedule::{RankPart, Step};
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

/// Perform a part of the command that only the command can.
pub(super) const PERFORM: u8 = 10;

/// Work in a folder of each rank's own, step after step.
pub(super) const FILES: u8 = 11;

/// Make the run of a step, where it is this rank's turn.
pub(super) const ALONE: u8 = 12;

/// Behind a deadline: answer the most that a task of this rank has done, or with a number, go on to that.
pub(super) const LEVEL: u8 = 13;

/// A step to check.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Check {
    /// The request, for all ranks.
    pub(super) timespan: Timespan,
    /// The page cache of its target is dropped before.
    pub(super) cold: bool,
    /// What of it a rank does.
    pub(super) part: RankPart,
    /// Targets that rank 0 has created or proven for all.
    pub(super) created: Vec<TargetKey>,
}

impl Check {
    pub(super) fn of(step: &Step) -> Check {
        Check {
            timespan: step.timespan.clone(),
            cold: step.cold,
            part: step.part,
            created: Vec::new(),
        }
    }
}
