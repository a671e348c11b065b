//! Every case of the list on old layouts has a test that names it in this room.

use std::path::Path;

const TABLE: &str = include_str!("case_ids.txt");

fn texts(folder: &Path) -> String {
    let entries = std::fs::read_dir(folder).expect("the room is there");
    entries
        .map(|entry| entry.expect("it can be listed").path())
        .map(|path| match path {
            path if path.is_dir() => texts(&path),
            path if path.extension().is_some_and(|end| end == "rs") => {
                std::fs::read_to_string(&path)
                    .expect("sources are text")
                    .to_lowercase()
            }
            _ => String::new(),
        })
        .collect()
}

#[test]
fn every_case_of_the_list_has_a_test_that_names_it() {
    let all = texts(Path::new(env!("CARGO_MANIFEST_DIR")));
    let rows: Vec<&str> = TABLE.lines().filter(|row| !row.starts_with('#')).collect();
    assert_eq!(rows.len(), 10);
    for row in rows {
        let name = format!("fn {}_", row.to_lowercase());
        assert!(all.contains(&name), "{row}: no test names it");
    }
}
