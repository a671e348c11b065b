//! `fathom db`: looking after the file that keeps the results.

use super::rows::open_store;
use crate::args::{BackupArgs, CheckDbArgs, DbArgs, DbCommand, SqlArgs, StoreArgs};
use crate::environment::Environment;
use crate::failure::Ending;
use crate::report::Form;
use crate::subcommand::{Group, Subcommand, parsed};
use crate::{keep, output, report};
use analysis::columns::renamed;
use model::CommandError;
use session::clock;
use store::{Depth, Notice, StoreError};

/// The row of `fathom db`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<DbArgs>(
    "db",
    Group::Results,
    "Check, back up and query the results database",
    |words, environment| db(&parsed(words)?, environment),
);

/// Sessions of which the records are read where not all are: half of them the newest.
const SAMPLE: u64 = 400;

/// One of its parts.
pub(crate) fn db(args: &DbArgs, environment: &Environment) -> Result<Ending, CommandError> {
    match &args.command {
        DbCommand::Path(args) => path(args, environment),
        DbCommand::Check(args) => check(args, environment),
        DbCommand::Backup(args) => backup(args, environment),
        DbCommand::Sql(args) => sql(args, environment),
    }
}

/// Where it lies, or would.
fn path(args: &StoreArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let place = environment.store_place(args.store.as_ref());
    let place = place.ok_or_else(|| CommandError::refused(keep::NOWHERE_TO_LOOK))?;
    let path = place.path();
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.clone());
    output::print(format!("{}\n", whole.display()).as_bytes())?;
    if !path.exists() {
        output::tell("nothing is stored there yet");
    }
    Ok(Ending::Good)
}

fn check(args: &CheckDbArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let store = open_store(&args.store, environment)?;
    let depth = match args.full {
        true => Depth::Full,
        false => Depth::Sample {
            sessions: SAMPLE,
            seed: clock::utc().0,
        },
    };
    let mut progress = keep::Drawn::default();
    let check = store.check(depth, &mut |done, of| {
        if done % 100 == 0 {
            progress.draw("checking, session", done, of);
        }
    });
    progress.clear();
    let check = check.map_err(CommandError::failed)?;
    let path = store.path().display();
    let form = Form::of_list(false, environment);
    let print = |text: &[(&str, String)]| output::print(&report::reported(text, form));
    let many =
        |count: u64, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    let counts = format!(
        "{} and {}",
        many(check.sessions, "session"),
        many(check.results, "result")
    );
    let unread = format!(
        "the records of {} were not read; hint: fathom db check --full reads all of them",
        many(check.unread, "result")
    );
    if check.findings.is_empty() {
        let mut page = vec![("", format!("{path}: {counts}, all whole"))];
        if check.unread > 0 {
            page = vec![(
                "",
                format!(
                    "{path}: {counts}, no damage found in structure, summaries and {}; {unread}",
                    many(check.whole, "record")
                ),
            )];
        }
        print(&page)?;
        return Ok(Ending::Good);
    }
    let mut page = vec![(
        "",
        format!(
            "{path}: damaged; of {counts}, {} are whole",
            many(check.whole, "record")
        ),
    )];
    page.extend(check.findings.into_iter().map(|finding| ("  ", finding)));
    if check.unread > 0 {
        page.push(("", unread));
    }
    let last = "nothing was changed; what can be read can still be shown and exported";
    page.push(("", last.to_owned()));
    print(&page)?;
    Ok(Ending::Wrong)
}

fn backup(args: &BackupArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let store = open_store(&args.store, environment)?;
    let mut progress = keep::Drawn::default();
    let made = store.backup(&args.to, &mut |notice| {
        if let Notice::Copying { done, pages } = notice {
            progress.draw("copying, page", done, pages);
        }
    });
    progress.clear();
    made.map_err(|error| match error {
        StoreError::Exists { .. } | StoreError::Refused { .. } => CommandError::refused(error),
        error => CommandError::failed(error),
    })?;
    output::tell(&format!("{}: a whole copy", args.to.display()));
    Ok(Ending::Good)
}

/// Adds what a column is called now to SQLite's error on one that does not exist.
fn with_new_name(error: &str) -> String {
    let column = error.split_once("no such column: ");
    let column = column.and_then(|(_, name)| name.split_whitespace().next());
    match column.and_then(|name| renamed(name, |_| true)) {
        Some(hint) => format!("{error}; hint: {hint}"),
        None => error.to_owned(),
    }
}

fn sql(args: &SqlArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let store = open_store(&args.store, environment)?;
    let answer = store.ask(&args.sql);
    let answer =
        answer.map_err(|error| CommandError::refused(with_new_name(&error.to_string())))?;
    let form = Form::of_list(args.json, environment);
    output::print(&report::answer(&answer, args.csv, form))?;
    Ok(Ending::Good)
}
