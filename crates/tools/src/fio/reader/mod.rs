//! fio's JSON, versions 2 and 3: one run a job, or a group of jobs where fio put them together.
//!
//! `document` finds the jobs in the text and keeps each one's own piece; `job` reads a piece; `options` returns what its
//! options request, and `evidence` the rest besides the figures. The latencies are fio's completion latencies (`clat`),
//! which its percentiles are of by default; where the job selects it, those of `lat`. Deliberately absent: trims, the
//! histograms of json+ (the text has them), and fio's own text output (`reader_text`).

mod document;
mod evidence;
mod job;
mod options;

use crate::imports::section::{Found, Section, Start, short};
pub(super) use document::{Document, Options, queue_time};
pub(super) use job::read as read_job;
use model::{ImportedRun, Nanos};

/// How far from the opening brace the version must stand.
const FRONT: usize = 4096;

/// An opening brace at the margin, with fio's version close behind it.
pub(crate) fn begins(line: &str, text: &str) -> Start {
    let key = line.strip_prefix('{').map(str::trim_start);
    let may = key.is_some_and(|key| key.is_empty() || key.starts_with('"'));
    if !may || !text.starts_with('{') || !text[1..].trim_start().starts_with('"') {
        return Start::No;
    }
    let front = &text.as_bytes()[..FRONT.min(text.len())];
    match memchr::memmem::find(front, b"\"fio version\"") {
        Some(_) => Start::Here,
        None => Start::No,
    }
}

/// One run a job.
pub(crate) fn read(section: &Section, found: &mut Found) {
    let text = document::mend(&section.text[section.head..]);
    let frame = document::frame(&text);
    let mut before = notes_before(section);
    document::each_job(&text, &mut |at, job| {
        let at = section.head + at;
        match job::read(job, &frame.document, frame.jobs) {
            Ok(mut run) => {
                of_all(&mut run, &frame.document);
                run.notes.append(&mut before);
                found.run(at, run);
            }
            Err(what) => found.fault_at(
                at,
                format!("a job of fio's that cannot be read: {}", short(&what)),
            ),
        }
    });
    let head = || section.head_line();
    if let Some((line, what)) = frame.broken {
        let what = format!("fio's JSON breaks off or is damaged here: {}", short(&what));
        found.fault(head() + line, what);
    } else if found.is_empty() {
        found.fault(head(), "fio's JSON without any jobs in it");
    }
}

/// What applies to all runs of the document.
fn of_all(run: &mut ImportedRun, document: &Document) {
    run.tool_version.clone_from(&document.version);
    let seconds = document
        .timestamp
        .map(|seconds| Nanos(seconds.saturating_mul(1_000_000_000)));
    let millis = document
        .timestamp_ms
        .map(|ms| Nanos(ms.saturating_mul(1_000_000)));
    run.started_utc = run.started_utc.or(millis).or(seconds);
}

/// What fio warned of, for the first run.
fn notes_before(section: &Section) -> Vec<String> {
    const WARNINGS_MAX: usize = 5;
    let lines = section
        .before()
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty());
    let warnings = lines.filter(|line| line.contains("fio:") || line.starts_with("note:"));
    warnings
        .take(WARNINGS_MAX)
        .map(|line| format!("printed before it: {}", short(line)))
        .collect()
}
