//! Baselines as a table: what they are called, and what they are.

use crate::paper::Paper;
use crate::table::{left, lines, table_width};
use crate::text::{printable, shorten};
use crate::time::minute;
use std::io::{self, Write};

/// One baseline.
#[derive(Clone, Debug)]
pub struct BaselineLine {
    /// What it is called.
    pub name: String,
    /// The session or result: `12`, `12.3`.
    pub of: String,
    /// The command that created it.
    pub kind: String,
    /// What was measured.
    pub target: String,
    /// When it got the name: nanoseconds since 1970 in UTC.
    pub set_utc_ns: u64,
}

/// One line each, what was measured shortened to the page; or how to set the first.
pub fn write_baselines(
    baselines: &[BaselineLine],
    paper: &Paper,
    out: &mut dyn Write,
) -> io::Result<()> {
    if baselines.is_empty() {
        return writeln!(out, "no baseline was set yet: fathom baseline set NAME ID");
    }
    let heads = [
        left("name", 4),
        left("is", 2),
        left("kind", 4),
        left("set", 3),
        left("target", 6),
    ];
    let heads: Vec<_> = heads.iter().collect();
    let mut rows: Vec<Vec<String>> = baselines
        .iter()
        .map(|one| {
            vec![
                printable(&one.name),
                one.of.clone(),
                one.kind.clone(),
                minute(one.set_utc_ns, &paper.zone),
                printable(&one.target),
            ]
        })
        .collect();
    // A line that is too long would be cut where `set` stands.
    let before = table_width(&heads[..4], &rows) + 2;
    let room = paper.room().saturating_sub(before).max(6);
    for row in &mut rows {
        row[4] = shorten(&row[4], room);
    }
    lines(&heads, &rows, paper.room())
        .iter()
        .try_for_each(|line| writeln!(out, "{line}"))
}
