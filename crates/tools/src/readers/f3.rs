//! f3: the average rates of f3write and f3read, and the sectors that were not read back as they were written.
//!
//! GB and MB are of 1024. Source: f3's documentation, and public results of versions 3 to 9. Omitted: its progress, and f3probe.

use crate::Tool;
use crate::imports::Reader;
use crate::imports::number::printed;
use crate::imports::run::{of_side, unknown};
use crate::imports::section::{Found, Section, Start};
use model::{Bytes, ImportFormat, ImportedOperation, ImportedRun, Ratio};

/// Defines the row of f3.
pub(crate) const TOOL: Tool = Tool {
    name: "f3",
    option: None,
    readers: &[Reader {
        format: ImportFormat::F3Text,
        name: "f3's text",
        about: "the results of f3write and f3read",
        begins,
        read,
    }],
};

const SECTOR: u64 = 512;
const WRITES: &str = "average writing speed:";
const READS: &str = "average reading speed:";
const LOST: &str = "data lost:";
const GOOD: &str = "data ok:";

fn begins(line: &str, _text: &str) -> Start {
    let lower = line.get(..24).unwrap_or(line).to_ascii_lowercase();
    let heads = ["f3 write ", "f3 read ", WRITES, READS, LOST, GOOD];
    match heads.iter().any(|head| lower.starts_with(head)) {
        true => Start::Orphan,
        false => Start::No,
    }
}

/// `4.90 MB/s`, `50.20 KB`, `1.82 TB/s`.
fn amount(text: &str) -> Option<f64> {
    let (number, unit) = text.trim().split_once(' ')?;
    let power = match unit.trim_end_matches("/s") {
        "Byte" | "Bytes" | "B" => 0,
        "KB" => 1,
        "MB" => 2,
        "GB" => 3,
        "TB" => 4,
        _ => return None,
    };
    Some(printed(number)? * 1024f64.powi(power))
}

/// What f3read counted.
#[derive(Default)]
struct Reads {
    at: Option<usize>,
    good: Option<u64>,
    lost: Option<u64>,
}

fn read(section: &Section, found: &mut Found) {
    let mut reads = Reads::default();
    for (at, line) in section.lines() {
        let text = line.trim();
        let lower = text.to_ascii_lowercase();
        if lower.starts_with("f3 write ") || lower.starts_with("f3 read ") {
            reads.end(found, None);
        } else if let Some(rate) = lower.strip_prefix(WRITES).and(text.get(WRITES.len()..)) {
            match amount(rate) {
                Some(rate) => found.run(at, run(Ratio::ALL, Some(rate))),
                None => found.fault_at(at, "f3's rate: expected is '4.90 MB/s'"),
            }
        } else if let Some(rate) = lower.strip_prefix(READS).and(text.get(READS.len()..)) {
            reads.at.get_or_insert(at);
            reads.end(found, amount(rate));
        } else if lower.starts_with(GOOD) {
            reads.at.get_or_insert(at);
            reads.good = sectors(text);
        } else if lower.starts_with(LOST) {
            reads.at.get_or_insert(at);
            reads.lost = sectors(text);
        }
    }
    reads.end(found, None);
    if found.is_empty() {
        found.fault_at(section.head, "f3's head without its average speed");
    }
}

/// `Data LOST: 96.50 KB (193 sectors)`.
fn sectors(text: &str) -> Option<u64> {
    let (_, rest) = text.rsplit_once('(')?;
    rest.split_whitespace().next()?.parse().ok()
}

impl Reads {
    /// Ends a call of f3read. Without a rate and without losses there is no run.
    fn end(&mut self, found: &mut Found, rate: Option<f64>) {
        let reads = std::mem::take(self);
        let Some(at) = reads.at else { return };
        if rate.is_none() && reads.lost.unwrap_or(0) == 0 {
            return;
        }
        let mut run = run(Ratio::NONE, rate);
        let total = &mut run.figures.total;
        let all = reads
            .good
            .zip(reads.lost)
            .map(|(good, lost)| good.saturating_add(lost));
        total.ios = all;
        total.bytes = all.and_then(|all| all.checked_mul(SECTOR)).map(Bytes);
        run.workload.size = run.figures.total.bytes;
        run.evidence.lost_sectors = reads.lost.filter(|lost| *lost > 0);
        run.figures = of_side(Some(Ratio::NONE), run.figures.total.clone());
        found.run(at, run);
    }
}

fn run(write: Ratio, rate: Option<f64>) -> ImportedRun {
    let mut run = unknown(ImportFormat::F3Text);
    run.name = Some(
        if write == Ratio::ALL {
            "f3write"
        } else {
            "f3read"
        }
        .to_owned(),
    );
    let work = &mut run.workload;
    (work.write_percent, work.random_percent) = (Some(write), Some(Ratio::NONE));
    let figures = ImportedOperation {
        bytes_per_s: rate,
        ..ImportedOperation::default()
    };
    run.figures = of_side(Some(write), figures);
    run
}
