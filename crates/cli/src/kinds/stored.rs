//! What the general commands ask of a kind of session, and a session as the rows of kinds read it.
//!
//! Omitted: which kinds there are (`kinds`), and what only one kind shows, which stands next to its row.

use super::page;
use crate::args::KnownArgs;
use crate::commands::noted::ONE_RESULT;
use crate::report::{self, FilesForm, Form};
use analysis::Known;
use analysis::page::PageBuilder;
use model::{CommandError, ResultRow, RunRecord};
use session::{VERSION, clock};
use store::{
    RunName, Session, SessionId, SessionKind, SessionSummary, Store, StoredResult, StoredRun,
};

/// A kind of session.
pub(crate) struct Kind {
    /// The command that fills it, as the database and lists spell it.
    pub(crate) word: &'static str,
    /// What a sentence calls it, with its article.
    pub(crate) described: &'static str,
    /// Which hints of `fathom note` change its findings.
    pub(crate) hints: Hints,
    /// Whether `--resume` continues it.
    pub(crate) can_resume: bool,
    /// Writes a whole session as text or as a document, in the form that is asked for.
    pub(crate) show: fn(&Stored<'_>, Form<'_>) -> Result<Vec<u8>, CommandError>,
    /// Adds the results of a whole session and its own report to a page.
    pub(crate) add_to_page: AddToPage,
    /// Returns the lines below one of its runs.
    pub(crate) below_run: fn(&RunRecord) -> String,
}

/// Which hints change the findings of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hints {
    None,
    All,
    /// All, but a goal is one of a single result.
    GoalOfOneResult,
}

impl Kind {
    /// Returns the kind as sessions are stored with it.
    pub(crate) const fn stored(&self) -> SessionKind {
        SessionKind::new(self.word)
    }

    /// Returns why a session, or one result of it, has no hints of these kinds; `None` where it can.
    pub(crate) fn refuse_hints(&self, name: &str, one: bool, goal: bool) -> Option<String> {
        match self.hints {
            Hints::GoalOfOneResult if goal && !one => {
                Some(format!("{name}: {ONE_RESULT}, as {name}.1"))
            }
            Hints::All | Hints::GoalOfOneResult => None,
            Hints::None => Some(format!(
                "{name}: hints have no effect on a session of fathom {}; --comment can be stored with it",
                self.word
            )),
        }
    }
}

/// Returns nothing, for kinds whose runs need no line below them.
pub(crate) fn nothing_below(_: &RunRecord) -> String {
    String::new()
}

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

/// Adds the results of a session, and its own report, to a page.
pub(crate) type AddToPage =
    fn(&Stored<'_>, Vec<ResultRow>, &mut PageBuilder) -> Result<(), CommandError>;

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

    /// Shows several results, which `add` adds to a page: one verdict, a line for each, one thing to do.
    ///
    /// # Errors
    /// A document shows one.
    pub(crate) fn several(&self, add: AddToPage, form: Form<'_>) -> Result<Vec<u8>, CommandError> {
        let id = self.id();
        if form.json {
            return Err(CommandError::refused(format!(
                "session {id} has several runs, and a document shows one: specify it, as {id}.1"
            )));
        }
        let name = RunName {
            session: id,
            run: None,
        };
        let mut page = PageBuilder::new(clock::utc().0, VERSION, true);
        let rows = page::begin(self.store, self.summary, name, &mut page)?;
        add(self, rows, &mut page)?;
        Ok(report::part(&page.finish(0), form))
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
