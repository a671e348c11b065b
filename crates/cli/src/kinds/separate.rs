//! Kinds whose results have no report together: steps of work with files, what was seen of devices, imported results.
//!
//! Omitted: how a single result is shown (`stored`).

use super::page::each;
use super::stored::{Hints, Kind, Stored, nothing_below};
use crate::commands::noted::ONE_RESULT;
use crate::report::{self, FilesForm, Form};
use analysis::columns::{Selection, columns, usual};
use analysis::page::PageBuilder;
use analysis::{Observed, session_findings};
use model::{CommandError, FilesRecord, ResultRow};
use std::collections::HashSet;
use store::StoredResult;

/// The row of `fathom files` and `fathom mdtest`.
pub(crate) static FILES: Kind = of_steps("files", "work with files");
/// The row of `fathom dd`, `lmdd` and `sgp_dd`.
pub(crate) static DD: Kind = of_steps("dd", "a copy");
/// The row of `fathom verify`.
pub(crate) static VERIFY: Kind = of_steps("verify", "a verification");
/// The row of `fathom watch`.
pub(crate) static WATCH: Kind = Kind {
    show: show_moments,
    ..of_steps("watch", "a watch")
};

/// The row of `fathom audit`.
pub(crate) static AUDIT: Kind = Kind {
    show: show_moments,
    ..of_steps("audit", "an audit")
};

/// Results of an import that are shown with a verdict on all of them; more are a table of rows.
pub(crate) const PART_MAX: usize = 24;

/// The row of `fathom import`.
pub(crate) static IMPORT: Kind = Kind {
    word: "import",
    described: "an import",
    hints: Hints::GoalOfOneResult,
    can_resume: false,
    show: show_imported,
    add_to_page: add_results,
    below_run: nothing_below,
};

const fn of_steps(word: &'static str, described: &'static str) -> Kind {
    Kind {
        word,
        described,
        hints: Hints::None,
        can_resume: false,
        show: show_steps,
        add_to_page: add_results,
        below_run: nothing_below,
    }
}

/// Shows all steps of work with files on one page; work that was killed has those that were done.
fn show_steps(stored: &Stored<'_>, form: Form<'_>) -> Result<Vec<u8>, CommandError> {
    let session = stored.load()?;
    let steps = session.runs.iter().filter_map(|run| match &run.result {
        StoredResult::Files(record) => Some((**record).clone()),
        _ => None,
    });
    let steps: Vec<FilesRecord> = steps.collect();
    Ok(report::files(&steps, FilesForm::Summary, form))
}

/// Adds results that have no report together, but for steps of work with files.
pub(crate) fn add_results(
    stored: &Stored<'_>,
    rows: Vec<ResultRow>,
    page: &mut PageBuilder,
) -> Result<(), CommandError> {
    each(stored.store, rows, &HashSet::new(), page);
    Ok(())
}

/// Shows every device and stretch of a stored watch on one page.
fn show_moments(stored: &Stored<'_>, form: Form<'_>) -> Result<Vec<u8>, CommandError> {
    let session = stored.load()?;
    let records = session.runs.iter().filter_map(|run| match &run.result {
        StoredResult::Watch(record) => Some(&**record),
        _ => None,
    });
    Ok(report::watch(&records.collect::<Vec<_>>(), form))
}

/// Shows imported results: one, a few under one verdict, or a table of many.
fn show_imported(stored: &Stored<'_>, form: Form<'_>) -> Result<Vec<u8>, CommandError> {
    let id = stored.id();
    if stored.summary.runs == 1 {
        return stored.only(form);
    }
    if !stored.known.goals.is_empty() {
        return Err(CommandError::refused(format!(
            "{id}: {ONE_RESULT}, as {id}.1"
        )));
    }
    let rows = stored.store.judged_rows(id);
    let rows = rows.map_err(CommandError::refused)?;
    if form.json {
        let selection = Selection::of(columns().collect(), &rows);
        return Ok(report::rows(
            &selection,
            report::export_of(false, true),
            form,
        ));
    }
    let mut page = match stored.summary.runs as usize <= PART_MAX {
        true => stored.several(add_results, form)?,
        false => report::rows(&usual(&rows), report::export_of(false, false), form),
    };
    let observed: Vec<Observed> = rows.iter().map(Observed::of_row).collect();
    let findings = session_findings(&observed, stored.known);
    page.extend(report::findings(&findings, form));
    Ok(page)
}
