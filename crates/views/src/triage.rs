//! What programs wait for: a sentence, the evidence, the next command.

use crate::foot::labelled;
use crate::number::NOTHING;
use crate::paper::Paper;
use crate::text::{printable, wrapped};
use analysis::say;
use analysis::triage::TriageReport;
use std::io::{self, Write};

/// The answer as text.
pub fn triage_summary(report: &TriageReport, paper: &Paper, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = wrapped("", &printable(&report.sentence), paper);
    for row in &report.evidence {
        let used = row
            .utilisation
            .map(|share| format!("{} busy", say::percent(share)));
        let used = used.unwrap_or_else(|| NOTHING.to_owned());
        let text = format!("{used}; {}", printable(&row.saturation));
        lines.extend(labelled(
            &format!("{} ", printable(&row.resource)),
            &text,
            paper,
        ));
    }
    let time = say::time(report.elapsed_ns as f64);
    let over = match &report.scope {
        Some(scope) => format!("{} over {time}", printable(scope)),
        None => format!("the whole machine over {time}"),
    };
    lines.extend(labelled("scope", &over, paper));
    lines.extend(labelled("next", &report.next, paper));
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// The answer as one document, ending in a newline.
pub fn triage_json(report: &TriageReport, out: &mut dyn Write) -> io::Result<()> {
    crate::json::versioned_json(report, out)
}
