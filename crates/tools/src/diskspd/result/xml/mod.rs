//! The results document: the machine, the profile, and each time span.
//!
//! Its elements, their order and their number formats are DISKSPD 2.2's, or for 2.3 those
//! of it that are recorded; `docs/schema/diskspd-results.xsd` states them.
//! Differences: text is escaped; `Tool` names the program that actually ran (`Implementation`); the means of both
//! directions together are at every target; a smallest latency of an interval is never the 0 of a thread without I/Os,
//! and of a record from before it was counted, neither it nor the deviation is there.

mod element;
mod machine;
mod series;
mod span;

use super::{DiskspdResults, INTERRUPTED};
use crate::diskspd::Compat;
use crate::diskspd::figures::{Span, System};
use element::Document;
use std::io::{self, Write};

/// `-Rsxml`: the element `System` alone.
pub fn machine_xml(system: &System, compat: Compat) -> String {
    let mut document = Document::default();
    machine::write(system, compat, &mut document);
    document.text().to_owned()
}

/// The whole document, with no newline at its end, as the original has it. Errors are those of `out`.
pub fn diskspd_xml(results: &DiskspdResults<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut document = Document::default();
    document.open("Results", &[]);
    machine::write(&results.system, results.compat, &mut document);
    document.raw(&results.profile_xml());
    for (asked, span) in results.spans() {
        document.open("TimeSpan", &[]);
        match span {
            Span::Interrupted => document.leaf("Error", INTERRUPTED),
            Span::Measured(measured) => span::write(measured, asked, &mut document),
        }
        document.close("TimeSpan");
    }
    document.close("Results");
    out.write_all(document.text().trim_end().as_bytes())
}
