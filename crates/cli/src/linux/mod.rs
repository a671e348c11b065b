//! What the entry point asks of Linux: signals, and where a user's data is.

mod signals;

use gate::Pin;
use std::path::Path;

pub(crate) use signals::{interrupt_self, listen_to, outlive_file_size_limit as prepare};

/// Where a user's data is. // XDG Base Directory Specification
pub(crate) const DATA_HOME: &str = "XDG_DATA_HOME";
/// The user's folder, below which it is otherwise.
pub(crate) const HOME: Option<&str> = Some("HOME");

/// What shows long texts: it ends at once where a text fits the screen, passes colours on, and does not clear the screen.
pub(crate) const PAGER: Option<&str> = Some("less -FRX");

/// Why results are not stored.
pub(crate) const NOWHERE: &str =
    "results are not stored: neither XDG_DATA_HOME nor HOME is set; hint: --store PATH stores them";
/// For a command that can only store.
pub(crate) const NOWHERE_TO_KEEP: &str = "there is no place to store results: neither XDG_DATA_HOME nor HOME is set; specify --store PATH";
/// For one that reads.
pub(crate) const NOWHERE_TO_LOOK: &str = "there is no place to read results from: neither XDG_DATA_HOME nor HOME is \
                        set; specify --store PATH";

/// What may be written without being a file or a disk: it throws away, or fails on purpose.
pub(crate) const SINKS: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/full"];

/// Whether what a name leads to is one of them.
pub(crate) fn is_sink(_: &Path, pin: &Pin) -> bool {
    let real = pin.real_path();
    real.is_some_and(|real| SINKS.iter().any(|sink| real == Path::new(sink)))
}

/// Terminals of Linux show colours.
pub(crate) fn shows_colours() -> bool {
    true
}
