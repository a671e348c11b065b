//! elbencho: its table of results, a run per phase.
//!
//! Its two columns are the moments at which the first and the last thread were done; a run has the figures of the last, which
//! are those of all the work. Source: elbencho's help, and public results of 1 to 3. Deliberately absent: its CSV and JSON.

use crate::Tool;
use crate::imports::Reader;
use crate::imports::number::{bytes, nanos, printed, time};
use crate::imports::run::{of_side, unknown};
use crate::imports::section::{Found, Section, Start};
use model::{ImportFormat, ImportedOperation, ImportedRun, Nanos, Ratio};

/// Defines the row of elbencho.
pub(crate) const TOOL: Tool = Tool {
    name: "elbencho",
    option: None,
    readers: &[Reader {
        format: ImportFormat::ElbenchoText,
        name: "elbencho's text",
        about: "the table that elbencho prints",
        begins,
        read,
    }],
};

fn begins(line: &str, _text: &str) -> Start {
    // A program that logs the output has its own words before it.
    let is_head = line.contains("OPERATION   RESULT TYPE");
    match is_head && line.contains("LAST DONE") {
        true => Start::Here,
        false => Start::No,
    }
}

fn read(section: &Section, found: &mut Found) {
    let mut open: Option<(usize, Phase)> = None;
    for (at, line) in section.lines().skip(2) {
        let Some((head, values)) = line.split_once(" : ") else {
            end(open.take(), found);
            continue;
        };
        let named = !line.starts_with(' ');
        if named {
            end(open.take(), found);
            let name = head.split(' ').next().unwrap_or_default();
            open = Some((at, Phase::of(name)));
        }
        if let Some((_, phase)) = &mut open {
            let label = match named {
                true => head.split_once(' ').map_or("", |(_, label)| label),
                false => head,
            };
            phase.line(label.trim(), values);
        }
    }
    end(open, found);
    if found.is_empty() {
        found.fault_at(
            section.head,
            "elbencho's table without a phase that has a rate",
        );
    }
}

fn end(open: Option<(usize, Phase)>, found: &mut Found) {
    if let Some((at, run)) = open.and_then(|(at, phase)| Some((at, phase.finish()?))) {
        found.run(at, run);
    }
}

/// A phase while its lines are read.
struct Phase {
    run: ImportedRun,
    figures: ImportedOperation,
    /// Bytes per second when the first thread was done.
    first: Option<f64>,
}

impl Phase {
    fn of(name: &str) -> Phase {
        let mut run = unknown(ImportFormat::ElbenchoText);
        run.workload.write_percent = match name {
            "WRITE" => Some(Ratio::ALL),
            "READ" => Some(Ratio::NONE),
            _ => name.strip_prefix("RWMIX").and_then(|reads| {
                let reads: u8 = reads.parse().ok()?;
                Ratio::percent(100_u8.checked_sub(reads)?)
            }),
        };
        run.name = Some(name.to_owned());
        Phase {
            run,
            figures: ImportedOperation::default(),
            first: None,
        }
    }

    fn line(&mut self, label: &str, values: &str) {
        let mut columns = values.split_whitespace();
        let first = columns.next().unwrap_or_default();
        let last = columns.next().unwrap_or(first);
        let number = || printed(last);
        let scale = if label.ends_with("MiB/s") || label.ends_with("MiB") {
            1 << 20
        } else {
            1_000_000
        };
        match label {
            "Elapsed ms" => self.run.measured = number().and_then(|ms| nanos(ms, Nanos::millis(1))),
            "Elapsed time" => self.run.measured = time(last),
            "IOPS" => self.figures.ios_per_s = number(),
            "Files/s" | "Dirs/s" | "Objects/s" if self.figures.ios_per_s.is_none() => {
                self.figures.ios_per_s = number();
                let unit = label.trim_end_matches("/s").to_ascii_lowercase();
                self.run.notes.push(format!("its rate counts {unit}"));
            }
            "Throughput MiB/s" | "Throughput MB/s" => {
                let rate = |text| printed(text).map(|rate| rate * f64::from(scale));
                (self.first, self.figures.bytes_per_s) = (rate(first), rate(last));
            }
            "Total MiB" | "Total MB" => {
                self.figures.bytes =
                    number().and_then(|count| bytes(count, u64::from(scale as u32)));
            }
            _ if label.starts_with("IO lat") => self.latency(label, values),
            _ => {}
        }
    }

    /// `[ min=91 avg=120 max=1583 ]`, in the unit of the label, or with units of their own.
    fn latency(&mut self, label: &str, values: &str) {
        let unit = if label.contains(" us") { "us" } else { "" };
        let of = |key: &str| {
            let text = values
                .split_whitespace()
                .find_map(|word| word.strip_prefix(key))?;
            time(&format!("{text}{unit}"))
        };
        let latency = &mut self.figures.latency;
        (latency.min, latency.mean, latency.max) = (of("min="), of("avg="), of("max="));
    }

    /// None for a phase without a rate, as dropping caches is.
    fn finish(mut self) -> Option<ImportedRun> {
        self.figures.ios_per_s.or(self.figures.bytes_per_s)?;
        let (first, all) = (
            self.first.unwrap_or(0.0),
            self.figures.bytes_per_s.unwrap_or(0.0),
        );
        if first > all * 1.1 {
            let share = (first / all.max(f64::MIN_POSITIVE) - 1.0) * 100.0;
            self.run.notes.push(format!(
                "until its first thread was done the rate was {share:.0}% higher: some threads took longer"
            ));
        }
        self.run.figures = of_side(self.run.workload.write_percent, self.figures);
        Some(self.run)
    }
}
