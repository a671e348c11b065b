//! The published schemas follow the types, describe each field, and fit real documents.

use crate::pages::{cells, context, paper, run, survey};
use analysis::{SurveyContext, survey_report};
use expect_test::expect_file;
use jsonschema::Validator;
use model::{CacheMode, Outcome};
use serde_json::Value;
use views::{run_json, schemas, survey_json};

fn schema(number: usize) -> Value {
    serde_json::from_str(&schemas()[number].1).unwrap()
}

fn assert_valid(validator: &Validator, document: &[u8]) {
    assert_eq!(document.last(), Some(&b'\n'));
    let document: Value = serde_json::from_slice(document).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&document)
        .map(|e| e.to_string())
        .collect();
    assert_eq!(errors, [""; 0]);
}

#[test]
fn the_published_files_are_what_the_types_say() {
    for (name, text) in schemas() {
        let path = format!("{}/../../docs/schema/{name}", env!("CARGO_MANIFEST_DIR"));
        expect_file![path].assert_eq(&text);
    }
}

#[test]
fn real_documents_keep_to_the_schema_of_a_run() {
    let validator = jsonschema::validator_for(&schema(0)).unwrap();
    let reports = [
        run(|_| ()),
        run(|sample| sample.reads = 0),
        run(|sample| sample.outcome = Outcome::Interrupted),
        run(|sample| (sample.cache, sample.device_percent) = (CacheMode::Cached, 0)),
    ];
    for report in reports {
        let mut document = Vec::new();
        run_json(&report, None, &mut document).unwrap();
        assert_valid(&validator, &document);
    }
}

#[test]
fn real_documents_keep_to_the_schema_of_a_survey() {
    let validator = jsonschema::validator_for(&schema(1)).unwrap();
    let reports = [
        survey(&[1, 2, 4]),
        survey_report(&[], &context()),
        survey_report(&cells(&[1])[..2], &SurveyContext::default()),
    ];
    for report in reports {
        let mut document = Vec::new();
        survey_json(&report, paper().stored.as_ref(), &mut document).unwrap();
        assert_valid(&validator, &document);
    }
}

#[test]
fn a_document_with_a_missing_or_foreign_word_is_refused() {
    let validator = jsonschema::validator_for(&schema(0)).unwrap();
    let mut document = Vec::new();
    run_json(&run(|_| ()), paper().stored.as_ref(), &mut document).unwrap();
    let mut document: Value = serde_json::from_slice(&document).unwrap();
    assert_eq!(document["stored"]["session"], 12);
    document["verdict"]["validity"] = Value::from("splendid");
    assert!(!validator.is_valid(&document));
    document["verdict"]["validity"] = Value::from("valid");
    assert!(validator.is_valid(&document));
    document.as_object_mut().unwrap().remove("operations");
    assert!(!validator.is_valid(&document));
}

/// Names of properties without a description, wherever they stand. A variant with data is an object of one property,
/// described as a whole.
fn undescribed(schema: &Value, found: &mut Vec<String>) {
    match schema {
        Value::Array(items) => items.iter().for_each(|item| undescribed(item, found)),
        Value::Object(fields) => {
            if let Some(properties) = fields.get("properties").and_then(Value::as_object) {
                let variant = properties.len() == 1
                    && fields.get("additionalProperties") == Some(&Value::Bool(false))
                    && fields.contains_key("description");
                let bare = properties
                    .iter()
                    .filter(|(_, value)| !variant && value.get("description").is_none());
                found.extend(bare.map(|(name, _)| name.clone()));
            }
            fields.values().for_each(|value| undescribed(value, found));
        }
        _ => {}
    }
}

#[test]
fn every_property_is_described() {
    for number in 0..schemas().len() {
        let mut found = Vec::new();
        undescribed(&schema(number), &mut found);
        assert_eq!(found, [""; 0]);
    }
}

#[test]
fn real_documents_keep_to_the_schema_of_an_imported_run() {
    let run: model::ImportedRun = serde_json::from_value(serde_json::json!({
        "format": "diskspd_text", "tool_version": "2.0.17", "source": "a.txt", "place": 1, "line": 29,
        "started_utc_ns": null, "host": null, "command": "diskspd a", "name": null,
        "workload": { "targets": ["a"], "cache": "cached", "block_bytes": 4096, "write_percent": 10 },
        "measured_ns": 10_000_000_000_u64,
        "figures": {
            "total": { "ios": 10, "ios_per_s": 1.0,
                "latency": { "mean_ns": 5, "percentiles": [[0.5, 4]], "histogram": [{ "from_ns": 0, "percent": 100.0 }] } },
            "read": { "latency": { "percentiles": [], "histogram": [] } },
            "write": { "latency": { "percentiles": [], "histogram": [] } }
        },
        "cpu": null, "rows": [], "notes": ["odd"], "text": "as it stands"
    }))
    .unwrap();
    let report = analysis::imported_report(&run);
    let number = schemas()
        .iter()
        .position(|(name, _)| name.starts_with("imported"))
        .unwrap();
    let validator = jsonschema::validator_for(&schema(number)).unwrap();
    let mut document = Vec::new();
    views::imported_json(&report, None, &mut document).unwrap();
    assert_valid(&validator, &document);
    let mut page = Vec::new();
    views::imported_summary(&report, &paper(), &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    assert!(
        page.contains("figures  as printed by diskspd 2.0.17: a.txt, run 1 of the file, line 29\n"),
        "{page}"
    );
    assert!(
        page.replace('\n', " ")
            .contains("queue depth unknown x threads unknown"),
        "{page}"
    );
    assert!(
        page.contains("pattern unknown, 90% reads, 10% writes"),
        "{page}"
    );
    assert!(page.contains("note     odd"), "{page}");
}

const JSON_INTRODUCTION: &str = "\
# JSON documents

`--json` prints one document on standard output and nothing else. Names are stable within a version of the document; new fields may be added, so a
reader ignores fields that it does not know. The schemas ([JSON Schema](https://json-schema.org/)) describe every field, also the nested ones.

- A name ends in its unit: `_ns` (nanoseconds), `_bytes`, `_per_s`, `_percent`, `_share` (0 to 1). Times of the day are nanoseconds since 1970 in UTC (`_utc_ns`).
- `null` or an absent field means unknown. It never means 0.
- A figure with a 95% confidence interval has `value`, `low` and `high`; percentiles have `low_ns` and `high_ns`.
- `verdict.validity` has the verdict; `findings` has the id, the severity and the evidence of each finding ([findings](findings.md)).
- A result of a simulated device has `\"simulated\": true` in its verdict.

The tables below are written from the schemas (`UPDATE_EXPECT=1 cargo test -p views --test it schema`).
";

/// The guide to the documents: a table of the topmost fields of each schema.
#[test]
fn the_guide_to_the_documents_follows_the_schemas() {
    let mut page = JSON_INTRODUCTION.to_owned();
    for (name, text) in schemas() {
        let schema: Value = serde_json::from_str(&text).unwrap();
        let title = schema["title"].as_str().unwrap();
        page +=
            &format!("\n## {title}\n\n[{name}](schema/{name})\n\n| field | meaning |\n|---|---|\n");
        for (field, about) in schema["properties"].as_object().unwrap() {
            let about = about["description"].as_str().unwrap_or_default();
            let about = about.split_whitespace().collect::<Vec<_>>().join(" ");
            let about = about.split(" // ").next().unwrap_or_default();
            page += &format!("| `{field}` | {} |\n", about.replace('|', "\\|"));
        }
    }
    expect_file!["../../../../docs/json.md"].assert_eq(&page);
}
