//! The sessions of a store, as a page and as a document.
//!
//! The document says its units in its names, as every document of fathom does.

use super::{Form, written};
use serde::Serialize;
use std::path::Path;
use store::SessionSummary;
use views::SessionLine;

/// What `fathom list --json` prints.
#[derive(Serialize)]
struct Document<'a> {
    /// The store's file; null where there is none yet.
    path: Option<&'a Path>,
    /// Newest first.
    sessions: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    session: u64,
    kind: &'a str,
    /// Nanoseconds since 1970 in UTC.
    started_utc_ns: u64,
    command: &'a [String],
    tool_version: &'a str,
    target: &'a str,
    outcome: &'a str,
    runs: u32,
    tags: &'a [String],
}

/// The list, in the order of the store, which lies at `path`.
pub(crate) fn sessions(
    sessions: &[SessionSummary],
    path: Option<&Path>,
    form: Form<'_>,
) -> Vec<u8> {
    if form.json {
        let path = path.map(|path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
        let document = Document {
            path: path.as_deref(),
            sessions: sessions.iter().map(entry).collect(),
        };
        return super::document(&document);
    }
    let lines: Vec<SessionLine> = sessions.iter().map(session_line).collect();
    written(|out| views::write_sessions(&lines, &form.paper(), out))
}

fn entry(session: &SessionSummary) -> Entry<'_> {
    let SessionSummary {
        id,
        kind,
        started_utc,
        command,
        tool_version,
        target,
        outcome: _,
        runs,
        tags,
    } = session;
    Entry {
        session: id.0,
        kind: kind.name(),
        started_utc_ns: started_utc.0,
        command,
        tool_version,
        target,
        outcome: outcome(session),
        runs: *runs,
        tags,
    }
}

fn session_line(session: &SessionSummary) -> SessionLine {
    SessionLine {
        id: session.id.0,
        kind: session.kind.name().to_owned(),
        outcome: outcome(session).to_owned(),
        started_utc_ns: session.started_utc.0,
        runs: u64::from(session.runs),
        target: session.target.clone(),
        tags: session.tags.clone(),
    }
}

/// One that is still running looks the same as one that was killed.
fn outcome(session: &SessionSummary) -> &'static str {
    session
        .outcome
        .map_or("unfinished", |outcome| outcome.name())
}
