//! The page of all rules, docs/findings.md: what each says, how it decides, after whom, and what to do.
//!
//! Made from the table of rules, so that it cannot be behind them. Deliberately absent: the sentences of single findings.

use crate::text::wrap;
use analysis::{FINDINGS, Look, Rule};

/// Of a line of the page.
const WIDTH: usize = 120;

const HEAD: &str = "\
# What fathom finds, and how

Under every result stand the findings: sentences with their numbers, the heaviest first. Each ends with the place here
that explains it. A finding is *invalid* (the result does not say what was asked), *weak* (it may be used with this in
mind) or good to know; in documents it carries its confidence: `high` where it was counted or computed, `medium` where
it is the likeliest explanation, `low` where other explanations fit the numbers too. Of several findings with one cause
only the strongest is told. A rule keeps silent where it lacks a fact.

This page is made from the table of rules (`UPDATE_EXPECT=1 cargo test -p views --test it findings`).
";

/// The page.
pub fn findings_page() -> String {
    let mut page = HEAD.to_owned();
    page.push_str("\n| finding | says | looks at |\n|---|---|---|\n");
    for rule in FINDINGS {
        page.push_str(&format!(
            "| [{0}](#{0}) | {1} | {2} |\n",
            rule.id,
            rule.what,
            looks_at(rule)
        ));
    }
    for rule in FINDINGS {
        page.push_str(&format!(
            "\n## {}\n\n{}\n\n{}\n\n{}\n\n{}\n",
            rule.id,
            paragraph("", rule.what),
            paragraph("**How it decides.** ", rule.method),
            paragraph("**Source.** ", rule.source),
            paragraph("**What to do.** ", rule.advice)
        ));
    }
    page
}

/// In lines of at most `WIDTH`.
fn paragraph(head: &str, text: &str) -> String {
    wrap("", &format!("{head}{text}"), WIDTH, usize::MAX).join("\n")
}

const fn looks_at(rule: &Rule) -> &'static str {
    match rule.look {
        Look::Own(_) => "a run of fathom",
        Look::Any(_) => "a run of any tool",
        Look::Several(_) => "the runs of a session",
        Look::Both(..) => "a run of any tool; the runs of a session",
    }
}
