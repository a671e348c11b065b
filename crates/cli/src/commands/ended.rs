//! Says why a run has no result: on stderr, and in the rows of what was tried.
//!
//! Left out: the decision (`model::RunRecord::result`).

use crate::output;
use model::{NoResult, RunRecord, RunResult};

/// Why there is no result; `None` where there is one, and of a run that was interrupted.
pub(crate) fn reason(record: &RunRecord) -> Option<String> {
    match record.result() {
        RunResult::Failed(why) => Some(words(record, why)),
        RunResult::Usable | RunResult::Interrupted => None,
    }
}

/// Prints why there is no result, if there is none. Whether the run may count as good.
pub(crate) fn tell(record: &RunRecord) -> bool {
    match record.result() {
        RunResult::Failed(why @ NoResult::Ended(_)) => output::tell(&words(record, why)),
        RunResult::Failed(why) => tell_lost(why),
        RunResult::Usable => return true,
        RunResult::Interrupted => {}
    }
    false
}

/// Prints that the time was spent, and there is no result all the same.
pub(crate) fn tell_lost(why: NoResult<'_>) {
    output::tell(&format!("{}, so this counts as failed", lost_words(why)));
}

fn words(record: &RunRecord, why: NoResult<'_>) -> String {
    let NoResult::Ended(failure) = why else {
        return lost_words(why);
    };
    let target = record.targets.get(failure.target as usize);
    let path = target.map_or_else(String::new, |target| target.path.display().to_string());
    format!("{path}: {}", failure.words())
}

fn lost_words(why: NoResult<'_>) -> String {
    match why {
        NoResult::Ended(failure) => failure.words(),
        NoResult::NothingCompleted => "no I/O completed while it was measured".to_owned(),
        NoResult::Unanswered(ios) => format!("{ios} I/Os were never answered"),
        NoResult::Short(ios) => format!("{ios} I/Os transferred fewer bytes than requested"),
    }
}
