//! The published schemas follow the types, describe each field, and fit real documents.

use crate::json_lines::json_lines;
use crate::pages::{cells, context, paper, run, survey};
use analysis::{SurveyContext, survey_report};
use expect_test::expect_file;
use jsonschema::Validator;
use model::{CacheMode, Outcome};
use serde_json::{Value, json};
use views::{run_json, schemas, survey_json};

/// The file that has every type once; the file of each document refers to it.
const TYPES: &str = "documents.schema.json";
/// Source: json-schema.org, draft 2020-12.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The published schemas: the name of each file in `docs/schema`, and its text. The first has all types.
fn files() -> Vec<(String, String)> {
    let (names, mut types) = schemas();
    types["$schema"] = DIALECT.into();
    types["title"] = "fathom documents".into();
    let refers = |name: &&str| {
        let title = &types["$defs"][name]["title"];
        let to = format!("{TYPES}#/$defs/{name}");
        let refers = json!({ "$schema": DIALECT, "title": title, "$ref": to });
        (format!("{name}.schema.json"), format!("{refers:#}\n"))
    };
    let mut files = vec![(TYPES.to_owned(), json_lines(&types, 140) + "\n")];
    files.extend(names.iter().map(refers));
    files
}

/// Checks documents of this name.
pub(crate) fn validator(name: &str) -> Validator {
    let (_, mut schema) = schemas();
    schema["$ref"] = Value::from(format!("#/$defs/{name}"));
    jsonschema::validator_for(&schema).unwrap()
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
    for (name, text) in files() {
        let path = format!("{}/../../docs/schema/{name}", env!("CARGO_MANIFEST_DIR"));
        expect_file![path].assert_eq(&text);
    }
}

#[test]
fn real_documents_keep_to_the_schema_of_a_run() {
    let validator = validator("run-report");
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
    let validator = validator("survey-report");
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
    let validator = validator("run-report");
    let mut document = Vec::new();
    run_json(&run(|_| ()), paper().stored.as_ref(), &mut document).unwrap();
    let mut document: Value = serde_json::from_slice(&document).unwrap();
    assert_eq!(document["stored"]["session"], 12);
    document["verdict"]["validity"] = Value::from("splendid");
    assert!(!validator.is_valid(&document));
    document["verdict"]["validity"] = Value::from("VALID");
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

/// The file of each document is an address that others use: it refers to a schema that exists, and a validator follows it.
#[test]
fn the_file_of_each_document_refers_to_its_schema() {
    let files = files();
    let types: Value = serde_json::from_str(&files[0].1).unwrap();
    for (name, text) in &files[1..] {
        let document: Value = serde_json::from_str(text).unwrap();
        let (file, pointer) = document["$ref"].as_str().unwrap().split_once('#').unwrap();
        assert_eq!(file, files[0].0);
        let schema = types.pointer(pointer).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(schema["title"], document["title"]);
        assert_eq!(
            pointer,
            format!("/$defs/{}", name.trim_end_matches(".schema.json"))
        );
    }
    assert_eq!(files.len(), 27);
}

#[test]
fn every_property_is_described() {
    let mut found = Vec::new();
    undescribed(&schemas().1, &mut found);
    assert_eq!(found, [""; 0]);
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
    let validator = validator("imported-report");
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
reader ignores fields that it does not know. The schemas ([JSON Schema](https://json-schema.org/)) describe every field, also the nested ones. The schema of
each document refers to [documents.schema.json](schema/documents.schema.json), which has every type once: keep both in one folder.

- Figures have the names of the [fields](fields.md), as in CSV and SQL. A name ends in its unit: `_ns` (nanoseconds), `_bytes`, `_per_s`, `_percent`,
  `_share` (0 to 1). Times of the day are nanoseconds since 1970 in UTC (`_utc_ns`).
- `null` or an absent field means unknown. It never means 0.
- `iops` and `bytes_per_s` are numbers. `iops_estimate`, `bytes_per_s_estimate` and other estimates are objects with the 95% confidence interval:
  `value`, `low` and `high`; percentiles have `low_ns` and `high_ns`.
- Times of one kind are in one object, so their names omit the kind: `latency.mean_ns`, `latency.max_ns`, `response.mean_ns`.
- `queue_depth` is per thread, `total_queue_depth` over all threads.
- `stored` has the place of a result: `id` (`12.3`, as `fathom show` takes it), `session` and `number`.
- `schema_version` is 2. Version 1 had other names: `rate_per_s` is `iops`, `mean_latency_ns` is `latency_mean_ns`, `rate` is `iops_estimate`.
- `verdict.validity` has the verdict (`VALID`, `CAUTION`, `INVALID`, `NOT CHECKED`); `findings` has the id, the severity and the evidence of each
  finding ([findings](findings.md)).
- A result of a simulated device has `\"simulated\": true` in its verdict.

The tables below are written from the schemas (`UPDATE_EXPECT=1 cargo test -p views --test it schema`).
";

/// The guide to the documents: a table of the topmost fields of each schema.
#[test]
fn the_guide_to_the_documents_follows_the_schemas() {
    let mut page = JSON_INTRODUCTION.to_owned();
    let (names, types) = schemas();
    for name in names {
        let schema = &types["$defs"][name];
        let title = schema["title"].as_str().unwrap();
        let file = format!("{name}.schema.json");
        page +=
            &format!("\n## {title}\n\n[{file}](schema/{file})\n\n| field | meaning |\n|---|---|\n");
        for (field, about) in schema["properties"].as_object().unwrap() {
            let about = about["description"].as_str().unwrap_or_default();
            let about = about.split_whitespace().collect::<Vec<_>>().join(" ");
            let about = about.split(" // ").next().unwrap_or_default();
            page += &format!("| `{field}` | {} |\n", about.replace('|', "\\|"));
        }
    }
    expect_file!["../../../../docs/json.md"].assert_eq(&page);
}
