//! How a run or work with files ended, and why there is no result.
//!
//! Omitted: the decision (`model::RunRecord::result`) and its words (`session`).

use crate::output;
use model::{FilesOutcome, NoResult, RunRecord, RunResult};
use store::SessionOutcome;

/// Prints why there is no result, if there is none. Whether the run may count as good.
pub(crate) fn tell(record: &RunRecord) -> bool {
    match record.result() {
        RunResult::Failed(NoResult::Ended(failure)) => {
            output::tell(&session::ended(record, failure));
        }
        RunResult::Failed(why) => tell_lost(why),
        RunResult::Usable => return true,
        RunResult::Interrupted => {}
    }
    false
}

/// Prints that the time was spent, and there is no result all the same.
pub(crate) fn tell_lost(why: NoResult<'_>) {
    output::tell(&format!("{}, so this counts as failed", session::lost(why)));
}

/// Returns how a session of work with files ended.
pub(crate) fn session_outcome(outcome: &FilesOutcome) -> SessionOutcome {
    match outcome {
        FilesOutcome::Complete => SessionOutcome::Complete,
        FilesOutcome::Interrupted => SessionOutcome::Interrupted,
        FilesOutcome::Failed(_) => SessionOutcome::Failed,
    }
}
