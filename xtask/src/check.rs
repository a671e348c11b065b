//! `cargo xtask check`: everything that a tool can check in the tree without running the program.
//!
//! Every step runs, even after one that failed: a person wants the whole list at once. Whether the published
//! schema still fits the types is a test in `views`, so it is not asked here.

use crate::{book, deny, guide, lab, licenses, tidy};
use std::path::Path;
use std::process::{Command, Stdio};

/// A check and its name.
pub(crate) struct Step {
    name: &'static str,
    passes: fn(&Path) -> bool,
}

/// The steps of `cargo xtask quick`: they need no network, and what they build the unit tests use again.
pub(crate) const QUICK: &[Step] = &[
    Step {
        name: "tidy",
        passes: tidy::run,
    },
    Step {
        name: "notices of the linked libraries",
        passes: licenses::are_current,
    },
    Step {
        name: "formatting",
        passes: |root| cargo(root, &["fmt", "--all", "--check"], None),
    },
    Step {
        name: "clippy",
        passes: clippy,
    },
];

/// The steps of `cargo xtask full`.
pub(crate) const SLOW: &[Step] = &[
    Step {
        name: "licences, sources and versions of what is linked",
        passes: deny::run,
    },
    Step {
        name: "documentation",
        passes: documentation,
    },
    Step {
        name: "the documents as a book",
        passes: book::is_sound,
    },
    Step {
        name: "the examples of docs/adding.md",
        passes: guide::compiles,
    },
    Step {
        name: "environments, the short part",
        passes: |root| lab::run(root, &["environments".to_owned(), "short".to_owned()]),
    },
    Step {
        name: "verification below the kernel, the short part",
        passes: |root| lab::run(root, &["verify".to_owned(), "short".to_owned()]),
    },
];

/// Runs the steps. Returns whether all passed.
pub(crate) fn run<'a>(root: &Path, steps: impl IntoIterator<Item = &'a Step>) -> bool {
    let mut failed = Vec::new();
    for step in steps {
        println!("check: {}", step.name);
        if !(step.passes)(root) {
            failed.push(step.name);
        }
    }
    if failed.is_empty() {
        println!("check: all is in order");
    } else {
        println!("check: not in order: {}", failed.join(", "));
    }
    failed.is_empty()
}

fn clippy(root: &Path) -> bool {
    let arguments = [
        "clippy",
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ];
    cargo(root, &arguments, None)
}

fn documentation(root: &Path) -> bool {
    let strict = ("RUSTDOCFLAGS", "-D warnings");
    cargo(root, &["doc", "--workspace", "--no-deps"], Some(strict))
}

fn cargo(root: &Path, arguments: &[&str], variable: Option<(&str, &str)>) -> bool {
    let mut command = Command::new("cargo");
    command
        .args(arguments)
        .current_dir(root)
        .stdin(Stdio::null())
        .envs(variable);
    match command.status() {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("check: cargo could not be started: {error}");
            false
        }
    }
}
