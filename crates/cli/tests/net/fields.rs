//! One name and one value for each field of a result, in every form: CSV, JSON, Parquet, SQL, and the documents of `show`.

use analysis::columns::columns;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

/// Names of figures that documents had before version 2.
const OLD: [&str; 16] = [
    "rate_per_s",
    "ios_per_s",
    "bytes_rate",
    "mib_per_s",
    "throughput",
    "mean_latency_ns",
    "max_latency_ns",
    "reached_per_s",
    "window_rates_per_s",
    "looked_at",
    "looked_ns",
    "why_not",
    "not_as",
    "matters",
    "found_batches",
    "waiting_full_share",
];

struct Corpus<'a> {
    store: &'a Path,
}

impl Corpus<'_> {
    fn run(&self, words: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
        let command = command.args(words).arg("--store").arg(self.store);
        command.env_clear().output().unwrap()
    }

    fn bytes(&self, words: &[&str]) -> Vec<u8> {
        let output = self.run(words);
        assert!(output.status.success(), "{words:?}: {output:?}");
        output.stdout
    }

    /// The document of a session; of one of several imported runs that of the first.
    fn document(&self, id: &str) -> Value {
        let names = [id.to_owned(), format!("{id}.1")];
        let shown = names.iter().map(|name| self.run(&["show", name, "--json"]));
        let read = shown.map(|said| serde_json::from_slice(&said.stdout));
        let mut documents = read.filter_map(Result::<Value, _>::ok);
        documents.find(Value::is_object).unwrap()
    }

    fn json(&self, words: &[&str]) -> Value {
        serde_json::from_slice(&self.bytes(words)).unwrap()
    }
}

/// The cells of a line of CSV without line ends in them.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut quoted) = (vec![String::new()], false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.next_if_eq(&'"').is_some() => {
                cells.last_mut().unwrap().push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            letter => cells.last_mut().unwrap().push(letter),
        }
    }
    cells
}

/// A value as one text; numbers as the nearest that have twelve digits.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(is) => format!("{:.11e}", f64::from(u8::from(*is))),
        Value::Number(number) => format!("{:.11e}", number.as_f64().unwrap()),
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(text).collect::<Vec<_>>().join(" "),
        Value::Object(_) => panic!("{value}"),
    }
}

/// The same of a cell of CSV, whose type is that of the JSON value.
fn text_of_cell(cell: &str, json: &Value) -> String {
    match json {
        Value::Number(_) => format!("{:.11e}", cell.parse::<f64>().unwrap()),
        Value::Bool(_) => text(&(cell == "true").into()),
        _ => cell.to_owned(),
    }
}

/// All names in a document.
fn names(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            found.insert(name.clone());
            names(value, found);
        }),
        Value::Array(list) => list.iter().for_each(|value| names(value, found)),
        _ => {}
    }
}

#[test]
fn every_form_has_the_same_fields_with_the_same_values() {
    let folder = tempfile::tempdir().unwrap();
    let (store, ids) = super::unpacked(folder.path());
    let corpus = Corpus { store: &store };
    let ids: Vec<String> = ids.iter().map(u64::to_string).collect();
    let mut note = vec!["note"];
    note.extend(ids.iter().map(String::as_str));
    corpus.bytes(&[&note[..], &["--comment", "the same"]].concat()); // stores verdicts of today
    let csv = String::from_utf8(corpus.bytes(&["export", "--csv"])).unwrap();
    let json = corpus.json(&["export", "--json"]);
    let query = "SELECT * FROM results ORDER BY session, number";
    let sql = corpus.json(&["db", "sql", "--json", query]);
    let parquet = corpus.bytes(&["export", "--parquet"]);
    let fields: Vec<&str> = columns().map(|column| column.name).collect();
    let mut lines = csv.lines();
    assert_eq!(lines.next().unwrap().split(',').collect::<Vec<_>>(), fields);
    let (json, sql) = (json.as_array().unwrap(), sql.as_array().unwrap());
    assert_eq!((json.len(), sql.len()), (lines.clone().count(), json.len()));
    for name in &fields {
        let is_in = |bytes: &&[u8]| *bytes == name.as_bytes();
        assert!(
            parquet.windows(name.len()).any(|part| is_in(&part)),
            "{name}"
        );
    }
    for ((line, json), sql) in lines.zip(json).zip(sql) {
        let keys = |row: &Value| {
            row.as_object()
                .unwrap()
                .keys()
                .cloned()
                .collect::<BTreeSet<_>>()
        };
        assert_eq!(keys(json), keys(sql));
        assert_eq!(keys(json).len(), fields.len());
        for (name, cell) in fields.iter().zip(cells(line)) {
            let expected = text(&json[name]);
            assert_eq!(
                text_of_cell(&cell, &json[name]),
                expected,
                "CSV, {name}: {json}"
            );
            assert_eq!(text(&sql[name]), expected, "SQL, {name}: {json}");
        }
    }
    for id in &ids {
        let document = corpus.document(id);
        assert_eq!(document["schema_version"], 2, "{id}");
        let mut found = BTreeSet::new();
        names(&document, &mut found);
        let old: Vec<&str> = OLD.into_iter().filter(|old| found.contains(*old)).collect();
        assert!(old.is_empty(), "{id}: {old:?}");
        let row = json.iter().find(|row| row["id"] == format!("{id}.1"));
        for operation in document["operations"].as_array().into_iter().flatten() {
            let side = match operation["operation"].as_str().unwrap() {
                "total" => String::new(),
                side => format!("{side}_"),
            };
            for name in ["iops", "bytes_per_s", "ios", "bytes"] {
                let (shown, stored) = (&operation[name], &row.unwrap()[format!("{side}{name}")]);
                assert_eq!(text(shown), text(stored), "{id}: {side}{name}");
            }
        }
    }
}
