//! The laws of the fuzzers of traces and profiles, on the seeds they start from, and what hostile files once did.

use crate::{Files, options};
use std::path::Path;
use traces::{FORMATS, Properties, Trace};

#[path = "../../../../fuzz/trace_laws.rs"]
pub(crate) mod laws;

fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    let files = std::fs::read_dir(folder.join(target)).expect("the seeds are there");
    let read = |file: std::io::Result<std::fs::DirEntry>| {
        let file = file.unwrap();
        let name = file.file_name().to_string_lossy().into_owned();
        (name, std::fs::read(file.path()).unwrap())
    };
    files.map(read).collect()
}

#[test]
fn the_laws_of_the_fuzzers_hold_for_their_seeds() {
    let files = Files::new();
    let traces = seeds("trace_records");
    assert!(traces.len() >= FORMATS.len() - 3, "{}", traces.len());
    for (name, bytes) in traces {
        let path = files.add(&name, &bytes[1..]);
        for format in (0..FORMATS.len()).map(Some).chain([None]) {
            laws::records(&path, format);
        }
    }
    for (_, text) in seeds("profile") {
        laws::profile(&String::from_utf8(text).unwrap());
    }
}

/// A wrong column makes such times; counts by the second had a place for each second between.
#[test]
fn a_pause_of_centuries_takes_neither_memory_nor_time() {
    let files = Files::new();
    let head = "time_ns,device,op,offset,length,flags,thread,latency_ns";
    let text =
        format!("{head}\n5,a,read,512,512,,9,77\n9000000000000000000,a,read,512,512,,9,77\n");
    let path = files.add("far", text);
    laws::records(&path, None);
    let mut properties = Properties::default();
    let trace = Trace::open(&[path], &options(None)).unwrap();
    trace.for_each(|record| properties.take(&record.unwrap()));
    let properties = properties.finish();
    drop(traces::fidelity(&properties, &properties));
}
