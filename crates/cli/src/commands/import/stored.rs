//! Sessions of imported results, as they are shown: one result, a few under one verdict, or a table of many.

use super::PART_MAX;
use crate::commands::noted::ONE_RESULT;
use crate::kinds::{Hints, Kind, Stored, add_results, nothing_below};
use crate::report::{self, Form};
use analysis::columns::{Selection, columns, usual};
use analysis::{Observed, session_findings};
use model::CommandError;

/// The row of `fathom import`.
pub(crate) static KIND: Kind = Kind {
    word: "import",
    described: "an import",
    hints: Hints::GoalOfOneResult,
    can_resume: false,
    show,
    add_to_page: add_results,
    below_run: nothing_below,
};

fn show(stored: &Stored<'_>, form: Form<'_>) -> Result<Vec<u8>, CommandError> {
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
        true => stored.several(form)?,
        false => report::rows(&usual(&rows), report::export_of(false, false), form),
    };
    let observed: Vec<Observed> = rows.iter().map(Observed::of_row).collect();
    let findings = session_findings(&observed, stored.known);
    page.extend(report::findings(&findings, form));
    Ok(page)
}
