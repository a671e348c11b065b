//! Sentences in messages have at most 25 words.
//!
//! Read are the string literals of the program's crates. Omitted: literals of tests, and files whose literals are no
//! sentences.

use super::Finding;
use super::tree::{Rust, Tree};

const WORDS_MAX: usize = 25;

/// Files, or the start of their paths, whose long literals are no sentences.
const OTHERS: &[(&str, &str)] = &[
    ("crates/store/src/", "SQL"),
    (
        "crates/tools/src/bonnie/result.rs",
        "the layout of bonnie++",
    ),
    ("crates/tools/src/iometer/print.rs", "the layout of IOmeter"),
];

/// Returns a finding for each sentence that is longer.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let is_read = |path: &str| !OTHERS.iter().any(|(other, _)| path.starts_with(other));
    let sources = tree.sources().filter(|(_, file, _)| is_read(&file.path));
    let findings = sources.flat_map(|(_, file, rust)| {
        let long = long_sentences(rust).into_iter();
        long.map(|(line, words)| {
            let what = format!("a sentence of {words} words in a message");
            let remedy = format!("make two of it: at most {WORDS_MAX} words, one idea each");
            Finding::new(&file.path, line, what, remedy)
        })
    });
    findings.collect()
}

/// Returns the line where its literal begins, and its number of words.
fn long_sentences(rust: &Rust) -> Vec<(usize, usize)> {
    let messages = rust.strings.iter().filter(|one| !rust.test[one.line - 1]);
    let long = messages.flat_map(|one| {
        let text = joined(&one.text);
        let counts: Vec<usize> = sentences(&text).map(words).collect();
        let long = counts.into_iter().filter(|count| *count > WORDS_MAX);
        long.map(|count| (one.line, count))
    });
    long.collect()
}

/// Joins the lines of a literal that is continued behind a backslash, and resolves the end of a line in it.
fn joined(literal: &str) -> String {
    let lines = literal.split("\\\n");
    let lines: Vec<&str> = lines.map(str::trim_start).collect();
    lines.concat().replace("\\n", "\n")
}

/// Splits where a sentence ends, and where a part of it does that could be a sentence.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let ends = [". ", "; ", ": ", "! ", "? ", "\n"];
    ends.iter()
        .fold(vec![text], |parts, end| {
            parts.iter().flat_map(|part| part.split(end)).collect()
        })
        .into_iter()
}

fn words(sentence: &str) -> usize {
    let words = sentence.split_whitespace();
    words
        .filter(|word| word.contains(char::is_alphanumeric))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(usize, usize)> {
        long_sentences(&Rust::split("crates/a/src/lib.rs", text))
    }

    #[test]
    fn a_sentence_of_26_words_is_found_where_its_literal_begins() {
        let long = "one two ".repeat(13);
        let text = format!("fn a() {{\n    b(\"Fits. {} \\\n    {long}\");\n}}\n", "x.");
        assert_eq!(found(&text), [(2, 26)]);
        let fits = "one two ".repeat(12);
        assert_eq!(found(&text.replace(&long, &fits)), []);
    }

    #[test]
    fn a_semicolon_ends_a_sentence_and_literals_of_tests_are_not_read() {
        let parts = format!("{0}; {0}. {0}", "word ".repeat(20));
        assert_eq!(found(&format!("const A: &str = \"{parts}\";")), []);
        let test = format!(
            "#[cfg(test)]\nmod tests {{\n    const A: &str = \"{}\";\n}}\n",
            "word ".repeat(30)
        );
        assert_eq!(found(&test), []);
    }
}
