//! Reports as JSON documents, and the schemas that they keep to.

use crate::findings::Explained;
use crate::json_text::pretty_json;
use crate::learned::LearnedSummary;
use crate::paper::Stored;
use analysis::audit::AuditReport;
use analysis::looks::{AbReport, FitReport};
use analysis::page::PageDocument;
use analysis::pts::{PtsForecast, PtsReport};
use analysis::triage::TriageReport;
use analysis::{
    CompareReport, Explanation, FilesReport, History, HostsPreflight, ImportedReport, JobReport,
    LayersReport, Preflight, QuickReport, RunReport, SurveyReport, SweepForecast, SweepReport,
    WatchReport,
};
use model::Note;
use model::fidelity::Fidelity;
use model::trace::TraceSummary;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Version of the form of all documents.
const SCHEMA_VERSION: u32 = 2;

/// A document and the version of its form.
#[derive(Serialize, JsonSchema)]
struct Versioned<R> {
    /// Version of this form of document; 2.
    schema_version: u32,
    #[serde(flatten)]
    report: R,
}

/// A report and where it is stored.
#[derive(Serialize, JsonSchema)]
struct Document<R> {
    /// Version of this form of document; 2.
    schema_version: u32,
    #[serde(flatten)]
    report: R,
    /// Where the result is stored; none if it is not stored.
    stored: Option<StoredAt>,
}

/// Where a result is stored.
#[derive(Serialize, JsonSchema)]
struct StoredAt {
    /// Its name, as `fathom show` takes it: `12`, or `12.3` where one result of several is meant.
    id: String,
    /// Number of its session.
    session: u64,
    /// Number of the result in it, where one of several is meant; none for the whole session.
    number: Option<u32>,
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
            id: match stored.run {
                Some(number) => format!("{}.{number}", stored.session),
                None => stored.session.to_string(),
            },
            session: stored.session,
            number: stored.run,
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
    pretty_json(&document, out)
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
    pretty_json(&document, out)
}

/// Returns the names of all documents, and one schema that has theirs and every type once, in `$defs`.
pub fn schemas() -> (Vec<&'static str>, Value) {
    // Of documents as they are written, so that every field that is always there is required.
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut types = settings.into_generator();
    let documents = [
        schemas_of_results(&mut types),
        schemas_of_answers(&mut types),
    ]
    .concat();
    let mut all = types.take_definitions(true);
    let names = documents.iter().map(|(name, _)| *name).collect();
    all.extend(
        documents
            .into_iter()
            .map(|(name, schema)| (name.to_owned(), schema.to_value())),
    );
    (names, json!({ "$defs": all }))
}

/// The name of a document and its schema.
type DocumentSchema = (&'static str, Schema);

/// Of what was measured.
fn schemas_of_results(types: &mut SchemaGenerator) -> Vec<DocumentSchema> {
    vec![
        document_of::<Document<RunReport>>("run-report", "fathom run report", types),
        document_of::<Document<SurveyReport>>("survey-report", "fathom survey report", types),
        document_of::<Document<SweepReport>>("sweep-report", "fathom sweep report", types),
        document_of::<Versioned<SweepForecast>>("sweep-forecast", "fathom sweep forecast", types),
        document_of::<Versioned<CompareReport>>("compare-report", "fathom compare report", types),
        document_of::<Document<ImportedReport>>(
            "imported-report",
            "fathom report of an imported run",
            types,
        ),
        document_of::<Versioned<Noted>>("note", "fathom notes", types),
        document_of::<PageDocument>("page", "fathom page", types),
        document_of::<Versioned<History>>("history", "fathom history", types),
        document_of::<Document<FilesReport>>(
            "files-report",
            "fathom report of work with files",
            types,
        ),
        document_of::<Document<QuickReport>>(
            "quick-report",
            "fathom report of a quick look",
            types,
        ),
        document_of::<Document<AbReport>>(
            "ab-report",
            "fathom report of which of two is faster",
            types,
        ),
        document_of::<Document<FitReport>>(
            "fit-report",
            "fathom report of whether storage is fast enough",
            types,
        ),
        document_of::<Document<LayersReport>>(
            "layers-report",
            "fathom report of what layers cost",
            types,
        ),
        document_of::<Document<PtsReport>>("pts-report", "fathom report of a test of PTS", types),
        document_of::<Versioned<PtsForecast>>(
            "pts-forecast",
            "fathom forecast of a test of PTS",
            types,
        ),
        document_of::<Document<Watched<'_>>>(
            "watch-report",
            "fathom report of watched devices",
            types,
        ),
        document_of::<Document<AuditReport>>("audit-report", "fathom account of a program", types),
        document_of::<Document<JobReport>>(
            "job-report",
            "fathom report of a run on many hosts",
            types,
        ),
    ]
}

/// Of what was computed or looked up.
fn schemas_of_answers(types: &mut SchemaGenerator) -> Vec<DocumentSchema> {
    vec![
        document_of::<Versioned<Preflight>>(
            "check-report",
            "fathom report of a check before measuring",
            types,
        ),
        document_of::<Versioned<HostsPreflight>>(
            "check-hosts-report",
            "fathom report of a check before measuring on many hosts",
            types,
        ),
        document_of::<Versioned<TriageReport>>("triage-report", "fathom triage", types),
        document_of::<Versioned<Explained<'_>>>("explain", "fathom explain", types),
        document_of::<Versioned<TraceSummary>>("trace-summary", "fathom trace", types),
        document_of::<Versioned<LearnedSummary>>("learned", "fathom learn", types),
        document_of::<Versioned<Fidelity>>("fidelity", "fathom fidelity", types),
    ]
}

fn document_of<T: JsonSchema>(
    name: &'static str,
    title: &'static str,
    types: &mut SchemaGenerator,
) -> DocumentSchema {
    let mut schema = T::json_schema(types);
    schema.insert("title".to_owned(), title.into());
    (name, schema)
}
