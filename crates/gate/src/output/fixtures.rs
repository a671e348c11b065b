//! What tests of outputs share on both systems: results of their own, and the names in a folder.

use super::{Existing, Replace};
use std::path::Path;

/// Replaces what begins with `ours`.
pub(crate) const OWN: Replace<'static> = Replace::Own(&marked);

fn marked(existing: &Existing<'_>) -> bool {
    existing.head.starts_with(b"ours")
}

/// Returns the names in a folder, sorted.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}
