//! Reports as JSON documents, and the schemas that they keep to.

use analysis::{RunReport, SurveyReport};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use std::io::{self, Write};

/// The whole report as one document, ending in a newline.
pub fn run_json(report: &RunReport, out: &mut dyn Write) -> io::Result<()> {
    document(report, out)
}

/// The whole report as one document, ending in a newline.
pub fn survey_json(report: &SurveyReport, out: &mut dyn Write) -> io::Result<()> {
    document(report, out)
}

fn document(report: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, report)?;
    out.write_all(b"\n")
}

/// The published schemas: the name of each file in `docs/schema`, and its text.
pub fn schemas() -> Vec<(&'static str, String)> {
    vec![
        ("run-report.schema.json", schema::<RunReport>()),
        ("survey-report.schema.json", schema::<SurveyReport>()),
    ]
}

/// Of the document as it is written, so that every field that is always there is required.
fn schema<T: JsonSchema>() -> String {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema is plain data");
    text.push('\n');
    text
}
