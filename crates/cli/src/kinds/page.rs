//! The results database → the page: one part a name, its results read one after another.
//!
//! A result that cannot be read any more is a gap with the reason; the others are shown all the same.

use crate::args::known_by;
use crate::commands::noted::sentences;
use crate::commands::restated::command_of;
use analysis::audit::audit_report;
use analysis::page::{PageBuilder, PagePart, PartOrigin};
use analysis::{files_report, imported_report_knowing, run_report_knowing};
use model::{CommandError, FilesRecord, Origin, ResultRow, RunRecord};
use std::collections::HashSet;
use store::{RunName, SessionId, SessionSummary, Store, StoredResult};

/// Begins the part of a session, or of one result of it. Returns the rows of the results that are meant.
///
/// # Errors
/// Its rows cannot be read.
pub(crate) fn begin(
    store: &Store,
    summary: &SessionSummary,
    name: RunName,
    page: &mut PageBuilder,
) -> Result<Vec<ResultRow>, CommandError> {
    let notes = store.notes(name).map_err(CommandError::refused)?;
    page.part(PagePart {
        notes: sentences(&notes)
            .into_iter()
            .chain(unfinished(summary, name))
            .collect(),
        ..begun(summary, name)
    });
    let rows = store.rows(&[name.session]);
    let mut rows = rows.map_err(CommandError::refused)?;
    rows.retain(|row| name.run.is_none_or(|number| number == row.number));
    Ok(rows)
}

/// Adds results that have no report together, but for steps of work with files. `neighbours` are ranks that share a machine
/// with others of their job.
pub(crate) fn each(
    store: &Store,
    rows: Vec<ResultRow>,
    neighbours: &HashSet<u32>,
    page: &mut PageBuilder,
) {
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
pub(crate) fn result(
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
    let stored = store.load_result(SessionId(row.session), row.number);
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
        Ok(Some(StoredResult::Watch(record))) => match audit_report(&record) {
            Some(report) => page.audited(row, &report),
            None => page.described(row),
        },
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
