//! The checks that run no test: everything that a tool can find in the tree and in what it links.
//!
//! Every step runs, even after one that failed, so that the whole list is seen at once. Clippy and rustdoc read the copy of
//! the tree with the examples of docs/adding.md (`guide.rs`); what cargo builds for them, such as macros and SQLite, the
//! compilation uses, too. Omitted: whether the published schema fits the types, which is a test in `views`.

use crate::parts::Parts;
use crate::{book, deny, guide, licenses, setup, tidy};
use std::path::Path;
use std::process::{Command, Stdio};

/// A check and its name.
pub(crate) struct Step {
    name: &'static str,
    passes: fn(&Path) -> bool,
}

/// The steps that compile nothing.
pub(crate) const LIGHT: &[Step] = &[
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
        passes: |root| cargo(root, &["fmt", "--all", "--check"]),
    },
    Step {
        name: "licences, sources and versions of what is linked",
        passes: deny::run,
    },
    Step {
        name: "the documents as a book",
        passes: book::is_sound,
    },
];

/// The steps for which the compiler reads all crates.
pub(crate) const COMPILED: &[Step] = &[
    CLIPPY,
    Step {
        name: "documentation of the code",
        passes: |root| {
            let strict = ("RUSTDOCFLAGS", "-D warnings");
            on_copy(root, &["doc", "--workspace", "--no-deps"], Some(strict))
        },
    },
];

pub(crate) const CLIPPY: Step = Step {
    name: "clippy, with the examples of docs/adding.md",
    passes: |root| {
        let words = "clippy --workspace --all-targets -- -D warnings";
        on_copy(root, &words.split(' ').collect::<Vec<_>>(), None)
    },
};

/// The steps that need no network and find most defects.
pub(crate) fn quick(root: &Path, parts: &Parts) -> bool {
    let light = run(root, &LIGHT[..3], parts);
    run(root, &[CLIPPY], parts) && light
}

/// Runs the steps. Returns whether all passed.
pub(crate) fn run<'a>(
    root: &Path,
    steps: impl IntoIterator<Item = &'a Step>,
    parts: &Parts,
) -> bool {
    let mut all_passed = true;
    for step in steps {
        all_passed &= parts.run(step.name, || (step.passes)(root));
    }
    all_passed
}

/// Runs cargo on the copy of the tree.
fn on_copy(root: &Path, arguments: &[&str], variable: Option<(&str, &str)>) -> bool {
    let copy = match guide::copy(root) {
        Ok(copy) => copy,
        Err(why) => {
            eprintln!("check: {why}");
            return false;
        }
    };
    let mut command = Command::new(env!("CARGO"));
    command
        .arg(arguments[0])
        .arg("--quiet")
        .args(&arguments[1..]);
    command.current_dir(copy);
    command.env("CARGO_TARGET_DIR", setup::target(root));
    command.stdin(Stdio::null()).envs(variable);
    succeeds(&mut command)
}

fn cargo(root: &Path, arguments: &[&str]) -> bool {
    let mut command = Command::new(env!("CARGO"));
    succeeds(
        command
            .args(arguments)
            .current_dir(root)
            .stdin(Stdio::null()),
    )
}

/// Runs a command. Returns whether it succeeded; if it cannot be started, prints why.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    match command.status() {
        Ok(status) => status.success(),
        Err(why) => {
            eprintln!("xtask: {}: {why}", command.get_program().display());
            false
        }
    }
}
