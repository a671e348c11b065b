//! IOR's JSON (`-O summaryFormat=JSON`): a run for each result of each test.
//!
//! Warnings that IOR prints into the document are skipped. Deliberately absent: the summary, which repeats the results.

use super::reader::{Head, LATENCY};
use crate::imports::number::{bytes, nanos};
use crate::imports::run::of_side;
use crate::imports::section::{Found, Section, Start};
use model::{ImportFormat, ImportedOperation, ImportedRun, Nanos};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// How much of a document is looked through for its first keys.
const FRONT: usize = 400;
/// Each object of a document has at least so many bytes on average; of smaller ones millions would be kept.
const OBJECT_BYTES: usize = 48;

/// One step of a latency's last decimal.
const RESOLUTION: Nanos = Nanos::micros(100);

/// A brace, and the keys that IOR's documents begin with.
pub(crate) fn begins(line: &str, text: &str) -> Start {
    if line.trim_end() != "{" {
        return Start::No;
    }
    let front = &text.as_bytes()[..FRONT.min(text.len())];
    let has = |key: &str| memchr::memmem::find(front, key.as_bytes()).is_some();
    match has("\"Version\"") && has("\"Began\"") {
        true => Start::Here,
        false => Start::No,
    }
}

#[derive(Deserialize)]
struct Document {
    #[serde(rename = "Version")]
    version: Option<String>,
    #[serde(rename = "Command line")]
    command: Option<String>,
    #[serde(rename = "Machine")]
    machine: Option<String>,
    #[serde(default)]
    tests: Vec<Test>,
}

#[derive(Deserialize)]
struct Test {
    #[serde(rename = "TestID")]
    id: Option<u64>,
    #[serde(rename = "Options", default)]
    options: Options,
    #[serde(rename = "Results", default)]
    results: Vec<Results>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Options {
    #[serde(rename = "test filename")]
    file: Option<String>,
    #[serde(rename = "ordering in a file")]
    order: Option<String>,
    #[serde(rename = "ordering inter file")]
    order_of_tasks: Option<String>,
    tasks: Option<u32>,
    nodes: Option<u32>,
    #[serde(rename = "aggregate filesize")]
    size: Option<String>,
    blocksize: Option<String>,
}

/// Results of one repetition, or one of them.
struct Results(Vec<Phase>);

#[derive(Default, Deserialize)]
#[serde(default)]
struct Phase {
    access: String,
    #[serde(rename = "bwMiB")]
    rate_mib: Option<f64>,
    #[serde(rename = "xferKiB")]
    transfer_kib: Option<f64>,
    iops: Option<f64>,
    latency: Option<f64>,
    #[serde(rename = "totalTime")]
    total_s: Option<f64>,
}

impl<'de> Deserialize<'de> for Results {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Results;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a result or a list of them")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Results, A::Error> {
                Phase::deserialize(MapAccessDeserializer::new(map)).map(|one| Results(vec![one]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Results, A::Error> {
                let mut all = Vec::new();
                while let Some(one) = list.next_element()? {
                    all.push(one);
                }
                Ok(Results(all))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// One run for each result.
pub(crate) fn read(section: &Section, found: &mut Found) {
    let text = mended(&section.text[section.head..]);
    if memchr::memchr_iter(b'{', text.as_bytes()).count() > 8 + text.len() / OBJECT_BYTES {
        found.fault_at(section.head, "IOR's document has objects without content");
        return;
    }
    let mut documents = serde_json::Deserializer::from_str(&text).into_iter::<Document>();
    match documents.next() {
        Some(Ok(document)) => of_document(document, section.head, found),
        Some(Err(error)) => {
            let line = error.line().saturating_sub(1);
            found.fault(line, format!("IOR's document cannot be read: {error}"));
        }
        None => {}
    }
    if found.is_empty() {
        found.fault_at(
            section.head,
            "IOR's document without a result of writes or reads",
        );
    }
}

/// Blank lines instead of warnings, so that places stay.
fn mended(text: &str) -> String {
    let is_warning = |line: &str| {
        let line = line.trim_start();
        line.starts_with("WARNING") || line.starts_with("ior WARNING")
    };
    let lines = text.split_inclusive('\n');
    lines
        .map(|line| if is_warning(line) { "\n" } else { line })
        .collect()
}

fn of_document(document: Document, at: usize, found: &mut Found) {
    let mut head = Head {
        version: document.version,
        ..Head::default()
    };
    let texts = [
        ("Command line", document.command),
        ("Machine", document.machine),
    ];
    for (key, value) in texts {
        head.take(key, &value.unwrap_or_default());
    }
    for test in document.tests {
        of_test(test, head.clone(), at, found);
    }
}

fn of_test(test: Test, mut head: Head, at: usize, found: &mut Found) {
    let options = test.options;
    head.test = test.id.map(|id| id.to_string());
    (head.file, head.tasks, head.nodes) = (options.file, options.tasks, options.nodes);
    let texts = [
        ("ordering in a file", options.order),
        ("ordering inter file", options.order_of_tasks),
        ("aggregate filesize", options.size),
        ("blocksize", options.blocksize),
    ];
    for (key, value) in texts {
        if let Some(value) = value {
            head.take(key, &value);
        }
    }
    let mut counts = [0u64; 2];
    for phase in test.results.iter().flat_map(|results| &results.0) {
        let write = match phase.access.as_str() {
            "write" => true,
            "read" => false,
            _ => continue,
        };
        let written = counts[1] > 0;
        let count = &mut counts[usize::from(write)];
        if let Some(mut run) = run_of(phase, &head, write, *count) {
            head.note_reads(&mut run, written);
            found.run(at, run);
        }
        *count += 1;
    }
}

fn run_of(phase: &Phase, head: &Head, write: bool, repetition: u64) -> Option<ImportedRun> {
    let usable = |number: Option<f64>| number.filter(|number| number.is_finite() && *number >= 0.0);
    let seconds = |number| nanos(usable(number)?, Nanos::seconds(1));
    let mut run = head.run(ImportFormat::IorJson, write, &repetition.to_string());
    run.workload.block = usable(phase.transfer_kib).and_then(|kib| bytes(kib, 1024));
    run.measured = seconds(phase.total_s);
    let mut figures = ImportedOperation {
        bytes_per_s: Some(usable(phase.rate_mib)? * f64::from(1 << 20)),
        ios_per_s: usable(phase.iops),
        ..ImportedOperation::default()
    };
    // Four decimals: 0 is below what they show.
    figures.latency.mean = seconds(phase.latency).filter(|mean| *mean > Nanos(0));
    if figures.latency.mean.is_some() {
        figures.latency.resolution = Some(RESOLUTION);
        run.notes.push(LATENCY.to_owned());
    }
    run.figures = of_side(run.workload.write_percent, figures);
    Some(run)
}
