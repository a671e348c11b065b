//! The results of a DISKSPD run in DISKSPD's own layouts: text and XML, blank for blank, because scripts parse them.
//!
//! Read in this order: `text` (which sections, in which order), then its sections `machine`, `processors`, `tables`,
//! `percentiles` and `places`; `xml` is the document. Each layout keeps its titles, widths and blank lines for any
//! numbers; every number comes from `crate::diskspd::figures`. What stands in the text before the results, and the
//! profile inside the document, is the dialect's to print.
//!
//! Deliberately absent: kernel events (`-e`) and wait statistics (`-vs`), which are not measured here and refused by
//! the dialect; what 2.3 prints of caches, used processors and its rings, which is not recorded; and terminals.

mod machine;
mod percentiles;
mod places;
mod processors;
mod tables;
mod text;
mod xml;

pub use machine::machine_text;
pub use text::diskspd_text;
pub use xml::{diskspd_xml, machine_xml};

use crate::diskspd::figures::{Span, System, span};
use crate::diskspd::{Compat, Profile, TimeSpan, print_text, write_xml};
use model::RunRecord;

/// Represents the results of a time span that has none.
const INTERRUPTED: &str =
    "The test was interrupted before the measurements began. No results are displayed.";

/// Everything that the pages show.
#[derive(Clone, Debug)]
pub struct DiskspdResults<'a> {
    /// What was asked.
    pub profile: &'a Profile,
    /// All arguments joined by single blanks, program first.
    pub command_line: &'a str,
    /// Whose layout.
    pub compat: Compat,
    /// The machine.
    pub system: System,
    /// One for each of the profile's time spans, in order; what is missing at the end counts as interrupted.
    pub spans: Vec<Span>,
}

impl<'a> DiskspdResults<'a> {
    /// From what was recorded: one record for each time span that ran, in order.
    pub fn of(
        profile: &'a Profile,
        command_line: &'a str,
        compat: Compat,
        system: System,
        records: &[&RunRecord],
    ) -> Self {
        let asked = profile.time_spans.iter();
        let report = |(number, asked): (usize, &TimeSpan)| {
            let paths: Vec<&str> = asked
                .targets
                .iter()
                .map(|target| target.path.as_str())
                .collect();
            records
                .get(number)
                .map_or(Span::Interrupted, |record| span(record, &paths))
        };
        let spans = asked.enumerate().map(report).collect();
        DiskspdResults {
            profile,
            command_line,
            compat,
            system,
            spans,
        }
    }

    /// What stands in the text before the results.
    fn input_text(&self) -> String {
        print_text(self.profile, self.command_line, self.compat)
    }

    /// The profile inside the document, indented.
    fn profile_xml(&self) -> String {
        write_xml(self.profile, 2, self.compat)
    }

    /// Each time span as asked, with its result.
    fn spans(&self) -> impl Iterator<Item = (&TimeSpan, &Span)> {
        let missing = std::iter::repeat(&Span::Interrupted);
        self.profile
            .time_spans
            .iter()
            .zip(self.spans.iter().chain(missing))
    }
}

/// Milliseconds, as latencies are shown.
fn ms(ns: f64) -> f64 {
    ns / 1e6
}

/// Mebibytes, under any name of the layout.
fn mib(bytes: f64) -> f64 {
    bytes / 1_048_576.0
}
