//! Reports as JSON documents, and the schemas that they keep to.

use crate::findings::Explained;
use crate::learned::LearnedSummary;
use crate::paper::Stored;
use analysis::page::PageDocument;
use analysis::pts::{PtsForecast, PtsReport};
use analysis::{
    CompareReport, Explanation, FilesReport, History, HostsPreflight, ImportedReport, JobReport,
    LayersReport, Preflight, QuickReport, RunReport, SurveyReport, SweepForecast, SweepReport,
    WatchReport,
};
use model::Note;
use model::fidelity::Fidelity;
use model::trace::TraceSummary;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use std::io::{self, Write};

/// Version of the form of all documents.
const SCHEMA_VERSION: u32 = 1;

/// A document and the version of its form.
#[derive(Serialize, JsonSchema)]
struct Versioned<R> {
    /// Version of this form of document; 1.
    schema_version: u32,
    #[serde(flatten)]
    report: R,
}

/// A report and where it is stored.
#[derive(Serialize, JsonSchema)]
struct Document<R> {
    /// Version of this form of document; 1.
    schema_version: u32,
    #[serde(flatten)]
    report: R,
    /// Where the result is stored; none if it is not stored.
    stored: Option<StoredAt>,
}

/// Where a result is stored.
#[derive(Serialize, JsonSchema)]
struct StoredAt {
    /// Number of its session, as `fathom show` takes it.
    session: u64,
    /// Number of the run in it, where one run of several is meant; none for the whole session.
    run: Option<u32>,
    /// The store's file.
    path: String,
    /// Notes of users on it: hints for its findings, and a comment.
    notes: Vec<NoteOf>,
}

/// One note.
#[derive(Serialize, JsonSchema)]
struct NoteOf {
    /// The option of `fathom note` that gives it, without dashes.
    field: String,
    /// As it was given.
    value: String,
}

impl StoredAt {
    fn of(stored: &Stored) -> StoredAt {
        let note = |note: &Note| NoteOf {
            field: note.field.clone(),
            value: note.value.clone(),
        };
        StoredAt {
            session: stored.session,
            run: stored.run,
            path: stored.path.to_string_lossy().into_owned(),
            notes: stored.notes.iter().map(note).collect(),
        }
    }
}

/// What `fathom note --json` prints.
#[derive(Serialize, JsonSchema)]
struct Noted {
    /// Sessions and results in the order in which they were specified, with the notes that apply to them.
    noted: Vec<StoredAt>,
}

/// The notes of sessions and results as one document, ending in a newline.
pub fn notes_json(noted: &[Stored], out: &mut dyn Write) -> io::Result<()> {
    let noted = noted.iter().map(StoredAt::of).collect();
    versioned_json(&Noted { noted }, out)
}

/// The whole report as one document, ending in a newline.
pub fn run_json(
    report: &RunReport,
    stored: Option<&Stored>,
    out: &mut dyn Write,
) -> io::Result<()> {
    document(report, stored, out)
}

/// The whole report as one document, ending in a newline.
pub fn survey_json(
    report: &SurveyReport,
    stored: Option<&Stored>,
    out: &mut dyn Write,
) -> io::Result<()> {
    document(report, stored, out)
}

/// The whole report as one document, ending in a newline.
pub fn sweep_json(
    report: &SweepReport,
    stored: Option<&Stored>,
    out: &mut dyn Write,
) -> io::Result<()> {
    document(report, stored, out)
}

/// A comparison as one document, ending in a newline.
pub fn compare_json(report: &CompareReport, out: &mut dyn Write) -> io::Result<()> {
    versioned_json(report, out)
}

/// Writes explanations as one document, ending in a newline.
pub fn explanations_json(all: &[Explanation], out: &mut dyn Write) -> io::Result<()> {
    versioned_json(&Explained { explanations: all }, out)
}

/// One document that begins with the version of its form, ending in a newline.
pub fn versioned_json(report: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let document = Versioned {
        schema_version: SCHEMA_VERSION,
        report,
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    out.write_all(b"\n")
}

/// Every stretch of every device of a session, or one of them.
#[derive(Serialize, JsonSchema)]
struct Watched<'a> {
    /// In the order in which they were stored: device after device, stretch after stretch.
    watched: &'a [WatchReport],
}

