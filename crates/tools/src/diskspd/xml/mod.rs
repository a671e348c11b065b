//! Profiles as XML documents: read with bounds, written in the order of the original.
//!
//! `tree` turns text into a small tree and is the only place that knows the parser; `read` turns the tree into a
//! profile; `write` is the other way. The law between them: what is written reads back as the same profile. What a
//! document may contain is also in `docs/schema/diskspd-profile.xsd`. Deliberately absent: values that cannot be
//! together (`validate`), and results (`views`).

mod elements;
mod parts;
mod queue;
mod read;
mod tree;
mod write;

pub use read::read_xml;
pub use tree::{Element, LENGTH_MAX, read_results};
pub use write::{escape, write_xml};

/// What stands in a document for a character that XML does not have.
pub const LOST: char = '\u{fffd}';

/// Whether XML 1.0 has this character at all. Source: XML 1.0, fifth edition, production 2 (Char).
pub(super) fn is_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// Whether a document can give this text back.
pub(super) fn can_hold(text: &str) -> bool {
    text.chars().all(is_char)
}

/// The front of a text, so that a message stays short.
fn short(text: &str) -> String {
    const LENGTH: usize = 120;
    match text.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// What is wrong with a document, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub struct XmlError {
    /// Counted from 1.
    pub line: usize,
    /// Counted in characters, from 1.
    pub column: usize,
    /// What was read, and what is accepted.
    pub what: String,
}

impl XmlError {
    /// An error at a byte of the text.
    fn at(text: &str, byte: usize, what: impl Into<String>) -> XmlError {
        let mut end = byte.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &text[..end];
        let start = before.rfind('\n').map_or(0, |place| place + 1);
        XmlError {
            line: before.matches('\n').count() + 1,
            column: before[start..].chars().count() + 1,
            what: what.into(),
        }
    }
}
