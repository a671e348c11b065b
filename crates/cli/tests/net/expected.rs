//! Compares what was seen with the files of `expected/`, and prints of each the first lines that differ.
//!
//! `UPDATE_EXPECT=1` writes the files instead. Omitted: how an output becomes lines that a person can compare (`lines`).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/net/expected");
const LINES_MAX: usize = 6; // that are printed per side of a file that differs

/// Panics where anything differs, after it has printed what.
pub(crate) fn compare(seen: &BTreeMap<String, String>, accept: bool) {
    let files = there(Path::new(FOLDER));
    let names: BTreeSet<&String> = files.keys().chain(seen.keys()).collect();
    let mut differ = Vec::new();
    for name in names {
        let (before, now) = (files.get(name), seen.get(name));
        if before == now {
            continue;
        }
        if accept {
            write(name, now);
        }
        differ.push(name);
        let none = String::new();
        print_first(name, before.unwrap_or(&none), now.unwrap_or(&none));
    }
    if accept {
        println!(
            "{} of {} expected files were written",
            differ.len(),
            seen.len()
        );
        return;
    }
    assert!(
        differ.is_empty(),
        "{} of {} expected files differ. To accept these outputs: cargo xtask net accept; then read git diff",
        differ.len(),
        seen.len()
    );
}

fn write(name: &str, text: Option<&String>) {
    let path = Path::new(FOLDER).join(name);
    match text {
        Some(text) => {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        None => std::fs::remove_file(path).unwrap(),
    }
}

/// All files below a folder by their names in it.
fn there(folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(inner) = folders.pop() {
        for entry in std::fs::read_dir(folder.join(&inner)).into_iter().flatten() {
            let entry = entry.unwrap();
            let name = inner.join(entry.file_name());
            match entry.file_type().unwrap().is_dir() {
                true => folders.push(name),
                false => {
                    let text = std::fs::read_to_string(entry.path()).unwrap();
                    files.insert(name.to_str().unwrap().to_owned(), text);
                }
            }
        }
    }
    files
}

/// Prints the first lines that only one side has, each with the command line that it belongs to.
fn print_first(name: &str, before: &str, now: &str) {
    println!("{name}:");
    let (gone, new) = (only_first(before, now), only_first(now, before));
    if gone.is_empty() && new.is_empty() {
        println!("  the same lines in another order");
    }
    for (sign, lines) in [('-', gone), ('+', new)] {
        let mut last = "";
        for (head, line) in lines.iter().take(LINES_MAX) {
            if std::mem::replace(&mut last, head) != *head {
                println!("  {head}");
            }
            println!("{sign} {line}");
        }
        if lines.len() > LINES_MAX {
            println!("{sign} … {} more", lines.len() - LINES_MAX);
        }
    }
}

/// The lines that the first text has more often, each with its command line; a digest only where nothing else differs.
fn only_first<'a>(first: &'a str, other: &str) -> Vec<(&'a str, &'a str)> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    other
        .lines()
        .for_each(|line| *counts.entry(line).or_default() += 1);
    let (mut lines, mut digests) = (Vec::new(), Vec::new());
    let mut head = "";
    for line in first.lines() {
        if line.starts_with("=== ") {
            head = line;
        }
        match counts.get_mut(line).filter(|count| **count > 0) {
            Some(count) => *count -= 1,
            None if line.contains(" bytes, digest ") => digests.push((head, line)),
            None => lines.push((head, line)),
        }
    }
    if lines.is_empty() { digests } else { lines }
}
