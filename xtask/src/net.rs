//! `cargo xtask net`: compares every output over the stored sessions of the corpus with the expected ones.
//!
//! `accept` writes the expected ones, `record-corpus` records the sessions again first. Omitted: the outputs themselves
//! (`crates/cli/tests/net`).

use crate::test;
use std::path::Path;
use std::process::{Command, Stdio};

const FOLDER: &str = "crates/cli/tests/net";
/// Makes the tests write what they would compare with.
const ACCEPT: (&str, &str) = ("UPDATE_EXPECT", "1");
/// The test binaries, then what the names of these tests contain.
const TESTS: [&str; 7] = [
    "--package",
    "fathom",
    "--bin",
    "fathom",
    "--test",
    "net",
    "stored_",
];

/// Whether the outputs are as expected, or could be accepted.
pub(crate) fn run(root: &Path, words: &[String]) -> bool {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        [] => compare(root, None),
        ["accept"] => compare(root, Some(ACCEPT)),
        ["record-corpus"] => record(root) && compare(root, Some(ACCEPT)),
        _ => {
            eprintln!("net: read `{}`; accept or record-corpus", words.join(" "));
            false
        }
    }
}

fn compare(root: &Path, variable: Option<(&str, &str)>) -> bool {
    let words = TESTS.iter().map(ToString::to_string);
    test::run_with(root, &words.collect::<Vec<_>>(), variable)
}

fn record(root: &Path) -> bool {
    let mut build = Command::new("cargo");
    build.args(["build", "--package", "fathom"]);
    let mut script = Command::new("bash");
    script
        .arg(format!("{FOLDER}/record.sh"))
        .arg("target/debug/fathom")
        .arg(format!("{FOLDER}/corpus.db.gz"));
    [build, script].iter_mut().all(|command| {
        let status = command.current_dir(root).stdin(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    })
}
