//! cargo-deny: which licences, sources and versions of libraries may be used (`deny.toml`).
//!
//! Advisories need a database that is a repository of its own, which is not available everywhere.

use crate::tools;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs cargo-deny; without it, and without a registry to install it from, prints that it is skipped. Returns whether nothing was denied.
pub(crate) fn run(root: &Path) -> bool {
    println!(
        "skipped: advisories: their database is a git repository that cargo-deny fetches by itself; where it can be \
         reached: cargo deny check advisories"
    );
    let program = match tools::DENY.find_or_install() {
        Ok(program) => program,
        Err(why) => {
            println!("skipped: cargo-deny: {why}");
            return true;
        }
    };
    let mut deny = Command::new(program);
    deny.args([
        "--log-level",
        "error",
        "check",
        "licenses",
        "bans",
        "sources",
    ]);
    deny.current_dir(root).stdin(Stdio::null());
    deny.status().is_ok_and(|status| status.success())
}
