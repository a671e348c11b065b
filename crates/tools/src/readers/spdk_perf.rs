//! SPDK's perf (spdk_nvme_perf) and bdevperf: the table of devices. A run is the total, or where none is printed a device.
//!
//! bdevperf prints its load in the line of each job since SPDK 20; its older layout has a device per line, with MB of
//! 1024 × 1024 bytes. Source: SPDK's documentation and public results. Deliberately absent: histograms of latency, and what perf was
//! asked for, which it does not print.

use crate::Tool;
use crate::imports::Reader;
use crate::imports::number::{nanos, printed, size};
use crate::imports::run::{of_side, unknown};
use crate::imports::section::{Found, Section, Start, rows_max};
use model::{
    ImportFormat, ImportedFigures, ImportedOperation, ImportedRow, ImportedRun, Nanos, Ratio,
};

/// Defines the row of SPDK's perf.
pub(crate) const TOOL: Tool = Tool {
    name: "SPDK perf",
    option: None,
    readers: &[Reader {
        format: ImportFormat::SpdkPerfText,
        name: "SPDK perf's text",
        about: "the table of devices that spdk_nvme_perf or bdevperf prints",
        begins,
        read,
    }],
};

fn begins(line: &str, _text: &str) -> Start {
    if line.starts_with("Device Information") && line.contains("IOPS") {
        return Start::Here;
    }
    let is_core = line
        .strip_prefix("Logical core:")
        .or(line.strip_prefix("Core Mask:"));
    match is_core.is_some() || job(line).is_some() || old_row(line).is_some() {
        true => Start::Orphan,
        false => Start::No,
    }
}

/// The row of totals is the run, and each device a row of it; where there are no totals, each device is a run.
fn read(section: &Section, found: &mut Found) {
    let rows_max = rows_max(section.text.len());
    let (mut rows, mut total) = (Vec::new(), None);
    let (mut begin, mut load) = (section.head, None);
    for (at, line) in section.lines() {
        if line.trim_start().starts_with("Device Information") {
            (begin, load) = (at, None);
            continue;
        }
        if let Some(asked) = job(line.trim()) {
            load = Some(asked);
            continue;
        }
        let Some(row) = row(line).or_else(|| old_row(line.trim())) else {
            continue;
        };
        if row.name == "Total" {
            total = Some(row);
            break;
        }
        if rows.len() < rows_max {
            rows.push((at, load.take(), row));
        }
    }
    if let Some(total) = total {
        let mut run = of_row(&total);
        let row = |(_, _, row): &(usize, Option<Job<'_>>, Row<'_>)| ImportedRow {
            target: row.name.to_owned(),
            figures: ImportedFigures {
                total: row.figures.clone(),
                ..ImportedFigures::default()
            },
            ..ImportedRow::default()
        };
        run.rows = rows.iter().map(row).collect();
        run.workload.targets = run.rows.iter().map(|row| row.target.clone()).collect();
        let loads: Vec<&Job<'_>> = rows
            .iter()
            .filter_map(|(_, load, _)| load.as_ref())
            .collect();
        if let [first, rest @ ..] = &loads[..]
            && rest.iter().all(|load| load == first)
        {
            first.set(&mut run);
        }
        run.figures = sided(&run);
        return found.run(begin, run);
    }
    for (at, load, row) in &rows {
        let mut run = of_row(row);
        run.workload.targets = vec![row.name.to_owned()];
        if let Some(load) = load {
            load.set(&mut run);
        }
        run.figures = sided(&run);
        found.run(*at, run);
    }
    if found.is_empty() {
        found.fault_at(section.head, "SPDK's table without a row of figures");
    }
}

fn of_row(row: &Row<'_>) -> ImportedRun {
    let mut run = unknown(ImportFormat::SpdkPerfText);
    run.workload.engine = Some("spdk".to_owned());
    run.measured = row
        .seconds
        .and_then(|seconds| nanos(seconds, Nanos::seconds(1)));
    run.figures.total = row.figures.clone();
    run
}

fn sided(run: &ImportedRun) -> ImportedFigures {
    of_side(run.workload.write_percent, run.figures.total.clone())
}

