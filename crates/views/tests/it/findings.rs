//! The pages of all rules are what `fathom explain` prints, with links to the pages that refer to them.

use analysis::{Explanation, explanations};
use expect_test::expect_file;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use views::{Paper, explanation_summary, wrapped};

const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
/// Of a line of a page.
const WIDTH: usize = 120;
/// Columns of a heading in what `fathom explain` prints.
const HEADING: usize = 16;

const HEAD: &str = "\
# Findings, results and outcomes

`fathom explain ID` prints the page of an id. `fathom explain` lists all ids, and `--json` prints them as one document.

A finding is an **error** (the result is INVALID), a **warning** (the result is CAUTION) or a **note**. In JSON it has a
confidence: `high` where it was counted or computed, `medium` where it is the likeliest explanation, `low` where other
explanations fit the figures too. Of several findings with one cause only the strongest is reported. A rule is silent where
it lacks a fact.

```sh
fathom explain iops-limit
```

This page and those of the findings are generated from the table of rules
(`UPDATE_EXPECT=1 cargo test -p views --test it findings`).

| id | kind | meaning |
|---|---|---|
";

/// The kind of an id, and its parts with their headings.
fn explained(one: &Explanation) -> (String, Vec<(String, String)>) {
    let mut text = Vec::new();
    explanation_summary(one, &Paper::default(), &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let mut lines = text.lines().filter(|line| !line.is_empty());
    let (_, kind) = lines.next().unwrap().split_once(" (").unwrap();
    let parts = lines.map(|line| {
        let (heading, text) = line.split_at(HEADING);
        (heading.trim().to_owned(), text.to_owned())
    });
    (kind.trim_end_matches(')').to_owned(), parts.collect())
}

/// Title and path of the pages by symptom and task that refer to an id, from a page of findings.
fn referring(id: &str) -> Vec<String> {
    let mut links = BTreeSet::new();
    for folder in ["symptoms", "guides"] {
        for entry in fs::read_dir(Path::new(DOCS).join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let text = fs::read_to_string(&path).unwrap();
            if text.contains(&format!("`{id}`")) || text.contains(&format!("findings/{id}.md")) {
                let title = text.lines().next().unwrap().trim_start_matches("# ");
                let name = path.file_name().unwrap().to_str().unwrap();
                links.insert(format!("[{title}](../{folder}/{name})"));
            }
        }
    }
    links.into_iter().collect()
}

fn page(one: &Explanation) -> String {
    let (kind, mut parts) = explained(one);
    let pages = referring(one.id).join(" · ");
    parts.extend((!pages.is_empty()).then(|| ("Pages".to_owned(), pages)));
    let paper = Paper {
        columns: Some(WIDTH),
        ..Paper::default()
    };
    let paragraphs = parts.iter().map(|(heading, text)| {
        let text = format!("**{heading}.** {text}");
        format!("\n{}\n", wrapped("", &text, &paper).join("\n"))
    });
    let paragraphs: String = paragraphs.collect();
    format!("# {}\n\n{kind}\n{paragraphs}", one.id)
}

#[test]
fn the_pages_of_findings_are_the_table_of_rules() {
    let all = explanations();
    let folder = Path::new(DOCS).join("findings");
    let mut list = HEAD.to_owned();
    let mut contents = String::new();
    for one in &all {
        let (id, (kind, _)) = (one.id, explained(one));
        list += &format!("| [{id}](findings/{id}.md) | {kind} | {} |\n", one.meaning);
        contents += &format!("  - [{id}](findings/{id}.md)\n");
        expect_file![folder.join(format!("{id}.md"))].assert_eq(&page(one));
    }
    expect_file![Path::new(DOCS).join("findings.md")].assert_eq(&list);
    let pages = fs::read_dir(&folder).unwrap().count();
    assert_eq!(pages, all.len(), "a page of no id in {}", folder.display());
    let summary = Path::new(DOCS).join("SUMMARY.md");
    let is_of_finding = |line: &&str| line.contains("](findings/");
    let text = fs::read_to_string(&summary).unwrap();
    let others = text
        .split_inclusive('\n')
        .filter(|line| !is_of_finding(line));
    let others: String = others.collect();
    let head = "- [Findings](findings.md)\n";
    let expected = others.replace(head, &format!("{head}{contents}"));
    expect_file![summary].assert_eq(&expected);
}
