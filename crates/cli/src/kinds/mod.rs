//! The kinds of sessions: one row each, with all that the general commands ask of it (`show`, `report`, `list`, `note`,
//! `delete`, `--resume`).
//!
//! A row stands where its kind is measured, in the file that shows a session again. Omitted: what a row has (`stored`), and how a session is
//! measured.

pub(crate) mod page;
pub(crate) mod separate;
pub(crate) mod stored;

use crate::commands::looks::stored::{AB, FIT, LAYERS, QUICK};
use crate::commands::pts::stored::KIND as PTS;
use crate::commands::run::stored::KIND as RUN;
use crate::commands::survey::stored::KIND as SURVEY;
use crate::commands::sweep::shown::KIND as SWEEP;
use analysis::columns::{Filter, Problem};
use model::CommandError;
use separate::{AUDIT, DD, FILES, IMPORT, VERIFY, WATCH};
use std::sync::LazyLock;
use store::SessionSummary;
use stored::Kind;

/// All of them, in the order in which messages list them.
pub(crate) static KINDS: &[&Kind] = &[
    &RUN, &SURVEY, &SWEEP, &IMPORT, &FILES, &DD, &QUICK, &LAYERS, &FIT, &AB, &WATCH, &VERIFY, &PTS,
    &AUDIT,
];

/// Their words, as a message lists them.
pub(crate) static WORDS: LazyLock<String> = LazyLock::new(|| {
    let words: Vec<&str> = KINDS.iter().map(|kind| kind.word).collect();
    let (last, before) = words.split_last().expect("there are kinds");
    format!("{} or {last}", before.join(", "))
});

/// What a value that names a kind has to be.
pub(crate) static FORM: LazyLock<String> = LazyLock::new(|| format!("must be {}", *WORDS));

/// Returns the kind of a stored session.
///
/// # Errors
/// This build has no such kind.
pub(crate) fn kind_of(summary: &SessionSummary) -> Result<&'static Kind, CommandError> {
    let kind = KINDS.iter().find(|kind| summary.kind == kind.stored());
    kind.copied().ok_or_else(|| {
        CommandError::refused(format!(
            "session {}: its kind is `{}`, which this fathom does not have: it has {}",
            summary.id,
            summary.kind.name(),
            *WORDS
        ))
    })
}

/// Reads a filter. A kind that it names is one that sessions have: another would find nothing, and look like an answer.
///
/// # Errors
/// All that is wrong with it.
pub(crate) fn filter_of(text: &str) -> Result<Filter, Vec<Problem>> {
    let filter = Filter::read(text)?;
    let is_unknown = |word: &&str| {
        KINDS
            .iter()
            .all(|kind| !kind.word.eq_ignore_ascii_case(word))
    };
    let unknown = filter.words_of("kind").into_iter().filter(is_unknown);
    let problem = |word: &str| Problem::Value {
        field: "kind",
        read: word.to_owned(),
        accepted: &FORM,
    };
    let problems: Vec<Problem> = unknown.map(problem).collect();
    match problems.is_empty() {
        true => Ok(filter),
        false => Err(problems),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Nanos;
    use session::Journal;
    use std::path::Path;
    use store::{SessionKind, SessionOutcome, Store};

    #[test]
    fn each_kind_has_a_word_of_its_own_and_a_subcommand_that_fills_it() {
        let words: std::collections::BTreeSet<&str> = KINDS.iter().map(|kind| kind.word).collect();
        assert_eq!(words.len(), KINDS.len());
        let command = crate::parser::program();
        for word in words {
            assert!(command.find_subcommand(word).is_some(), "{word}");
            assert!(WORDS.contains(word));
        }
    }

    #[test]
    fn a_filter_knows_the_name_of_every_kind_of_session() {
        for kind in KINDS {
            let filter = format!("kind = {}", kind.word);
            assert!(filter_of(&filter).is_ok(), "{filter}");
        }
        assert!(filter_of("not kind != walk or write=0").is_err());
    }

    #[test]
    fn a_session_of_another_kind_is_listed_and_refused_by_its_word() {
        let store = Store::in_memory(Path::new("")).unwrap();
        let kind = SessionKind::new("walk");
        let new = session::new_session(kind.clone(), Vec::new(), "t".to_owned(), Nanos(0));
        let journal = Journal::begin(Some(&store), new);
        journal.finish(SessionOutcome::Complete, None).unwrap();
        let listed = store.sessions(None).unwrap();
        assert_eq!(listed[0].kind, kind);
        let refused = kind_of(&listed[0]).err().map(|error| error.to_string());
        assert!(refused.is_some_and(|why| why.contains("`walk`") && why.contains(&*WORDS)));
    }
}
