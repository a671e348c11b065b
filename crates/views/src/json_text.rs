//! JSON as a terminal may show it. Omitted: what a document contains (`json`, `rows`).

use serde::Serialize;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Writes the control characters that JSON lets stand as escapes: DEL and those of C1, which a terminal obeys.
pub fn json_escaped(document: &str) -> Cow<'_, str> {
    let is_control = |c: char| matches!(c, '\u{7f}'..='\u{9f}');
    if !document.contains(is_control) {
        return Cow::Borrowed(document);
    }
    let mut out = String::with_capacity(document.len() + 6);
    for letter in document.chars() {
        match is_control(letter) {
            true => write!(out, "\\u{:04x}", u32::from(letter)).expect("a string takes all text"),
            false => out.push(letter),
        }
    }
    Cow::Owned(out)
}

/// Passes JSON on, with the control characters that it has as they are written as escapes.
pub(crate) struct Escaped<'a>(pub(crate) &'a mut dyn Write);

impl Write for Escaped<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // The first bytes of what is escaped. A call has a few bytes, so the others are not read as text.
        let may_have_one = bytes.iter().any(|byte| matches!(byte, 0x7f | 0xc2));
        match may_have_one.then(|| std::str::from_utf8(bytes)) {
            Some(Ok(text)) => self.0.write_all(json_escaped(text).as_bytes())?,
            _ => self.0.write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Writes one document over several lines, ending in a newline.
///
/// # Errors
/// Those of `out`.
pub fn pretty_json(document: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(Escaped(out), document)?;
    out.write_all(b"\n")
}
