//! Baselines as a table: what they are called, and what they are.

use crate::paper::Paper;
use crate::table::{left, lines};
use crate::text::printable;
use crate::time::write_time;
use std::io::{self, Write};

/// One baseline.
#[derive(Clone, Debug)]
pub struct BaselineLine {
    /// What it is called.
    pub name: String,
    /// The session or result: `12`, `12.3`.
    pub of: String,
    /// Which command made it.
    pub kind: String,
    /// What was measured.
    pub target: String,
    /// When it got the name: nanoseconds since 1970 in UTC.
    pub set_utc_ns: u64,
}

/// One line each, or how to set the first.
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
    let rows: Vec<Vec<String>> = baselines
        .iter()
        .map(|one| {
            vec![
                printable(&one.name),
                one.of.clone(),
                one.kind.clone(),
                write_time(one.set_utc_ns, &paper.zone),
                printable(&one.target),
            ]
        })
        .collect();
    lines(&heads, &rows, paper.width())
        .iter()
        .try_for_each(|line| writeln!(out, "{line}"))
}
