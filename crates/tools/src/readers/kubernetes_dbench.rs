//! dbench for Kubernetes: the summary that this container prints of its calls of fio.
//!
//! Source: the summary of leeliu/dbench and its successors. Deliberately absent: Samba's dbench, another program.

use crate::Tool;
use crate::imports::Reader;
use crate::imports::number::{nanos, printed, size};
use crate::imports::run::{of_side, unknown};
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
const LATENCIES: &str = "Average Latency (usec) Read/Write:";
const SEQUENTIAL: &str = "Sequential Read/Write:";

fn begins(line: &str, _text: &str) -> Start {
    match line.trim_start().starts_with(RATES) {
        true => Start::Here,
        false => Start::No,
    }
}

/// Reads and writes of a line are a run each. The mixed ones have no latency and repeat no load of the others.
fn read(section: &Section, found: &mut Found) {
    for (at, line) in section.lines() {
        let line = line.trim();
        let runs = if let Some(rest) = line.strip_prefix(RATES) {
            let (rates, widths) = rest.split_once("BW:").unwrap_or((rest, ""));
            let (rates, widths) = (pair(rates.trim_end_matches([' ', '.'])), pair(widths));
            [0, 1].map(|side| {
                let figures = ImportedOperation {
                    ios_per_s: rates[side].and_then(scaled),
                    bytes_per_s: widths[side].and_then(per_s),
                    ..ImportedOperation::default()
                };
                run("random", side, Some(Bytes::kib(4)), figures)
            })
        } else if let Some(rest) = line.strip_prefix(LATENCIES) {
            let means = pair(rest);
            [0, 1].map(|side| {
                let mean = means[side]
                    .and_then(printed)
                    .and_then(|us| nanos(us, Nanos::micros(1)));
                let mut figures = ImportedOperation::default();
                figures.latency.mean = mean;
                run("random, latency", side, Some(Bytes::kib(4)), figures)
            })
        } else if let Some(rest) = line.strip_prefix(SEQUENTIAL) {
            let widths = pair(rest);
            [0, 1].map(|side| {
                let figures = ImportedOperation {
                    bytes_per_s: widths[side].and_then(per_s),
                    ..ImportedOperation::default()
                };
                run("sequential", side, None, figures)
            })
        } else {
            continue;
        };
        for run in runs.into_iter().flatten() {
            found.run(at, run);
        }
    }
    if found.is_empty() {
        found.fault_at(section.head, "dbench's summary without figures");
    }
}

/// `75.7k/59.7k`.
fn pair(text: &str) -> [Option<&str>; 2] {
    let mut parts = text.trim().split(" / ");
    let (first, second) = (parts.next(), parts.next());
    match second {
        Some(_) => [first, second],
        // Behind `MiB/s/` and between bare numbers.
        None => match text
            .trim()
            .split_once("/s/")
            .or_else(|| text.trim().split_once('/'))
        {
            Some((first, second)) => [Some(first), Some(second)],
            None => [None, None],
        },
    }
}

/// `75.7k`.
fn scaled(text: &str) -> Option<f64> {
    let text = text.trim();
    match text.strip_suffix('k') {
        Some(thousands) => Some(printed(thousands)? * 1e3),
        None => printed(text),
    }
}

/// `523MiB/s`, with or without `/s`.
fn per_s(text: &str) -> Option<f64> {
    let text = text.trim();
    size(text.trim_end_matches("/s")).map(|bytes| bytes.0 as f64)
}

fn run(
    order: &str,
    side: usize,
    block: Option<Bytes>,
    figures: ImportedOperation,
) -> Option<ImportedRun> {
    figures
        .ios_per_s
        .or(figures.bytes_per_s)
        .or(figures.latency.mean.map(|_| 0.0))?;
    let mut run = unknown(ImportFormat::KubernetesDbenchText);
    let (word, write) = [("read", Ratio::NONE), ("write", Ratio::ALL)][side];
    run.name = Some(format!("{order} {word}"));
    run.workload.block = block;
    run.workload.write_percent = Some(write);
    run.workload.random_percent = Some(match order.starts_with("random") {
        true => Ratio::ALL,
        false => Ratio::NONE,
    });
    run.figures = of_side(Some(write), figures);
    Some(run)
}
