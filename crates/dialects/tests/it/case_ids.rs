//! Every case of the list has a test that names it: in this room, or in the one that the table says.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const TABLE: &str = include_str!("case_ids.txt");

/// The texts of a room that may hold tests, in lower case; without the table itself.
fn texts(folder: &Path, all: &mut Vec<String>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the room of a row is there")
        .map(|entry| entry.expect("it can be listed").path())
        .collect();
    entries.sort();
    for path in entries {
        let is = |end: &str| path.extension().is_some_and(|extension| extension == end);
        if path.is_dir() {
            texts(&path, all);
        } else if (is("rs") || is("txt")) && path.file_name() != Some("case_ids.txt".as_ref()) {
            all.push(
                std::fs::read_to_string(&path)
                    .expect("sources are text")
                    .to_lowercase(),
            );
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
    for row in TABLE.lines().filter(|row| !row.starts_with('#')) {
        let (id, room) = row.split_once(' ').unwrap();
        let texts = rooms.entry(room).or_insert_with(|| {
            let mut all = Vec::new();
            texts(&crates.join(room), &mut all);
            all
        });
        let id = id.to_lowercase();
        assert!(
            texts.iter().any(|text| names(text, &id)),
            "{row}: no test names it"
        );
        assert_ne!(row, last, "stands twice");
        last = row;
        count += 1;
    }
    assert!(count >= 380, "{count} rows");
}

#[test]
fn an_id_is_a_word_or_part_of_the_name_of_a_test() {
    assert!(names("fn e001_x()", "e001") && names("\"e001\"", "e001"));
    assert!(!names("e0011", "e001") && !names("fe001", "e001"));
}
