//! The shape of Rust files: they state their purpose, are short, and leave nothing half done.
//!
//! Deliberately absent: style that rustfmt and clippy check.

use super::Finding;
use super::tree::Tree;

/// Lines of a file with its tests; above this it has more than one subject.
const LINES_MAX: usize = 700;

/// Every file states its purpose first.
pub(super) fn heads(tree: &Tree) -> Vec<Finding> {
    let lacks = |text: &str| !text.starts_with("//!");
    tree.rust()
        .filter(|(file, _)| lacks(&file.text))
        .map(|(file, _)| {
            Finding::new(
                &file.path,
                1,
                "the file does not open with `//!`",
                "state in its first lines what it is for and what it deliberately omits",
            )
        })
        .collect()
}

/// No file is longer than a person reads.
pub(super) fn lengths(tree: &Tree) -> Vec<Finding> {
    tree.rust()
        .map(|(file, rust)| (file, rust.code.len()))
        .filter(|(_, lines)| *lines > LINES_MAX)
        .map(|(file, lines)| {
            Finding::new(
                &file.path,
                lines,
                format!("{lines} lines; a file has at most {LINES_MAX}"),
                "find the second subject in it and give that a file of its own",
            )
        })
        .collect()
}

/// No half-things: what is left for later is an issue, and a test that is switched off tests nothing.
pub(super) fn leftovers(tree: &Tree) -> Vec<Finding> {
    // Joined here so that this file does not find itself.
    let left = [
        ["TO", "DO"].concat(),
        ["FIX", "ME"].concat(),
        ["XX", "X"].concat(),
    ];
    let mut findings = Vec::new();
    for (file, rust) in tree.rust() {
        for (number, line) in file.lines() {
            if let Some(word) = left.iter().find(|word| has_word(line, word)) {
                findings.push(Finding::new(
                    &file.path,
                    number,
                    format!("`{word}` is left"),
                    "do it now, or open an issue and delete the line",
                ));
            }
            if rust.code[number - 1].contains("#[ignore") {
                findings.push(Finding::new(
                    &file.path,
                    number,
                    "a test is switched off",
                    "assert the present behaviour and note that it is wrong; or skip with a reason",
                ));
            }
        }
    }
    findings
}

/// Whether `word` stands in `line` by itself, not as a part of a longer name.
pub(super) fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let name = |c: char| c.is_alphanumeric() || c == '_';
        !line[..at].ends_with(name) && !line[at + word.len()..].starts_with(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_a_head_is_reported() {
        let tree = Tree::of(&[("a.rs", "fn a() {}"), ("b.rs", "//! B.\nfn b() {}")]);
        assert_eq!(heads(&tree).len(), 1);
    }

    #[test]
    fn a_file_too_long_is_reported() {
        let (long, fits) = ("\n".repeat(701), "\n".repeat(700));
        let found = lengths(&Tree::of(&[("a.rs", &long), ("b.rs", &fits)]));
        assert_eq!(found.len(), 1);
        assert!(found[0].what.contains("701 lines"));
    }

    #[test]
    fn leftovers_are_reported_and_longer_names_are_not() {
        let text = [
            "// TO",
            "DO later\nlet my_TO",
            "DO_list = 1;\n#[ignore]\n// #[ignore]",
        ]
        .concat();
        let found = leftovers(&Tree::of(&[("a.rs", &text)]));
        assert_eq!(found.iter().map(|f| f.line).collect::<Vec<_>>(), [1, 3]);
    }
}
