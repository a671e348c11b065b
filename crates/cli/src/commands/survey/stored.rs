//! Stored surveys as they are shown.
//!
//! Of one that was killed, or whose context another version stored in another form, the command line is read again; what only the moment
//! knew is not known any more.

use super::request::Asked;
use crate::commands::restated::command_of;
use crate::kinds::page;
use crate::kinds::stored::{Hints, Kind, Stored};
use crate::report::{self, Form};
use crate::subcommand::read_line;
use analysis::page::PageBuilder;
use analysis::{SurveyContext, SurveyScope, survey_report_knowing};
use model::{CommandError, ResultRow, RunRecord};
use store::{Session, SessionOutcome, StoredRun};

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
    let context = from_store(&session);
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
        page::result(stored.store, row, false, page, &mut |row, record| {
            let cell = record.ok();
            cells.extend(cell.map(|record| (row.label.clone(), record.clone())));
        });
    }
    // Any result brings the session's context with it; reading all of them would fail on a single damaged one.
    let kept = match first {
        Some(number) => stored.store.load_one(stored.id(), number),
        None => stored.store.load(stored.id()),
    };
    let context = from_store(&kept.map_err(CommandError::refused)?);
    page.survey(survey_report_knowing(&cells, &context, stored.known));
    Ok(())
}

/// What can still be known of a survey in the store.
fn from_store(session: &Session) -> SurveyContext {
    let kept = session.context.as_deref();
    if let Some(context) = kept.and_then(|text| serde_json::from_str(text).ok()) {
        return context;
    }
    let asked = asked_again(&session.summary.command);
    let read_only = asked.as_ref().map(|asked| asked.options.read_only);
    let first = session
        .runs
        .first()
        .and_then(|run| run.record()?.plan.targets.first());
    SurveyContext {
        workloads: asked.as_ref().map(Asked::workloads).unwrap_or_default(),
        scope: SurveyScope {
            budget_ns: asked.as_ref().map(|asked| asked.options.budget.0),
            read_only,
            size_bytes: first.map(|target| target.length.0),
            ..SurveyScope::default()
        },
        goal: asked
            .as_ref()
            .and_then(|asked| Some((asked.options.goal?.latency.0, asked.options.goal?.quantile))),
        queue_depth_max: asked.and_then(|asked| asked.depth_max).map(u64::from),
        // One that was never finished was killed, or is still running: its result is as partial.
        interrupted: matches!(
            session.summary.outcome,
            Some(SessionOutcome::Interrupted) | None
        ),
        failure: (session.summary.outcome == Some(SessionOutcome::Failed))
            .then(|| "it ended by an error".to_owned()),
        ..SurveyContext::default()
    }
}

/// `None` for a line of another version that this one does not understand.
fn asked_again(command: &[String]) -> Option<Asked> {
    Asked::read(&read_line("survey", command).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Nanos;

    #[test]
    fn what_a_stored_command_line_said_is_understood_again() {
        let words = ["fathom", "survey", "--budget", "90s", "--read-only"].map(str::to_owned);
        let asked = asked_again(&words).unwrap();
        assert_eq!(asked.options.budget, Nanos::seconds(90));
        assert!(asked.options.read_only);
        assert_eq!(
            asked_again(&["fathom".to_owned(), "explore".to_owned()]),
            None
        );
    }
}
