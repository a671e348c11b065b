//! `fathom note`: hints and a comment that are stored with sessions and results. Omitted: what a hint changes (`analysis`).

use super::answer;
use super::rows::{names, open_store, resolved, sessions_of};
use crate::args::{ALL_NOTES, COMMENT, HINTS, NoteArgs};
use crate::environment::Environment;
use crate::failure::Ending;
use crate::kinds::kind_of;
use crate::report::Form;
use crate::subcommand::{Group, Subcommand, parsed};
use crate::{output, report};
use model::{CommandError, Note};
use store::{Name, RunName, Store, StoreError};
use views::Stored;

/// The row of `fathom note`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<NoteArgs>(
    "note",
    Group::Results,
    "Store hints and a comment with sessions and results; findings use the hints from then on",
    |words, environment| note(&parsed(words)?, environment),
);

/// Longest comment, in characters.
const COMMENT_MAX: usize = 500;

/// Sets and removes notes, and prints those that apply from then on.
pub(crate) fn note(args: &NoteArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let (names, set, clear) = changes(args)?;
    let store = open_store(&args.store, environment)?;
    let names = resolved(&store, &names)?;
    if set.iter().any(|note| note.field != COMMENT) {
        can_have_hints(&store, &names, set.iter().any(|note| note.field == "goal"))?;
    }
    let done = store.note(&names, &set, &clear);
    done.map_err(CommandError::refused)?;
    sessions_of(&names)
        .into_iter()
        .for_each(|session| answer::store(&store, session));
    let noted = names.iter().map(|name| {
        Ok(Stored {
            session: name.session.0,
            run: name.run,
            path: store.path().to_owned(),
            named: args.store.store.is_some(),
            notes: store.notes(*name)?,
        })
    });
    let noted: Result<Vec<Stored>, StoreError> = noted.collect();
    let noted = noted.map_err(CommandError::failed)?;
    let form = Form::of_list(args.json, environment);
    output::print(&report::notes(&noted, form))?;
    Ok(Ending::Good)
}

/// Which sessions and results, which notes are set, and which fields are removed.
type Changes = (Vec<Name>, Vec<Note>, Vec<String>);

/// Checks all of the request; everything that is wrong is reported at once.
fn changes(args: &NoteArgs) -> Result<Changes, CommandError> {
    let mut wrong = Vec::new();
    let names = names(&args.ids).unwrap_or_else(|problems| {
        wrong.extend(problems);
        Vec::new()
    });
    if let Err(error) = args.known.read() {
        wrong.push(error.to_string());
    }
    let mut set = args.known.notes();
    if let Some(text) = &args.comment {
        wrong.extend(problem_of_comment(text));
        set.push(Note {
            field: COMMENT.to_owned(),
            value: text.clone(),
        });
    }
    let can_clear = |field: &str| HINTS.contains(&field) || [COMMENT, ALL_NOTES].contains(&field);
    let unknown = args.clear.iter().filter(|field| !can_clear(field));
    wrong.extend(unknown.map(|field| {
        format!(
            "invalid value '{field}' for --clear: must be {}, {COMMENT} or {ALL_NOTES}",
            HINTS.join(", ")
        )
    }));
    let all = args.clear.iter().any(|field| field == ALL_NOTES);
    let clear = match all {
        true => HINTS
            .into_iter()
            .chain([COMMENT])
            .map(str::to_owned)
            .collect(),
        false => args.clear.clone(),
    };
    let both = set.iter().filter(|note| args.clear.contains(&note.field));
    wrong.extend(both.map(|Note { field, .. }| {
        format!(
            "--{field} cannot be combined with --clear {field}: a new value replaces the old one"
        )
    }));
    if set.is_empty() && clear.is_empty() {
        wrong.push(format!(
            "no note is given: specify --{}, --{COMMENT} or --clear",
            HINTS.join(", --")
        ));
    }
    match wrong.is_empty() {
        true => Ok((names, set, clear)),
        false => Err(CommandError::refused_for(wrong)),
    }
}

fn problem_of_comment(text: &str) -> Option<String> {
    let problem = match text.chars().count() {
        _ if text.trim().is_empty() => "it is empty; --clear comment removes one".to_owned(),
        count if count > COMMENT_MAX => format!("{count} characters; at most {COMMENT_MAX}"),
        _ if text.chars().any(char::is_control) => "it must be one line of text".to_owned(),
        _ => return None,
    };
    Some(format!("invalid value for --{COMMENT}: {problem}"))
}

/// Refuses hints on sessions whose findings do not use any.
fn can_have_hints(store: &Store, names: &[RunName], goal: bool) -> Result<(), CommandError> {
    let mut wrong = Vec::new();
    for name in names {
        let summary = store.summary_of(name.session);
        let summary = summary.map_err(CommandError::refused)?;
        let is_one = name.run.is_some() || summary.runs == 1;
        let name = name.to_string();
        wrong.extend(kind_of(&summary)?.refuse_hints(&name, is_one, goal));
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(CommandError::refused_for(wrong)),
    }
}
