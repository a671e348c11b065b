//! A command line of SQLIO while it is read. Omitted: how it is taken apart (`parse`).

use super::profile::{Affinity, Profile};
use super::{Environment, Extra, Note, Problem};
use std::ops::RangeInclusive;

/// A switch.
pub struct Flag {
    /// What stands behind the dash, or behind the two of a long switch.
    pub name: &'static str,
    /// What follows it; empty where nothing does.
    pub argument: &'static str,
    /// What it asks for.
    pub doc: &'static str,
    /// How Linux does it. Empty for long switches, which are fathom's own.
    pub linux: &'static str,
    /// Written with two dashes.
    pub long: bool,
    pub(super) read: Read,
}

pub(super) type Read = fn(&mut Command, &Word) -> Result<(), Problem>;

/// A command line while it is read.
pub(super) struct Command<'a> {
    pub(super) environment: &'a Environment<'a>,
    pub(super) profile: Profile,
    pub(super) given: Given,
    pub(super) extra: Extra,
    pub(super) notes: Vec<Note>,
    pub(super) problems: Vec<Problem>,
}

/// What was given that only means something together with the rest.
#[derive(Default)]
pub(super) struct Given {
    /// Files that were named.
    pub(super) files: Vec<String>,
    /// `-t`
    pub(super) threads: Option<u32>,
    /// `-d`: letters.
    pub(super) drives: Option<String>,
    /// `-R`: letters and digits.
    pub(super) raw: Option<String>,
    /// `-p` or `-a`, as it was given.
    pub(super) affinity: Option<(String, Affinity)>,
    /// `-k`, as it was given.
    pub(super) kind: Option<String>,
    /// `-T`, as it was given.
    pub(super) share: Option<String>,
    /// `-i`, as it was given.
    pub(super) run_ios: Option<String>,
    /// `-F`
    pub(super) parameters: Option<String>,
}

/// A switch as it was given.
pub(super) struct Word<'t> {
    pub(super) token: String,
    /// What stands behind the name of the switch.
    pub(super) value: &'t str,
    pub(super) flag: &'static Flag,
}

impl Word<'_> {
    pub(super) fn value(&self, accepted: &'static str) -> Problem {
        Problem::Value {
            token: self.token.clone(),
            read: self.value.to_owned(),
            accepted,
        }
    }

    pub(super) fn refused(&self, why: impl Into<String>) -> Problem {
        Problem::Rule {
            place: self.token.clone(),
            why: why.into(),
        }
    }

    /// A whole number, and nothing behind it.
    pub(super) fn number(
        &self,
        range: RangeInclusive<u32>,
        accepted: &'static str,
    ) -> Result<u32, Problem> {
        number(self.value)
            .and_then(|number| u32::try_from(number).ok())
            .filter(|number| range.contains(number))
            .ok_or_else(|| self.value(accepted))
    }
}

/// Digits and nothing else.
pub(super) fn number(text: &str) -> Option<u64> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok())?
}

/// Decimal, or hexadecimal behind `0x`.
pub(super) fn mask(text: &str) -> Option<u64> {
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    match hex {
        Some(digits) if digits.starts_with('+') => None,
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => number(text),
    }
}

impl Command<'_> {
    pub(super) fn note(&mut self, word: &Word, what: impl Into<String>) {
        self.notes.push(Note::new(&word.token, what));
    }
}
