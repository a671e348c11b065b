//! The sessions of a store, as a page and as a document.
//!
//! The document has its units in its names, as every document of fathom does.

use super::Form;
use crate::commands::noted::comment_of;
use model::Note;
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;
use store::{SessionAnswer, SessionId, SessionSummary, StoredAnswer};
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
    #[serde(flatten)]
    answer: Answer<'a>,
    runs: u32,
    tags: &'a [String],
    notes: &'a [Note],
}

#[derive(Serialize)]
struct Answer<'a> {
    /// `VALID`, `CAUTION`, `INVALID` or `NOT CHECKED`; null where it is not known.
    validity: Option<&'a str>,
    /// The most important figures, in a sentence; null where they are not stored.
    headline: Option<&'a str>,
    /// The device below the target; null where none is known, or there are several.
    device: Option<&'a str>,
}

/// The list, which grows line by line in the order of the store.
pub(crate) struct Sessions<'a> {
    form: Form<'a>,
    documents: Vec<SessionSummary>,
    lines: Vec<SessionLine>,
    damaged: Vec<(usize, SessionId)>, // places of sessions whose answer is damaged
}

impl<'a> Sessions<'a> {
    /// Without a session.
    pub(crate) fn new(form: Form<'a>) -> Self {
        Sessions {
            form,
            documents: Vec::new(),
            lines: Vec::new(),
            damaged: Vec::new(),
        }
    }

    /// Adds one at the end.
    pub(crate) fn push(&mut self, session: &SessionSummary) {
        if session.answer == StoredAnswer::Damaged {
            let place = self.documents.len().max(self.lines.len());
            self.damaged.push((place, session.id));
        }
        match self.form.json {
            true => self.documents.push(session.clone()),
            false => self.lines.push(session_line(session)),
        }
    }

    /// Computes answers whose stored form is damaged.
    pub(crate) fn repair(&mut self, answer: impl Fn(SessionId) -> Option<SessionAnswer>) {
        for (place, session) in self.damaged.drain(..) {
            let Some(answer) = answer(session) else {
                continue;
            };
            if let Some(document) = self.documents.get_mut(place) {
                document.answer = StoredAnswer::Read(answer);
            } else if let Some(line) = self.lines.get_mut(place) {
                (line.validity, line.headline) = (answer.validity, answer.headline);
                line.device = answer.device;
            }
        }
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.documents.is_empty() && self.lines.is_empty()
    }

    /// Writes the whole list of the store at `path`.
    pub(crate) fn write(&self, path: Option<&Path>, out: &mut dyn Write) -> io::Result<()> {
        if !self.form.json {
            let paper = self.form.paper();
            let view = |page: &mut dyn Write| views::write_sessions(&self.lines, &paper, page);
            return out.write_all(&self.form.written(view));
        }
        let path = path.map(|path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
        out.write_all(&super::document(&Document {
            path: path.as_deref(),
            sessions: self.documents.iter().map(entry).collect(),
        }))
    }
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
        notes,
        answer,
    } = session;
    let said = |text: fn(&SessionAnswer) -> &str| {
        let text = answer.read().map(text);
        text.filter(|text| !text.is_empty())
    };
    Entry {
        session: id.0,
        kind: kind.name(),
        started_utc_ns: started_utc.0,
        command,
        tool_version,
        target,
        outcome: outcome(session),
        answer: Answer {
            validity: said(|answer| &answer.validity),
            headline: said(|answer| &answer.headline),
            device: said(|answer| &answer.device),
        },
        runs: *runs,
        tags,
        notes,
    }
}

fn session_line(session: &SessionSummary) -> SessionLine {
    let answer = session.answer.read().cloned().unwrap_or_default();
    SessionLine {
        validity: answer.validity,
        headline: answer.headline,
        device: answer.device,
        id: session.id.0,
        kind: session.kind.name().to_owned(),
        outcome: outcome(session),
        started_utc_ns: session.started_utc.0,
        target: session.target.clone(),
        tags: session.tags.clone(),
        comment: comment_of(&session.notes).map(str::to_owned),
    }
}

/// One that is still running looks the same as one that was killed.
fn outcome(session: &SessionSummary) -> &'static str {
    session
        .outcome
        .map_or("unfinished", |outcome| outcome.name())
}
