//! `fathom export`: results for other programs.

use super::rows::{Choice, open_store, resolved, sessions_of};
use crate::args::{ExportArgs, ExportForm};
use crate::environment::Environment;
use crate::failure::Ending;
use crate::kinds::filter_of;
use crate::report::Form;
use crate::subcommand::{Group, Subcommand, parsed};
use crate::{output, report};
use analysis::say;
use gate::{OutputError, Replace, write_output, write_private_output};
use model::CommandError;
use std::io::IsTerminal;
use std::path::Path;
use store::{SessionId, Store};

/// The row of `fathom export`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<ExportArgs>(
    "export",
    Group::Results,
    "Write results for other programs: CSV, JSON or Parquet",
    |words, environment| export(&parsed(words)?, environment),
);

/// Writes them to a new file, or to standard output.
pub(crate) fn export(args: &ExportArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let choice = Choice::read(&args.rows, args.columns.as_deref(), filter_of)?;
    let export = match args.form {
        ExportForm::Rows(export) => export,
        ExportForm::Sessions => return sessions(args, &choice, environment),
    };
    if !export.is_text && args.out.is_none() && std::io::stdout().is_terminal() {
        return Err(CommandError::refused(format!(
            "--{}: {} is no text for a terminal: add --out FILE, or send it on with >",
            export.name,
            export.about.replacen('A', "a", 1)
        )));
    }
    let store = open_store(&args.rows.store, environment)?;
    let columns = choice.named(Some(export)).unwrap_or_default();
    let (selection, ending) = choice.select(&store, columns)?;
    let rows = selection.rows().len();
    let bytes = report::rows(&selection, Some(export), Form::of_list(false, environment));
    put(
        args,
        &bytes,
        write_output,
        &say::counted(rows as u64, "result"),
    )?;
    Ok(ending)
}

/// Writes the sessions that are named, or all, each whole.
fn sessions(
    args: &ExportArgs,
    choice: &Choice,
    environment: &Environment,
) -> Result<Ending, CommandError> {
    let store = open_store(&args.rows.store, environment)?;
    let names = resolved(&store, choice.names())?;
    if let Some(name) = names.iter().find(|name| name.run.is_some()) {
        return Err(CommandError::refused(format!(
            "{name}: a session is exported whole; hint: specify {}",
            name.session
        )));
    }
    let sessions = match names.is_empty() {
        false => sessions_of(&names),
        true => {
            let all = store.oldest_first().map_err(CommandError::failed)?;
            all.iter().map(|session| session.id).collect()
        }
    };
    let mut ending = Ending::Good;
    let (sessions, document) = match store.portable(&sessions) {
        Ok(document) => (sessions, document),
        Err(_) if names.is_empty() => {
            ending = Ending::Wrong;
            let sessions = whole(&store, sessions);
            let document = store.portable(&sessions);
            (sessions, document.map_err(CommandError::refused)?)
        }
        Err(why) => return Err(CommandError::refused(why)),
    };
    let what = say::counted(sessions.len() as u64, "session");
    // With the contents of blocks that were kept as evidence, as the database has them.
    put(args, document.as_bytes(), write_private_output, &what)?;
    Ok(ending)
}

/// Returns the sessions that are not damaged, and reports the others.
fn whole(store: &Store, sessions: Vec<SessionId>) -> Vec<SessionId> {
    let is_whole = |session: &SessionId| match store.portable(&[*session]) {
        Ok(_) => true,
        Err(why) => {
            output::tell(&format!("session {session} is omitted: {why}"));
            false
        }
    };
    sessions.into_iter().filter(is_whole).collect()
}

/// Writes the bytes where they are to go; an existing file stays, because code that writes never guesses.
fn put(
    args: &ExportArgs,
    bytes: &[u8],
    write: fn(&Path, &[u8], Replace<'_>) -> Result<(), OutputError>,
    what: &str,
) -> Result<(), CommandError> {
    let Some(path) = &args.out else {
        return output::print(bytes);
    };
    write(path, bytes, Replace::Nothing).map_err(|error| crate::failure::of_output(&error))?;
    output::tell(&format!("{}: {what}", path.display()));
    Ok(())
}
