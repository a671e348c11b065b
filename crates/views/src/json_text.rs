//! JSON as a terminal may show it. Omitted: what a document contains (`json`, `rows`).

use model::json_escaped;
use serde::Serialize;
use std::io::{self, Write};

/// Passes JSON on, with the control characters that it has as they are written as escapes.
pub(crate) struct Escaped<'a>(pub(crate) &'a mut dyn Write);

impl Write for Escaped<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.0.write_all(json_escaped(text).as_bytes())?,
            Err(_) => self.0.write_all(bytes)?,
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
