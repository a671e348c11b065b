//! Stores the answer of a session's report, which `fathom list` shows.
//!
//! It is that of the page, so that the list, the page and the history agree. Deliberately absent: sessions of very many
//! results, whose report takes seconds; the list shows none of these.

use crate::args::{KnownArgs, known_by};
use crate::failure::Ending;
use crate::kinds::stored::Stored;
use crate::kinds::{kind_of, page};
use analysis::Validity;
use analysis::page::{PageBuilder, PageCell, PageDocument, PagePart};
use model::CommandError;
use model::record::RowVerdict;
use session::{Journal, VERSION, clock};
use std::borrow::Borrow;
use std::collections::HashSet;
use store::{RunName, SessionAnswer, SessionId, SessionOutcome, Store};

/// Results of a session whose answer is stored at most.
const RESULTS_MAX: u32 = 2000;

/// Finishes a session and stores its answer.
pub(crate) fn finish(
    journal: &Journal<impl Borrow<Store>>,
    outcome: SessionOutcome,
    context: Option<&str>,
) -> Ending {
    let ending = Ending::of(journal.finish(outcome, context));
    // A database that fails is not asked once more.
    if let (Some(database), Some(name)) = (journal.store(), journal.name()) {
        store(database, name.session);
    }
    ending
}

/// Stores the answer of a session. Without one the list lacks a verdict, which is no reason to fail.
pub(crate) fn store(store: &Store, session: SessionId) {
    if let Some(answer) = of_session(store, session) {
        let _ = store.set_answer(session, &answer);
    }
}

/// Computes the answer of a session; `None` where it has too many results or cannot be read.
pub(crate) fn of_session(store: &Store, session: SessionId) -> Option<SessionAnswer> {
    let few = store
        .summary_of(session)
        .is_ok_and(|it| it.runs <= RESULTS_MAX);
    few.then(|| document(store, session).ok())
        .flatten()
        .map(|document| of(&document))
}

/// Reads a session as its page has it, without the insides of its results.
pub(crate) fn document(store: &Store, session: SessionId) -> Result<PageDocument, CommandError> {
    let mut page = PageBuilder::new(clock::utc().0, VERSION, true);
    add_part(store, RunName { session, run: None }, &mut page)?;
    Ok(page.finish(0))
}

/// Adds a session, or one result of it.
///
/// # Errors
/// It cannot be read, or this build has no such kind.
pub(crate) fn add_part(
    store: &Store,
    name: RunName,
    builder: &mut PageBuilder,
) -> Result<(), CommandError> {
    let summary = store.summary_of(name.session);
    let summary = summary.map_err(CommandError::refused)?;
    let notes = store.notes(name).map_err(CommandError::refused)?;
    let stored = Stored {
        store,
        summary: &summary,
        known: &known_by(&notes)?,
        hints: &KnownArgs::default(),
    };
    let rows = page::begin(store, &summary, name, builder)?;
    if name.run.is_some() {
        page::each(store, rows, &HashSet::new(), builder);
        return Ok(());
    }
    (kind_of(&summary)?.add_to_page)(&stored, rows, builder)
}

/// The answer of the first part of a page.
pub(crate) fn of(document: &PageDocument) -> SessionAnswer {
    let Some(part) = document.parts.first() else {
        return SessionAnswer::default();
    };
    let said = part.verdict.sentences.first();
    let said = said.unwrap_or(&part.verdict.headline);
    SessionAnswer {
        validity: part
            .verdict
            .validity
            .map_or("", |validity| validity.word())
            .to_owned(),
        headline: said.trim_end_matches('.').to_owned(),
        device: device(part),
        results: results(document),
    }
}

/// The verdict of each result of the first part. Results that only the session's report describes have its verdict.
fn results(document: &PageDocument) -> Vec<(u32, RowVerdict)> {
    let Some(part) = document.parts.first() else {
        return Vec::new();
    };
    let own = document.cells.iter().enumerate();
    let own = own.filter(|(_, cell)| cell.part == 0);
    let number = |cell: &PageCell| cell.id.rsplit('.').next()?.parse().ok();
    let verdict = |(place, cell): (usize, &PageCell)| {
        let found = document.findings.iter();
        let found = found.filter(|finding| match &cell.validity {
            Some(_) => finding.cells.contains(&place),
            None => finding.cells.is_empty() && !cell.failed,
        });
        let shared = part.verdict.validity.filter(|_| !cell.failed);
        let (validity, reason) = match cell.validity {
            Some(validity) => (Some(validity), cell.reasons.first().cloned()),
            None => (shared, shared.map(|_| part.verdict.cause.clone())),
        };
        let is_valid = validity.is_none_or(|validity| validity == Validity::Valid);
        let verdict = RowVerdict {
            validity: validity.map_or("", Validity::word).to_owned(),
            reason: reason.filter(|_| !is_valid).unwrap_or_default(),
            findings: found.map(|finding| finding.id.to_string()).collect(),
        };
        Some((number(cell)?, verdict))
    };
    own.filter_map(verdict).collect()
}

/// The one device that is the lowest below every target.
fn device(part: &PagePart) -> String {
    let lowest = part
        .machine
        .targets
        .iter()
        .map(|target| target.chain.last());
    let names: Vec<&str> = lowest
        .flatten()
        .map(|device| device.name.as_str())
        .collect();
    let first = names.first().copied().unwrap_or_default();
    let same = names.len() == part.machine.targets.len() && names.iter().all(|name| *name == first);
    if same {
        first.to_owned()
    } else {
        String::new()
    }
}
