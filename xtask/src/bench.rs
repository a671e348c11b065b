//! `cargo xtask bench`: builds the program for release and lets the package `bench` compare it with others.
//!
//! Deliberately absent: the comparison itself, which needs more than this program may depend on.

use std::path::Path;
use std::process::{Command, Stdio};

/// Whether the table could be created. Its content is for people to judge.
pub(crate) fn run(root: &Path, arguments: &[String]) -> bool {
    let build = ["build", "--release", "--package", "fathom"];
    let start = ["run", "--release", "--package", "bench", "--"];
    cargo(root, &build, &[]) && cargo(root, &start, arguments)
}

fn cargo(root: &Path, words: &[&str], arguments: &[String]) -> bool {
    let status = Command::new("cargo")
        .args(words)
        .args(arguments)
        .current_dir(root)
        .stdin(Stdio::null())
        .status();
    match status {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("bench: cargo could not be started: {error}");
            false
        }
    }
}
