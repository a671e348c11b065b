//! A DISKSPD command line as the base of a sweep, and axes over its switches.
//!
//! An axis is named as its switch (`o=2,4,8`) and replaces its setting in the line. Where the values are switches
//! themselves (`access=-r,-si`) the name is only a name. Deliberately absent: what a switch means.

use super::Axis;
use super::fields::Kind;
use super::problem::{Problem, did_you_mean};
use super::values::expand;
use crate::diskspd;
use crate::refusal::Problems;

/// Most words of a line, which each combination repeats.
const WORDS_MAX: usize = 200;

/// The switches and targets of a line, without the program's name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    words: Vec<String>,
}

impl Line {
    /// Reads a line as a person types it, with or without the program's name.
    pub(super) fn split(text: &str, problems: &mut Problems<Problem>) -> Line {
        let (mut words, is_open) = diskspd::words_of(text);
        let refuse = |why: &str| Problem::Contradiction {
            place: "the DISKSPD line".to_owned(),
            why: why.to_owned(),
        };
        if is_open {
            problems.push(refuse("a quotation mark is open at its end: close it"));
        }
        if words.first().is_some_and(|word| diskspd::is_program(word)) {
            words.remove(0);
        }
        if words
            .iter()
            .any(|word| word.starts_with('>') || word.starts_with('|'))
        {
            problems.push(refuse(
                "it sends its output somewhere: fathom stores and shows results, so omit that",
            ));
        }
        if words.len() > WORDS_MAX {
            problems.push(refuse("it is longer than any that a sweep repeats for each combination: give fewer than 200 words"));
            words.clear();
        } else if words.is_empty() {
            problems.push(refuse(
                "it is empty: give the switches and the target, as -b8K -d10 test.dat",
            ));
        }
        if words.iter().any(|word| switch_of(word) == Some("X")) {
            problems.push(refuse(
                "it names a profile (-X), and only switches can be varied: specify them in the line",
            ));
        }
        Line { words }
    }

    /// A line that is in words already.
    pub(super) fn of_words(words: Vec<String>) -> Line {
        Line { words }
    }

    /// One axis: of a switch, or of whole switches.
    pub(super) fn axis(
        &self,
        place: &str,
        name: &str,
        values: &str,
        problems: &mut Problems<Problem>,
    ) -> Axis {
        let whole = values.split(',').any(|value| value.trim().starts_with('-'));
        let switch = diskspd::FLAGS
            .iter()
            .find(|flag| !flag.long && flag.name == name);
        if !whole && switch.is_none() {
            let names: Vec<&str> = diskspd::FLAGS
                .iter()
                .filter(|flag| !flag.long && !flag.argument.is_empty())
                .map(|flag| flag.name)
                .collect();
            problems.push(Problem::UnknownField {
                place: place.to_owned(),
                read: name.to_owned(),
                hint: did_you_mean(name, names.iter().copied()),
                accepted: format!(
                    "DISKSPD's switches that take a value, {}, or any name for whole switches (access=-r,-si)",
                    names.join(" ")
                ),
            });
        }
        let ranged = values.contains("..");
        let kind = match ranged {
            true if values.chars().any(|letter| letter.is_ascii_alphabetic()) => Kind::Size,
            true => Kind::Count,
            false => Kind::Word,
        };
        Axis {
            name: name.to_owned(),
            values: expand(kind, place, values, problems),
        }
    }

    /// The arguments of one cell: the line's switches without those that are varied, the varied ones, the targets.
    pub(super) fn arguments(&self, values: &[(String, String)]) -> Vec<String> {
        let varied = |word: &String| {
            let switch = switch_of(word);
            let mut values = values.iter().filter(|(_, value)| !value.starts_with('-'));
            switch.is_some() && values.any(|(name, _)| Some(name.as_str()) == switch)
        };
        let switches = self.words.iter().filter(|word| !varied(word));
        let mut words: Vec<String> = switches.cloned().collect();
        let targets = words
            .iter()
            .rev()
            .take_while(|word| is_target(word))
            .count();
        let before = words.len() - targets;
        let said = values
            .iter()
            .map(|(name, value)| match value.starts_with('-') {
                true => value.clone(),
                false => format!("-{name}{value}"),
            });
        words.splice(before..before, said);
        words
    }
}

/// The name of the switch that a word begins with.
fn switch_of(word: &str) -> Option<&'static str> {
    let rest = word
        .strip_prefix('-')
        .filter(|rest| !rest.starts_with('-'))?;
    diskspd::switch_named_in(rest)
}

/// Targets stand last; a slash may begin a path, so what begins with one there is taken for a target.
pub(super) fn is_target(word: &str) -> bool {
    !word.starts_with('-')
}
