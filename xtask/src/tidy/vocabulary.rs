//! Counts the words that docs/words.toml replaces, in strings and comments of Rust and in Markdown.
//!
//! Omitted: names in the code, and whether a use is the rare right one; the count only goes down.

use super::tree::{File, Tree};
use std::collections::BTreeMap;

const TABLE: &str = "docs/words.toml";

/// Returns the count of each folder: `crates/analysis`, `docs`.
pub(super) fn replaced_words(tree: &Tree) -> BTreeMap<String, usize> {
    let table = tree.file(TABLE).map_or("", |file| file.text.as_str());
    let words: Vec<String> = table.lines().filter_map(word).collect();
    let mut counts = BTreeMap::new();
    for file in &tree.files {
        let found: usize = words.iter().map(|word| count(file, word)).sum();
        if found > 0 {
            *counts.entry(folder(&file.path)).or_insert(0) += found;
        }
    }
    counts
}

/// `not = "told"` → `told`.
fn word(line: &str) -> Option<String> {
    let quoted = line.strip_prefix("not = \"")?.strip_suffix('"')?;
    Some(quoted.to_lowercase())
}

fn folder(path: &str) -> String {
    let depth = if path.starts_with("crates/") { 2 } else { 1 };
    path.split('/').take(depth).collect::<Vec<_>>().join("/")
}

fn count(file: &File, word: &str) -> usize {
    let all = || {
        file.lines()
            .map(|(_, line)| matches(line, word))
            .sum::<usize>()
    };
    match &file.rust {
        Some(rust) => {
            let names: usize = rust.code.iter().map(|line| matches(line, word)).sum();
            all().saturating_sub(names)
        }
        None if file.path.ends_with(".md") => all(),
        None => 0,
    }
}

/// Counts the places where the whole word is.
fn matches(line: &str, word: &str) -> usize {
    let line = line.to_lowercase();
    let is_inside = |c: char| c.is_alphanumeric() || c == '_';
    let places = line.match_indices(word);
    places
        .filter(|(at, _)| {
            !line[..*at].ends_with(is_inside) && !line[at + word.len()..].starts_with(is_inside)
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_in_text_and_not_in_names() {
        let tree = Tree::of(&[
            (TABLE, "[[word]]\nnot = \"told\"\nuse = \"reported\"\n"),
            (
                "crates/a/src/lib.rs",
                "/// Told, retold.\nfn told() { say(\"is told\") }\n",
            ),
            ("docs/a.md", "Nobody was told.\n"),
        ]);
        let counts: Vec<(String, usize)> = replaced_words(&tree).into_iter().collect();
        assert_eq!(counts, [("crates/a".to_owned(), 2), ("docs".to_owned(), 1)]);
    }
}
