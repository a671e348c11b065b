//! Long traces in bounded memory. `FATHOM_TRACE_RECORDS` sets how many records; the campaign uses 10^8.

use model::Nanos;
use model::trace::{TraceOperation, TraceRecord};
use std::io::{BufWriter, Write};
use traces::{Counts, Options, Trace};

/// So many records without the variable.
const RECORDS: u64 = 200_000;
/// What the process may use more while a trace is read, at any length.
const MORE_MAX_KIB: u64 = 64 << 10;

fn record(number: u64) -> TraceRecord {
    let place = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24;
    TraceRecord {
        at: Nanos(number * 10_000),
        offset: place % (1 << 31) * 4096,
        length: 4096,
        operation: if number.is_multiple_of(3) {
            TraceOperation::Write
        } else {
            TraceOperation::Read
        },
        latency: Some(Nanos(80_000 + place % 1000)),
        thread: (number % 7) as u32,
        ..TraceRecord::default()
    }
}

/// The most memory that the process used so far.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[allow(
    clippy::disallowed_methods,
    reason = "the campaign is this test with another number"
)]
fn records() -> u64 {
    let requested = std::env::var("FATHOM_TRACE_RECORDS").ok();
    requested.map_or(RECORDS, |text| text.parse().unwrap())
}

#[test]
fn memory_does_not_depend_on_the_length_of_a_trace() {
    let records = records();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.iotrace");
    let before = peak_kib();
    let out = Box::new(BufWriter::new(std::fs::File::create(&path).unwrap()));
    let format = traces::writer_named("iotrace").unwrap();
    let mut writer = (format.begin)(out, Nanos(1)).unwrap();
    let devices = ["d".to_owned()];
    (0..records).for_each(|number| writer.record(&record(number), &devices).unwrap());
    writer.finish(&devices, Counts::default()).unwrap();
    let mut trace = Trace::open(std::slice::from_ref(&path), &Options::default()).unwrap();
    let found = traces::describe(&mut trace).unwrap();
    let more = peak_kib() - before;
    let bytes = std::fs::metadata(&path).unwrap().len();
    let shown = format!(
        "{records} records, {:.1} bytes each, {more} KiB more",
        bytes as f64 / records as f64
    );
    writeln!(std::io::stderr(), "{shown}").unwrap();
    assert_eq!(
        (found.ios, found.duration_ns),
        (records, Nanos((records - 1) * 10_000))
    );
    assert_eq!(found.operations[1].ios, records.div_ceil(3));
    assert!(more < MORE_MAX_KIB, "{shown}");
}
