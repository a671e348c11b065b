//! What people read: links between documents lead somewhere, and the change log is open for the next entry.

use super::Finding;
use super::tree::{File, Tree};

const CHANGELOG: &str = "CHANGELOG.md";

/// Relative links of every Markdown file lead to a file, and to a heading where they name one.
pub(super) fn links(tree: &Tree) -> Vec<Finding> {
    let documents = tree.files.iter().filter(|file| file.path.ends_with(".md"));
    documents.flat_map(|file| links_of(tree, file)).collect()
}

fn links_of(tree: &Tree, file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in prose_lines(file) {
        for target in targets(&line) {
            let (path, heading) = target.split_once('#').unwrap_or((target, ""));
            let full = if path.is_empty() {
                file.path.clone()
            } else {
                resolve(&file.path, path)
            };
            let mut tell = |what: String, remedy: &str| {
                findings.push(Finding::new(&file.path, number, what, remedy));
            };
            let inside = format!("{full}/");
            let there = tree.file(&full);
            if there.is_none() && !tree.files.iter().any(|f| f.path.starts_with(&inside)) {
                tell(
                    format!("the link `{target}` leads nowhere"),
                    "mend the path or take the link out",
                );
            } else if let Some(there) = there
                && !heading.is_empty()
                && !has_heading(there, heading)
            {
                tell(
                    format!("`{full}` has no heading `#{heading}`"),
                    "name a heading that is there",
                );
            }
        }
    }
    findings
}

/// Lines outside of fenced blocks, without their `code`.
fn prose_lines(file: &File) -> impl Iterator<Item = (usize, String)> {
    let mut fenced = false;
    file.lines().filter_map(move |(number, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        (!fence && !fenced).then_some((number, prose))
    })
}

/// What `[text](target)` points to in this tree.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| {
        let target = rest.split(')').next()?;
        let elsewhere = target.contains("://") || target.starts_with("mailto:");
        (!elsewhere && !target.is_empty()).then_some(target)
    })
}

/// A path as seen from the document that names it.
fn resolve(document: &str, target: &str) -> String {
    let mut parts: Vec<&str> = document.split('/').collect();
    parts.pop();
    for part in target.trim_end_matches('/').split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// Headings become links as on most forges: small letters, blanks to hyphens, no other signs.
fn has_heading(file: &File, wanted: &str) -> bool {
    file.lines()
        .filter(|(_, line)| line.starts_with('#'))
        .any(|(_, line)| {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            let kept = title
                .chars()
                .filter(|&c| c.is_alphanumeric() || "-_ ".contains(c));
            kept.map(|c| if c == ' ' { '-' } else { c })
                .eq(wanted.chars())
        })
}

/// Every change that a person notices has a place to be told.
pub(super) fn changelog(tree: &Tree) -> Vec<Finding> {
    let open = |file: &File| {
        file.lines()
            .any(|(_, line)| line.starts_with("## [Unreleased]"))
    };
    if tree.file(CHANGELOG).is_some_and(open) {
        return Vec::new();
    }
    vec![Finding::new(
        CHANGELOG,
        1,
        "no section `## [Unreleased]`",
        "open one at the top and say there what changed for people",
    )]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_that_leads_nowhere_is_told() {
        let tree = Tree::of(&[
            (
                "docs/a.md",
                "# A B\n[x](b.md) [y](../README.md#two-words) [z](https://e.org/)\n[w](c.md)",
            ),
            (
                "docs/b.md",
                "[v](a.md#a-b) [u](#none) `[no](link.md)`\n```\n[no](link.md)\n```\n",
            ),
            ("README.md", "## Two words!\n[d](docs/)"),
        ]);
        let found: Vec<_> = links(&tree).into_iter().map(|f| (f.path, f.line)).collect();
        assert_eq!(
            found,
            [("docs/a.md".to_owned(), 3), ("docs/b.md".to_owned(), 1)]
        );
    }

    #[test]
    fn a_change_log_without_an_open_section_is_told() {
        assert_eq!(changelog(&Tree::of(&[(CHANGELOG, "## [0.1.0]")])).len(), 1);
        assert!(changelog(&Tree::of(&[(CHANGELOG, "# Changes\n\n## [Unreleased]\n")])).is_empty());
    }
}
