//! `cargo xtask bench`: builds the program for release and lets the package `bench` compare it with others.
//!
//! Deliberately absent: the comparison itself, which needs more than this program may depend on.

use crate::check;
use std::path::Path;
use std::process::{Command, Stdio};

/// Whether the table could be created. Its content is for people to judge.
pub(crate) fn run(root: &Path, arguments: &[String]) -> bool {
    let build = ["build", "--release", "--package", "fathom"];
    let start = ["run", "--release", "--package", "bench", "--"];
    cargo(root, &build, &[]) && cargo(root, &start, arguments)
}

fn cargo(root: &Path, words: &[&str], arguments: &[String]) -> bool {
    let mut command = Command::new(env!("CARGO"));
    command.args(words).args(arguments).current_dir(root);
    check::succeeds(command.stdin(Stdio::null()))
}
