//! How like a trace is to an original: the answer in one line, then a row per property.
//!
//! Omitted: how distances are computed, which `docs/learn.md` has.

use crate::number::{NOTHING, counted, digits};
use crate::paper::Paper;
use crate::table::{left, lines, right};
use crate::text::{printable, wrapped};
use model::fidelity::{Fidelity, PropertyVerdict};
use std::io::{self, Write};

/// One document, ending in a newline.
pub fn fidelity_json(found: &Fidelity, out: &mut dyn Write) -> io::Result<()> {
    crate::json::versioned_json(found, out)
}

/// The whole page; `name` is the original's.
pub fn fidelity_summary(
    name: &str,
    found: &Fidelity,
    paper: &Paper,
    out: &mut dyn Write,
) -> io::Result<()> {
    for line in wrapped("", &headline(name, found), paper) {
        writeln!(out, "{line}")?;
    }
    writeln!(out)?;
    let columns = [
        left("property", 0),
        right("distance", 0),
        right("of itself", 0),
        left("verdict", 0),
    ];
    let number = |value: Option<f64>| value.map_or_else(|| NOTHING.to_owned(), digits);
    let rows = found.compared.iter().map(|one| {
        vec![
            one.property.title().to_owned(),
            number(one.distance),
            number(one.own_distance),
            one.verdict.name().to_owned(),
        ]
    });
    let all: Vec<&_> = columns.iter().collect();
    for line in lines(&all, &rows.collect::<Vec<_>>(), paper.room()) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// `like app.csv in 12 of 14 properties: differs in bursts, similar in jumps between I/Os`.
fn headline(name: &str, found: &Fidelity) -> String {
    let names = |verdict: PropertyVerdict| {
        let titles: Vec<&str> = found
            .with(verdict)
            .map(|property| property.title())
            .collect();
        (!titles.is_empty()).then(|| format!("{} in {}", verdict.name(), titles.join(", ")))
    };
    let compared = found.same + found.similar + found.differs;
    if compared == 0 {
        return format!(
            "nothing compared: {} has less than 4 s or too few I/Os, so it cannot be split to show how it differs from itself",
            printable(name)
        );
    }
    let verdicts = [PropertyVerdict::Differs, PropertyVerdict::Similar];
    let parts: Vec<String> = verdicts.into_iter().filter_map(names).collect();
    let others = match parts.is_empty() {
        true => String::new(),
        false => format!(": {}", parts.join("; ")),
    };
    format!(
        "like {} in {} of {compared} properties{others} ({} compared with {})",
        printable(name),
        found.same,
        counted(found.other_ios, "I/O"),
        found.original_ios
    )
}
