//! `fathom report --all`: a page for each session in one folder, and the history of all as its index.
//!
//! A session is read once, for its page and for the trends. Deliberately absent: what counts as a change (`analysis`).

use super::{DOCUMENT_BYTES_MAX, Replace, place};
use crate::args::ReportArgs;
use crate::commands::answer;
use crate::commands::answer::add_part;
use crate::commands::rows::reported;
use crate::environment::Environment;
use crate::failure::Ending;
use crate::progress::Steps;
use crate::{output, report};
use analysis::page::{PageBuilder, PageDocument};
use analysis::{Compared, History, HistoryBuilder, HistorySession};
use gate::{Folder, Name};
use model::CommandError;
use session::VERSION;
use session::clock;

use std::path::{Path, PathBuf};
use store::{RunName, SessionSummary, Store};

/// Where the pages go unless a folder is specified.
const FOLDER: &str = "fathom-history";
const INDEX: &str = "index.html";

/// Writes the pages, or prints the data of the index.
pub(super) fn history(
    args: &ReportArgs,
    store: &Store,
    replace: Replace,
    environment: &Environment,
) -> Result<Ending, CommandError> {
    let listing = store.listing().map_err(CommandError::failed)?;
    let folder = args.out.clone().unwrap_or_else(|| PathBuf::from(FOLDER));
    let folder = (!args.json).then_some(folder);
    if let Some(folder) = &folder {
        create(folder)?;
        place::allowed(&folder.join(INDEX), replace)?;
    }
    let steps = Steps::new(environment);
    let mut damaged = listing.damaged;
    let mut history = HistoryBuilder::default();
    let mut bytes = 0;
    for (number, summary) in (1..).zip(listing.sessions.iter().rev()) {
        steps.working(&format!("page {number} of {}", listing.sessions.len()));
        let (document, results) = match document_of(store, summary) {
            Ok(found) => found,
            Err(error) => {
                damaged.push(format!("session {}: {error}", summary.id));
                continue;
            }
        };
        let name = format!("session-{}.html", summary.id);
        if let Some(folder) = &folder {
            let page = report::page(&document);
            bytes += page.len() as u64;
            place::put(&folder.join(&name), &page, replace)?;
        }
        let page = folder.as_ref().map(|_| name);
        history.session(entry(summary, &document, page), results);
    }
    drop(steps);
    let history = history.finish();
    match &folder {
        Some(folder) => index(&history, folder, bytes, replace, environment)?,
        None => output::print(&report::history_document(&history))?,
    }
    Ok(reported(store, &damaged))
}

/// Creates the folder, if there is none.
fn create(folder: &Path) -> Result<(), CommandError> {
    if folder.is_dir() {
        return Ok(());
    }
    if folder.symlink_metadata().is_ok() {
        return Err(CommandError::refused(format!(
            "invalid value '{}' for --out: must be a folder; it exists and is not one; hint: specify another name",
            folder.display()
        )));
    }
    let failed = |why: &dyn std::fmt::Display| {
        CommandError::refused(format!("{}: cannot be created: {why}", folder.display()))
    };
    let parent = folder.parent().filter(|it| !it.as_os_str().is_empty());
    let parent = Folder::open(parent.unwrap_or(Path::new("."))).map_err(|error| failed(&error))?;
    let name = folder.file_name().unwrap_or_default().as_encoded_bytes();
    let name = Name::new(name).map_err(|error| failed(&error))?;
    parent.create_folder(&name).map_err(|error| failed(&error))
}

fn document_of(
    store: &Store,
    summary: &SessionSummary,
) -> Result<(PageDocument, Vec<Compared>), CommandError> {
    let mut page = PageBuilder::new(clock::utc().0, VERSION, true);
    let name = RunName {
        session: summary.id,
        run: None,
    };
    add_part(store, name, &mut page)?;
    let results = page.take_compared();
    Ok((page.finish(DOCUMENT_BYTES_MAX), results))
}

fn entry(
    summary: &SessionSummary,
    document: &PageDocument,
    page: Option<String>,
) -> HistorySession {
    let verdict = document.parts.first().map(|part| &part.verdict);
    let answer = answer::of(document);
    HistorySession {
        session: summary.id.0,
        kind: summary.kind.name().to_owned(),
        started_utc_ns: summary.started_utc.0,
        target: summary.target.clone(),
        tags: summary.tags.clone(),
        validity: verdict.and_then(|verdict| verdict.validity),
        headline: answer.headline,
        page,
    }
}

fn index(
    history: &History,
    folder: &Path,
    bytes: u64,
    replace: Replace,
    environment: &Environment,
) -> Result<(), CommandError> {
    let page = report::history_page(history);
    let to = folder.join(INDEX);
    place::put(&to, &page, replace)?;
    let written = report::page_written(
        &to,
        bytes + page.len() as u64,
        std::slice::from_ref(&history.headline),
        report::Form::of_list(false, environment),
    );
    output::print(&written)
}
