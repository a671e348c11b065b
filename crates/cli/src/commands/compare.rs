//! `fathom compare A B`: what changed from A to B, and whether that may be.
//!
//! Read in this order: the flow (here), what a side is (`side_of`). Deliberately absent: what counts as a change, which is
//! `analysis`'s.

use super::import;
use super::rows::{open_store, sessions_of};
use crate::args::{CompareArgs, ConditionArgs, known_by};
use crate::environment::Environment;
use crate::failure::Ending;
use crate::report::Form;
use crate::subcommand::{Group, Subcommand, parsed};
use crate::{output, report};
use analysis::{CompareReport, Compared, Condition, ConditionOutcome, Side, compare_with_history};
use model::{CommandError, Origin, ResultRow};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use store::{Name, RunName, Store, StoredRun};

/// The row of `fathom compare`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<CompareArgs>(
    "compare",
    Group::Results,
    "Compare two results: what changed, and whether it is significant",
    |words, environment| compare(&parsed(words)?, environment),
)
.often();

/// Compares and returns the outcome.
pub(crate) fn compare(
    args: &CompareArgs,
    environment: &Environment,
) -> Result<Ending, CommandError> {
    let conditions = conditions(&args.conditions)?;
    let are_files = [&args.a, &args.b].iter().all(|text| {
        let mut words = text.split(',').map(str::trim);
        words.all(|word| file_of(word).is_some())
    });
    let place = environment.store_place(args.store.store.as_ref());
    let is_there = place.is_some_and(|place| place.path().exists());
    // A machine that only compares has no results of its own.
    let store = match are_files && args.store.store.is_none() && !is_there {
        true => Store::in_memory(Path::new("")).map_err(CommandError::failed)?,
        false => open_store(&args.store, environment)?,
    };
    let sides = [side_of(&store, &args.a), side_of(&store, &args.b)];
    let [a, b] = both(sides)?;
    let form = Form::of_list(args.json, environment);
    held_against(&store, [&a, &b], &conditions, &args.conditions, form)
}

/// All that is wrong with either, at once.
fn both(sides: [Result<Side, CommandError>; 2]) -> Result<[Side; 2], CommandError> {
    match sides {
        [Ok(a), Ok(b)] => Ok([a, b]),
        sides => Err(CommandError::refused_for(
            sides
                .into_iter()
                .filter_map(Result::err)
                .map(|failure| failure.to_string()),
        )),
    }
}

/// Compares, prints, and fails if a condition does.
pub(super) fn held_against(
    store: &Store,
    [a, b]: [&Side; 2],
    conditions: &[Condition],
    args: &ConditionArgs,
    form: Form<'_>,
) -> Result<Ending, CommandError> {
    let history = history(store, [a, b]);
    let found = compare_with_history(a, b, conditions, &history);
    if found.cells.is_empty() {
        let words = [format!(
            "{} and {} have no work in common, so that nothing can be compared",
            a.name, b.name
        )];
        let hint =
            ["specify results of the same work: fathom table ID shows what each has".to_owned()];
        return Err(CommandError::refused_for(
            words.into_iter().chain(found.notes).chain(hint),
        ));
    }
    if !args.any_work {
        refuse_other_work(&found)?;
    }
    output::print(&report::compare(&found, form))?;
    Ok(said(&found, args.strict))
}

/// What differs in the work or in the size of the range makes a ratio that is not one of the target.
fn refuse_other_work(found: &CompareReport) -> Result<(), CommandError> {
    let differs = found.differences.iter();
    let differs = differs.filter(|one| one.of_work || one.what == "size_bytes");
    let parts: Vec<String> = differs
        .map(|one| format!("{} is {} in A and {} in B", one.words(), one.a, one.b))
        .collect();
    match parts.is_empty() {
        true => Ok(()),
        false => Err(CommandError::refused(format!(
            "{} and {} are of different work: {}; hint: --any-work compares them all the same",
            found.a.name,
            found.b.name,
            parts.join(", ")
        ))),
    }
}

/// So many sessions are searched for earlier results of the same work, the newest first.
const HISTORY_MAX: usize = 200;

/// Returns the results of the sessions with the targets of both sides, in the order in which they ran.
/// A damaged session has none.
fn history(store: &Store, sides: [&Side; 2]) -> Vec<ResultRow> {
    let rows = sides.iter().flat_map(|side| &side.results);
    let targets: BTreeSet<&str> = rows.map(|one| one.row.target.as_str()).collect();
    let sessions = store.sessions(None).unwrap_or_default();
    let of_targets = sessions.iter().filter(|session| {
        let mut targets = targets.iter();
        targets.any(|target| session.target.contains(target))
    });
    let newest = of_targets.map(|session| session.id).take(HISTORY_MAX);
    let mut rows: Vec<ResultRow> = newest
        .flat_map(|id| store.rows(&[id]).unwrap_or_default())
        .collect();
    rows.sort_by_key(|row| (row.session, row.number));
    rows
}

/// What a pipeline needs to know, also if no user reads the page.
fn said(found: &CompareReport, strict: bool) -> Ending {
    let mut ending = Ending::Good;
    for condition in &found.conditions {
        let reported = format!(
            "--fail-if '{}': {}",
            condition.condition, condition.sentence
        );
        match condition.outcome {
            ConditionOutcome::Fail => {
                output::tell(&format!("FAIL: {reported}"));
                ending = Ending::Denied;
            }
            ConditionOutcome::Unclear if strict => {
                output::tell(&format!(
                    "unclear, which --strict does not accept: {reported}"
                ));
                ending = Ending::Denied;
            }
            ConditionOutcome::Unclear => {
                output::tell(&format!("unclear, and passed without --strict: {reported}"));
            }
            ConditionOutcome::Pass => {}
        }
    }
    ending
}

