//! Every case of the list has a test that names it, or whose doc comment begins with its case: in this crate, or in the one that the table names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const TABLE: &str = include_str!("case_ids.txt");

/// The texts of a crate that may contain tests, in lower case; without the table itself.
fn texts(folder: &Path, all: &mut Vec<String>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the crate of a row is there")
        .map(|entry| entry.expect("it can be listed").path())
        .collect();
    entries.sort();
    for path in entries {
        let is = |end: &str| path.extension().is_some_and(|extension| extension == end);
        if path.is_dir() {
            texts(&path, all);
        } else if (is("rs") || is("txt")) && path.file_name() != Some("case_ids.txt".as_ref()) {
            let text = std::fs::read_to_string(&path).expect("sources are text");
            let is_code = |line: &str| !line.starts_with("//") || line.starts_with("/// Case");
            let code = |line: &&str| !is("rs") || is_code(line.trim_start());
            let lines: Vec<&str> = text.lines().filter(code).collect();
            all.push(lines.join("\n").to_lowercase());
        }
    }
}

/// `id` as a word of its own, or as a part of the name of a test.
fn names(text: &str, id: &str) -> bool {
    text.match_indices(id).any(|(place, _)| {
        let around = [
            text[..place].chars().next_back(),
            text[place + id.len()..].chars().next(),
        ];
        around
            .iter()
            .all(|c| !c.is_some_and(|c| c.is_ascii_alphanumeric()))
    })
}

#[test]
fn every_case_of_the_list_has_a_test_that_names_it() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut rooms: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut last = "";
    let mut count = 0;
    let mut missing = Vec::new();
    for row in TABLE.lines().filter(|row| !row.starts_with('#')) {
        let (id, room) = row.split_once(' ').unwrap();
        let texts = rooms.entry(room).or_insert_with(|| {
            let mut all = Vec::new();
            texts(&crates.join(room), &mut all);
            all
        });
        let id = id.to_lowercase();
        if !texts.iter().any(|text| names(text, &id)) {
            missing.push(row);
        }
        assert_ne!(row, last, "stands twice");
        last = row;
        count += 1;
    }
    assert!(missing.is_empty(), "no test names {missing:?}");
    assert!(count >= 380, "{count} rows");
}

#[test]
fn an_id_is_a_word_or_part_of_the_name_of_a_test() {
    assert!(names("fn e001_x()", "e001") && names("\"e001\"", "e001"));
    assert!(!names("e0011", "e001") && !names("fe001", "e001"));
}