/// A row of a table.
struct Row<'t> {
    name: &'t str,
    seconds: Option<f64>,
    figures: ImportedOperation,
}

/// Most values in a row.
const VALUES_MAX: usize = 8;

/// `PCIE (0000:04:00.0) NSID 1 from core  0:  628463.87    2454.94      203.65       25.02    4343.25`, and of bdevperf
/// `Nvme0n1 : 10.00 103938.83 406.01 0.00 0.00 1229.5 300.0 9000.0`; totals of more than one device have no latencies.
fn row(line: &str) -> Option<Row<'_>> {
    let (name, values) = line.rsplit_once(':')?;
    let values: Vec<f64> = values
        .split_whitespace()
        .take(VALUES_MAX + 1) // of a foreign line no more
        .map(printed)
        .collect::<Option<_>>()?;
    let (seconds, iops, mib, [mean, min, max], failed) = match values[..] {
        [iops, mib, mean, min, max] => (None, iops, mib, [mean, min, max], 0.0),
        [seconds, iops, mib, failed, timed_out, mean, min, max] => (
            Some(seconds),
            iops,
            mib,
            [mean, min, max],
            failed + timed_out,
        ),
        [iops, mib, failed, timed_out, mean, min, max] => {
            (None, iops, mib, [mean, min, max], failed + timed_out)
        }
        _ => return None,
    };
    let micros = |value| nanos(value, Nanos::micros(1));
    let mut figures = rates(iops, mib);
    figures.errors = (failed > 0.0).then(|| (failed * seconds.unwrap_or(1.0)).ceil() as u64);
    let latency = &mut figures.latency;
    (latency.mean, latency.min, latency.max) = (micros(mean), micros(min), micros(max));
    Some(Row {
        name: name.trim(),
        seconds,
        figures,
    })
}

/// `NVMe0n1             :  103938.83 IO/s     406.01 MB/s`: bdevperf before SPDK 20.
fn old_row(line: &str) -> Option<Row<'_>> {
    let (name, values) = line.rsplit_once(':')?;
    let words: Vec<&str> = values.split_whitespace().take(VALUES_MAX + 1).collect();
    let [iops, "IO/s" | "IOPS", mib, "MB/s" | "MiB/s"] = words[..] else {
        return None;
    };
    let name = name.trim();
    let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
    let figures = rates(printed(iops)?, printed(mib)?);
    is_name.then_some(Row {
        name,
        seconds: None,
        figures,
    })
}

fn rates(iops: f64, mib: f64) -> ImportedOperation {
    ImportedOperation {
        ios_per_s: Some(iops),
        bytes_per_s: Some(mib * 1_048_576.0),
        ..ImportedOperation::default()
    }
}

/// What a job of bdevperf does.
#[derive(PartialEq)]
struct Job<'t> {
    workload: &'t str,
    depth: Option<u32>,
    block: Option<model::Bytes>,
}

/// `Job: Nvme0n1 (Core Mask 0x1, workload: randread, depth: 128, IO size: 4096)`.
fn job(line: &str) -> Option<Job<'_>> {
    let (_, rest) = line.strip_prefix("Job: ")?.split_once('(')?;
    let value = |key: &str| {
        let (_, rest) = rest.split_once(key)?;
        Some(rest.split([',', ')']).next()?.trim())
    };
    Some(Job {
        workload: value("workload:")?,
        depth: value("depth:").and_then(|depth| depth.parse().ok()),
        block: value("IO size:").and_then(size),
    })
}

impl Job<'_> {
    fn set(&self, run: &mut ImportedRun) {
        let work = &mut run.workload;
        (work.queue_depth, work.block) = (self.depth, self.block);
        let (kind, random) = match self.workload.strip_prefix("rand") {
            Some(kind) => (kind, Ratio::ALL),
            None => (self.workload, Ratio::NONE),
        };
        let write = match kind {
            "read" | "verify" => Some(Ratio::NONE),
            "write" => Some(Ratio::ALL),
            _ => None,
        };
        (work.write_percent, work.random_percent) = (write, Some(random));
    }
}
