//! A session of `quick` or `layers` as it is read from the results database.

use analysis::LooksContext;
use model::RunRecord;
use store::{Session, SessionOutcome, StoredRun};

/// A session from the database: its runs, and their stored context. One that was killed has no context.
pub(crate) fn from_store(session: Session) -> (Vec<(String, RunRecord)>, LooksContext) {
    let context = session.context.as_deref();
    let context = context.and_then(|text| serde_json::from_str(text).ok());
    let cut = || LooksContext {
        interrupted: session.summary.outcome != Some(SessionOutcome::Complete),
        ..LooksContext::default()
    };
    let context = context.unwrap_or_else(cut);
    let runs = session.runs.into_iter().filter_map(StoredRun::into_record);
    (runs.collect(), context)
}
