//! `cargo xtask check`: everything that a tool can say about the tree without running the program.
//!
//! Every step runs, even after one that failed: a person wants the whole list at once. Whether the published
//! schema still fits the types is a test in `views`, so it is not asked here.

use crate::{deny, licenses, tidy};
use std::path::Path;
use std::process::{Command, Stdio};

/// What cargo is asked.
struct Step {
    name: &'static str,
    arguments: &'static [&'static str],
    setting: Option<(&'static str, &'static str)>, // of the environment
}

const STEPS: &[Step] = &[
    Step {
        name: "formatting",
        arguments: &["fmt", "--all", "--check"],
        setting: None,
    },
    Step {
        name: "clippy",
        arguments: &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ],
        setting: None,
    },
    Step {
        name: "documentation",
        arguments: &["doc", "--workspace", "--no-deps"],
        setting: Some(("RUSTDOCFLAGS", "-D warnings")),
    },
];

/// Whether every step was content.
pub(crate) fn run(root: &Path) -> bool {
    let mut failed = Vec::new();
    println!("check: tidy");
    if !tidy::run(root) {
        failed.push("tidy");
    }
    println!("check: notices of the linked libraries");
    if !licenses::are_current(root) {
        failed.push("notices");
    }
    println!("check: licences, sources and versions of what is linked");
    if !deny::run(root) {
        failed.push("cargo deny");
    }
    for Step {
        name,
        arguments,
        setting,
    } in STEPS
    {
        println!("check: {name}");
        let mut command = Command::new("cargo");
        command
            .args(*arguments)
            .current_dir(root)
            .stdin(Stdio::null());
        command.envs(*setting);
        match command.status() {
            Ok(status) if status.success() => {}
            Ok(_) => failed.push(name),
            Err(error) => {
                eprintln!("check: cargo could not be started: {error}");
                failed.push(name);
            }
        }
    }
    if failed.is_empty() {
        println!("check: all is in order");
    } else {
        println!("check: not in order: {}", failed.join(", "));
    }
    failed.is_empty()
}
