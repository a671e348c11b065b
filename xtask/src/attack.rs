//! `cargo xtask attack`: runs the tests of the known attacks, then a campaign of random ones for a given time.
//!
//! Omitted: the attacks themselves (`crates/cli/tests/it/attacks`, package `attack`).

use crate::test::{self, Selection};
use crate::{check, setup};
use std::path::Path;
use std::process::{Command, Stdio};

/// Makes the tests of races exhaustive.
const RACES: (&str, &str) = ("FATHOM_ATTACK_RACES", "full");

/// Whether every attempt was resisted. The first word may be `--random-only`; the others go to the campaign.
pub(crate) fn run(root: &Path, arguments: &[String]) -> bool {
    setup::run(root);
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
    let selection = Selection {
        targets: &["--workspace", "--test", "it"],
        filters: vec!["attacks::".to_owned()],
        variable: Some(RACES),
        ..Selection::default()
    };
    test::run(root, &selection)
}

fn cargo(root: &Path, words: &[&str], arguments: &[String]) -> bool {
    let mut command = Command::new(env!("CARGO"));
    command.args(words).args(arguments).current_dir(root);
    check::succeeds(command.stdin(Stdio::null()))
}
