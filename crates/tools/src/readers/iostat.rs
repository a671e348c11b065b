//! iostat -x and sar -d: what a device did in an interval, a run per device and interval.
//!
//! They print no load, so depth, block and target range are unknown; the mean size of I/Os is no block. Columns are found by their
//! names, of sysstat 9 to 12. Source: iostat(1), sar(1). Omitted: idle devices, flushes and discards, `svctm`, and without `-x` the
//! table of kB alone.

use crate::Tool;
use crate::imports::Reader;
use crate::imports::number::{cell, nanos};
use crate::imports::run::{total, unknown};
use crate::imports::section::{Found, Section, Start, rows_max};
use model::{ImportFormat, ImportedOperation, ImportedRun, Nanos};

/// Defines the row of iostat.
pub(crate) const TOOL: Tool = Tool {
    name: "iostat",
    option: None,
    readers: &[Reader {
        format: ImportFormat::IostatText,
        name: "iostat's and sar's table",
        about: "the table of devices of iostat -x and sar -d",
        begins,
        read,
    }],
};

/// The names of the columns, and the place of the device among them.
struct Head<'t> {
    names: Vec<&'t str>,
    device: usize,
}

/// `Device            r/s     rkB/s … %util`; `12:00:01 AM       DEV       tps     rkB/s …`.
fn head(line: &str) -> Option<Head<'_>> {
    if !line.contains("%util") {
        return None;
    }
    let names: Vec<&str> = line
        .split_whitespace()
        .map(|name| name.trim_end_matches(':'))
        .collect();
    let device = names
        .iter()
        .position(|name| matches!(*name, "Device" | "DEV"))?;
    let has = |name: &str| names.contains(&name);
    (device <= 2 && (has("r/s") && has("w/s") || has("tps"))).then_some(Head { names, device })
}

fn begins(line: &str, text: &str) -> Start {
    let row = |head: Head<'_>| {
        let next = text.lines().skip(1).find(|line| !line.trim().is_empty());
        next.is_some_and(|line| row(&head, line).is_some())
    };
    match head(line).is_some_and(row) {
        true => Start::Orphan,
        false => Start::No,
    }
}

fn read(section: &Section, found: &mut Found) {
    let (mut open, mut rows) = (None, 0);
    for (at, line) in section.lines() {
        if let Some(head) = head(line) {
            open = Some(head);
        } else if let Some((device, run)) = open.as_ref().and_then(|head| row(head, line)) {
            let busy = run.figures.total.ios_per_s > Some(0.0);
            if busy && rows < rows_max(section.text.len()) {
                let mut run = run;
                run.workload.targets = vec![device.to_owned()];
                found.run(at, run);
                rows += 1;
            }
        } else if !line.trim().is_empty() {
            open = None;
        }
    }
    if found.is_empty() {
        found.fault_at(section.head, "no device of the table did any I/O");
    }
}

/// A row of the table: the device, and what it did.
fn row<'t>(head: &Head<'_>, line: &'t str) -> Option<(&'t str, ImportedRun)> {
    let words: Vec<&str> = line.split_whitespace().take(head.names.len() + 1).collect();
    if words.len() != head.names.len() {
        return None;
    }
    let device = words[head.device].trim_end_matches(':');
    let value = |name: &str| {
        let place = head.names.iter().position(|one| *one == name)?;
        cell(words[place], 2).number().filter(|value| *value >= 0.0)
    };
    let util = value("%util")?;
    let side = |letter: &str| {
        let bytes = [("kB/s", 1024.0), ("MB/s", 1_048_576.0), ("sec/s", 512.0)];
        let bytes = bytes
            .iter()
            .find_map(|(unit, scale)| Some(value(&format!("{letter}{unit}"))? * scale));
        let rate = value(&format!("{letter}/s"));
        let mut side = ImportedOperation {
            ios_per_s: rate,
            bytes_per_s: bytes,
            ..ImportedOperation::default()
        };
        let wait = value(&format!("{letter}_await")).filter(|_| rate > Some(0.0));
        side.latency.mean = wait.and_then(|ms| nanos(ms, Nanos::millis(1)));
        if rate == Some(0.0) {
            side.ios = Some(0);
        }
        side
    };
    let mut run = unknown(ImportFormat::IostatText);
    let (read, write) = (side("r"), side("w"));
    run.figures.total = total(&read, &write);
    if let Some(tps) = value("tps") {
        run.figures.total.ios_per_s = Some(tps);
    }
    let mean = value("await").and_then(|ms| nanos(ms, Nanos::millis(1)));
    let latency = &mut run.figures.total.latency;
    latency.mean = latency.mean.or(mean).filter(|mean| mean.0 > 0);
    (run.figures.read, run.figures.write) = (read, write);
    run.notes.push(format!(
        "counted by the kernel for the device, {util}% of the time busy: what asked for it is unknown"
    ));
    Some((device, run))
}
