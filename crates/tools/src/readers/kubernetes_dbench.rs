//! dbench for Kubernetes: the summary that this container prints of its calls of fio.
//!
//! Source: the summary of leeliu/dbench and its successors. Deliberately absent: Samba's dbench, another program.

use crate::Tool;
use crate::imports::Reader;
use crate::imports::number::{nanos, printed, size};
use crate::imports::run::{of_side, total, unknown};
use crate::imports::section::{Found, Section, Start};
use model::{Bytes, ImportFormat, ImportedOperation, ImportedRun, Nanos, Ratio};

/// Defines the row of dbench.
pub(crate) const TOOL: Tool = Tool {
    name: "dbench",
    option: None,
    readers: &[Reader {
        format: ImportFormat::KubernetesDbenchText,
        name: "dbench's summary",
        about: "the summary of dbench for Kubernetes",
        begins,
        read,
    }],
};

const RATES: &str = "Random Read/Write IOPS:";
const BANDWIDTHS: &str = "BW:";
const LATENCIES: &str = "Average Latency (usec) Read/Write:";
const SEQUENTIAL: &str = "Sequential Read/Write:";
const MIXED: &str = "Mixed Random Read/Write IOPS:";
/// The block of the jobs of IOPS and latency, which the summary does not print. That of the bandwidths differs between
/// versions of the script.
const BLOCK: Bytes = Bytes::kib(4);
/// Percent of writes in the mixed job.
const MIXED_WRITES: u8 = 25;

fn begins(line: &str, _text: &str) -> Start {
    match line.trim_start().starts_with(RATES) {
        true => Start::Here,
        false => Start::No,
    }
}

/// Reads each figure as a run of its own, because each is of another call of fio, but for the mixed job, which is one.
fn read(section: &Section, found: &mut Found) {
    for (at, line) in section.lines() {
        let line = line.trim();
        let runs = if let Some(rest) = line.strip_prefix(RATES) {
            let (rates, widths) = rest.split_once(BANDWIDTHS).unwrap_or((rest, ""));
            let rates = pair(rates.trim_end_matches([' ', '.'])).map(|text| text.and_then(rate));
            let widths = pair(widths).map(|text| text.and_then(bandwidth));
            let mut runs = sides("random, IOPS", Some(BLOCK), rates);
            runs.extend(sides("random, bandwidth", None, widths));
            runs
        } else if let Some(rest) = line.strip_prefix(LATENCIES) {
            let means = pair(rest).map(|text| text.and_then(latency));
            sides("random, latency", Some(BLOCK), means)
        } else if let Some(rest) = line.strip_prefix(SEQUENTIAL) {
            let widths = pair(rest).map(|text| text.and_then(bandwidth));
            sides("sequential, bandwidth", None, widths)
        } else if let Some(rest) = line.strip_prefix(MIXED) {
            let rates = pair(rest).map(|text| text.and_then(rate));
            Vec::from_iter(mixed(rates))
        } else {
            continue;
        };
        for run in runs {
            found.run(at, run);
        }
    }
    if found.is_empty() {
        found.fault_at(section.head, "dbench's summary without figures");
    }
}

/// `75.7k/59.7k`.
fn pair(text: &str) -> [Option<&str>; 2] {
    let text = text.trim();
    let parts = text
        .split_once(" / ")
        .or_else(|| match text.split_once("/s/") {
            Some(parts) => Some(parts),
            None => text.split_once('/'),
        });
    match parts {
        Some((first, second)) => [Some(first), Some(second)],
        None => [None, None],
    }
}

/// `75.7k`.
fn rate(text: &str) -> Option<ImportedOperation> {
    let text = text.trim();
    let rate = match text.strip_suffix('k') {
        Some(thousands) => printed(thousands)? * 1e3,
        None => printed(text)?,
    };
    Some(ImportedOperation {
        ios_per_s: Some(rate),
        ..ImportedOperation::default()
    })
}

/// `523MiB/s`, with or without `/s`.
fn bandwidth(text: &str) -> Option<ImportedOperation> {
    let bytes = size(text.trim().trim_end_matches("/s"))?;
    Some(ImportedOperation {
        bytes_per_s: Some(bytes.0 as f64),
        ..ImportedOperation::default()
    })
}

/// `183.07`, in microseconds.
fn latency(text: &str) -> Option<ImportedOperation> {
    let mut figures = ImportedOperation::default();
    figures.latency.mean = Some(nanos(printed(text)?, Nanos::micros(1))?);
    Some(figures)
}

/// Returns the run of the reads and that of the writes, as far as the line has their figures.
fn sides(
    name: &str,
    block: Option<Bytes>,
    figures: [Option<ImportedOperation>; 2],
) -> Vec<ImportedRun> {
    let words = [("read", Ratio::NONE), ("write", Ratio::ALL)];
    let order = match name.starts_with("random") {
        true => Ratio::ALL,
        false => Ratio::NONE,
    };
    let run = |((word, write), figures): ((&str, Ratio), Option<ImportedOperation>)| {
        let mut run = load(format!("{name} {word}"), order, write);
        run.workload.block = block;
        run.figures = of_side(Some(write), figures?);
        Some(run)
    };
    words.into_iter().zip(figures).filter_map(run).collect()
}

fn mixed([read, write]: [Option<ImportedOperation>; 2]) -> Option<ImportedRun> {
    let (read, write) = (read?, write?);
    let mut run = load(
        "mixed".to_owned(),
        Ratio::ALL,
        Ratio::percent(MIXED_WRITES)?,
    );
    run.workload.block = Some(BLOCK);
    run.figures.total = total(&read, &write);
    run.figures.read = read;
    run.figures.write = write;
    Some(run)
}

fn load(name: String, random: Ratio, write: Ratio) -> ImportedRun {
    let mut run = unknown(ImportFormat::KubernetesDbenchText);
    run.name = Some(name);
    run.workload.random_percent = Some(random);
    run.workload.write_percent = Some(write);
    run
}
