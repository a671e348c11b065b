//! A test in the results database: found again, its runs read one after another, and shown.
//!
//! A run is known by its key, which is its step. All else that a report needs follows from the command line and
//! from the first record, so that a test that was killed is shown as far as it is.

use super::request::{Asked, Planned};
use crate::args::PtsArgs;
use crate::commands::resumed::Wanted;
use crate::environment::{Environment, StorePlace};
use crate::keep;
use crate::kinds::separate::add_results;
use crate::kinds::stored::{Hints, Kind, nothing_below};
use crate::report;
use crate::subcommand::read_line;
use analysis::pts::{PtsContext, PtsReport, PtsRun, PtsStep, pts_report};
use analysis::{RunReport, run_report};
use model::{CommandError, Nanos, RunRecord, TargetFacts};
use session::clock;
use store::{SessionId, SessionOutcome, SessionSummary, Store, StoredResult};

/// The row of `fathom pts`.
pub(crate) static KIND: Kind = Kind {
    word: "pts",
    described: "a test of PTS",
    hints: Hints::None,
    can_resume: true,
    show: |stored, form| Ok(report::pts(&report_of(stored.store, stored.summary)?, form)),
    add_to_page: |stored, rows, page| {
        add_results(stored, rows, page)?;
        // One without a run yet has no report.
        if let Ok(report) = report_of(stored.store, stored.summary) {
            page.pts(&report);
        }
        Ok(())
    },
    below_run: nothing_below,
};

/// The runs of a session.
#[derive(Default)]
pub(crate) struct Runs {
    pub(crate) runs: Vec<PtsRun>,
    /// Of the first run.
    pub(crate) first: Option<First>,
}

/// What the report takes from the first run.
pub(crate) struct First {
    pub(crate) report: RunReport,
    facts: Option<TargetFacts>,
}

impl Runs {
    /// Reads them one after another: all at once they may not fit into memory.
    pub(crate) fn read(store: &Store, session: SessionId) -> Result<Runs, CommandError> {
        let mut runs = Runs::default();
        for cell in store.cells(session).map_err(CommandError::refused)? {
            let Ok(step) = cell.key.parse::<PtsStep>() else {
                continue; // of another version
            };
            let stored = store.load_result(session, cell.number);
            let stored = stored.map_err(CommandError::refused)?;
            if let Some(StoredResult::Run(record)) = stored.map(|run| run.result) {
                runs.push(step, &cell.label, &record);
            }
        }
        Ok(runs)
    }

    /// Takes one more.
    pub(crate) fn push(&mut self, step: PtsStep, label: &str, record: &RunRecord) {
        if self.first.is_none() {
            self.first = Some(First {
                report: run_report(record),
                facts: record.targets.first().cloned(),
            });
        }
        self.runs.push(PtsRun::of(step, label, record));
    }

    /// The report, as far as the test is.
    pub(crate) fn report(&self, planned: &Planned, context: &PtsContext) -> PtsReport {
        let first = self.first.as_ref().map(|first| &first.report);
        pts_report(&planned.pts.definition, &self.runs, first, context)
    }

    /// How long the target rested since the last run.
    pub(crate) fn rest(&self) -> Nanos {
        let ended = self
            .runs
            .iter()
            .map(|run| run.started_utc_ns.saturating_add(run.busy_ns));
        ended
            .max()
            .map_or(Nanos(0), |ended| clock::utc().minus(Nanos(ended)))
    }
}

/// The report of a session from the database.
fn report_of(store: &Store, summary: &SessionSummary) -> Result<PtsReport, CommandError> {
    let runs = Runs::read(store, summary.id)?;
    let id = summary.id;
    let unread = || {
        CommandError::refused(format!(
            "session {id}: its command line is one of another version: fathom show {id}.1 shows its runs"
        ))
    };
    let args = args_of(&summary.command).ok_or_else(unread)?;
    let asked = Asked::read(&args)?;
    let facts = runs.first.as_ref().and_then(|first| first.facts.clone());
    let facts =
        facts.ok_or_else(|| CommandError::refused(format!("session {id} has no run yet")))?;
    let planned = asked.planned(&facts)?;
    let ended = summary.outcome;
    let context = PtsContext {
        interrupted: matches!(ended, Some(SessionOutcome::Interrupted) | None),
        failure: (ended == Some(SessionOutcome::Failed)).then(|| "it ended by an error".to_owned()),
        ..planned.context.clone()
    };
    Ok(runs.report(&planned, &context))
}

/// None for a line of another version that this one does not understand.
fn args_of(command: &[String]) -> Option<PtsArgs> {
    read_line("pts", command).ok()
}

/// The session that `--resume` names, and the words that it began with.
pub(crate) fn named(
    id: &str,
    args: &PtsArgs,
    environment: &Environment,
) -> Result<(SessionId, PtsArgs), CommandError> {
    let wanted = Wanted {
        kind: &KIND,
        keep: &args.keep,
    };
    wanted.named(id, environment, args_of)
}

/// The session of the same request that is not finished, if there is one.
pub(crate) fn unfinished(
    store: &Store,
    fingerprint: &str,
    wanted: Option<SessionId>,
    args: &PtsArgs,
) -> Result<Option<SessionId>, CommandError> {
    match wanted {
        Some(session) => {
            let same = store.has_fingerprint(session, fingerprint);
            match same.map_err(CommandError::refused)? {
                true => Ok(Some(session)),
                false => Err(CommandError::refused(format!(
                    "--resume {session}: the target is not the one of this session: its model, firmware, size or diskseq \
                     differs, or the host does; hint: begin a new test by the whole command"
                ))),
            }
        }
        None if args.course.new => Ok(None),
        None => store.find_sweep(fingerprint).map_err(CommandError::refused),
    }
}

/// The same, without changing anything: for a look ahead.
pub(crate) fn look(
    place: Option<&StorePlace>,
    fingerprint: &str,
    wanted: Option<SessionId>,
    args: &PtsArgs,
) -> Result<Option<SessionId>, CommandError> {
    let Some(path) = place.map(StorePlace::path).filter(|path| path.exists()) else {
        return Ok(None);
    };
    let store = keep::opened(|report| Store::look_with(path, report))?;
    unfinished(&store, fingerprint, wanted, args)
}
