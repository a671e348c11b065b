//! Explanations of ids: what `fathom explain` prints. The pages of docs/findings.md are generated from it.
//!
//! Omitted: the messages of single findings.

use crate::paper::Paper;
use crate::text::wrap;
use analysis::{ExplainedKind, Explanation, Group};
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};

/// Every explanation, or one.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Explained<'a> {
    /// In the order of the list.
    pub(crate) explanations: &'a [Explanation],
}

/// Writes everything about one id.
pub fn explanation_summary(
    one: &Explanation,
    paper: &Paper,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{} ({})", one.id, heading(one))?;
    for (head, text) in parts(one) {
        writeln!(out)?;
        let head = format!("{head:<16}");
        for line in wrap(&head, &text, paper.room(), usize::MAX) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}

/// Writes every id with the first line of its meaning, by group.
pub fn explanations_summary(
    all: &[Explanation],
    paper: &Paper,
    out: &mut dyn Write,
) -> io::Result<()> {
    let width = all.iter().map(|one| one.id.len()).max().unwrap_or(0);
    let mut before = String::new();
    for one in all {
        let heading = heading(one);
        if heading != before {
            let gap = if before.is_empty() { "" } else { "\n" };
            writeln!(out, "{gap}{heading}")?;
            before = heading;
        }
        let id = format!("  {:<width$}  ", one.id);
        for line in wrap(&id, one.meaning, paper.room(), 1) {
            writeln!(out, "{line}")?;
        }
    }
    writeln!(out, "\nfathom explain ID explains one of them.")
}

fn parts(one: &Explanation) -> Vec<(&'static str, String)> {
    let evidence = one.evidence.join(", ");
    let all = [
        ("Meaning", one.meaning.to_owned()),
        ("How it is found", one.method.to_owned()),
        (
            "Derived from",
            one.derived_from.unwrap_or_default().to_owned(),
        ),
        ("Evidence", evidence),
        ("What to do", one.advice.to_owned()),
        ("Source", one.source.to_owned()),
    ];
    all.into_iter()
        .filter(|(_, text)| !text.is_empty())
        .collect()
}

/// Names what an id is: `finding, limit`.
fn heading(one: &Explanation) -> String {
    let kind = match one.kind {
        ExplainedKind::Finding => "finding",
        ExplainedKind::Severity => "severity of a finding",
        ExplainedKind::Result => "result",
        ExplainedKind::Check => "answer of fathom check",
        ExplainedKind::Outcome => "outcome of a command",
    };
    let group = one.group.map(Group::name);
    group.map_or_else(|| kind.to_owned(), |group| format!("{kind}, {group}"))
}
