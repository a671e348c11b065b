//! `cargo xtask book`: builds the documents as a book, into `target/book`, and fails on any warning.
//!
//! mdBook is a program of its own. `cargo xtask book install`, which `cargo xtask full` calls where it is missing, compiles it
//! into `target/tools`, without optimization: that is sooner done, and the book is small. Omitted: links and anchors, which
//! `cargo xtask tidy` checks without mdBook.

use crate::setup;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const VERSION: &str = "0.5.4";
const TOOLS: &str = "target/tools";

/// Builds the book, or installs mdBook. Returns whether that worked.
pub(crate) fn run(root: &Path, words: &[String]) -> bool {
    let done = match words {
        [] => build(root),
        [word] if word == "install" => install(root),
        _ => Err("accepted: cargo xtask book, cargo xtask book install".to_owned()),
    };
    match done {
        Ok(ref what) => println!("book: {what}"),
        Err(ref why) => eprintln!("book: {why}"),
    }
    done.is_ok()
}

/// Builds the book as a check of `cargo xtask full`. Without mdBook and a registry to install it from, prints that.
pub(crate) fn is_sound(root: &Path) -> bool {
    if mdbook(root).is_none()
        && let Err(why) = install(root)
    {
        println!("book: skipped: {why}");
        return true;
    }
    run(root, &[])
}

fn build(root: &Path) -> Result<String, String> {
    let mdbook = mdbook(root).ok_or("no mdbook: run `cargo xtask book install`")?;
    let mut command = Command::new(mdbook);
    let output = command.arg("build").arg(root).stdin(Stdio::null()).output();
    let output = output.map_err(|why| format!("mdbook does not start: {why}"))?;
    let log = String::from_utf8_lossy(&output.stderr);
    let bad = |line: &&str| line.contains("WARN") || line.contains("ERROR");
    match log.lines().filter(bad).collect::<Vec<_>>() {
        bad if bad.is_empty() && output.status.success() => {
            Ok("built, target/book/index.html".to_owned())
        }
        bad => Err(format!("{}: {}", output.status, bad.join("\n    "))),
    }
}

fn install(root: &Path) -> Result<String, String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["install", "mdbook", "--no-default-features", "--locked"]);
    cargo
        .args(["--debug", "--quiet"])
        .env("CARGO_PROFILE_DEV_DEBUG", "0");
    cargo.args(["--version", VERSION, "--root"]);
    let status = cargo.arg(root.join(TOOLS)).status();
    match status {
        Ok(status) if status.success() => Ok(format!("mdbook {VERSION} is in {TOOLS}")),
        Ok(status) => Err(format!("cargo install mdbook: {status}")),
        Err(why) => Err(format!("cargo does not start: {why}")),
    }
}

/// Returns the path of mdBook, where it is installed.
fn mdbook(root: &Path) -> Option<PathBuf> {
    let mut folders = setup::search_path();
    folders.insert(0, root.join(TOOLS).join("bin"));
    let mut programs = folders.iter().map(|folder| folder.join("mdbook"));
    programs.find(|program| program.is_file())
}
