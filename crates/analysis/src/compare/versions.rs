//! Differing versions of another tool, and what changed between them.
//!
//! Omitted: versions of fathom, whose records have the facts that matter.

use super::compared::Compared;
use std::collections::BTreeSet;

/// A version whose results differ from those before it.
struct Change {
    tool: &'static str,
    /// The first version that has it.
    since: (u32, u32),
    /// What changed, and how to have the same in both.
    what: &'static str,
}

/// Source: the release notes of DISKSPD 2.2 and 2.3.
const CHANGES: [Change; 2] = [
    Change {
        tool: "diskspd",
        since: (2, 2),
        what: "2.2 takes completions in batches, so its latencies at more than one outstanding I/O are lower",
    },
    Change {
        tool: "diskspd",
        since: (2, 3),
        what: "2.3 by default puts threads on P-cores first and their buffers 16 MiB apart; -aup -bsn in both makes them equal",
    },
];

/// Returns a note for each tool that both sides have in different versions.
pub(super) fn notes(a: &[Compared], b: &[Compared]) -> Vec<String> {
    let tools: BTreeSet<&str> = a.iter().map(|one| one.row.tool.as_str()).collect();
    tools
        .into_iter()
        .filter_map(|tool| note(tool, a, b))
        .collect()
}

fn note(tool: &str, a: &[Compared], b: &[Compared]) -> Option<String> {
    let of = |side: &[Compared]| -> BTreeSet<String> {
        let rows = side.iter().map(|one| &one.row);
        let own = rows.filter(|row| row.tool == tool && row.origin == model::Origin::Imported);
        own.filter_map(|row| row.tool_version.clone()).collect()
    };
    let (a, b) = (of(a), of(b));
    if a.is_empty() || b.is_empty() || a == b {
        return None;
    }
    let has = |side: &BTreeSet<String>, since: (u32, u32)| {
        side.iter().any(|version| numbers(version) >= since)
    };
    let changed = CHANGES
        .iter()
        .filter(|change| change.tool == tool && has(&a, change.since) != has(&b, change.since));
    let listed = |side: &BTreeSet<String>| side.iter().cloned().collect::<Vec<_>>().join(" and ");
    let mut note = format!("A is of {tool} {} and B of {}", listed(&a), listed(&b));
    for change in changed {
        note += "; ";
        note += change.what;
    }
    Some(note)
}

/// The first two numbers of a version.
fn numbers(version: &str) -> (u32, u32) {
    let mut parts = version.split('.').map(|part| part.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
}
