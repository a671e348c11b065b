//! Records → report → bytes: which view serves which command. The only place where the door meets the views.
//!
//! Deliberately absent: any number and any layout of its own, but for the documents of devices and sessions.

mod devices;
mod import;
mod rows;
mod sessions;

pub(crate) use devices::devices;
pub(crate) use import::{BrokenRun, Imported, ImportedFile, imported};
pub(crate) use rows::{RowsForm, answer, fields, pivot, rows};
pub(crate) use sessions::sessions;

use crate::environment::Environment;
use analysis::{SurveyContext, SweepCell, SweepContext, SweepForecast};
use model::{ImportedRun, RunRecord};
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;
use store::RunName;
use views::{Paper, Script, Stored, Zone};

/// How a result is to be shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form<'a> {
    /// As one JSON document.
    pub(crate) json: bool,
    /// Where it is kept, if it is.
    pub(crate) kept: Option<(RunName, &'a Path)>,
    /// The place was named on the command line.
    pub(crate) place_named: bool,
    /// How wide the terminal is; `None` where the result does not go to one.
    pub(crate) columns: Option<usize>,
}

impl Form<'_> {
    /// Of something that is nowhere kept.
    pub(crate) fn of_list(json: bool, environment: &Environment) -> Self {
        Form {
            json,
            kept: None,
            place_named: false,
            columns: environment.columns,
        }
    }
}

impl Form<'_> {
    fn paper(&self) -> Paper {
        Paper {
            zone: Zone::system(),
            stored: self.stored(),
            columns: self.columns.unwrap_or(Paper::default().columns),
        }
    }

    fn stored(&self) -> Option<Stored> {
        self.kept.map(|(name, path)| Stored {
            session: name.session.0,
            run: name.run,
            path: std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
            named: self.place_named,
        })
    }
}

/// One run.
pub(crate) fn run(record: &RunRecord, form: Form<'_>) -> Vec<u8> {
    let report = analysis::run_report(record);
    written(|out| match form.json {
        true => views::run_json(&report, form.stored().as_ref(), out),
        false => views::run_summary(&report, &form.paper(), out),
    })
}

/// One run of another tool's.
pub(crate) fn imported_run(run: &ImportedRun, form: Form<'_>) -> Vec<u8> {
    let report = analysis::imported_report(run);
    written(|out| match form.json {
        true => views::imported_json(&report, form.stored().as_ref(), out),
        false => views::imported_summary(&report, &form.paper(), out),
    })
}

/// The runs of one request that are nowhere named: one document of one run, or a list of them.
pub(crate) fn runs(records: &[&RunRecord]) -> Vec<u8> {
    let document = |record: &&RunRecord| {
        let report = analysis::run_report(record);
        written(|out| views::run_json(&report, None, out))
    };
    let documents: Vec<Vec<u8>> = records.iter().map(document).collect();
    match <[Vec<u8>; 1]>::try_from(documents) {
        Ok([one]) => one,
        Err(several) => [b"[\n".to_vec(), several.join(&b","[..]), b"]\n".to_vec()].concat(),
    }
}

/// A survey, whole or not.
pub(crate) fn survey(
    cells: &[(String, RunRecord)],
    context: &SurveyContext,
    form: Form<'_>,
) -> Vec<u8> {
    let report = analysis::survey_report(cells, context);
    written(|out| match form.json {
        true => views::survey_json(&report, form.stored().as_ref(), out),
        false => views::survey_summary(&report, &form.paper(), out),
    })
}

/// A sweep, whole or not.
pub(crate) fn sweep(cells: &[SweepCell], context: &SweepContext, form: Form<'_>) -> Vec<u8> {
    let report = analysis::sweep_report(cells, context);
    written(|out| match form.json {
        true => views::sweep_json(&report, form.stored().as_ref(), out),
        false => views::sweep_summary(&report, &form.paper(), out),
    })
}

/// What a sweep will do.
pub(crate) fn sweep_forecast(
    forecast: &SweepForecast,
    json: bool,
    columns: Option<usize>,
) -> Vec<u8> {
    let form = Form {
        json,
        kept: None,
        place_named: false,
        columns,
    };
    written(|out| match json {
        true => views::sweep_forecast_json(forecast, out),
        false => views::sweep_forecast(forecast, &form.paper(), out),
    })
}

/// A sweep for elsewhere.
pub(crate) fn script(script: &Script) -> Vec<u8> {
    written(|out| script.write(out))
}

/// The day where the reader is, as names of files have it.
pub(crate) fn today(utc: model::Nanos) -> String {
    views::local_day(utc.0, &Zone::system())
}

/// A document of the door's own, ending in a newline.
fn document(content: &impl Serialize) -> Vec<u8> {
    written(|out| {
        serde_json::to_writer_pretty(&mut *out, content)?;
        out.write_all(b"\n")
    })
}

/// A result is put together in memory, so that it goes out whole or not at all.
pub(crate) fn written(view: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Vec<u8> {
    let mut bytes = Vec::new();
    view(&mut bytes).expect("memory takes every byte, and a report has only text keys");
    bytes
}
