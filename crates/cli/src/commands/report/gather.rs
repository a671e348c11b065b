//! The results database → the page: one part a name, its results read one after another.
//!
//! A result that cannot be read any more is a gap with the reason; the others are shown all the same.

use crate::args::known_by;
use crate::commands::looks::stored;
use crate::commands::noted::sentences;
use crate::commands::pts::stored::report_of as pts_report_of;
use crate::commands::ranks::Ranks;
use crate::commands::restated::command_of;
use crate::commands::survey::context;
use crate::commands::sweep::ranks::is_part;
use crate::commands::sweep::shown;
use analysis::page::{PageBuilder, PagePart, PartOrigin};
use analysis::{
    Known, SweepResult, SweepRun, files_report, imported_report_knowing, layers_report,
    quick_report, run_report_knowing, survey_report_knowing, sweep_report_knowing,
};
use model::{CommandError, FilesRecord, Origin, ResultRow, RunRecord};
use std::collections::HashSet;
use store::{RunName, SessionId, SessionKind, SessionSummary, Store, StoredResult};

/// Adds a session, or one result of it.
pub(crate) fn part(
    store: &Store,
    name: RunName,
    page: &mut PageBuilder,
) -> Result<(), CommandError> {
    let summary = store
        .summary_of(name.session)
        .map_err(CommandError::refused)?;
    let notes = store.notes(name).map_err(CommandError::refused)?;
    let known = known_by(&notes)?;
    page.part(PagePart {
        notes: sentences(&notes)
            .into_iter()
            .chain(unfinished(&summary, name))
            .collect(),
        ..begun(&summary, name)
    });
    let mut rows = store.rows(&[name.session]).map_err(CommandError::refused)?;
    rows.retain(|row| name.run.is_none_or(|number| number == row.number));
    match summary.kind {
        _ if name.run.is_some() => each(store, rows, &HashSet::new(), page),
        SessionKind::Sweep => whole_sweep(store, &summary, &known, rows, page),
        SessionKind::Survey => whole_survey(store, name.session, &known, rows, page)?,
        SessionKind::Pts => {
            each(store, rows, &HashSet::new(), page);
            // One without a run yet has no report.
            if let Ok(report) = pts_report_of(store, &summary) {
                page.pts(&report);
            }
        }
        SessionKind::Quick | SessionKind::Layers => {
            each(store, rows, &HashSet::new(), page);
            // A session that cannot be read whole keeps its runs, each with its own figures.
            if let Ok(session) = store.load(name.session) {
                let (runs, context) = stored::from_store(session);
                match summary.kind {
                    SessionKind::Quick => page.quick(&quick_report(&runs, &context)),
                    _ => page.layers(&layers_report(&runs, &context)),
                }
            }
        }
        SessionKind::Run => {
            let ranks = Ranks::read(store, name.session).ok().flatten();
            let neighbours = ranks.as_ref().map(Ranks::neighbours).unwrap_or_default();
            each(store, rows, &neighbours, page);
            // Each rank of a job has its own figures, and all together have one verdict.
            if let Some(ranks) = ranks
                && let Ok(steps) = ranks.reports(store)
                && !steps.is_empty()
            {
                page.job(&steps);
            }
        }
        SessionKind::Import
        | SessionKind::Files
        | SessionKind::Dd
        | SessionKind::Watch
        | SessionKind::Verify => each(store, rows, &HashSet::new(), page),
    }
    Ok(())
}

/// Adds results that have no report together, but for steps of work with files. `neighbours` are ranks that share a machine
/// with others of their job.
fn each(store: &Store, rows: Vec<ResultRow>, neighbours: &HashSet<u32>, page: &mut PageBuilder) {
    let steps = rows.into_iter().filter_map(|row| {
        let has_neighbours = neighbours.contains(&row.number);
        result(store, row, has_neighbours, page, &mut |_, _| ())
    });
    let steps: Vec<FilesRecord> = steps.collect();
    if !steps.is_empty() {
        page.files(files_report(&steps));
    }
}

/// Its entry in the database before any result is read.
fn begun(summary: &SessionSummary, name: RunName) -> PagePart {
    let outcome = summary
        .outcome
        .map_or("unfinished", |outcome| outcome.name());
    PagePart {
        name: name.to_string(),
        kind: match name.run {
            Some(_) => "run".to_owned(),
            None => summary.kind.name().to_owned(),
        },
        target: summary.target.clone(),
        origin: PartOrigin {
            started_utc_ns: Some(summary.started_utc.0),
            outcome: outcome.to_owned(),
            command: summary.command.clone(),
            tool_version: summary.tool_version.clone(),
            tags: summary.tags.clone(),
        },
        ..PagePart::default()
    }
}

