//! `cargo xtask attack`: runs the tests of the known attacks, then a campaign of random ones for a given time.
//!
//! Omitted: the attacks themselves (`crates/cli/tests/it/attacks`, package `attack`).

use crate::{setup, test};
use std::path::Path;
use std::process::{Command, Stdio};

/// Makes the tests of races exhaustive.
const RACES: (&str, &str) = ("FATHOM_ATTACK_RACES", "full");

/// Whether every attempt was resisted. The first word may be `--random-only`; the others go to the campaign.
pub(crate) fn run(root: &Path, arguments: &[String]) -> bool {
    setup::run();
    let random_only = arguments
        .first()
        .is_some_and(|word| word == "--random-only");
    let replays = arguments.iter().any(|word| word == "--case");
    let known = random_only || replays || known_attacks(root);
    let rest = &arguments[usize::from(random_only)..];
    let built = cargo(root, &["build", "--release", "--package", "fathom"], &[]);
    let mut words = vec!["target/release/fathom".to_owned()];
    words.extend_from_slice(rest);
    let start = ["run", "--release", "--package", "attack", "--"];
    let random = built && cargo(root, &start, &words);
    known && random
}

fn known_attacks(root: &Path) -> bool {
    let words = ["--package", "fathom", "--test", "it", "attacks::"].map(str::to_owned);
    test::run_with(root, &words, Some(RACES))
}

fn cargo(root: &Path, words: &[&str], arguments: &[String]) -> bool {
    let mut command = Command::new("cargo");
    command.args(words).args(arguments).current_dir(root);
    match command.stdin(Stdio::null()).status() {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("attack: cargo could not be started: {error}");
            false
        }
    }
}
