//! warp: the averages of each operation on objects, a run each.
//!
//! Both layouts are read: `Operation: PUT. Concurrency: 20` up to 0.7 and 1.0, `Report: PUT (17750 reqs)` since 1.1. MB are MiB where
//! they are printed so. Source: warp's documentation and public results. Omitted: the hosts, the segments of time, and requests by
//! size.

use crate::Tool;
use crate::imports::Reader;
use crate::imports::number::{nanos, printed, size, time};
use crate::imports::run::{of_side, unknown};
use crate::imports::section::{Found, Section, Start};
use model::{ImportFormat, ImportedRun, Nanos, Ratio};

/// Defines the row of warp.
pub(crate) const TOOL: Tool = Tool {
    name: "warp",
    option: None,
    readers: &[Reader {
        format: ImportFormat::WarpText,
        name: "warp's report",
        about: "the averages of operations that warp prints",
        begins,
        read,
    }],
};

const HEADS: [&str; 2] = ["Operation: ", "Report: "];

/// The operation of a head: one word of capitals.
fn operation(line: &str) -> Option<&str> {
    let rest = HEADS.iter().find_map(|head| line.strip_prefix(head))?;
    let word = rest.split(['.', ' ', ',', '(']).next()?;
    let is_one = word.len() > 2
        && word
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    is_one.then_some(word)
}

fn begins(line: &str, text: &str) -> Start {
    const AHEAD: usize = 6;
    let has_average = || {
        text.lines()
            .take(AHEAD)
            .any(|line| average(line.trim()).is_some())
    };
    match operation(line).is_some() && has_average() {
        true => Start::Orphan,
        false => Start::No,
    }
}

/// `* Average: 836.27 MiB/s, 146.59 obj/s (118s)`: bytes and objects per second.
fn average(line: &str) -> Option<(Option<f64>, Option<f64>)> {
    let rest = line
        .trim_start_matches(['*', ' '])
        .strip_prefix("Average: ")?;
    let rest = rest.split(" (").next().unwrap_or(rest);
    let (mut bytes, mut objects) = (None, None);
    for part in rest.split(", ") {
        let (number, unit) = part.trim().rsplit_once(' ')?;
        let scale = match unit.trim_end_matches("/s") {
            "obj" => None,
            "KiB" => Some(1024.0),
            "MiB" => Some(1024.0 * 1024.0),
            "GiB" => Some(1024.0 * 1024.0 * 1024.0),
            "MB" => Some(1e6),
            "GB" => Some(1e9),
            _ => return None,
        };
        match scale {
            Some(scale) => bytes = printed(number).map(|number| number * scale),
            None => objects = printed(number),
        }
    }
    (bytes.is_some() || objects.is_some()).then_some((bytes, objects))
}

fn read(section: &Section, found: &mut Found) {
    let mut open: Option<(usize, ImportedRun)> = None;
    for (at, line) in section.lines() {
        let text = line.trim();
        if let Some(name) = operation(text) {
            open = Some((at, of(name)));
        }
        let Some((begin, run)) = &mut open else {
            continue;
        };
        head(run, text);
        if let Some((bytes, objects)) = average(text) {
            run.figures.total.bytes_per_s = bytes;
            run.figures.total.ios_per_s = objects;
            let (begin, mut run) = (*begin, run.clone());
            let total = std::mem::take(&mut run.figures.total);
            run.figures = of_side(run.workload.write_percent, total);
            found.run(begin, run);
            open = None;
        }
    }
    if found.is_empty() {
        found.fault_at(section.head, "warp's operation without its line 'Average:'");
    }
}

fn of(name: &str) -> ImportedRun {
    let mut run = unknown(ImportFormat::WarpText);
    run.name = Some(name.to_owned());
    run.workload.write_percent = match name {
        "GET" => Some(Ratio::NONE),
        "PUT" | "POST" => Some(Ratio::ALL),
        _ => None,
    };
    run
}

/// What a line of the head has: the time, the size of an object, the requests in flight.
fn head(run: &mut ImportedRun, text: &str) {
    let value = |key: &str| Some(text.split_once(key)?.1.split([',', '.']).next()?.trim());
    if let Some(count) = value("Concurrency: ").and_then(|count| count.parse().ok()) {
        (run.workload.threads, run.workload.queue_depth) = (Some(count), Some(1));
    }
    if let Some(bytes) = value("Size: ").and_then(|text| size(text.trim_end_matches(" bytes"))) {
        run.workload.block = Some(bytes);
    }
    let ran = value("Ran Duration: ").or_else(|| value("Ran: "));
    if let Some(ran) = ran.or_else(|| value("Ran ")).and_then(time) {
        run.measured = Some(ran);
    }
    // `* Reqs: Avg: 5.1ms, 50%: …` of objects of one size.
    if let Some(mean) = text
        .trim_start_matches(['*', ' '])
        .strip_prefix("Reqs: Avg: ")
    {
        let mean = mean
            .split(',')
            .next()
            .and_then(|mean| mean.strip_suffix("ms"));
        let mean = mean
            .and_then(printed)
            .and_then(|mean| nanos(mean, Nanos::millis(1)));
        run.figures.total.latency.mean = mean;
    }
}
