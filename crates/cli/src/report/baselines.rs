//! Baselines as a list.

use super::{Form, document};
use serde::Serialize;
use store::{Baseline, SessionSummary};
use views::BaselineLine;

/// The document.
#[derive(Serialize)]
struct Document {
    baselines: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    /// What it is called.
    name: String,
    /// Its session.
    session: u64,
    /// The result in it; none for the whole session.
    number: Option<u32>,
    /// The command that created it.
    kind: String,
    /// What was measured.
    target: String,
    /// When it got the name: nanoseconds since 1970 in UTC.
    set_utc_ns: u64,
}

/// All of them, each with its session.
pub(crate) fn baselines(lines: &[(Baseline, SessionSummary)], form: Form<'_>) -> Vec<u8> {
    if form.json {
        let line = |(baseline, session): &(Baseline, SessionSummary)| Line {
            name: baseline.name.clone(),
            session: baseline.of.session.0,
            number: baseline.of.run,
            kind: session.kind.name().to_owned(),
            target: session.target.clone(),
            set_utc_ns: baseline.set_utc.0,
        };
        return document(&Document {
            baselines: lines.iter().map(line).collect(),
        });
    }
    let lines: Vec<BaselineLine> = lines
        .iter()
        .map(|(baseline, session)| BaselineLine {
            name: baseline.name.clone(),
            of: baseline.of.to_string(),
            kind: session.kind.name().to_owned(),
            target: session.target.clone(),
            set_utc_ns: baseline.set_utc.0,
        })
        .collect();
    form.written(|out| views::write_baselines(&lines, &form.paper(), out))
}
