//! kbench: its summary of fio's IOPS, bandwidth and latency, of one volume or of two side by side. A figure is a run.
//!
//! The summary has neither block sizes nor depths, so these are unknown. Source: public results of kbench since 2021. Omitted: its
//! idleness of processors, and the columns of changes, which follow from the figures.

use crate::Tool;
use crate::imports::Reader;
use crate::imports::number::{nanos, size, whole};
use crate::imports::run::{of_side, unknown};
use crate::imports::section::{Found, Section, Start};
use model::{Bytes, ImportFormat, ImportedOperation, ImportedRun, Nanos, Ratio};

/// Defines the row of kbench.
pub(crate) const TOOL: Tool = Tool {
    name: "kbench",
    option: None,
    readers: &[Reader {
        format: ImportFormat::KbenchText,
        name: "kbench's summary",
        about: "the summary of fio that kbench prints",
        begins,
        read,
    }],
};

/// What the lines below a head are.
#[derive(Clone, Copy)]
enum Figure {
    Ios,
    Bandwidth,
    Latency,
}

const HEADS: [(&str, Figure, &str); 3] = [
    ("IOPS (Read/Write)", Figure::Ios, "IOPS"),
    (
        "Bandwidth in KiB/sec (Read/Write)",
        Figure::Bandwidth,
        "bandwidth",
    ),
    ("Latency in ns (Read/Write)", Figure::Latency, "latency"),
];
const KINDS: [(&str, Ratio, &str); 2] = [
    ("Random:", Ratio::ALL, "random"),
    ("Sequential:", Ratio::NONE, "sequential"),
];
const SIDES: [(Ratio, &str); 2] = [(Ratio::NONE, "read"), (Ratio::ALL, "write")];

fn begins(line: &str, _text: &str) -> Start {
    let line = line.trim();
    if line.starts_with("FIO Benchmark Summary") || line.starts_with("FIO Benchmark Compar") {
        return Start::Here;
    }
    match HEADS.iter().any(|(head, ..)| line == *head) {
        true => Start::Orphan,
        false => Start::No,
    }
}

fn read(section: &Section, found: &mut Found) {
    let mut size_of_file = None;
    let mut names: Vec<&str> = Vec::new();
    let mut head = None;
    for (at, line) in section.lines() {
        let text = line.trim();
        if let Some(for_what) = text.strip_prefix("For:") {
            names = for_what.split(" vs ").map(str::trim).collect();
        } else if let Some(amount) = amount(text) {
            size_of_file = size(amount);
        } else if let Some(known) = HEADS.iter().find(|(name, ..)| text == *name) {
            head = Some(known);
        }
        let kind = KINDS
            .iter()
            .find_map(|(name, random, word)| Some((text.strip_prefix(name)?, *random, *word)));
        let (Some((rest, random, word)), Some((_, figure, of))) = (kind, head) else {
            continue;
        };
        // Behind the colon stand changes, in percent.
        let columns = rest.split(" : ").next().unwrap_or_default();
        let mut any = false;
        for (volume, column) in columns.split(" vs ").enumerate() {
            for ((write, side), value) in SIDES.iter().zip(column.split('/')) {
                let Some(value) = whole(value.trim()) else {
                    continue;
                };
                any = true;
                let mut run = run(*figure, value, [random, *write]);
                run.name = Some(format!("{word} {side}, {of}"));
                run.workload.size = size_of_file;
                run.workload.targets = names
                    .get(volume)
                    .map(|name| (*name).to_owned())
                    .into_iter()
                    .collect();
                found.run(at, run);
            }
        }
        if !any {
            found.fault_at(at, "no figures: expected is 'Random: 98368 / 89200'");
        }
    }
    if found.is_empty() {
        found.fault_at(
            section.head,
            "the head of kbench's summary, without figures",
        );
    }
}

/// `SIZE: 50G`, `Size: 30G`.
fn amount(line: &str) -> Option<&str> {
    let (name, amount) = line.split_once(':')?;
    name.trim()
        .eq_ignore_ascii_case("size")
        .then_some(amount.trim())
}

fn run(figure: Figure, value: u64, [random, write]: [Ratio; 2]) -> ImportedRun {
    let mut run = unknown(ImportFormat::KbenchText);
    run.workload.random_percent = Some(random);
    run.workload.write_percent = Some(write);
    let mut figures = ImportedOperation::default();
    match figure {
        Figure::Ios => figures.ios_per_s = Some(value as f64),
        Figure::Bandwidth => figures.bytes_per_s = Some(value as f64 * Bytes::kib(1).0 as f64),
        Figure::Latency => figures.latency.mean = nanos(value as f64, Nanos(1)),
    }
    run.figures = of_side(Some(write), figures);
    run
}