/// Reads all conditions; everything that is wrong is reported at once.
pub(super) fn conditions(args: &ConditionArgs) -> Result<Vec<Condition>, CommandError> {
    let (mut found, mut wrong) = (Vec::new(), Vec::new());
    for text in &args.fail_if {
        match Condition::read(text) {
            Ok(condition) => found.push(condition),
            Err(problem) => wrong.push(format!("--fail-if: {problem}")),
        }
    }
    match wrong.is_empty() {
        true => Ok(found),
        false => Err(CommandError::refused_for(wrong)),
    }
}

/// The results that a side's words name, each once.
pub(super) fn side_of(store: &Store, text: &str) -> Result<Side, CommandError> {
    let (mut results, mut seen) = (Vec::new(), BTreeSet::new());
    for word in text.split(',').map(str::trim) {
        let file = file_of(word);
        let (other, mut rows) = match &file {
            Some((path, name)) => {
                let other = import::opened(path)?;
                let rows = of_file(&other, path, name.as_deref())?;
                (Some(other), rows)
            }
            None => (None, of_word(store, word)?),
        };
        let path = file.map(|(path, _)| path);
        rows.retain(|row| seen.insert((path.clone(), row.session, row.number)));
        let is_other = other.is_some();
        let mut found = compared(other.as_ref().unwrap_or(store), rows)?;
        if is_other {
            // It is none of the sessions of this database that have the same number.
            found.iter_mut().for_each(|one| one.row.session = 0);
        }
        results.extend(found);
    }
    Ok(Side {
        name: text.to_owned(),
        results,
    })
}

/// The file of a word, and the session in it that is meant: `FILE` or `FILE:6`.
fn file_of(word: &str) -> Option<(PathBuf, Option<String>)> {
    let is_name = word.parse::<Name>().is_ok() || word.starts_with("tag:");
    if is_name || word.is_empty() {
        return None;
    }
    if Path::new(word).is_file() {
        return Some((word.into(), None));
    }
    let (file, name) = word.rsplit_once(':')?;
    let is_file = Path::new(file).is_file();
    is_file.then(|| (file.into(), Some(name.to_owned())))
}

/// The results of a file that are meant: of a database the newest session, of all else everything.
fn of_file(other: &Store, path: &Path, name: Option<&str>) -> Result<Vec<ResultRow>, CommandError> {
    if let Some(name) = name {
        return named(other, super::rows::name_of(other, name)?);
    }
    if import::is_database(path) {
        return named(
            other,
            other.resolve(Name::LAST).map_err(CommandError::refused)?,
        );
    }
    let sessions = other.oldest_first().map_err(CommandError::failed)?;
    let ids: Vec<_> = sessions.iter().map(|session| session.id).collect();
    other.rows(&ids).map_err(CommandError::refused)
}

/// The results of a word that names no file.
fn of_word(store: &Store, word: &str) -> Result<Vec<ResultRow>, CommandError> {
    match (word.strip_prefix("tag:"), word.strip_prefix("baseline:")) {
        (Some(tag), _) => tagged(store, tag),
        (None, Some(name)) => {
            let baseline = store.baseline(name).map_err(CommandError::refused)?;
            named(store, baseline.of)
        }
        (None, None) => match word.parse::<Name>() {
            Ok(name) => named(store, store.resolve(name).map_err(CommandError::refused)?),
            Err(error) if word.is_empty() || word.starts_with(|c: char| c.is_ascii_digit()) => {
                Err(CommandError::refused(error))
            }
            Err(_) => tagged(store, word),
        },
    }
}

/// Takes of each record what is needed, one after another: all at once they may not fit into memory.
fn compared(store: &Store, rows: Vec<ResultRow>) -> Result<Vec<Compared>, CommandError> {
    let mut results = Vec::with_capacity(rows.len());
    for row in rows {
        let known = known_by(&row.notes)?;
        results.push(match row.origin {
            Origin::Measured => {
                let session = store::SessionId(row.session);
                let stored = store
                    .load_result(session, row.number)
                    .map_err(CommandError::refused)?;
                match stored.as_ref().and_then(StoredRun::record) {
                    Some(record) => Compared::measured(row, record, &known),
                    None => Compared::line(row),
                }
            }
            Origin::Imported | Origin::Missing => Compared::line(row),
        });
    }
    Ok(results)
}

fn named(store: &Store, name: RunName) -> Result<Vec<ResultRow>, CommandError> {
    store.count(&[name]).map_err(CommandError::refused)?; // or lists the existing ones
    let rows = store
        .rows(&sessions_of(&[name]))
        .map_err(CommandError::refused)?;
    let rows: Vec<ResultRow> = rows
        .into_iter()
        .filter(|row| name.run.is_none_or(|number| number == row.number))
        .collect();
    match rows.is_empty() {
        false => Ok(rows),
        true => Err(CommandError::refused(format!(
            "session {name} has no result: its first is still running or was not completed, or all were \
             deleted"
        ))),
    }
}

/// Results that have this tag, themselves or by their session. Damaged sessions are reported, not silently omitted.
fn tagged(store: &Store, tag: &str) -> Result<Vec<ResultRow>, CommandError> {
    let (rows, damaged) = store.tagged(tag).map_err(CommandError::refused)?;
    super::rows::reported(store, &damaged);
    if !rows.is_empty() {
        return Ok(rows);
    }
    let known = store.tags().map_err(CommandError::refused)?;
    let known = match known.is_empty() {
        true => "no result has a tag yet: fathom tag ID --add TAG".to_owned(),
        false => format!("there are {}", known.join(", ")),
    };
    Err(CommandError::refused(format!(
        "invalid value '{tag}': must be a session or result, as 12 or 12.3, and nothing has it as a tag: {known}"
    )))
}
