//! The words of a system's error.

use std::io;

/// The system's words without Rust's number behind them.
pub(crate) fn errno_text(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}
