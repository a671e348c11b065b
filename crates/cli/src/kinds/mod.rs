//! The kinds of sessions: one row each, with all that the general commands ask of it (`show`, `report`, `list`, `note`,
//! `delete`, `--resume`).
//!
//! A kind is described where it is measured: its row is `KIND` in its folder, and [`KINDS`] lists the rows. Omitted: how a
//! session is measured.

mod stored;

use crate::commands::{
    dd, files, import, looks, noted::ONE_RESULT, pts, run, survey, sweep, verify, watch,
};
use crate::report::Form;
use analysis::page::PageBuilder;
use model::{CommandError, ResultRow, RunRecord};
use std::sync::LazyLock;
use store::{SessionKind, SessionSummary};
pub(crate) use stored::{Stored, add_results, load, page_of, pick, show_steps};

/// A kind of session.
pub(crate) struct Kind {
    /// The command that fills it, as the database and lists spell it.
    pub(crate) word: &'static str,
    /// What a sentence calls it, with its article.
    pub(crate) described: &'static str,
    /// Which hints of `fathom note` change its findings.
    pub(crate) hints: Hints,
    /// Whether `--resume` continues it.
    pub(crate) can_resume: bool,
    /// Writes a whole session as text or as a document, as [`Form`] says.
    pub(crate) show: fn(&Stored<'_>, Form<'_>) -> Result<Vec<u8>, CommandError>,
    /// Adds the results of a whole session and its own report to a page.
    pub(crate) add_to_page: AddToPage,
    /// Returns the lines below one of its runs.
    pub(crate) below_run: fn(&RunRecord) -> String,
}

type AddToPage = fn(&Stored<'_>, Vec<ResultRow>, &mut PageBuilder) -> Result<(), CommandError>;

/// Which hints change the findings of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hints {
    None,
    All,
    /// All, but a goal is one of a single result.
    GoalOfOneResult,
}

/// All of them, in the order in which messages list them.
pub(crate) static KINDS: &[&Kind] = &[
    &run::KIND,
    &survey::KIND,
    &sweep::KIND,
    &import::KIND,
    &files::KIND,
    &dd::KIND,
    &looks::QUICK,
    &looks::LAYERS,
    &watch::KIND,
    &verify::KIND,
    &pts::KIND,
];

/// Their words, as a message lists them.
pub(crate) static WORDS: LazyLock<String> = LazyLock::new(|| {
    let words: Vec<&str> = KINDS.iter().map(|kind| kind.word).collect();
    let (last, before) = words.split_last().expect("there are kinds");
    format!("{} or {last}", before.join(", "))
});

/// What a value that names a kind has to be.
pub(crate) static FORM: LazyLock<String> = LazyLock::new(|| format!("must be {}", *WORDS));

impl Kind {
    /// Returns the kind as sessions are stored with it.
    pub(crate) const fn stored(&self) -> SessionKind {
        SessionKind::new(self.word)
    }

    /// Returns the kind of a stored session.
    ///
    /// # Errors
    /// This build has no such kind.
    pub(crate) fn of(summary: &SessionSummary) -> Result<&'static Kind, CommandError> {
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

    /// Returns why a session, or one result of it, has no hints of these kinds; `None` where it can.
    pub(crate) fn refuse_hints(&self, name: &str, one: bool, goal: bool) -> Option<String> {
        match self.hints {
            Hints::GoalOfOneResult if goal && !one => {
                Some(format!("{name}: {ONE_RESULT}, as {name}.1"))
            }
            Hints::All | Hints::GoalOfOneResult => None,
            Hints::None => Some(format!(
                "{name}: hints have no effect on a session of fathom {}; --comment can be stored with it",
                self.word
            )),
        }
    }
}

/// Returns nothing, for kinds whose runs need no line below them.
pub(crate) fn nothing_below(_: &RunRecord) -> String {
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_a_word_of_its_own_and_a_subcommand_that_fills_it() {
        let words: std::collections::BTreeSet<&str> = KINDS.iter().map(|kind| kind.word).collect();
        assert_eq!(words.len(), KINDS.len());
        let command = crate::args::program();
        for word in words {
            assert!(command.find_subcommand(word).is_some(), "{word}");
            assert!(WORDS.contains(word));
        }
    }
}
