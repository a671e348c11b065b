//! What can be wrong with the definition of a sweep.

use crate::problem as native;
use crate::refusal::{Once, Problems};

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// A value of fathom's own options.
    #[error("{0}")]
    Native(native::Problem),
    /// A switch of DISKSPD's, in that dialect's words.
    #[error("{0}")]
    Diskspd(String),
    /// A value that is not what its place takes.
    #[error("{}", model::invalid_value(read, place, accepted))]
    Value {
        /// The option, or the line of the plan.
        place: String,
        /// As it was given.
        read: String,
        /// What is accepted here.
        accepted: String,
    },
    /// A range that does not come out.
    #[error("{}", model::invalid_value(read, place, why))]
    Range {
        /// The option, or the line of the plan.
        place: String,
        /// As it was given.
        read: String,
        /// Why, and what to specify instead.
        why: String,
    },
    /// No such field.
    #[error("{place}: there is no field `{read}`{hint}; fields: {accepted}")]
    UnknownField {
        /// The option, or the line of the plan.
        place: String,
        /// As it was given.
        read: String,
        /// What may have been meant.
        hint: String,
        /// All of them.
        accepted: String,
    },
    /// What cannot be together.
    #[error("{place}: {why}")]
    Contradiction {
        /// The option, or the line of the plan.
        place: String,
        /// What it contradicts and what to do.
        why: String,
    },
    /// The plan is no TOML.
    #[error("{place}: not TOML: {what}")]
    Syntax {
        /// The line of the plan.
        place: String,
        /// The error of the TOML reader.
        what: String,
    },
}

/// Everything that is wrong.
pub type Refusal = crate::refusal::Refusal<Problem>;

/// `Ok` when there are no problems; a field may have the same one in many cells, and each is reported once.
///
/// # Errors
/// All of them, in the order found.
pub(super) fn none_or_once(problems: impl Into<Problems<Problem>>) -> Result<(), Refusal> {
    let mut reported = Once::default();
    let mut problems = problems.into();
    problems.retain(|problem| reported.is_new(&problem.to_string()));
    Refusal::none_or(problems)
}

/// The name that is nearest to a misspelt one, as a hint.
pub(super) fn did_you_mean<'a>(read: &str, names: impl Iterator<Item = &'a str>) -> String {
    const FAR: usize = 2;
    let near = names
        .filter(|name| name.len().abs_diff(read.len()) <= FAR)
        .map(|name| (distance(read, name), name))
        .min()
        .filter(|(distance, _)| *distance <= FAR);
    near.map_or_else(String::new, |(_, name)| format!(" (did you mean {name}?)"))
}

/// Edits from one word to another. Source: Wagner and Fischer, JACM 21 (1974).
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (place, letter) in one.chars().enumerate() {
        let mut before = row[0];
        row[0] = place + 1;
        for (column, theirs) in other.iter().enumerate() {
            let kept = before + usize::from(letter != *theirs);
            before = row[column + 1];
            row[column + 1] = kept.min(before + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}
