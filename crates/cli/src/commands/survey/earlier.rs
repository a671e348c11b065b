//! A survey that was interrupted: its results so far, from which the next points are chosen, as if it had never ended.
//!
//! A point that was interrupted is measured again. Omitted: which points come next (`sweep`).

use super::request::Asked;
use super::site::Site;
use crate::args::SurveyArgs;
use crate::commands::resumed::{Lock, Wanted, target_identity};
use crate::environment::Environment;
use crate::kinds::stored::Kind;
use crate::subcommand::read_line;
use model::{Bytes, CommandError, HostRecord, Nanos, Outcome, TargetFacts};
use store::{RunName, SessionId, SessionOutcome, Store, StoredResult};
use sweep::{Measured, SurveyOptions};

/// The session that `--resume` names, with the words that it began with: where it is stored and how it is shown is of the
/// command that resumes it, and so are the confirmations.
pub(crate) fn named(
    args: &SurveyArgs,
    kind: &'static Kind,
    environment: &Environment,
) -> Result<Option<(SessionId, SurveyArgs)>, CommandError> {
    let Some(id) = &args.resume else {
        return Ok(None);
    };
    let wanted = Wanted {
        kind,
        keep: &args.keep,
    };
    let read = |command: &[String]| read_line::<SurveyArgs>("survey", command).ok();
    let (session, words) = wanted.named(id, environment, read)?;
    let seed = words.seed.or_else(|| args.seed.clone());
    Ok(Some((session, SurveyArgs { seed, ..words })))
}

/// What distinguishes a survey from others: the machine, the target, the range and what is measured.
pub(crate) fn fingerprint(
    asked: &Asked,
    site: &Site,
    facts: &TargetFacts,
    host: &HostRecord,
) -> String {
    let target = target_identity(&asked.target, facts);
    let any_seed = SurveyOptions {
        seed: 0, // other offsets of the same points
        ..asked.options.clone()
    };
    let request = format!("{any_seed:?} {}", site.size);
    sweep::key(&["survey", &host.hostname, &target, &request])
}

/// What there is of it.
pub(crate) struct Earlier {
    pub(crate) session: SessionId,
    /// Its range, which was chosen by what was free and may be chosen another way now; none without a result.
    pub(crate) size: Option<Bytes>,
    /// Every point that is complete, in order.
    pub(crate) done: Vec<Measured>,
    /// How long these took.
    pub(crate) took: Nanos,
    /// Points that were interrupted.
    partial: Vec<RunName>,
}

impl Earlier {
    /// Reads what is not complete yet. Under the session's lock.
    pub(crate) fn read(store: &Store, session: SessionId) -> Result<Earlier, CommandError> {
        let whole = store.load(session).map_err(CommandError::refused)?;
        if whole.summary.outcome == Some(SessionOutcome::Complete) {
            return Err(refused(
                session,
                &format!(
                    "it is complete; hint: fathom show {session}, or begin another one without --resume"
                ),
            ));
        }
        let mut records = whole.runs.iter().filter_map(|run| run.record());
        let mut earlier = Earlier {
            session,
            size: records.find_map(|record| Some(record.plan.targets.first()?.length)),
            done: Vec::new(),
            took: Nanos(0),
            partial: Vec::new(),
        };
        for run in whole.runs {
            match run.result {
                StoredResult::Run(record) if record.outcome == Outcome::Complete => {
                    let took = record.plan.phases.warmup.plus(record.phases.measured());
                    earlier.took = earlier.took.plus(took);
                    earlier.done.push(Measured::new(run.label, *record, took));
                }
                _ => earlier.partial.push(RunName {
                    session,
                    run: Some(run.number),
                }),
            }
        }
        Ok(earlier)
    }

    /// Refuses to go on where something else would be measured.
    pub(crate) fn must_be(&self, store: &Store, fingerprint: &str) -> Result<(), CommandError> {
        let same = store.has_fingerprint(self.session, fingerprint);
        match same.map_err(CommandError::refused)? {
            true => Ok(()),
            false => Err(refused(
                self.session,
                "the target is not the one of this session, or its size or the machine differs; hint: go to the folder \
                 where it began, or begin another one without --resume",
            )),
        }
    }

    /// Deletes the points that are measured again. Under the session's lock.
    pub(crate) fn drop_partial(&self, store: &Store) -> Result<(), CommandError> {
        match self.partial.is_empty() {
            true => Ok(()),
            false => store.delete(&self.partial).map_err(CommandError::failed),
        }
    }
}

fn refused(session: SessionId, why: &str) -> CommandError {
    CommandError::refused(format!("--resume {session}: {why}"))
}

/// Locks a survey in the database while it runs.
pub(crate) fn lock(
    store: Option<&Store>,
    session: Option<SessionId>,
) -> Result<Option<Lock>, CommandError> {
    store
        .zip(session)
        .map(|(store, session)| Lock::take(store.path(), session))
        .transpose()
}
