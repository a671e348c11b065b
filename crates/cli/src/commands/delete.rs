//! `fathom delete`: the only command that deletes results. It reports what would be lost and asks; if no user can
//! answer, the option is needed.

use super::answer;
use super::rows::{names, open_store, sessions_of};
use crate::args::DeleteArgs;
use crate::environment::Environment;
use crate::failure::Ending;
use crate::kinds::kind_of;
use crate::output;
use crate::subcommand::{Group, Subcommand, parsed};
use model::CommandError;
use std::collections::BTreeSet;
use std::io::{BufRead, IsTerminal};
use store::{RunName, Store, StoreError};

/// The row of `fathom delete`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<DeleteArgs>(
    "delete",
    Group::Results,
    "Delete sessions and results for good",
    |words, environment| delete(&parsed(words)?, environment),
);

/// Asks and deletes.
pub(crate) fn delete(args: &DeleteArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let names = names(&args.ids).map_err(CommandError::refused_for)?;
    let store = open_store(&args.store, environment)?;
    let lost = store.count(&names).map_err(CommandError::refused)?;
    let words = if lost == 1 {
        "1 result".to_owned()
    } else {
        format!("{lost} results")
    };
    match &args.lose {
        Some(given) if *given == words => {}
        Some(given) => {
            return Err(CommandError::refused(format!(
                "invalid value '{given}' for --lose: what would be lost is `{words}`: {}",
                what(&store, &names)?
            )));
        }
        None => {
            output::tell(&format!(
                "this would be lost for good: {}",
                what(&store, &names)?
            ));
            if !agreed(&words)? {
                return Err(CommandError::refused(format!(
                    "nothing was deleted; to delete it, add: --lose '{words}'"
                )));
            }
        }
    }
    store.delete(&names).map_err(|error| match error {
        StoreError::IsBaseline { .. } => CommandError::refused(error),
        error => CommandError::failed(error),
    })?;
    for session in sessions_of(&names) {
        answer::store(&store, session); // of what is left of it
    }
    output::tell(&format!("deleted: {words}"));
    Ok(Ending::Good)
}

/// Only a person at a terminal is asked.
fn agreed(words: &str) -> Result<bool, CommandError> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Ok(false);
    }
    output::tell(&format!("to delete it, type: {words}"));
    let mut line = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut line)
        .map_err(|error| CommandError::failed(model::errno_text(&error)))?;
    Ok(line.trim() == words)
}

fn what(store: &Store, names: &[RunName]) -> Result<String, CommandError> {
    let mut reported = Vec::new();
    for session in sessions_of(names) {
        let summary = store.summary_of(session).map_err(CommandError::refused)?;
        let of_it: BTreeSet<RunName> = names
            .iter()
            .filter(|name| name.session == session && name.run.is_some())
            .copied()
            .collect();
        let of_it: Vec<String> = of_it.iter().map(ToString::to_string).collect();
        let kind = kind_of(&summary).map_or_else(
            |_| format!("a session of fathom {}", summary.kind.name()),
            |kind| kind.described.to_owned(),
        );
        let whole = names.contains(&RunName { session, run: None });
        let target = &summary.target;
        reported.push(match whole {
            true => format!(
                "{session} ({kind} with {} {}, of {target})",
                summary.runs,
                if summary.runs == 1 {
                    "result"
                } else {
                    "results"
                }
            ),
            false => format!("{} (of {kind} of {target})", of_it.join(", ")),
        });
    }
    Ok(reported.join("; "))
}
