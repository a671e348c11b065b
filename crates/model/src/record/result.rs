//! Decides whether a run has a result: the one place that does.
//!
//! Omitted: what the result is worth (`analysis`), and the sentences (`cli`).

use super::run::{Failure, Outcome, RunRecord};

/// Whether a run has a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunResult<'a> {
    /// It ran to its end, I/Os completed, and all of them were answered and whole.
    Usable,
    /// It was stopped from outside; what was counted until then is in the record.
    Interrupted,
    /// It has none.
    Failed(NoResult<'a>),
}

/// Why a run has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoResult<'a> {
    /// A failed I/O, or a change of the target, ended it.
    Ended(&'a Failure),
    /// No I/O completed while it was measured.
    NothingCompleted,
    /// So many I/Os were never answered.
    Unanswered(u64),
    /// So many I/Os transferred fewer bytes than requested.
    Short(u64),
}

impl RunRecord {
    /// Whether it has a result, and why not.
    pub fn result(&self) -> RunResult<'_> {
        match &self.outcome {
            Outcome::Failed(failure) => return RunResult::Failed(NoResult::Ended(failure)),
            Outcome::Interrupted => return RunResult::Interrupted,
            Outcome::Complete => {}
        }
        let total = self.total();
        let lost = match (self.unanswered(), total.ios, total.short_ios) {
            (lost @ 1.., ..) => NoResult::Unanswered(lost),
            (_, 0, _) => NoResult::NothingCompleted,
            (.., short @ 1..) => NoResult::Short(short),
            _ => return RunResult::Usable,
        };
        RunResult::Failed(lost)
    }

    /// I/Os that were never answered.
    pub fn unanswered(&self) -> u64 {
        let threads = self.threads.iter();
        threads.map(|thread| u64::from(thread.abandoned)).sum()
    }
}
