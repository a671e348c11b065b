//! Records → report → bytes: which view serves which command. The only place where the door meets the views.
//!
//! Deliberately absent: any number and any layout of its own, but for the document of the devices.

mod devices;

pub(crate) use devices::devices;

use analysis::SurveyContext;
use model::RunRecord;
use std::io::{self, Write};
use std::path::Path;
use store::{RunName, SessionSummary};
use views::{Paper, SessionLine, Stored, Zone};

/// How a result is to be shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form<'a> {
    /// As one JSON document.
    pub(crate) json: bool,
    /// Where it is kept, if it is.
    pub(crate) kept: Option<(RunName, &'a Path)>,
    /// The place was named on the command line.
    pub(crate) place_named: bool,
}

impl Form<'_> {
    fn paper(&self) -> Paper {
        Paper {
            zone: Zone::system(),
            stored: self.kept.map(|(name, path)| Stored {
                name: name.to_string(),
                path: path.to_owned(),
                named: self.place_named,
            }),
            ..Paper::default()
        }
    }
}

/// One run.
pub(crate) fn run(record: &RunRecord, form: Form<'_>) -> Vec<u8> {
    let report = analysis::run_report(record);
    written(|out| match form.json {
        true => views::run_json(&report, out),
        false => views::run_summary(&report, &form.paper(), out),
    })
}

/// A survey, whole or not.
pub(crate) fn survey(
    cells: &[(String, RunRecord)],
    context: &SurveyContext,
    form: Form<'_>,
) -> Vec<u8> {
    let report = analysis::survey_report(cells, context);
    written(|out| match form.json {
        true => views::survey_json(&report, out),
        false => views::survey_summary(&report, &form.paper(), out),
    })
}

/// The sessions of a store.
pub(crate) fn sessions(sessions: &[SessionSummary]) -> Vec<u8> {
    let lines: Vec<SessionLine> = sessions.iter().map(session_line).collect();
    let form = Form {
        json: false,
        kept: None,
        place_named: false,
    };
    written(|out| views::write_sessions(&lines, &form.paper(), out))
}

fn session_line(session: &SessionSummary) -> SessionLine {
    let SessionSummary {
        id,
        kind,
        started_utc,
        command: _,
        tool_version: _,
        target,
        outcome,
        runs,
    } = session;
    SessionLine {
        id: id.0,
        kind: kind.name().to_owned(),
        // One that is still running looks the same as one that was killed.
        outcome: outcome
            .map_or("cut short", |outcome| outcome.name())
            .to_owned(),
        started_utc_ns: started_utc.0,
        runs: u64::from(*runs),
        target: target.clone(),
    }
}

/// A result is put together in memory, so that it goes out whole or not at all.
fn written(view: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Vec<u8> {
    let mut bytes = Vec::new();
    view(&mut bytes).expect("memory takes every byte, and a report has only text keys");
    bytes
}
