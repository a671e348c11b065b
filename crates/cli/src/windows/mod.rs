//! What the entry point asks of Windows: Ctrl-C, the console, and where a user's data is.

mod console;

use gate::Pin;
use std::path::Path;

pub(crate) use console::{interrupt_self, listen_to, shows_colours};

/// Where a user's data is that does not move to other machines.
pub(crate) const DATA_HOME: &str = "LOCALAPPDATA";
/// No other folder takes its place.
pub(crate) const HOME: Option<&str> = None;

/// Nothing shows long texts: `more` cannot scroll back.
pub(crate) const PAGER: Option<&str> = None;

/// Why results are not stored.
pub(crate) const NOWHERE: &str =
    "results are not stored: LOCALAPPDATA is not set; hint: --store PATH stores them";
/// For a command that can only store.
pub(crate) const NOWHERE_TO_KEEP: &str =
    "there is no place to store results: LOCALAPPDATA is not set; specify --store PATH";
/// For one that reads.
pub(crate) const NOWHERE_TO_LOOK: &str =
    "there is no place to read results from: LOCALAPPDATA is not set; specify --store PATH";

/// What may be written without being a file or a disk: it throws away.
pub(crate) const SINKS: [&str; 1] = ["NUL"];

/// Whether a name is one of them.
pub(crate) fn is_sink(path: &Path, _: &Pin) -> bool {
    let text = path.as_os_str();
    SINKS.iter().any(|sink| text.eq_ignore_ascii_case(sink))
}

/// A process of Windows has nothing to set before it reads its arguments: no limit on the length of files kills it.
pub(crate) fn prepare() {}
