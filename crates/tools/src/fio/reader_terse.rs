//! fio's terse output, versions 3 to 5, a line per job or group of jobs.
//!
//! As `reader_text` does, a line is put into the shape of a job of fio's JSON and read by `reader`. A line has no options
//! except the name: block size, depth and target are unknown. Source: fio(1), "Terse output". Omitted: trims, the histogram
//! of latencies, and version 2, which is older than 2012.

use super::reader::{Document, read_job};
use crate::imports::section::{Found, Section, Start, short};
use model::{ImportFormat, ImportedRun, Nanos};
use serde_json::{Map, Value, json};

/// Name of a version's line, fields of a side, and its sides.
const LAYOUTS: [(&str, usize, usize); 3] = [("3", 41, 2), ("4", 41, 3), ("5", 47, 3)];
/// Version, fio's version, name, group, error.
const HEAD: usize = 5;
const PERCENTILES: usize = 20;
/// More than any version prints.
const FIELDS_MAX: usize = 256;
const NS_PER_US: f64 = 1e3;

/// `3;fio-3.33;name;0;0;…`. Lines behind each other are one section.
pub(crate) fn begins(line: &str, _text: &str) -> Start {
    let version = line
        .split_once(';')
        .filter(|(version, _)| layout(version).is_some());
    match version.is_some_and(|(_, rest)| rest.starts_with("fio-")) {
        true => Start::Orphan,
        false => Start::No,
    }
}

fn layout(version: &str) -> Option<(usize, usize)> {
    let known = LAYOUTS.iter().find(|(known, ..)| *known == version);
    known.map(|(_, fields, sides)| (*fields, *sides))
}

/// One run per line.
pub(crate) fn read(section: &Section, found: &mut Found) {
    for (at, line) in section.lines() {
        if begins(line, line) == Start::No {
            continue;
        }
        match run(line) {
            Ok(run) => found.run(at, run),
            Err(what) => {
                let what = short(&what);
                found.fault_at(
                    at,
                    format!("a terse line of fio's that cannot be read: {what}"),
                );
            }
        }
    }
}

fn run(line: &str) -> Result<ImportedRun, String> {
    let fields: Vec<&str> = line.trim_end().split(';').take(FIELDS_MAX).collect();
    let (each, sides) = layout(fields[0]).ok_or("unknown version")?;
    let end = HEAD + each * sides;
    if fields.len() <= end + 1 {
        return Err(format!(
            "it has {} fields, expected are more than {end}",
            fields.len()
        ));
    }
    let mut shape = Map::new();
    shape.insert("jobname".to_owned(), json!(fields[2]));
    shape.insert("error".to_owned(), json!(fields[4].parse::<i64>().ok()));
    for (number, name) in ["read", "write"].into_iter().enumerate() {
        let from = HEAD + number * each;
        shape.insert(name.to_owned(), side(&fields[from..from + each], each));
    }
    let percent = |text: &str| json!(text.trim_end_matches('%').parse::<f64>().ok());
    shape.insert("usr_cpu".to_owned(), percent(fields[end]));
    shape.insert("sys_cpu".to_owned(), percent(fields[end + 1]));
    let version = Some(fields[1]);
    let document = Document::of_text(version, Vec::new());
    let mut run = read_job(&Value::Object(shape).to_string(), &document, 1)?;
    run.format = ImportFormat::FioTerse;
    run.tool_version.clone_from(&document.version);
    run.name = Some(fields[2].to_owned());
    let figures = &mut run.figures;
    for side in [&mut figures.total, &mut figures.read, &mut figures.write] {
        side.latency.resolution = side.latency.resolution.map(|_| Nanos::micros(1));
    }
    Ok(run)
}

/// KiB moved, KiB/s, IOPS and milliseconds; then the spreads of submission and completion, percentiles of the latter, the
/// spread of both, and that of the bandwidth; in version 5 that of the IOPS too.
fn side(fields: &[&str], each: usize) -> Value {
    let number = |at: usize| {
        fields[at]
            .parse::<f64>()
            .ok()
            .filter(|value| value.is_finite())
    };
    let whole = |at: usize| fields[at].parse::<u64>().ok();
    let kib = whole(0);
    let is_idle = kib == Some(0) && whole(2) == Some(0);
    let mut side = Map::new();
    side.insert("io_kbytes".to_owned(), json!(kib));
    side.insert(
        "io_bytes".to_owned(),
        json!(kib.and_then(|kib| kib.checked_mul(1024))),
    );
    side.insert("bw".to_owned(), json!(number(1)));
    side.insert(
        "bw_bytes".to_owned(),
        json!(number(1).map(|kib| kib * 1024.0)),
    );
    side.insert("iops".to_owned(), json!(number(2)));
    side.insert("runtime".to_owned(), json!(whole(3)));
    if is_idle {
        side.insert("total_ios".to_owned(), json!(0));
        return Value::Object(side);
    }
    let spread = |from: usize| {
        let names = ["min", "max", "mean", "stddev"].into_iter().enumerate();
        let value = |at: usize| json!(number(from + at).map(|us| us * NS_PER_US));
        let all: Map<String, Value> = names
            .map(|(at, name)| (name.to_owned(), value(at)))
            .collect();
        all
    };
    let mut completion = spread(8);
    let points = fields[12..12 + PERCENTILES].iter();
    let points = points.filter_map(|point| point.split_once("%="));
    // Places that no percentile was asked for have `0%=0`.
    let points = points.filter(|(percent, _)| *percent != "0");
    let point = |(percent, us): (&str, &str)| {
        let ns = us.parse::<f64>().ok().map(|us| us * NS_PER_US);
        (percent.to_owned(), json!(ns))
    };
    let points: Map<String, Value> = points.map(point).collect();
    completion.insert("percentile".to_owned(), Value::Object(points));
    side.insert("slat_ns".to_owned(), Value::Object(spread(4)));
    side.insert("clat_ns".to_owned(), Value::Object(completion));
    side.insert("lat_ns".to_owned(), Value::Object(spread(12 + PERCENTILES)));
    if each > LAYOUTS[0].1 {
        let from = LAYOUTS[0].1 + 1;
        let names = ["iops_min", "iops_max", "iops_mean", "iops_stddev"];
        side.extend(
            (from..)
                .zip(names)
                .map(|(at, name)| (name.to_owned(), json!(number(at)))),
        );
        side.insert("iops_samples".to_owned(), json!(whole(from + names.len())));
    }
    Value::Object(side)
}