/// One document, ending in a newline.
pub fn watch_json(
    reports: &[WatchReport],
    stored: Option<&Stored>,
    out: &mut dyn Write,
) -> io::Result<()> {
    document(&Watched { watched: reports }, stored, out)
}

/// A run on many hosts as one document, ending in a newline.
pub fn job_json(
    report: &JobReport,
    stored: Option<&Stored>,
    out: &mut dyn Write,
) -> io::Result<()> {
    document(report, stored, out)
}

/// What a sweep will do, as one document, ending in a newline.
pub fn sweep_forecast_json(forecast: &SweepForecast, out: &mut dyn Write) -> io::Result<()> {
    versioned_json(forecast, out)
}

pub(crate) fn document(
    report: &impl Serialize,
    stored: Option<&Stored>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let stored = stored.map(StoredAt::of);
    let document = Document {
        schema_version: SCHEMA_VERSION,
        report,
        stored,
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    out.write_all(b"\n")
}

/// The published schemas: the name of each file in `docs/schema`, and its text.
pub fn schemas() -> Vec<(&'static str, String)> {
    [schemas_of_results(), schemas_of_answers()].concat()
}

/// Of what was measured.
fn schemas_of_results() -> Vec<(&'static str, String)> {
    vec![
        (
            "run-report.schema.json",
            schema::<Document<RunReport>>("fathom run report"),
        ),
        (
            "survey-report.schema.json",
            schema::<Document<SurveyReport>>("fathom survey report"),
        ),
        (
            "sweep-report.schema.json",
            schema::<Document<SweepReport>>("fathom sweep report"),
        ),
        (
            "sweep-forecast.schema.json",
            schema::<Versioned<SweepForecast>>("fathom sweep forecast"),
        ),
        (
            "compare-report.schema.json",
            schema::<Versioned<CompareReport>>("fathom compare report"),
        ),
        (
            "imported-report.schema.json",
            schema::<Document<ImportedReport>>("fathom report of an imported run"),
        ),
        (
            "note.schema.json",
            schema::<Versioned<Noted>>("fathom notes"),
        ),
        ("page.schema.json", schema::<PageDocument>("fathom page")),
        (
            "history.schema.json",
            schema::<Versioned<History>>("fathom history"),
        ),
        (
            "files-report.schema.json",
            schema::<Document<FilesReport>>("fathom report of work with files"),
        ),
        (
            "quick-report.schema.json",
            schema::<Document<QuickReport>>("fathom report of a quick look"),
        ),
        (
            "layers-report.schema.json",
            schema::<Document<LayersReport>>("fathom report of what layers cost"),
        ),
        (
            "pts-report.schema.json",
            schema::<Document<PtsReport>>("fathom report of a test of PTS"),
        ),
        (
            "pts-forecast.schema.json",
            schema::<Versioned<PtsForecast>>("fathom forecast of a test of PTS"),
        ),
        (
            "watch-report.schema.json",
            schema::<Document<Watched<'_>>>("fathom report of watched devices"),
        ),
        (
            "job-report.schema.json",
            schema::<Document<JobReport>>("fathom report of a run on many hosts"),
        ),
    ]
}

/// Of what was computed or looked up.
fn schemas_of_answers() -> Vec<(&'static str, String)> {
    vec![
        (
            "check-report.schema.json",
            schema::<Versioned<Preflight>>("fathom report of a check before measuring"),
        ),
        (
            "check-hosts-report.schema.json",
            schema::<Versioned<HostsPreflight>>(
                "fathom report of a check before measuring on many hosts",
            ),
        ),
        (
            "explain.schema.json",
            schema::<Versioned<Explained<'_>>>("fathom explain"),
        ),
        (
            "trace-summary.schema.json",
            schema::<Versioned<TraceSummary>>("fathom trace"),
        ),
        (
            "learned.schema.json",
            schema::<Versioned<LearnedSummary>>("fathom learn"),
        ),
        (
            "fidelity.schema.json",
            schema::<Versioned<Fidelity>>("fathom fidelity"),
        ),
    ]
}

/// Of the document as it is written, so that every field that is always there is required.
fn schema<T: JsonSchema>(title: &str) -> String {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.insert("title".to_owned(), title.into());
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema is plain data");
    text.push('\n');
    text
}
