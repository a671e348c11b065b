//! What the crate reads and writes, through its public functions.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod again;
mod fuzz;
mod heads;
mod laws;
mod learned;
mod made;
mod published;
mod streams;

use model::trace::{TraceRecord, TraceSummary};
use std::path::PathBuf;
use tempfile::TempDir;
use traces::{Options, Trace, TraceError, Window};

/// Files that are removed at the end.
struct Files(TempDir);

impl Files {
    fn new() -> Files {
        Files(tempfile::tempdir().unwrap())
    }

    fn add(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

fn options(format: Option<&str>) -> Options {
    Options {
        rounds: Vec::new(),
        format: format.map(str::to_owned),
        window: Window::default(),
        stop: None,
    }
}

/// The records of one file, and the labels of its devices.
fn read(bytes: impl AsRef<[u8]>, format: Option<&str>) -> Result<Found, TraceError> {
    let files = Files::new();
    let path = files.add("trace", bytes);
    let mut trace = Trace::open(&[path], &options(format))?;
    let records = trace
        .by_ref()
        .collect::<Result<Vec<TraceRecord>, TraceError>>()?;
    Ok(Found {
        format: trace.format().name,
        devices: trace.devices().to_vec(),
        records,
    })
}

struct Found {
    format: &'static str,
    devices: Vec<String>,
    records: Vec<TraceRecord>,
}

/// The message of a trace that is refused, without the folder of the file.
fn refusal(bytes: impl AsRef<[u8]>, format: Option<&str>) -> String {
    let files = Files::new();
    let path = files.add("trace", bytes);
    let refused = |trace: Trace| trace.collect::<Result<Vec<_>, _>>().err();
    let error = match Trace::open(&[path], &options(format)) {
        Err(error) => error,
        Ok(trace) => refused(trace).expect("a refusal"),
    };
    error
        .to_string()
        .replace(&format!("{}/", files.0.path().display()), "")
}

/// Writes records in a format.
fn written(name: &str, records: &[TraceRecord], devices: &[String]) -> Vec<u8> {
    let files = Files::new();
    let path = files.add("out", "");
    let out = Box::new(std::io::BufWriter::new(
        std::fs::File::create(&path).unwrap(),
    ));
    let format = traces::writer_named(name).unwrap();
    let mut writer = (format.begin)(out, model::Nanos(1)).unwrap();
    for record in records {
        writer.record(record, devices).unwrap();
    }
    writer.finish(devices, traces::Counts::default()).unwrap();
    std::fs::read(&path).unwrap()
}

fn described(path: PathBuf) -> TraceSummary {
    let mut trace = Trace::open(&[path], &Options::default()).unwrap();
    traces::describe(&mut trace).unwrap()
}
