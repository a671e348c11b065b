//! `cargo xtask book`: builds the documents as a book, into `target/book`, and fails on any warning.
//!
//! mdBook is a program of its own (`tools.rs`). Omitted: links and anchors, which `cargo xtask tidy` checks without mdBook.

use crate::tools;
use std::path::Path;
use std::process::{Command, Stdio};

/// Builds the book. Returns whether that worked.
pub(crate) fn run(root: &Path) -> bool {
    let built = tools::MDBOOK
        .find_or_install()
        .and_then(|mdbook| build(root, &mdbook));
    match &built {
        Ok(()) => println!("book: built, target/book/index.html"),
        Err(why) => eprintln!("book: {why}"),
    }
    built.is_ok()
}

/// Builds the book as a check. Without mdBook, and without a registry to install it from, prints that it is skipped.
pub(crate) fn is_sound(root: &Path) -> bool {
    match tools::MDBOOK.find_or_install() {
        Ok(_) => run(root),
        Err(why) => {
            println!("skipped: the book: {why}");
            true
        }
    }
}

fn build(root: &Path, mdbook: &Path) -> Result<(), String> {
    let mut command = Command::new(mdbook);
    let output = command.arg("build").arg(root).stdin(Stdio::null()).output();
    let output = output.map_err(|why| format!("mdbook does not start: {why}"))?;
    let log = String::from_utf8_lossy(&output.stderr);
    let bad = |line: &&str| line.contains("WARN") || line.contains("ERROR");
    match log.lines().filter(bad).collect::<Vec<_>>() {
        bad if bad.is_empty() && output.status.success() => Ok(()),
        bad => Err(format!("{}: {}", output.status, bad.join("\n    "))),
    }
}
