//! SPDK's perf (spdk_nvme_perf): the table of devices, a run per call.
//!
//! Source: the table that perf prints since SPDK 17, from its documentation and public results. Deliberately absent: histograms
//! of latency, and what perf was asked for, which it does not print.

use crate::Tool;
use crate::imports::Reader;
use crate::imports::number::{nanos, printed};
use crate::imports::run::unknown;
use crate::imports::section::{Found, Section, Start, rows_max};
use model::{ImportFormat, ImportedFigures, ImportedOperation, ImportedRow, Nanos};

/// Defines the row of SPDK's perf.
pub(crate) const TOOL: Tool = Tool {
    name: "SPDK perf",
    option: None,
    readers: &[Reader {
        format: ImportFormat::SpdkPerfText,
        name: "SPDK perf's text",
        about: "the table of devices that spdk_nvme_perf prints",
        begins,
        read,
    }],
};

fn begins(line: &str, _text: &str) -> Start {
    match line.starts_with("Device Information") && line.contains("IOPS") {
        true => Start::Here,
        false => Start::No,
    }
}

/// The row of totals is the run, and each device a row of it.
fn read(section: &Section, found: &mut Found) {
    let mut run = unknown(ImportFormat::SpdkPerfText);
    run.workload.engine = Some("spdk".to_owned());
    let rows_max = rows_max(section.text.len());
    let mut total = None;
    for (_, line) in section.lines().skip(1) {
        let Some((name, figures)) = row(line) else {
            continue;
        };
        if name == "Total" {
            total = Some(figures);
            break;
        }
        if run.rows.len() < rows_max {
            let figures = ImportedFigures {
                total: figures,
                ..ImportedFigures::default()
            };
            run.rows.push(ImportedRow {
                target: name.to_owned(),
                figures,
                ..ImportedRow::default()
            });
        }
    }
    match total {
        Some(total) => {
            run.workload.targets = run.rows.iter().map(|row| row.target.clone()).collect();
            run.figures.total = total;
            found.run(section.head, run);
        }
        None => found.fault_at(section.head, "SPDK perf's table without its row 'Total'"),
    }
}

/// `PCIE (0000:04:00.0) NSID 1 from core  0:  628463.87    2454.94      203.65       25.02    4343.25`.
fn row(line: &str) -> Option<(&str, ImportedOperation)> {
    let (name, values) = line.rsplit_once(':')?;
    let values: Vec<f64> = values
        .split_whitespace()
        .map(printed)
        .collect::<Option<_>>()?;
    let [iops, mib, mean, min, max] = values[..] else {
        return None;
    };
    let micros = |value| nanos(value, Nanos::micros(1));
    let mut figures = ImportedOperation {
        ios_per_s: Some(iops),
        bytes_per_s: Some(mib * 1_048_576.0),
        ..ImportedOperation::default()
    };
    let latency = &mut figures.latency;
    (latency.mean, latency.min, latency.max) = (micros(mean), micros(min), micros(max));
    Some((name.trim(), figures))
}
