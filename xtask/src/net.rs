//! `cargo xtask net`: compares every output over the stored sessions of the corpus with the expected ones.
//!
//! `accept` writes the expected ones, `record-corpus` records the sessions again first. Omitted: the outputs themselves
//! (`crates/cli/tests/net`).

use crate::test::{self, Selection};
use crate::{check, setup};
use std::path::Path;
use std::process::{Command, Stdio};

const FOLDER: &str = "crates/cli/tests/net";
/// Makes the tests write what they would compare with.
const ACCEPT: (&str, &str) = ("UPDATE_EXPECT", "1");

/// Whether the outputs are as expected, or could be accepted.
pub(crate) fn run(root: &Path, words: &[String]) -> bool {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        [] => compare(root, None),
        ["accept"] => compare(root, Some(ACCEPT)),
        ["record-corpus"] => record(root) && compare(root, Some(ACCEPT)),
        _ => {
            eprintln!(
                "xtask net: invalid argument '{}': accepted are accept, record-corpus",
                words.join(" ")
            );
            false
        }
    }
}

fn compare(root: &Path, variable: Option<(&'static str, &'static str)>) -> bool {
    let selection = Selection {
        targets: &["--workspace", "--bin", "fathom", "--test", "net"],
        filters: vec!["stored_".to_owned()],
        variable,
        ..Selection::default()
    };
    test::run(root, &selection)
}

fn record(root: &Path) -> bool {
    let mut script = Command::new("bash");
    script
        .arg(format!("{FOLDER}/record.sh"))
        .arg(setup::target(root).join("debug/fathom"))
        .arg(format!("{FOLDER}/corpus.db.gz"));
    test::compile(root) && check::succeeds(script.current_dir(root).stdin(Stdio::null()))
}
