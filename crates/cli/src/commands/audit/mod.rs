//! `fathom audit`: runs a command as it is, and reports what the kernel counted meanwhile.
//!
//! The command's streams and its exit code are its own; the account is on standard error behind them, and is stored. Read in this
//! order: the flow (here), `observer` (readings before and after), `printed` (figures that the command printed). Omitted: what they
//! mean (`analysis::audit`). After the command has started nothing here changes its exit code.

pub(super) mod observer;
mod printed;

use super::{answer, command_line};
use crate::args::AuditArgs;
use crate::environment::{self, Environment, Screen};
use crate::failure::{self, Ending};
use crate::kinds::separate::AUDIT;
use crate::report::{self, Form};
use crate::subcommand::{Group, Subcommand, parsed};
use crate::{keep, output};
use gate::{OutputError, Replace};
use host::{EndedProgram, Root, StartError};
use model::{CommandError, WatchRecord};
use observer::Observer;
use printed::{Printed, Tee};
use session::{Journal, clock};
use std::path::PathBuf;
use store::{SessionOutcome, Store};

/// The row of `fathom audit`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<AuditArgs>(
    "audit",
    Group::Measure,
    "Run any command and report what its devices did",
    |words, environment| audit(&parsed(words)?, environment),
)
.after_help(|| EXIT_CODES.into())
.often();

const EXIT_CODES: &str = "Exit codes: that of the command, 128 and the number of the signal that ended it; 126 where the \
                          command cannot be executed, 127 where there is none; 2 where the audit is refused before it.";

/// Exit codes of a shell for a command that it cannot start. Source: POSIX, Shell Command Language, Exit Status for Commands.
const NOT_EXECUTABLE: u8 = 126;
const NOT_FOUND: u8 = 127;

/// Runs the command and reports it.
fn audit(args: &AuditArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let root = Root::live();
    let place = keep::place(&args.keep, environment)?;
    if let Some(path) = &args.json {
        gate::check_output(path, Replace::Nothing).map_err(refused)?;
    }
    let printed = Printed::before(args);
    let mut observer = Observer::start(&root, &args.on)?;
    let store = keep::open(place.as_ref())?;
    let tee = Tee::default();
    let take = args.tee.then(|| tee.take());
    let started_utc = clock::utc();
    observer.begin(&root);
    let ran = host::run_program(&root, &args.command, take, &mut |processes| {
        observer.sample(processes);
    });
    let ended = match ran {
        Ok(ended) => ended,
        Err(error) => return Ok(not_started(args, error)),
    };
    let code = Ending::Code(ended.ending.code());
    let mut record = observer.record(&root, &ended);
    if let Some(audit) = &mut record.audit {
        audit.program = words(args);
        audit.printed = printed.after(&tee, &mut audit.notes);
        audit.notes.extend(not_found(&args.on));
    }
    record.started_utc = started_utc;
    shown(args, &record, &ended, store, environment);
    Ok(code)
}

/// Returns a note for each place that the command did not create either.
fn not_found(places: &[PathBuf]) -> impl Iterator<Item = String> {
    let missing = places
        .iter()
        .filter(|path| path.symlink_metadata().is_err());
    missing.map(|path| {
        format!(
            "--on {}: there is nothing under this name; the devices of the folder above it were counted",
            path.display()
        )
    })
}

fn refused(error: OutputError) -> CommandError {
    CommandError::refused(error)
}

fn words(args: &AuditArgs) -> Vec<String> {
    let words = args.command.iter();
    words
        .map(|word| word.to_string_lossy().into_owned())
        .collect()
}

/// Reports why the command was not started, with the exit code of a shell.
fn not_started(args: &AuditArgs, error: StartError) -> Ending {
    let name = args.command.first().map(|word| word.to_string_lossy());
    let name = name.unwrap_or_default();
    let (why, code) = match error {
        StartError::NotFound => ("there is no such command".to_owned(), NOT_FOUND),
        StartError::NotExecutable(error) => {
            let why = format!("cannot be executed: {}", model::errno_text(&error));
            (why, NOT_EXECUTABLE)
        }
        StartError::Other(error) => {
            let why = format!("could not be started: {}", model::errno_text(&error));
            (why, NOT_EXECUTABLE)
        }
    };
    output::tell(&format!("{name}: {why}"));
    Ending::Code(code)
}

/// Stores and prints the account. What fails here is reported, and the command's exit code stays.
fn shown(
    args: &AuditArgs,
    record: &WatchRecord,
    ended: &EndedProgram,
    store: Option<Store>,
    environment: &Environment,
) {
    let target = record.target();
    let new = session::new_session(AUDIT.stored(), command_line(), target, record.started_utc);
    let journal = Journal::new(store, new);
    journal.save_watch(record);
    let outcome = match ended.ending.code() {
        0 => SessionOutcome::Complete,
        _ => SessionOutcome::Failed,
    };
    answer::finish(&journal, outcome, None);
    let form = |json: bool| Form {
        screen: Screen::of_messages(environment::message_columns()),
        ..Form::of_session(json, &journal, &args.keep, environment)
    };
    if !args.quiet {
        output::tell_result(&report::watch(&[record], form(false)));
    }
    if let Some(path) = &args.json {
        let document = report::watch(&[record], form(true));
        let written = gate::write_output(path, &document, Replace::Nothing);
        if let Err(error) = written {
            failure::say(&failure::of_output(&error));
        }
    }
}
