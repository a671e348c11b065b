//! What goes out: results to standard output, words to a person on standard error.
//!
//! Deliberately absent: what the results look like (`views`), and progress.

use crate::failure::Failure;
use std::io::{self, ErrorKind, Write};

/// Writes a whole result at once. A reader that went away has read all it wanted, so that is no failure.
pub(crate) fn print(result: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(result).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::failed(format!(
            "standard output could not be written: {}",
            errno_text(&error)
        ))),
    }
}

/// Says something to the person, each line with the program's name. Names of files may hold anything, so what a
/// terminal would obey is made visible. Where nobody can hear it, it is not said.
pub(crate) fn tell(text: &str) {
    let mut err = io::stderr().lock();
    for line in text.lines() {
        let _ = writeln!(err, "fathom: {}", views::printable(line));
    }
}

/// The kernel's words without Rust's number behind them.
pub(crate) fn errno_text(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}
