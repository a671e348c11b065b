//! XML text, two blanks a level, one element a line. All text and all attributes are escaped as the dialect escapes
//! them in its profile.

use crate::diskspd::escape;
use std::fmt::{Display, Write};

/// A document as it grows.
#[derive(Debug, Default)]
pub(super) struct Document {
    text: String,
    depth: usize,
}

/// Attributes of one element.
pub(super) type Attributes<'a> = [(&'a str, String)];

impl Document {
    /// `<name a="…">`, and what follows stands inside.
    pub(super) fn open(&mut self, name: &str, attributes: &Attributes<'_>) {
        self.tag(name, attributes, ">");
        self.depth += 1;
    }

    /// `</name>`
    pub(super) fn close(&mut self, name: &str) {
        self.depth -= 1;
        self.line(&format!("</{name}>"));
    }

    /// `<name a="…"/>`
    pub(super) fn empty(&mut self, name: &str, attributes: &Attributes<'_>) {
        self.tag(name, attributes, "/>");
    }

    /// `<name>value</name>`
    pub(super) fn leaf(&mut self, name: &str, value: impl Display) {
        self.with(name, &[], value);
    }

    /// `<name a="…">value</name>`
    pub(super) fn with(&mut self, name: &str, attributes: &Attributes<'_>, value: impl Display) {
        let value = value.to_string();
        self.tag(name, attributes, &format!(">{}</{name}>", escape(&value)));
    }

    /// The same with so many decimals.
    pub(super) fn number(&mut self, name: &str, value: f64, decimals: usize) {
        self.leaf(name, format_args!("{value:.decimals$}"));
    }

    /// Lines that are XML and indented already.
    pub(super) fn raw(&mut self, lines: &str) {
        self.text.push_str(lines);
        if !lines.is_empty() && !lines.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// Everything so far.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    fn tag(&mut self, name: &str, attributes: &Attributes<'_>, end: &str) {
        let mut line = format!("<{name}");
        for (attribute, value) in attributes {
            write!(line, " {attribute}=\"{}\"", escape(value)).expect("a String takes everything");
        }
        self.line(&(line + end));
    }

    fn line(&mut self, line: &str) {
        let indent = self.depth * 2;
        writeln!(self.text, "{:indent$}{line}", "").expect("a String takes everything");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Case X056, in the results.
    #[test]
    fn text_and_attributes_are_escaped() {
        let mut document = Document::default();
        document.open("A", &[("b", "\"<".to_owned())]);
        document.leaf("Path", "a&b\n\u{1}");
        document.close("A");
        assert_eq!(
            document.text(),
            "<A b=\"&quot;&lt;\">\n  <Path>a&amp;b&#10;\u{fffd}</Path>\n</A>\n"
        );
    }
}
