//! Events of the system on a page: a line each, at most five unless all are requested.
//!
//! Omitted: what follows from them, which the findings contain.

use crate::foot::labelled;
use crate::number::{count, time};
use crate::paper::Paper;
use analysis::{EventRow, EventsReport};

/// Shown without `--verbose`.
const SHOWN: usize = 5;

/// `events    5.01 s  session1 session-lost: connection1:0: detected conn error (1020)`.
pub(crate) fn lines(report: Option<&EventsReport>, paper: &Paper) -> Vec<String> {
    let Some(report) = report else {
        return Vec::new();
    };
    let shown = if paper.verbose { usize::MAX } else { SHOWN };
    let rows = report.events.iter().take(shown);
    let mut texts: Vec<String> = rows.map(line).collect();
    let more = (report.events.len() - texts.len()) as u64 + report.omitted;
    match (more, paper.verbose) {
        (0, _) => {}
        (more, true) => texts.push(format!("{} more were counted and not stored", count(more))),
        (more, false) => texts.push(format!("and {} more (--verbose)", count(more))),
    }
    texts.extend(
        report
            .files_unread
            .iter()
            .map(|why| format!("not read: {why}")),
    );
    if paper.verbose {
        texts.extend(unread(report));
    }
    let label = |number: usize| if number == 0 { "events" } else { "" };
    let texts = texts.iter().enumerate();
    texts
        .flat_map(|(number, text)| labelled(label(number), text, paper))
        .collect()
}

fn line(row: &EventRow) -> String {
    let name = format!("{} {}", row.subject, row.kind);
    format!("{}  {}: {}", when(row), name.trim(), row.text)
}

/// `5.01 s`; with its uncertainty where that matters: `5.01 s ±100 ms`.
fn when(row: &EventRow) -> String {
    const EXACT_MAX_NS: u64 = 10_000_000;
    let sign = if row.at_ns < 0 { "-" } else { "" };
    let at = time(row.at_ns.unsigned_abs() as f64);
    match row.uncertainty_ns {
        0..=EXACT_MAX_NS => format!("{sign}{at}"),
        off => format!("{sign}{at} ±{}", time(off as f64)),
    }
}

/// What of the kernel's log is not known.
fn unread(report: &EventsReport) -> Option<String> {
    match (&report.kernel_log_unread, report.kernel_log_lost) {
        (Some(why), _) => Some(format!("the kernel's log was not read: {why}")),
        (None, 0) => None,
        (None, lost) => Some(format!(
            "lines of the kernel's log were overwritten before they were read ({} gaps)",
            count(lost)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(events: usize) -> EventsReport {
        let row = |number: usize| EventRow {
            at_ns: number as i64 * 1_500_000_000 - 1_500_000_000,
            uncertainty_ns: 1_000_000,
            source: "kernel-log".to_owned(),
            kind: "path-failed".to_owned(),
            subject: "sdb".to_owned(),
            text: "Failing\u{1b}[2J path 8:16.".to_owned(),
        };
        EventsReport {
            events: (0..events).map(row).collect(),
            ..EventsReport::default()
        }
    }

    #[test]
    fn five_lines_are_shown_and_a_hostile_text_is_escaped() {
        let paper = Paper::default();
        let lines_of = |events: usize| lines(Some(&report(events)), &paper);
        assert_eq!(lines(None, &paper), Vec::<String>::new());
        assert_eq!(lines_of(0), Vec::<String>::new());
        let two = lines_of(2);
        assert_eq!(
            two,
            [
                "events   -1.50 s sdb path-failed: Failing\\u{1b}[2J path 8:16.",
                "         0 ns sdb path-failed: Failing\\u{1b}[2J path 8:16."
            ]
        );
        let seven = lines_of(7);
        assert_eq!(seven.len(), 6);
        assert_eq!(seven[5], "         and 2 more (--verbose)");
        let all = Paper {
            verbose: true,
            ..Paper::default()
        };
        let mut unread = report(7);
        unread.kernel_log_unread = Some("Operation not permitted".to_owned());
        let text = lines(Some(&unread), &all);
        assert_eq!(text.len(), 8);
        unread.events[0].uncertainty_ns = 100_000_000;
        let line = line(&unread.events[0]);
        assert!(
            line.starts_with("-1.50 s ±100 ms  sdb path-failed: "),
            "{line}"
        );
        assert!(text[7].ends_with("the kernel's log was not read: Operation not permitted"));
    }
}
