//! Stored surveys as they are shown.

use super::context;
use crate::commands::report::gather;
use crate::commands::restated::command_of;
use crate::kinds::{Hints, Kind, Stored};
use crate::report::{self, Form};
use analysis::page::PageBuilder;
use analysis::survey_report_knowing;
use model::{CommandError, ResultRow, RunRecord};
use store::StoredRun;

/// The row of `fathom survey`.
pub(crate) static KIND: Kind = Kind {
    word: "survey",
    described: "a survey",
    hints: Hints::All,
    can_resume: true,
    show,
    add_to_page,
    below_run: alone,
};

fn show(stored: &Stored<'_>, form: Form<'_>) -> Result<Vec<u8>, CommandError> {
    let session = stored.load()?;
    let context = context::from_store(&session);
    let runs = session.runs.into_iter();
    let cells: Vec<(String, RunRecord)> = runs.filter_map(StoredRun::into_record).collect();
    Ok(report::survey(&cells, &context, form))
}

/// Returns the line that runs one cell of a survey by itself, from any folder.
fn alone(record: &RunRecord) -> String {
    command_of(record).map_or_else(String::new, |line| format!("this cell alone: {line}\n"))
}

fn add_to_page(
    stored: &Stored<'_>,
    rows: Vec<ResultRow>,
    page: &mut PageBuilder,
) -> Result<(), CommandError> {
    let mut cells: Vec<(String, RunRecord)> = Vec::new();
    let first = rows.first().map(|row| row.number);
    for row in rows {
        gather::result(stored.store, row, false, page, &mut |row, record| {
            let cell = record.ok();
            cells.extend(cell.map(|record| (row.label.clone(), record.clone())));
        });
    }
    // Any result brings the session's context with it; reading all of them would fail on a single damaged one.
    let kept = match first {
        Some(number) => stored.store.load_one(stored.id(), number),
        None => stored.store.load(stored.id()),
    };
    let context = context::from_store(&kept.map_err(CommandError::refused)?);
    page.survey(survey_report_knowing(&cells, &context, stored.known));
    Ok(())
}
