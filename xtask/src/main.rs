//! The project's own tools: one row of `COMMANDS` each, one file each.
//!
//! Stands alone: it depends on no crate of the workspace, so that it still builds when a crate does not.
//! Deliberately absent: anything that the program itself needs to run.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this program talks to the person at the terminal"
)]

mod attack;
mod bench;
mod book;
mod bounds;
mod campaign;
mod cases;
mod check;
mod ci;
mod coverage;
mod deny;
mod dist;
mod guide;
mod images;
mod lab;
mod licenses;
mod load;
mod net;
mod parts;
mod setup;
mod test;
mod tidy;
mod tools;
mod windows;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A command: its name, its arguments as its usage prints them, what it does, and the function that does it. The function
/// gets the root of the tree and the arguments, and returns whether all was well.
struct Command {
    name: &'static str,
    arguments: &'static str, // none are accepted where it is empty
    about: &'static str,
    run: fn(&Path, &[String]) -> bool,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "test",
        arguments: "[--times] [--busy] [FILTER...]",
        about: "everything that must pass before a change is merged; with FILTER only the tests whose names contain one",
        run: ci::test,
    },
    Command {
        name: "quick",
        arguments: "[--times]",
        about: "formatting, tidy, clippy and the unit tests: most defects, in a minute or two",
        run: ci::quick,
    },
    Command {
        name: "check",
        arguments: "",
        about: "all checks that run no test; changes nothing",
        run: ci::check,
    },
    Command {
        name: "tidy",
        arguments: "",
        about: "the rules of the project alone",
        run: |root, _| tidy::run(root),
    },
    Command {
        name: "setup",
        arguments: "",
        about: "installs what the tests need, and no more",
        run: |root, _| setup::run(root),
    },
    Command {
        name: "net",
        arguments: "[accept | record-corpus]",
        about: "compares all outputs over stored sessions with the expected ones, or accepts them; record-corpus \
                records these sessions again, as root",
        run: net::run,
    },
    Command {
        name: "bench",
        arguments: "[ARGS]",
        about: "the program compared with bare loops and fio; docs/bench.md",
        run: bench::run,
    },
    Command {
        name: "attack",
        arguments: "[ARGS]",
        about: "known attacks, then random ones for 30 minutes; docs/safety.md",
        run: attack::run,
    },
    Command {
        name: "campaign",
        arguments: "[N] [--seed N] [--keep FOLDER]",
        about: "N honest documents that fio writes here (300), as root: which findings mislead",
        run: campaign::run,
    },
    Command {
        name: "cases",
        arguments: "[--drawn N [--seed BASE]]",
        about: "the case files of the findings, and N simulated devices per cause: sensitivity and false alarms",
        run: cases::run,
    },
    Command {
        name: "bounds",
        arguments: "[--small] [FILTER]",
        about: "instructions and peak memory of readers and analyses at n, 2n and 4n",
        run: bounds::run,
    },
    Command {
        name: "coverage",
        arguments: "[N]",
        about: "how often intervals miss the truth where noise stays; with N runs a cell, writes docs/statistics.md",
        run: coverage::run,
    },
    Command {
        name: "lab",
        arguments: "NAME",
        about: "the program in environments that this machine lacks; without NAME, the list",
        run: lab::run,
    },
    Command {
        name: "windows",
        arguments: "[check | build | test [CRATE...]]",
        about: "the program for Windows: checked, built, and tested under Wine; installs what that needs, as root",
        run: windows::run,
    },
    Command {
        name: "book",
        arguments: "",
        about: "builds the documents as a book, target/book",
        run: |root, _| book::run(root),
    },
    Command {
        name: "guide",
        arguments: "",
        about: "clippy on a copy of the tree with the examples of docs/adding.md",
        run: |root, _| check::run(root, &[check::CLIPPY], &parts::Parts::default()),
    },
    Command {
        name: "dist",
        arguments: "[--check]",
        about: "builds packages in target/dist: .deb, tarballs, bill of materials, checksums; installs and runs them",
        run: dist::run,
    },
    Command {
        name: "images",
        arguments: "",
        about: "draws the pictures of README and docs from a simulated device",
        run: |root, _| images::write(root),
    },
    Command {
        name: "licenses",
        arguments: "",
        about: "writes the notices of the linked libraries: crates/cli/assets/third-party.txt",
        run: |root, _| licenses::write(root),
    },
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let root = workspace_root();
    let (name, arguments) = match words.split_first() {
        Some((name, arguments)) => (name.as_str(), arguments),
        None => ("", &words[..]),
    };
    let command = COMMANDS.iter().find(|command| command.name == name);
    let Some(command) = command else {
        eprint!("xtask: invalid command '{name}'; accepted:\n{}", usage());
        return ExitCode::from(2);
    };
    if command.arguments.is_empty() && !arguments.is_empty() {
        eprintln!(
            "xtask: invalid argument '{}' for {name}: none is accepted",
            arguments.join(" ")
        );
        return ExitCode::from(2);
    }
    if (command.run)(&root, arguments) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn usage() -> String {
    let lines = COMMANDS.iter().map(|command| {
        let call = format!("{} {}", command.name, command.arguments);
        format!("  cargo xtask {call:<38} {}\n", command.about)
    });
    lines.collect()
}

fn workspace_root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package
        .parent()
        .expect("xtask is a folder of the workspace")
        .to_path_buf()
}
