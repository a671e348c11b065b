//! The runs of another tool's command line in the store: one session a request, one run a time span.
//!
//! What cannot be stored is printed and fails the command, but not before its results are printed.

use crate::commands::answer;
use crate::environment::StorePlace;
use crate::failure::Ending;
use crate::keep;
use model::{CommandError, RunRecord, RunResult};
use session::{Hosts, Journal};
use store::{NewSession, SessionOutcome, Store};

/// The session of a request of so many time spans.
pub(crate) struct StoredSession {
    pub(crate) journal: Journal<Store>,
    spans: usize,
}

impl StoredSession {
    /// Opens the store: one that cannot be written is refused before anything is measured.
    pub(crate) fn open(
        place: Option<&StorePlace>,
        session: NewSession,
        spans: usize,
    ) -> Result<Self, CommandError> {
        match spans {
            1 => {
                let journal = Journal::single(keep::open(place)?, session);
                Ok(StoredSession { journal, spans })
            }
            _ => StoredSession::of_job(place, session, spans),
        }
    }

    /// The same for the results of ranks, of which each is added.
    pub(crate) fn of_job(
        place: Option<&StorePlace>,
        session: NewSession,
        spans: usize,
    ) -> Result<Self, CommandError> {
        let journal = Journal::new(keep::open(place)?, session);
        Ok(StoredSession { journal, spans })
    }

    /// Finishes the session. Returns whether all that was measured is stored.
    pub(crate) fn close(self, records: &[RunRecord]) -> bool {
        let ending = answer::finish(&self.journal, self.outcome(records), None);
        ending == Ending::Good
    }

    /// The same of the records of all ranks. A session that lost a rank has failed; only the user interrupts one.
    pub(crate) fn close_of_job(self, records: &[RunRecord], hosts: &Hosts) -> bool {
        match hosts.lost().is_empty() {
            true => self.close(records),
            false => answer::finish(&self.journal, SessionOutcome::Failed, None) == Ending::Good,
        }
    }

    fn outcome(&self, records: &[RunRecord]) -> SessionOutcome {
        let any =
            |is: fn(&RunResult<'_>) -> bool| records.iter().any(|record| is(&record.result()));
        if any(|result| matches!(result, RunResult::Failed(_))) {
            SessionOutcome::Failed
        } else if records.len() < self.spans || any(|result| *result == RunResult::Interrupted) {
            SessionOutcome::Interrupted
        } else {
            SessionOutcome::Complete
        }
    }
}
