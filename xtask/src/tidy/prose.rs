//! Documents: links and mentions of pages lead somewhere, the book lists all pages and none is long, and the change log has
//! a section for the next entry. Omitted: the words of a page.

use super::Finding;
use super::tree::{File, Tree};

const CHANGELOG: &str = "CHANGELOG.md";
const BOOK: &str = "docs/";
const SUMMARY: &str = "docs/SUMMARY.md";
/// Notes for developers, which the book does not contain.
const LAB: &str = "docs/lab/";
/// A page that is read from start to end. Pages of reference are searched instead, and may be longer.
const PAGE_LINES_MAX: usize = 250;
const REFERENCE: &str = "# Reference";

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

/// Pages of the documents that Rust files mention exist.
pub(super) fn mentions(tree: &Tree) -> Vec<Finding> {
    let sources = tree.rust().map(|(file, _)| file);
    let sources = sources.filter(|file| !file.path.starts_with("xtask/"));
    let lines = sources.flat_map(|file| file.lines().map(move |line| (file, line)));
    let missing = lines.flat_map(|(file, (number, line))| {
        let pages = line.split(BOOK).skip(1).filter_map(|rest| {
            let (name, _) = rest.split_once(".md")?;
            let is_name = name
                .chars()
                .all(|c| c.is_alphanumeric() || "-_/".contains(c));
            is_name.then(|| format!("{BOOK}{name}.md"))
        });
        let missing = pages.filter(|page| tree.file(page).is_none());
        missing.map(move |page| {
            let what = format!("there is no page `{page}`");
            Finding::new(&file.path, number, what, "mention a page that exists")
        })
    });
    missing.collect()
}

/// `docs/SUMMARY.md` lists each page once, pages link to pages and files of the book alone, and no page is too long.
pub(super) fn book(tree: &Tree) -> Vec<Finding> {
    let Some(summary) = tree.file(SUMMARY) else {
        return Vec::new();
    };
    let listed = listed(summary);
    let mut findings = Vec::new();
    let pages = tree.files.iter();
    let pages = pages.filter(|file| file.path.starts_with(BOOK) && file.path.ends_with(".md"));
    let is_page = |file: &&File| file.path != SUMMARY && !file.path.starts_with(LAB);
    for page in pages.filter(is_page) {
        let mut add = |line, what: String, remedy: &str| {
            findings.push(Finding::new(&page.path, line, what, remedy));
        };
        let parts: Vec<_> = listed
            .iter()
            .filter(|(path, _)| *path == page.path)
            .collect();
        if parts.len() != 1 {
            let what = format!("the summary lists this page {} times", parts.len());
            add(1, what, "list it once in docs/SUMMARY.md");
        }
        let lines = page.text.lines().count();
        if lines > PAGE_LINES_MAX && !parts.iter().any(|(_, part)| part.starts_with(REFERENCE)) {
            let what = format!("{lines} lines, more than {PAGE_LINES_MAX}");
            add(
                1,
                what,
                "split the page, or link to the page that has the fact",
            );
        }
        for (number, line) in prose_lines(page) {
            for target in targets(&line).filter(|target| !target.starts_with('#')) {
                let full = resolve(&page.path, target);
                if !full.starts_with(BOOK) || full.starts_with(LAB) {
                    let what = format!("the link `{target}` leads out of the book");
                    add(number, what, "write the path as `code`, without a link");
                }
            }
        }
    }
    findings
}

/// Returns the pages of the summary, each with the heading above it.
fn listed(summary: &File) -> Vec<(String, String)> {
    let mut part = String::new();
    let mut pages = Vec::new();
    for (_, line) in summary.lines() {
        if line.starts_with('#') {
            part = line.to_owned();
        }
        let here = targets(line).map(|target| (resolve(SUMMARY, target), part.clone()));
        pages.extend(here);
    }
    pages
}

/// Lines outside of fenced blocks, without their `code`.
pub(super) fn prose_lines(file: &File) -> impl Iterator<Item = (usize, String)> {
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

/// Every change that a person notices has an entry.
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
        "open one at the top and describe there the visible changes",
    )]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_that_leads_nowhere_is_reported() {
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
    fn a_mention_of_a_page_that_does_not_exist_is_found() {
        let source = "//! See `docs/a.md#x` and docs/b/c.md.\nconst A: &str = \"docs/{}.md\";\n";
        let tree = Tree::of(&[("docs/a.md", ""), ("crates/x/src/lib.rs", source)]);
        let found: Vec<_> = mentions(&tree).into_iter().map(|f| f.what).collect();
        assert_eq!(found, ["there is no page `docs/b/c.md`"]);
    }

    #[test]
    fn pages_that_are_unlisted_or_long_or_link_out_of_the_book_are_found() {
        let long = "\n".repeat(PAGE_LINES_MAX + 1);
        let tree = Tree::of(&[
            (
                SUMMARY,
                "# Guides\n[a](a.md)\n[b](b.md)\n# Reference: commands\n[c](c.md)\n",
            ),
            (
                "docs/a.md",
                "[out](../README.md) [lab](lab/e.md) [in](b.md) [here](#x) [web](https://e.org/)",
            ),
            ("docs/b.md", &long),
            ("docs/c.md", &long),
            ("docs/d.md", ""),
            ("docs/lab/e.md", &long),
        ]);
        let found: Vec<_> = book(&tree).into_iter().map(|f| f.what).collect();
        let expected = [
            "the link `../README.md` leads out of the book",
            "the link `lab/e.md` leads out of the book",
            "251 lines, more than 250",
            "the summary lists this page 0 times",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_change_log_without_an_open_section_is_reported() {
        assert_eq!(changelog(&Tree::of(&[(CHANGELOG, "## [0.1.0]")])).len(), 1);
        assert!(changelog(&Tree::of(&[(CHANGELOG, "# Changes\n\n## [Unreleased]\n")])).is_empty());
    }
}
