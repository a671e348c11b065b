//! vdbench: the averages of its run definitions, a run each, from its screen or `summary.html`.
//!
//! MB are 1024 × 1024 bytes, response times are milliseconds. Source: the vdbench user guide ("summary.html"), for raw I/O since
//! 5.00. Deliberately absent: the single intervals, file-system workloads, which have other columns, and `flatfile.html`.

use crate::Tool;
use crate::imports::Reader;
use crate::imports::number::{nanos, printed, size};
use crate::imports::run::{of_side, unknown};
use crate::imports::section::{Found, Section, Start};
use model::{Bytes, ImportFormat, ImportedOperation, ImportedRun, Nanos, Ratio};

/// Defines the row of vdbench.
pub(crate) const TOOL: Tool = Tool {
    name: "vdbench",
    option: None,
    readers: &[Reader {
        format: ImportFormat::VdbenchText,
        name: "vdbench's text",
        about: "the averages that vdbench prints, as in its summary.html",
        begins,
        read,
    }],
};

const STARTS: &str = "Starting RD=";

fn begins(line: &str, _text: &str) -> Start {
    match line.contains(STARTS) || average(line).is_some() {
        true => Start::Orphan,
        false => Start::No,
    }
}

/// `12:00:31.060   avg_2-30   42563.50 …`: what stands behind the interval.
fn average(line: &str) -> Option<&str> {
    let (before, rest) = line.split_once("avg_")?;
    let (interval, figures) = rest.split_once(' ')?;
    let is_interval = interval
        .split('-')
        .all(|number| number.parse::<u32>().is_ok());
    (is_interval && before.trim().len() <= "12:00:31.060".len()).then_some(figures)
}

fn read(section: &Section, found: &mut Found) {
    let (mut name, mut threads) = (None, None);
    for (at, line) in section.lines() {
        if let Some((_, rest)) = line.split_once(STARTS) {
            name = rest.split([';', ' ']).next().map(str::to_owned);
            let value = |key: &str| {
                rest.split([' ', ';', ','])
                    .find_map(|word| word.strip_prefix(key))
            };
            threads = value("threads=").and_then(|count| count.parse().ok());
        } else if let Some(figures) = average(line) {
            match run(figures) {
                Some(mut run) => {
                    run.name.clone_from(&name);
                    // Its threads of a target are I/Os in flight.
                    run.workload.queue_depth = threads;
                    found.run(at, run);
                }
                None => found.fault_at(
                    at,
                    "averages in unknown columns: expected are 9 or 13 figures of raw I/O",
                ),
            }
        }
    }
    if found.is_empty() {
        found.fault_at(
            section.head,
            "vdbench was started, but its averages are not in the text",
        );
    }
}

/// Rate, MB/s, bytes of an I/O, percent of reads and response time; then, since 5.02, those of reads and writes, and the
/// largest; before, the largest of all. Deviation, queue depth and processor follow.
fn run(figures: &str) -> Option<ImportedRun> {
    let values: Vec<f64> = figures
        .split_whitespace()
        .map(printed)
        .collect::<Option<_>>()?;
    let [iops, mib, block, reads, response, ..] = values[..] else {
        return None;
    };
    let millis = |value: f64| nanos(value, Nanos::millis(1));
    let (sides, max, sd) = match values.len() {
        13 => (
            Some([values[5], values[6]]),
            values[7].max(values[8]),
            values[9],
        ),
        9 => (None, values[5], values[6]),
        _ => return None,
    };
    let mut run = unknown(ImportFormat::VdbenchText);
    let write = Ratio::percent((100.0 - reads.min(100.0)).round() as u8);
    let is_pure = reads <= 0.0 || reads >= 100.0;
    run.workload.write_percent = write;
    run.workload.block = size(&format!("{block:.0}")).filter(|block| *block > Bytes(0));
    let mut total = ImportedOperation {
        ios_per_s: Some(iops),
        bytes_per_s: Some(mib * 1_048_576.0),
        ..ImportedOperation::default()
    };
    let latency = &mut total.latency;
    (latency.mean, latency.max, latency.sd) = (millis(response), millis(max), millis(sd));
    latency.resolution = Some(Nanos::micros(1));
    run.figures = of_side(write.filter(|_| is_pure), total);
    if let Some([read, written]) = sides.filter(|_| !is_pure) {
        let share = reads / 100.0;
        let part = |share: f64, mean: f64| {
            let mut one = ImportedOperation {
                ios_per_s: Some(iops * share),
                ..ImportedOperation::default()
            };
            one.latency.mean = millis(mean);
            one
        };
        run.figures.read = part(share, read);
        run.figures.write = part(1.0 - share, written);
    }
    Some(run)
}
