//! cargo-deny: which licences, sources and versions of libraries may be used (`deny.toml`).
//!
//! It is a program of its own, so it is installed where it is missing. Advisories need a database that is a repository of
//! its own, which is not available everywhere.

use std::path::Path;
use std::process::{Command, Stdio};

const VERSION: &str = "0.20.2";

/// Whether cargo-deny is content.
pub(crate) fn run(root: &Path) -> bool {
    println!(
        "skipped: advisories: their database is a git repository that cargo-deny fetches by itself; where it can be \
         reached: cargo deny check advisories"
    );
    if !is_there() && !install() {
        println!(
            "check: cargo-deny is missing and could not be installed: cargo install cargo-deny --locked"
        );
        return false;
    }
    let status = cargo(&[
        "deny",
        "--log-level",
        "error",
        "check",
        "licenses",
        "bans",
        "sources",
    ])
    .current_dir(root)
    .status();
    status.is_ok_and(|status| status.success())
}

/// Installs it where it is missing: some four minutes of a processor, once a machine. Whether it is there then.
fn install() -> bool {
    println!("check: cargo-deny {VERSION} is built; this takes some minutes, once");
    let status = cargo(&[
        "install",
        "cargo-deny",
        "--locked",
        "--quiet",
        "--version",
        VERSION,
    ])
    .status();
    status.is_ok_and(|status| status.success())
}

fn is_there() -> bool {
    let said = cargo(&["deny", "--version"]).stderr(Stdio::null()).output();
    said.is_ok_and(|said| said.status.success())
}

fn cargo(words: &[&str]) -> Command {
    let mut command = Command::new("cargo");
    command.args(words).stdin(Stdio::null());
    command
}
