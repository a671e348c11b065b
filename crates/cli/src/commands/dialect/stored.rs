//! Stored runs of other tools' command lines, for tests that print them again: the corpus of `tests/net`.
//!
//! What they print is compared with `tests/net/tools`; `cargo xtask net accept` writes it.

#[path = "../../../../views/tests/it/json_lines.rs"]
pub(crate) mod json_lines;

use crate::report::{self, FilesForm, Form};
use expect_test::expect_file;
use model::{FilesRecord, RunRecord};
use store::{StoredResult, StoredRun};

/// Files that the command lines name.
const INPUTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");

/// One session of such a command line.
pub(crate) struct StoredLine {
    pub(crate) args: Vec<String>, // behind `fathom TOOL`
    pub(crate) runs: Vec<StoredRun>,
}

impl StoredLine {
    pub(crate) fn head(&self, form: &str) -> String {
        format!("=== {form}: {}\n", self.args.join(" "))
    }

    pub(crate) fn records(&self) -> Vec<RunRecord> {
        let records = self.runs.iter().filter_map(|run| run.record().cloned());
        records.collect()
    }

    fn steps(&self) -> Vec<FilesRecord> {
        let step = |run: &StoredRun| match &run.result {
            StoredResult::Files(record) => Some((**record).clone()),
            _ => None,
        };
        self.runs.iter().filter_map(step).collect()
    }
}

/// The sessions of `fathom TOOL`, oldest first.
pub(crate) fn lines(tool: &str) -> Vec<StoredLine> {
    let (_folder, store) = corpus::unpacked();
    let mut summaries = store.sessions(None).unwrap();
    summaries.retain(|summary| summary.command.get(1).is_some_and(|word| word == tool));
    summaries.sort_by_key(|summary| summary.id);
    let line = |summary: &store::SessionSummary| StoredLine {
        args: summary.command[2..].to_vec(),
        runs: store.load(summary.id).unwrap().runs,
    };
    let lines: Vec<StoredLine> = summaries.iter().map(line).collect();
    assert!(!lines.is_empty(), "the corpus has no session of {tool}");
    lines
}

#[cfg(test)]
mod corpus {
    use std::process::Command;
    use store::Store;
    use tempfile::TempDir;

    const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/net/corpus.db.gz");

    /// The database, in a folder that goes away with the first value.
    pub(super) fn unpacked() -> (TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.db");
        let unpacked = Command::new("gzip").args(["-dc", CORPUS]).output();
        std::fs::write(&path, unpacked.unwrap().stdout).unwrap();
        let store = Store::open(&path).unwrap();
        (folder, store)
    }
}

/// A file that a command line names.
pub(crate) fn input(name: &str) -> String {
    std::fs::read_to_string(format!("{INPUTS}/{name}")).unwrap()
}

#[test]
fn stored_work_with_files_is_printed_as_bonnie_prints_it() {
    let mut text = String::new();
    for line in lines("files") {
        let form = Form::of_list(false, &crate::environment::Environment::default());
        let page = report::files(&line.steps(), FilesForm::Bonnie, form);
        text += &line.head("bonnie++");
        text += &String::from_utf8(page).unwrap();
    }
    expect_file!["../../../tests/net/tools/bonnie.txt"].assert_eq(&text);
}

#[test]
fn stored_copies_are_printed_as_dd_prints_them() {
    let mut text = String::new();
    for line in lines("dd") {
        text += &line.head("dd");
        for printed in report::copy_lines(&line.steps(), true, true) {
            text += &format!("{printed}\n");
        }
    }
    expect_file!["../../../tests/net/tools/dd.txt"].assert_eq(&text);
}
