//! The house's own tools: `quick`, `full`, `check`, `tidy`, `test`, `attack`, `bench`, `book`, `campaign`, `cases`, `dist`,
//! `guide`, `images`, `lab`, `licenses`, `net` and `setup`. Each is a plain list of steps.
//!
//! Stands alone: it depends on no room of the workspace, so that it still builds when a room does not.
//! Deliberately absent: anything that the program itself needs to run.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this program talks to the person at the terminal"
)]

mod attack;
mod bench;
mod book;
mod campaign;
mod cases;
mod check;
mod ci;
mod deny;
mod dist;
mod guide;
mod images;
mod lab;
mod licenses;
mod net;
mod setup;
mod test;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask quick           formatting, clippy, tidy and the unit tests: what finds most defects in minutes
cargo xtask full            the rest: sets up, cargo deny, documentation and the other tests; `quick full` runs both
cargo xtask check           formatting, clippy, tidy and the documentation; changes nothing
cargo xtask tidy            the rules of the house alone
cargo xtask test [ARGS]     sets up what the tests need, then runs them; ARGS go to cargo test
cargo xtask bench [ARGS]    the program compared with bare loops and fio, see docs/bench.md
cargo xtask book [install]  builds the documents as a book, target/book; or installs mdBook for that
cargo xtask attack [ARGS]   known attacks, then random ones for 30 minutes; see docs/safety.md
cargo xtask dist [--check]  builds packages: .deb, tarballs, bill of materials, checksums; target/dist; installs and runs them
cargo xtask images          draws the pictures of README and docs from a simulated device
cargo xtask lab NAME        the program in a virtual machine with what this one has not: nvme, survey, cgroups
cargo xtask lab environments    the program in file systems, containers and limits, see docs/environments.md
cargo xtask lab verify      verification in file systems and with known faults, below this machine's kernel; see docs/verification.md
cargo xtask licenses        writes the notices of the linked libraries again: crates/cli/assets/third-party.txt
cargo xtask net [accept]    compares all outputs over stored sessions with the expected ones, or accepts them
cargo xtask net record-corpus   records these sessions again and accepts their outputs; as root
cargo xtask campaign [N] [--seed N] [--keep FOLDER]  N honest documents that fio writes here, as root: which findings mislead; 300 without N
cargo xtask cases           the case files of the findings: sensitivity and false alarms of each rule
cargo xtask cases --drawn N the same, and N simulated devices per cause, drawn by seed
cargo xtask setup           sets up what the tests need, and no more";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let root = workspace_root();
    let good = match words.first().map(String::as_str) {
        Some("quick" | "full") => ci::run(&root, &words),
        Some("check") if words.len() == 1 => {
            check::run(&root, check::QUICK.iter().chain(check::SLOW))
        }
        Some("tidy") if words.len() == 1 => tidy::run(&root),
        Some("setup") if words.len() == 1 => {
            setup::run();
            true
        }
        Some("licenses") if words.len() == 1 => licenses::write(&root),
        Some("campaign") => campaign::run(&root, &words[1..]),
        Some("cases") => cases::run(&root, &words[1..]),
        Some("book") => book::run(&root, &words[1..]),
        Some("dist") => dist::run(&root, &words[1..]),
        Some("images") if words.len() == 1 => images::write(&root),
        Some("guide") if words.len() == 1 => guide::compiles(&root),
        Some("net") => net::run(&root, &words[1..]),
        Some("lab") => lab::run(&root, &words[1..]),
        Some("attack") => attack::run(&root, &words[1..]),
        Some("bench") => bench::run(&root, &words[1..]),
        Some("test") => {
            setup::run();
            test::run(&root, &words[1..])
        }
        _ => {
            eprintln!(
                "xtask: read `{}`; what is accepted:\n{USAGE}",
                words.join(" ")
            );
            return ExitCode::from(2);
        }
    };
    if good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn workspace_root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package
        .parent()
        .expect("xtask stands in the workspace")
        .to_path_buf()
}
