//! The sweep in the store: a new session or one that is gone on with, and each cell as it comes.
//!
//! A key represents a turn; the store contains each key once. While a sweep runs it has a lock next to the store, so
//! that the same command, typed twice, does not continue the sweep that is running.

use super::asked::Asked;
use super::earlier::{Earlier, earlier};
use super::ranks;
use crate::args::{KnownArgs, SweepArgs, known_by};
use crate::commands::resumed::Lock;
use crate::commands::{VERSION, command_line};
use crate::failure::Ending;
use crate::kinds::stored::Kind;
use crate::output;
use analysis::say;
use analysis::{HostDigest, SweepCell, SweepContext, SweepResult, SweepRun};
use model::{CommandError, HostRecord, Nanos, ResultRow};
use session::{Journal, clock};
use store::{NewSession, SessionId, SessionOutcome, Store, StoredRun};
use sweep::Turn;

/// How it ended. Its results are in the database.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    /// It was interrupted.
    pub(crate) interrupted: bool,
    /// A cell had no result, and that was to end it.
    pub(crate) failed_fast: bool,
    /// What ended it outside of a cell.
    pub(crate) trouble: Option<String>,
    /// Runs with a result, of this call.
    pub(crate) ran: usize,
    /// Runs without one.
    pub(crate) missing: usize,
}

impl Walked {
    /// Reports what a program that reads only the exit code and standard error needs.
    pub(crate) fn tell(&self, resume: &str) -> Ending {
        if let Some(trouble) = &self.trouble {
            output::tell(&format!("the sweep ended early: {trouble}"));
            output::tell(resume);
        } else if self.interrupted {
            output::tell(&format!(
                "interrupted: the table covers what was measured until then; {resume}"
            ));
        } else if self.failed_fast {
            output::tell(&format!(
                "ended at the first cell without a result (--fail-fast); {resume}"
            ));
        }
        match self.is_whole() && self.missing == 0 {
            true => Ending::Good,
            false => Ending::Wrong,
        }
    }

    /// Whether every cell had its turn.
    pub(crate) fn is_whole(&self) -> bool {
        self.trouble.is_none() && !self.interrupted && !self.failed_fast
    }
}

/// A sweep's place in the store, and its results so far.
pub(crate) struct StoredSession<'a> {
    store: Option<&'a Store>,
    session: Option<SessionId>,
    earlier: Option<Earlier>,
    /// Of each cell, by repetition.
    runs: Vec<Vec<(u32, SweepRun)>>,
    started_utc: Nanos,
    lock: Option<Lock>, // let go at the end
}

impl<'a> StoredSession<'a> {
    /// The sweep that is gone on with, if there is one, and its lock. Nothing is changed.
    pub(crate) fn open(
        store: Option<&'a Store>,
        asked: &Asked,
        fingerprint: &str,
        wanted: Option<SessionId>,
        args: &SweepArgs,
    ) -> Result<Self, CommandError> {
        let mut stored = StoredSession {
            store,
            session: None,
            earlier: None,
            runs: vec![Vec::new(); asked.cells.len()],
            started_utc: clock::utc(),
            lock: None,
        };
        if let Some(store) = store
            && let Some(earlier) = earlier(store, fingerprint, wanted, args)?
        {
            stored.lock = Some(Lock::take(store.path(), earlier.session)?);
            // Read again under the lock: another fathom may have gone on with it until just now.
            let earlier = Earlier::read(store, earlier.session)?;
            stored.take_over(asked, &earlier)?;
            stored.earlier = Some(earlier);
        }
        Ok(stored)
    }

