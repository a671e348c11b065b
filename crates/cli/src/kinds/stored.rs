//! A session in the database, as the rows of kinds read it: whole, one result of it, or several under one verdict.
//!
//! Omitted: what only one kind shows, which stands beside its row.

use crate::args::KnownArgs;
use crate::commands::{answer, report::gather};
use crate::report::{self, FilesForm, Form};
use analysis::Known;
use analysis::page::PageBuilder;
use model::{CommandError, FilesRecord, ResultRow};
use std::collections::HashSet;
use store::{RunName, Session, SessionId, SessionSummary, Store, StoredResult, StoredRun};

/// A session in the database, and what a person knows of it.
#[derive(Clone, Copy)]
pub(crate) struct Stored<'a> {
    pub(crate) store: &'a Store,
    pub(crate) summary: &'a SessionSummary,
    /// From the command line and from its notes.
    pub(crate) known: &'a Known,
    /// From the command line alone: each result has notes of its own.
    pub(crate) hints: &'a KnownArgs,
}

impl Stored<'_> {
    /// Returns its number.
    pub(crate) fn id(&self) -> SessionId {
        self.summary.id
    }

    /// Reads all of it.
    ///
    /// # Errors
    /// Something of it is damaged.
    pub(crate) fn load(&self) -> Result<Session, CommandError> {
        self.store.load(self.id()).map_err(CommandError::refused)
    }

    /// Shows the one result of a session that has one.
    ///
    /// # Errors
    /// It has none, or it is damaged.
    pub(crate) fn only(&self, form: Form<'_>) -> Result<Vec<u8>, CommandError> {
        page_of(pick(&self.load()?, None)?, form)
    }

    /// Shows several results: one verdict, a line for each, one thing to do.
    ///
    /// # Errors
    /// A document shows one.
    pub(crate) fn several(&self, form: Form<'_>) -> Result<Vec<u8>, CommandError> {
        let id = self.id();
        if form.json {
            return Err(CommandError::refused(format!(
                "session {id} has several runs, and a document shows one: specify it, as {id}.1"
            )));
        }
        Ok(report::part(&answer::document(self.store, id)?, form))
    }
}

/// Reads a session, or of it only the result that is named: others may be damaged.
///
/// # Errors
/// It is not there, or damaged.
pub(crate) fn load(store: &Store, name: RunName) -> Result<Session, CommandError> {
    let Some(number) = name.run else {
        return store.load(name.session).map_err(CommandError::refused);
    };
    let session = store
        .load_one(name.session, number)
        .map_err(CommandError::refused)?;
    if session.runs.is_empty() {
        return store.load(name.session).map_err(CommandError::refused); // to list the existing ones
    }
    Ok(session)
}

/// Returns the result that is named; else the first there is, because a session of `fathom run` has one. Numbers begin
/// anywhere and have gaps where results were deleted.
///
/// # Errors
/// There is none of that number; the message has those that there are.
pub(crate) fn pick(session: &Session, number: Option<u32>) -> Result<&StoredRun, CommandError> {
    let (id, runs) = (session.summary.id, &session.runs);
    let (Some(first), Some(last)) = (runs.first(), runs.last()) else {
        return Err(CommandError::refused(format!(
            "session {id} has no run: its first is still running or was not completed, or all were deleted"
        )));
    };
    let number = number.unwrap_or(first.number);
    let run = runs.iter().find(|run| run.number == number);
    run.ok_or_else(|| {
        let (first, last) = (first.number, last.number);
        CommandError::refused(match runs.len() {
            1 => format!("session {id} has no run {number}: it has one, {id}.{first}"),
            count if count as u64 == u64::from(last - first) + 1 => {
                format!("session {id} has no run {number}: it has {id}.{first} to {id}.{last}")
            }
            count => format!(
                "session {id} has no run {number}: of {id}.{first} to {id}.{last} it has {count}"
            ),
        })
    })
}

/// Shows one result: measured here, or imported.
///
/// # Errors
/// It is missing.
pub(crate) fn page_of(run: &StoredRun, form: Form<'_>) -> Result<Vec<u8>, CommandError> {
    match &run.result {
        StoredResult::Run(record) => Ok(report::run(record, form)),
        StoredResult::Files(record) => Ok(report::files(
            std::slice::from_ref(record),
            FilesForm::Summary,
            form,
        )),
        StoredResult::Watch(record) => Ok(report::watch(&[record], form)),
        StoredResult::Imported(imported) => Ok(report::imported_run(imported, form)),
        StoredResult::Missing(why) => Err(CommandError::refused(format!(
            "{} has no result: {why}",
            run.label
        ))),
    }
}

/// Shows all steps of work with files on one page; work that was killed has those that were done.
pub(crate) fn show_steps(stored: &Stored<'_>, form: Form<'_>) -> Result<Vec<u8>, CommandError> {
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
    gather::each(stored.store, rows, &HashSet::new(), page);
    Ok(())
}
