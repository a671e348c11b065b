//! `cargo xtask cases`: the case files of the findings, with sensitivity and false alarms a rule.
//!
//! Omitted: the cases themselves (`crates/cli/tests/cases`).

use std::path::Path;
use std::process::Command;

/// Whether each cause is named and no innocent document accused. The table goes to the terminal.
pub(crate) fn run(root: &Path) -> bool {
    let words = [
        "test",
        "--quiet",
        "--package",
        "fathom",
        "--test",
        "cases",
        "--",
        "--nocapture",
    ];
    let status = Command::new("cargo").args(words).current_dir(root).status();
    status.is_ok_and(|status| status.success())
}
