//! Sentences in messages and on the pages that are read first have at most 25 words, and half of those on pages at most 17.
//!
//! Read are the string literals of the program's crates, README and the first parts of the book. Omitted: literals of tests,
//! files whose literals are no sentences, and pages of reference.

use super::Finding;
use super::prose::prose_lines;
use super::tree::{File, Rust, Tree};

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

/// Pages that are read first, or the start of their paths.
const FIRST: &[&str] = &[
    "README.md",
    "docs/introduction.md",
    "docs/getting-started/",
    "docs/symptoms/",
    "docs/guides/",
];
/// Half of the sentences on these pages have no more words.
const MEDIAN_MAX: usize = 17;

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

/// Counts the words; `code` is one.
fn words(sentence: &str) -> usize {
    let words = sentence.split_whitespace();
    words
        .filter(|word| word.contains(char::is_alphanumeric) || word.contains('`'))
        .count()
}

/// Returns a finding for each longer sentence of the pages that are read first, and one if the median is too long.
pub(super) fn pages(tree: &Tree) -> Vec<Finding> {
    let is_first = |file: &&File| {
        let begins = |first: &&str| file.path.starts_with(first);
        file.path.ends_with(".md") && FIRST.iter().any(begins)
    };
    let (mut counts, mut findings) = (Vec::new(), Vec::new());
    for file in tree.files.iter().filter(is_first) {
        for (line, text) in paragraphs(file) {
            let parts = [". ", "; ", "! ", "? "]
                .iter()
                .fold(vec![&*text], |parts, end| {
                    parts.iter().flat_map(|part| part.split(end)).collect()
                });
            for count in parts.into_iter().map(words).filter(|count| *count > 0) {
                counts.push(count);
                if count > WORDS_MAX {
                    let what = format!("a sentence of {count} words");
                    let remedy = "make two of it: at most 25 words, one idea each";
                    findings.push(Finding::new(&file.path, line, what, remedy));
                }
            }
        }
    }
    counts.sort_unstable();
    let median = counts.get(counts.len() / 2).copied().unwrap_or(0);
    if median > MEDIAN_MAX {
        let what = format!("half of the sentences have {median} words or more");
        findings.push(Finding::new(FIRST[0], 1, what, "write shorter sentences"));
    }
    findings
}

/// Returns the paragraphs, items of lists and cells of tables of a page, each with its first line. Omitted: code, headings and
/// comments.
fn paragraphs(file: &File) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut before = 0; // the line that a paragraph may continue
    for (line, text) in prose_lines(file) {
        let bare = text.trim();
        let digits = bare.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_item =
            bare.starts_with("- ") || digits.len() < bare.len() && digits.starts_with(". ");
        if bare.starts_with('|') {
            found.extend(bare.split('|').map(|cell| (line, cell.to_owned())));
        } else if !bare.is_empty() && !bare.starts_with('#') && !bare.starts_with("<!--") {
            match found.last_mut().filter(|_| before + 1 == line && !is_item) {
                Some((_, paragraph)) => *paragraph += &format!(" {bare}"),
                None => found.push((line, bare.to_owned())),
            }
            before = line;
        }
    }
    found
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
    fn sentences_of_pages_are_counted_over_their_lines_and_code_is_one_word() {
        let lines = "Fits. It fits. One `a b c` two\n".to_owned() + &"three four\n".repeat(11);
        let (fits, long) = (
            format!("# A\n\n{lines}"),
            format!("{lines}five six.\n- x\n"),
        );
        let rows = format!("| {} | x |\n```\n{}```\n", "w ".repeat(26), "w ".repeat(30));
        let tree =
            |text: &str| Tree::of(&[("docs/guides/a.md", text), ("docs/b.md", rows.as_str())]);
        assert!(pages(&tree(&fits)).is_empty());
        let found = pages(&tree(&long))
            .into_iter()
            .map(|one| (one.line, one.what));
        let expected = [(1, "a sentence of 27 words".to_owned())];
        assert_eq!(found.collect::<Vec<_>>(), expected);
        assert_eq!(
            pages(&Tree::of(&[("README.md", rows.as_str())])).len(),
            2,
            "a cell, and the median"
        );
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
