//! Every output over a corpus of stored sessions, compared byte for byte with the files of `expected/`.
//!
//! `record.sh` recorded the corpus, `rows.txt` lists the command lines, `cargo xtask net accept` writes the expected files.
//! Omitted: what is right; these tests only show what a change alters.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "this is a test, helpers too"
)]

mod expected;
mod fields;
#[path = "../../../views/tests/it/json_lines.rs"]
mod json_lines;
mod lines;
mod rows;
mod shards;

use rows::{How, Row};
use shards::Seen;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/net/corpus.db.gz");
const ROWS: &str = include_str!("rows.txt");

/// The corpus in a folder, and the numbers of its sessions.
fn unpacked(folder: &Path) -> (std::path::PathBuf, Vec<u64>) {
    let path = folder.join("corpus.db");
    let unpacked = Command::new("gzip").args(["-dc", CORPUS]).output().unwrap();
    assert!(unpacked.status.success(), "{unpacked:?}");
    std::fs::write(&path, unpacked.stdout).unwrap();
    let listed = Command::new(env!("CARGO_BIN_EXE_fathom"))
        .args(["db", "sql", "--csv", "SELECT id FROM sessions ORDER BY id"])
        .arg("--store")
        .arg(&path)
        .env_clear()
        .output();
    let listed = String::from_utf8(listed.unwrap().stdout).unwrap();
    let ids = listed.lines().skip(1).map(|line| line.parse().unwrap());
    let ids: Vec<u64> = ids.collect();
    assert!(!ids.is_empty(), "the corpus has no sessions");
    (path, ids)
}

/// The text of each expected file: a head for each line and width, then the output, or that it is as at the width before.
fn files(seen: &[Seen]) -> BTreeMap<String, String> {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let mut before: Option<(&Row, String)> = None;
    for one in seen {
        let width = one
            .columns
            .map_or_else(|| "pipe".to_owned(), |columns| format!("{columns} columns"));
        let file = files.entry(format!("{}.txt", one.row.file)).or_default();
        if one.row.how == How::Digest {
            file.push_str(&format!(
                "{}: {}\n",
                one.row.line,
                lines::digest(&one.output)
            ));
            continue;
        }
        let text = lines::of(&one.output);
        let same = before.as_ref() == Some(&(&one.row, text.clone()));
        let end = if same { "; as before" } else { "" };
        file.push_str(&format!("=== {}: {}{end}\n", width, one.row.line));
        if !same {
            file.push_str(&text);
        }
        before = Some((&one.row, text));
    }
    files
}

#[test]
fn stored_sessions_are_printed_as_expected() {
    let folder = tempfile::tempdir().unwrap();
    let (corpus, ids) = unpacked(folder.path());
    let (rows, omitted) = rows::read(ROWS, &ids);
    for one in omitted {
        println!("omitted: fathom {}: {}", one.command, one.reason);
    }
    #[allow(clippy::disallowed_methods, reason = "as expect-test has it")]
    let accept = std::env::var_os("UPDATE_EXPECT").is_some();
    expected::compare(&files(&shards::run(&corpus, &rows)), accept);
}

#[test]
fn every_command_has_rows_or_a_reason_for_having_none() {
    let help = Command::new(env!("CARGO_BIN_EXE_fathom"))
        .arg("--help")
        .output();
    let help = String::from_utf8(help.unwrap().stdout).unwrap();
    let (commands, _) = help.split_once("\nOptions:\n").unwrap();
    let is_one = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
    let names = commands.lines().filter(is_one);
    let names: BTreeSet<&str> = names
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let (rows, omitted) = rows::read(ROWS, &[1]);
    let has = |name: &&&str| {
        let line = format!("fathom {name} ");
        let is_run = |row: &Row| format!("{} ", row.line).contains(&line);
        rows.iter().any(is_run) || omitted.iter().any(|one| one.command == **name)
    };
    let missing: Vec<&&str> = names.iter().filter(|name| !has(name)).collect();
    assert!(
        missing.is_empty(),
        "add rows to rows.txt, or `omitted` with a reason: {missing:?}"
    );
}