    /// Begins a session, or resumes the one that was found.
    pub(crate) fn begin(
        &mut self,
        kind: &Kind,
        asked: &Asked,
        fingerprint: &str,
        hints: &KnownArgs,
    ) -> Result<Journal<&'a Store>, CommandError> {
        let new = NewSession {
            notes: hints.notes(),
            ..session::new_session(
                kind.stored(),
                command_line(),
                asked.target_names(),
                self.started_utc,
            )
        };
        let earlier = self.earlier.as_ref().map(|earlier| earlier.session);
        let journal = Journal::resumable(self.store, new, earlier)?;
        self.session = journal.session();
        if let (Some(store), Some(session), None) = (self.store, self.session, earlier) {
            self.lock = Some(Lock::take(store.path(), session)?);
            let marked = store.set_fingerprint(session, fingerprint);
            marked.map_err(CommandError::failed)?;
        }
        if let (Some(store), Some(name), Some(_)) = (self.store, journal.name(), earlier) {
            let noted = store.note(&[name], &hints.notes(), &[]);
            noted.map_err(CommandError::failed)?;
        }
        Ok(journal)
    }

    /// What is there already. A key that this sweep does not have represents another one.
    fn take_over(&mut self, asked: &Asked, earlier: &Earlier) -> Result<(), CommandError> {
        let mut known = 0;
        for turn in asked.turns() {
            let Some(cell) = earlier.cells.get(&asked.key(turn)) else {
                continue;
            };
            known += 1;
            let result = match (&cell.missing, earlier.rows.get(&cell.number)) {
                (Some(reason), _) => Err(reason.clone()),
                (None, Some(row)) => match self.merged(earlier.session, row) {
                    Some(Ok(result)) => Ok(result),
                    Some(Err(reason)) => {
                        return Err(CommandError::refused(format!(
                            "session {}, {}: {reason}; hint: begin again with --new",
                            earlier.session, row.label
                        )));
                    }
                    None => Ok(SweepResult {
                        corrupt: false, // its record was not read
                        ranks: None,
                        row: row.clone(),
                        validity: None,
                        reasons: Vec::new(),
                    }),
                },
                (None, None) => continue,
            };
            let stored = Some(cell.number);
            self.runs[turn.cell].push((turn.repetition, SweepRun { stored, result }));
        }
        if known < earlier.cells.len() {
            let session = earlier.session;
            let (before, now) = (earlier.ranks(), asked.ranks);
            if before != now {
                let [before, now] =
                    [before, now].map(|ranks| say::counted(u64::from(ranks), "rank"));
                return Err(CommandError::refused(format!(
                    "session {session} was measured with {before}, and this command has {now}; hint: start it with {before} \
                     to resume, or with {now} and --new"
                )));
            }
            return Err(CommandError::refused(format!(
                "session {session} has {} cells that this sweep does not have: its plan, or the folder of its \
                 target's path, has changed since; go there, or start again without --resume",
                earlier.cells.len() - known
            )));
        }
        Ok(())
    }

    /// The result of all ranks, of a cell that ranks measured.
    fn merged(&self, session: SessionId, row: &ResultRow) -> Option<Result<SweepResult, String>> {
        ranks::merged(self.store?, session, row)
    }

    /// What was there before this call.
    pub(crate) fn earlier(&self) -> Option<&Earlier> {
        self.earlier.as_ref()
    }

    /// Whether this turn is to be run now: it has no result, and its cell has not had enough of them.
    pub(crate) fn wants(&self, asked: &Asked, turn: Turn) -> bool {
        let before = |run: &&(u32, SweepRun)| run.0 < turn.repetition;
        let runs = &self.runs[turn.cell];
        let has = runs
            .iter()
            .any(|(repetition, run)| *repetition == turn.repetition && run.result.is_ok());
        let mut earlier: Vec<_> = runs.iter().filter(before).collect();
        earlier.sort_by_key(|(repetition, _)| *repetition);
        let rates: Vec<Option<f64>> = earlier
            .iter()
            .map(|(_, run)| run.result.as_ref().ok().and_then(SweepResult::iops))
            .collect();
        !has && (turn.repetition <= asked.repeat.least || !asked.repeat.is_enough(&rates))
    }

    /// Whether it is counted among those that are left: of what a precision decides, only what is certain.
    pub(crate) fn may_come(&self, asked: &Asked, turn: Turn) -> bool {
        let runs = &self.runs[turn.cell];
        let has = runs
            .iter()
            .any(|(repetition, _)| *repetition == turn.repetition);
        !has && turn.repetition <= asked.repeat.least
    }

    /// Takes a turn's result into the table.
    pub(crate) fn take(
        &mut self,
        turn: Turn,
        stored: Option<u32>,
        result: Result<SweepResult, String>,
    ) {
        let runs = &mut self.runs[turn.cell];
        runs.retain(|(repetition, _)| *repetition != turn.repetition);
        runs.push((turn.repetition, SweepRun { stored, result }));
        runs.sort_by_key(|(repetition, _)| *repetition);
    }

    /// The table and its notes. Earlier results are read whole now, for its verdict.
    pub(crate) fn result(
        &mut self,
        asked: &Asked,
        walked: &Walked,
        host: &HostRecord,
        took: Nanos,
    ) -> (Vec<SweepCell>, SweepContext) {
        if let (Some(store), Some(session)) = (self.store, self.session) {
            let runs = self.runs.iter_mut().flatten();
            runs.for_each(|(_, run)| judge(store, session, run));
        }
        let varied = asked.grid.varied();
        let context = SweepContext {
            axes: varied.iter().map(|&name| name.to_owned()).collect(),
            cells_planned: Some(asked.cells.len() as u64),
            order: Some(order_name(asked).to_owned()),
            rest_ns: Some(asked.rest.0),
            elapsed_ns: Some(took.0),
            interrupted: walked.interrupted,
            failure: walked.trouble.clone(),
            target: asked.target_names(),
            host: Some(HostDigest::of(host)),
            started_utc_ns: Some(self.started_utc.0),
            tool_version: VERSION.to_owned(),
            command: command_line(),
        };
        (cells_of(asked, &self.runs), context)
    }

    /// How the session ended.
    pub(crate) fn outcome(&self, walked: &Walked) -> SessionOutcome {
        let mut results = self.runs.iter().flatten();
        if walked.trouble.is_some() || walked.failed_fast {
            SessionOutcome::Failed
        } else if walked.interrupted {
            SessionOutcome::Interrupted
        } else if results.all(|(_, run)| run.result.is_err()) {
            SessionOutcome::Failed
        } else {
            SessionOutcome::Complete
        }
    }
}

/// Reads a run whole, if only its row was read, and returns whether it may be used.
pub(super) fn judge(store: &Store, session: SessionId, run: &mut SweepRun) {
    let (Ok(result), Some(number)) = (&mut run.result, run.stored) else {
        return;
    };
    if result.validity.is_some() {
        return;
    }
    let stored = store.load_result(session, number).ok().flatten();
    if let Some(record) = stored.as_ref().and_then(StoredRun::record) {
        // A hint that cannot be read is reported where the session is shown.
        let known = known_by(&result.row.notes).unwrap_or_default();
        *result = SweepResult::of(record, &known);
    }
}

pub(super) fn cells_of(asked: &Asked, runs: &[Vec<(u32, SweepRun)>]) -> Vec<SweepCell> {
    (1u64..)
        .zip(asked.cells.iter().zip(runs))
        .map(|(number, (cell, runs))| SweepCell {
            number,
            group: cell.group.clone(),
            values: cell.values.clone(),
            runs: runs.iter().map(|(_, run)| run.clone()).collect(),
        })
        .collect()
}

pub(super) fn order_name(asked: &Asked) -> &'static str {
    match asked.order {
        sweep::Order::Given => "given",
        sweep::Order::Shuffled => "shuffled",
        sweep::Order::Interleaved => "interleaved",
    }
}
