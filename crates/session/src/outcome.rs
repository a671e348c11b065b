//! Why a run has no result, in words.
//!
//! Omitted: the decision (`model::RunRecord::result`).

use model::{Failure, NoResult, RunRecord, RunResult};

/// Why there is no result; `None` where there is one, and of a run that was interrupted.
pub fn reason(record: &RunRecord) -> Option<String> {
    match record.result() {
        RunResult::Failed(NoResult::Ended(failure)) => Some(ended(record, failure)),
        RunResult::Failed(why) => Some(lost(why)),
        RunResult::Usable | RunResult::Interrupted => None,
    }
}

/// The I/O that ended a run, with the path of its target.
pub fn ended(record: &RunRecord, failure: &Failure) -> String {
    let target = record.targets.get(failure.target as usize);
    let path = target.map_or_else(String::new, |target| target.path.display().to_string());
    format!("{path}: {}", failure.words())
}

/// Why the time was spent without a result.
pub fn lost(why: NoResult<'_>) -> String {
    match why {
        NoResult::Ended(failure) => failure.words(),
        NoResult::NothingCompleted => "no I/O completed while it was measured".to_owned(),
        NoResult::Unanswered(ios) => format!("{ios} I/Os were never answered"),
        NoResult::Short(ios) => format!("{ios} I/Os transferred fewer bytes than requested"),
    }
}
