//! The text of a plan: where in it a field stands, and what may be its value.

use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// A plan's text, with the places of its lines.
pub(super) struct Text<'t> {
    pub(super) whole: &'t str,
    /// Where each line but the first begins.
    lines: Vec<usize>,
}

/// A field of a table with its name, its place and its value.
pub(super) struct Entry<'a> {
    pub(super) name: String,
    /// As it stands in the plan.
    pub(super) raw: &'a str,
    pub(super) place: String,
    pub(super) value: &'a DeValue<'a>,
}

impl<'t> Text<'t> {
    pub(super) fn new(whole: &'t str) -> Self {
        Text {
            whole,
            lines: whole.match_indices('\n').map(|(at, _)| at + 1).collect(),
        }
    }

    /// In the order of the text: the reader of TOML sorts them by name.
    pub(super) fn entries<'a>(&self, table: &'a DeTable<'a>) -> Vec<Entry<'a>> {
        let mut found: Vec<_> = table.iter().collect();
        found.sort_by_key(|(name, _)| name.span().start);
        found
            .into_iter()
            .map(|(name, value)| Entry {
                name: name.get_ref().replace('_', "-"),
                raw: name.get_ref(),
                place: format!("{}: {}", self.place(name.span()), short(name.get_ref())),
                value: value.get_ref(),
            })
            .collect()
    }

    pub(super) fn place(&self, span: Range<usize>) -> String {
        let line = self.lines.partition_point(|begin| *begin <= span.start);
        format!("line {}", line + 1)
    }
}

/// Short enough to stand in front of each of many problems.
fn short(name: &str) -> String {
    const SHOWN_MAX: usize = 80;
    match name.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

/// Text, a whole number, true or false. A fraction could be read in two ways, so it is not one.
pub(super) fn scalar(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str().to_owned()),
        DeValue::Boolean(said) => Some(said.to_string()),
        _ => None,
    }
}

pub(super) fn texts(value: &DeValue<'_>) -> Option<Vec<String>> {
    match value {
        DeValue::Array(items) => items.iter().map(|item| scalar(item.get_ref())).collect(),
        other => scalar(other).map(|one| vec![one]),
    }
}

pub(super) fn kind_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a number",
        DeValue::Float(_) => "a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
