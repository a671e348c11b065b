//! fio's JSON, versions 2 and 3: one run a job, or a group of jobs where fio put them together.
//!
//! `document` finds the jobs in the text and keeps each one's own piece; `job` reads a piece; `options` says what its
//! options ask for. The latencies are fio's completion latencies (`clat`), which its percentiles are of by default;
//! where it was told otherwise, those of `lat`. Deliberately absent: trims, the histograms of json+ (the text has
//! them), and fio's own text output.

mod document;
mod job;
mod options;

use crate::Fault;
use crate::section::{Draft, Lines, Section, Start, short};
use model::Nanos;

/// How far from the opening brace the version must stand.
const FRONT: usize = 4096;

/// An opening brace at the margin, with fio's version close behind it.
pub(crate) fn begins(line: &str, text: &str) -> Start {
    if !line.starts_with('{') || !text.starts_with('{') {
        return Start::No;
    }
    let mut end = FRONT.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    if text[..end].contains("\"fio version\"") {
        Start::Here
    } else {
        Start::No
    }
}

/// One run a job.
pub(crate) fn read(section: &Section) -> (Vec<Draft>, Vec<Fault>) {
    let (mut drafts, mut faults) = (Vec::new(), Vec::new());
    let text = &section.text[section.head..];
    let found = document::read(text);
    let together = found.jobs.len();
    let mut lines = Lines::new(section);
    for piece in &found.jobs {
        let at = section.head + piece.at;
        match job::read(&piece.text, &found.document, together) {
            Ok(run) => drafts.push(Draft { at, run }),
            Err(what) => faults.push(Fault {
                line: lines.of(at),
                what: format!("a job of fio's that cannot be read: {}", short(&what)),
            }),
        }
    }
    if let Some((line, what)) = found.broken {
        faults.push(Fault {
            line: section.line_of(section.head) + line,
            what: format!("fio's JSON breaks off or is damaged here: {}", short(&what)),
        });
    } else if drafts.is_empty() && faults.is_empty() {
        faults.push(Fault {
            line: section.line_of(section.head),
            what: "fio's JSON without any jobs in it".to_owned(),
        });
    }
    tell(section, &mut drafts, &found.document);
    (drafts, faults)
}

/// What holds for all runs of the document.
fn tell(section: &Section, drafts: &mut [Draft], document: &document::Document) {
    const WARNINGS_MAX: usize = 5;
    for Draft { run, .. } in drafts.iter_mut() {
        run.tool_version.clone_from(&document.version);
        let seconds = document
            .timestamp
            .map(|seconds| Nanos(seconds.saturating_mul(1_000_000_000)));
        let millis = document
            .timestamp_ms
            .map(|ms| Nanos(ms.saturating_mul(1_000_000)));
        run.started_utc = run.started_utc.or(millis).or(seconds);
    }
    if let Some(first) = drafts.first_mut() {
        let lines = section
            .before()
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty());
        let warnings = lines.filter(|line| line.contains("fio:") || line.starts_with("note:"));
        let notes = warnings.take(WARNINGS_MAX);
        first
            .run
            .notes
            .extend(notes.map(|line| format!("printed before it: {}", short(line))));
    }
}