fn unfinished(summary: &SessionSummary, name: RunName) -> Option<String> {
    (summary.outcome.is_none() && name.run.is_none())
        .then(|| "it is not finished: it is still running, or was killed".to_owned())
}

/// Adds one result; `also` is informed of it with its record, or with why there is none. Returns the record of a step of
/// work with files.
fn result(
    store: &Store,
    row: ResultRow,
    has_neighbours: bool,
    page: &mut PageBuilder,
    also: &mut dyn FnMut(&ResultRow, Result<&RunRecord, String>),
) -> Option<FilesRecord> {
    if row.origin == Origin::Missing {
        also(&row, Err(row.reason.clone().unwrap_or_default()));
        page.missing(row);
        return None;
    }
    let known = match known_by(&row.notes) {
        Ok(known) => known,
        Err(error) => {
            gap(row, error.to_string(), page, also);
            return None;
        }
    };
    let whole = store.load_one(SessionId(row.session), row.number);
    let stored = whole.map(|session| session.runs.into_iter().next());
    match stored.map(|run| run.map(|run| run.result)) {
        Ok(Some(StoredResult::Run(record))) => {
            also(&row, Ok(&record));
            let report = run_report_knowing(&record, &known);
            let report = match has_neighbours {
                true => report.beside_own_ranks(),
                false => report,
            };
            page.measured(row, &record, &report, command_of(&record));
        }
        Ok(Some(StoredResult::Imported(run))) => {
            page.imported(row, &imported_report_knowing(&run, &known));
        }
        Ok(Some(StoredResult::Files(record))) => {
            page.described(row);
            return Some(*record);
        }
        Ok(Some(StoredResult::Watch(_))) => page.described(row),
        Ok(Some(StoredResult::Missing(why))) => gap(row, why, page, also),
        Ok(None) => gap(row, "it was deleted in the meantime".to_owned(), page, also),
        Err(error) => gap(row, error.to_string(), page, also),
    }
    None
}

fn gap(
    row: ResultRow,
    why: String,
    page: &mut PageBuilder,
    also: &mut dyn FnMut(&ResultRow, Result<&RunRecord, String>),
) {
    also(&row, Err(why.clone()));
    page.missing(ResultRow {
        reason: Some(why),
        origin: Origin::Missing,
        ..row
    });
}

fn whole_sweep(
    store: &Store,
    summary: &SessionSummary,
    known: &Known,
    rows: Vec<ResultRow>,
    page: &mut PageBuilder,
) {
    let mut runs: Vec<(String, SweepRun)> = Vec::new();
    for row in rows {
        result(store, row, false, page, &mut |row, record| {
            let of_ranks = shown::of_ranks(store, summary.id, row).filter(|_| record.is_ok());
            match of_ranks {
                _ if is_part(row) => {} // the line of rank 0 brings it
                Some(run) => runs.push(run),
                None => {
                    let run = SweepRun {
                        stored: Some(row.number),
                        result: record.map(|record| SweepResult::of(record, known)),
                    };
                    runs.push((row.label.clone(), run));
                }
            }
        });
    }
    let (cells, context) = shown::put_together(summary, runs);
    for cell in &cells {
        let gaps = cell.runs.iter().filter(|run| run.result.is_err());
        gaps.filter_map(|run| run.stored)
            .for_each(|number| page.asked(number, &cell.values));
    }
    page.sweep(sweep_report_knowing(&cells, &context, known));
}

fn whole_survey(
    store: &Store,
    session: SessionId,
    known: &Known,
    rows: Vec<ResultRow>,
    page: &mut PageBuilder,
) -> Result<(), CommandError> {
    let mut cells: Vec<(String, RunRecord)> = Vec::new();
    let first = rows.first().map(|row| row.number);
    for row in rows {
        result(store, row, false, page, &mut |row, record| {
            cells.extend(
                record
                    .ok()
                    .map(|record| (row.label.clone(), record.clone())),
            );
        });
    }
    // Any result brings the session's context with it; reading all of them would fail on a single damaged one.
    let kept = match first {
        Some(number) => store.load_one(session, number),
        None => store.load(session),
    };
    let kept = kept.map_err(CommandError::refused)?;
    let context = context::from_store(&kept);
    page.survey(survey_report_knowing(&cells, &context, known));
    Ok(())
}
