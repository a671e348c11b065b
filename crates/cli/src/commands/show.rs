//! `fathom show ID`: a result again, as it was printed when it was measured.

use crate::args::ShowArgs;
use crate::environment::Environment;
use crate::failure::Ending;
use crate::kinds::kind_of;
use crate::kinds::stored::{Kind, Stored, load, page_of, pick};
use crate::report::Form;
use crate::subcommand::{Group, Subcommand, parsed};
use crate::{keep, output};
use model::{CommandError, RunRecord};
use std::path::PathBuf;
use store::{Name, RunName, SessionOutcome, SessionSummary, Store};

/// The row of `fathom show`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<ShowArgs>(
    "show",
    Group::Results,
    "Show a stored result",
    |words, environment| show(&parsed(words)?, environment),
)
.often();

/// Prints a session, or one run of it.
pub(crate) fn show(args: &ShowArgs, environment: &Environment) -> Result<Ending, CommandError> {
    args.known.read()?; // or it is refused before the database is opened
    let name: Name = args.id.parse().map_err(CommandError::refused)?;
    let store = keep::look(args.store.store.as_ref(), environment)?;
    let store = store.ok_or_else(|| {
        CommandError::refused(format!(
            "{}: nothing is stored yet: measure something first (fathom survey)",
            args.id
        ))
    })?;
    let name = store.resolve(name).map_err(CommandError::refused)?;
    let summary = store.summary_of(name.session);
    let summary = summary.map_err(CommandError::refused)?;
    let notes = store
        .notes(only_result(&store, &summary, name)?)
        .map_err(CommandError::refused)?;
    let known = args.known.over(&notes).read()?;
    let form = Form {
        json: args.output.json,
        kept: Some((name, store.path())),
        place_named: args.store.store.is_some(),
        screen: environment.screen,
        verbose: args.output.verbose,
        known: Some(&known),
        notes: &notes,
    };
    let kind = kind_of(&summary)?;
    let stored = Stored {
        store: &store,
        summary: &summary,
        known: &known,
        hints: &args.known,
    };
    if name.run.is_none() && !args.output.json {
        tell_resumable(kind, &summary);
    }
    let result = match name.run {
        None => (kind.show)(&stored, form)?,
        Some(number) => one(kind, &store, name, number, form)?,
    };
    output::print(&result)?;
    Ok(Ending::Good)
}

/// Returns the name of the only result of a session, whose notes count where the session is shown; else the name as it is.
fn only_result(
    store: &Store,
    summary: &SessionSummary,
    name: RunName,
) -> Result<RunName, CommandError> {
    if name.run.is_some() || summary.runs != 1 {
        return Ok(name);
    }
    let rows = store.rows(&[name.session]);
    let rows = rows.map_err(CommandError::refused)?;
    Ok(RunName {
        run: rows.first().map(|row| row.number),
        ..name
    })
}

/// Shows one result of a session.
fn one(
    kind: &Kind,
    store: &Store,
    name: RunName,
    number: u32,
    form: Form<'_>,
) -> Result<Vec<u8>, CommandError> {
    let session = load(store, name)?;
    let run = pick(&session, Some(number))?;
    let mut page = page_of(run, form)?;
    if let Some(record) = run.record().filter(|_| !form.json) {
        page.extend((kind.below_run)(record).into_bytes());
    }
    Ok(page)
}

/// Reports how a session goes on that did not come to its end.
fn tell_resumable(kind: &Kind, summary: &SessionSummary) {
    let is_over = summary.outcome == Some(SessionOutcome::Complete);
    if kind.can_resume && !is_over {
        let (id, word) = (summary.id, kind.word);
        output::tell(&format!(
            "session {id} is not complete; hint: fathom {word} --resume {id} continues it"
        ));
    }
}

/// The record of a run in the database, for other programs.
pub(crate) fn run_named(
    text: &str,
    store: Option<&PathBuf>,
    environment: &Environment,
) -> Result<RunRecord, CommandError> {
    let name: Name = text.parse().map_err(CommandError::refused)?;
    let store = keep::look(store, environment)?;
    let store = store.ok_or_else(|| {
        CommandError::refused(format!(
            "{text}: nothing is stored yet: measure something first"
        ))
    })?;
    let name = store.resolve(name).map_err(CommandError::refused)?;
    let session = load(&store, name)?;
    let record = pick(&session, name.run)?.record().cloned();
    record.ok_or_else(|| {
        CommandError::refused(format!(
            "{name}: this was not measured by fathom, so its command is unknown"
        ))
    })
}
