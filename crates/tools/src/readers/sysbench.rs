//! sysbench: the test `fileio` of 0.4, 0.5 and 1.0, a run per call.
//!
//! Its latencies are those of all events, fsync calls among them. Source: the output of 1.0.20, and public ones of 0.4.12.
//! Deliberately absent: its other tests (cpu, memory, databases), the intermediate reports, and the fairness of threads.

use crate::Tool;
use crate::imports::Reader;
use crate::imports::number::{nanos, printed, quantile, size};
use crate::imports::run::{after, of_side, total, unknown};
use crate::imports::section::{Found, Section, Start};
use model::imported_evidence::{ImportedContent, ImportedFlush};
use model::{CacheMode, ImportFormat, ImportedOperation, ImportedRun, Nanos, Ratio};

/// Defines the row of sysbench.
pub(crate) const TOOL: Tool = Tool {
    name: "sysbench",
    option: None,
    readers: &[Reader {
        format: ImportFormat::SysbenchText,
        name: "sysbench's text",
        about: "what sysbench fileio prints, 0.4 to 1.0",
        begins,
        read,
    }],
};

const FILES: &str = "Extra file open flags:";
/// What its figures begin with, where its options are not in the text: of 1.0, and up to 0.5.
const FIGURES: [&str; 2] = ["File operations:", "Operations performed:"];
const MIB: f64 = 1_048_576.0;

/// The line of its version, if that of a test of files follows; or the latter alone.
fn begins(line: &str, text: &str) -> Start {
    const LINES_MAX: usize = 24;
    if line.starts_with("sysbench ") && line.contains(':') | line.contains("(using") {
        let mut ahead = text.lines().skip(1).take(LINES_MAX);
        let own = ahead.find(|line| line.starts_with("sysbench ") || line.starts_with(FILES));
        return match own.is_some_and(|line| line.starts_with(FILES)) {
            true => Start::Here,
            false => Start::No,
        };
    }
    match line.starts_with(FILES) || is_figures(line) {
        true => Start::Orphan,
        false => Start::No,
    }
}

fn is_figures(line: &str) -> bool {
    FIGURES.iter().any(|begin| line.trim().starts_with(begin))
}

fn read(section: &Section, found: &mut Found) {
    let mut open: Option<Open> = None;
    let mut version = None;
    let mut threads = None;
    let mut validates = false;
    let before = section.before().lines().map(|line| (section.head, line));
    for (at, line) in before.chain(section.lines()) {
        if let Some(name) = line.strip_prefix("sysbench ") {
            version = name.split([' ', ':']).next().map(str::to_owned);
        } else if let Some(count) = after(line, "Number of threads:") {
            threads = count.parse().ok();
        } else if line.starts_with("Additional request validation enabled") {
            validates = true;
        } else if let Some(flags) = after(line, FILES) {
            end(open.take(), found);
            let mut next = Open::new(at, Some(flags), version.clone(), threads);
            // Only with validation it fills its files and buffers with random data.
            next.run.evidence.content = (!validates).then_some(ImportedContent::Zeros);
            open = Some(next);
            validates = false;
            continue;
        } else if is_figures(line) && open.is_none() {
            open = Some(Open::new(at, None, version.clone(), threads));
        }
        if let Some(open) = &mut open {
            open.line(line.trim());
        }
    }
    end(open, found);
}

fn end(open: Option<Open>, found: &mut Found) {
    let Some(open) = open else { return };
    let at = open.at;
    match open.finish() {
        Some(run) => found.run(at, run),
        None => found.fault_at(
            at,
            "sysbench's options without figures: expected is 'reads/s:' or 'Requests/sec executed'",
        ),
    }
}

/// A run while its lines are read.
struct Open {
    at: usize,
    run: ImportedRun,
    total: ImportedOperation,
    read: ImportedOperation,
    write: ImportedOperation,
    /// Reads per write of a mixed test.
    ratio: Option<f64>,
    syncs: bool,
    in_latency: bool,
}

impl Open {
    fn new(at: usize, flags: Option<&str>, version: Option<String>, threads: Option<u32>) -> Open {
        let mut run = unknown(ImportFormat::SysbenchText);
        run.tool_version = version;
        run.workload.threads = threads;
        if let Some(flags) = flags {
            // 0.4 prints the bits of open(2); O_DIRECT is 16384 on x86 and 65536 on ARM.
            let number: u32 = flags.parse().unwrap_or(0);
            let direct = flags.contains("direct") || number & (16384 | 65536) != 0;
            run.workload.cache = Some(match direct {
                true => CacheMode::Unbuffered,
                false => CacheMode::Cached,
            });
            run.workload.write_through = Some(flags.contains("sync"));
        } else {
            let what = "sysbench's options are not in the text: what it requested is unknown";
            run.notes.push(what.to_owned());
        }
        Open {
            at,
            run,
            total: ImportedOperation::default(),
            read: ImportedOperation::default(),
            write: ImportedOperation::default(),
            ratio: None,
            syncs: false,
            in_latency: false,
        }
    }

    fn line(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix("Doing ") {
            self.test(rest.trim_end_matches(" test"));
        } else if let Some((label, value)) = line.split_once(':') {
            self.value(label.trim(), value.trim());
        } else if let Some(text) = line.strip_suffix(" total file size") {
            self.run.workload.size = size(text);
        } else if let Some(text) = line.strip_prefix("Block size ") {
            self.run.workload.block = size(text);
        } else if line.starts_with("Calling fsync() after each write") {
            self.run.evidence.flush = Some(ImportedFlush::EveryWrites(1));
        } else if let Some(rest) =
            line.strip_prefix("Periodic FSYNC enabled, calling fsync() each ")
        {
            let requests = rest.split(' ').next().and_then(|count| count.parse().ok());
            self.run.evidence.flush = requests.map(ImportedFlush::EveryWrites);
        } else if let Some(rate) = line.strip_suffix("Requests/sec executed") {
            self.total.ios_per_s = printed(rate);
        } else if line.starts_with("Using synchronous") {
            self.run.workload.engine = Some("sync".to_owned());
            self.run.workload.queue_depth = Some(1);
        } else if line.starts_with("Using asynchronous") {
            self.run.workload.engine = Some("async".to_owned());
        } else if line.to_ascii_lowercase().starts_with("using memory mapped") {
            self.run.workload.engine = Some("mmap".to_owned());
        }
    }

    /// `random r/w`, `sequential write (creation)`.
    fn test(&mut self, name: &str) {
        self.run.name = Some(name.to_owned());
        self.run.workload.random_percent = match name.split(' ').next() {
            Some("random") => Some(Ratio::ALL),
            Some("sequential") => Some(Ratio::NONE),
            _ => None,
        };
        self.run.workload.write_percent = if name.contains("r/w") || name.contains("combined") {
            let share = self.ratio.map(|ratio| 100.0 / (1.0 + ratio));
            share.and_then(|share| Ratio::percent(share.round() as u8))
        } else if name.contains("write") || name.contains("rewrite") {
            Some(Ratio::ALL)
        } else {
            Some(Ratio::NONE)
        };
    }

    fn value(&mut self, label: &str, value: &str) {
        let number = || printed(value);
        let millis =
            || printed(value.trim_end_matches("ms")).and_then(|v| nanos(v, Nanos::millis(1)));
        let latency = &mut self.total.latency;
        match label {
            "Read/Write ratio for combined random IO test" => self.ratio = number(),
            "reads/s" => self.read.ios_per_s = number(),
            "writes/s" => self.write.ios_per_s = number(),
            "fsyncs/s" => self.syncs = number().is_some_and(|rate| rate > 0.0),
            "read, MiB/s" => self.read.bytes_per_s = number().map(|rate| rate * MIB),
            "written, MiB/s" => self.write.bytes_per_s = number().map(|rate| rate * MIB),
            "total time" => {
                let seconds = printed(value.trim_end_matches('s'));
                self.run.measured = seconds.and_then(|seconds| nanos(seconds, Nanos::seconds(1)));
            }
            "Operations performed" => self.operations(value),
            "Latency (ms)" | "response time" | "per-request statistics" => self.in_latency = true,
            "Threads fairness" => self.in_latency = false,
            "min" if self.in_latency => latency.min = millis(),
            "avg" if self.in_latency => latency.mean = millis(),
            "max" if self.in_latency => latency.max = millis(),
            _ if self.in_latency
                && label.contains(" percentile") | label.contains("th percentile") =>
            {
                let percent = label.trim_start_matches("approx.").trim_start();
                let digits = percent.find(|c: char| !c.is_ascii_digit() && c != '.');
                let percent = digits.and_then(|end| percent[..end].parse::<f64>().ok());
                let point = percent.filter(|p| (0.0..100.0).contains(p)).zip(millis());
                latency.percentiles = point
                    .map(|(p, time)| (quantile(p), time))
                    .into_iter()
                    .collect();
            }
            _ => {}
        }
    }

    /// `6000 Read, 4000 Write, 12800 Other = 22800 Total`, up to 0.5.
    fn operations(&mut self, text: &str) {
        for part in text.split([',', '=']) {
            let Some((count, what)) = part.trim().split_once(' ') else {
                continue;
            };
            let count = count.parse().ok();
            match what.trim() {
                "Read" | "reads" => self.read.ios = count,
                "Write" | "writes" => self.write.ios = count,
                "Other" => self.syncs = count > Some(0),
                _ => {}
            }
        }
    }

    fn finish(mut self) -> Option<ImportedRun> {
        let latency = std::mem::take(&mut self.total.latency);
        self.run.figures = match (self.run.workload.write_percent, self.total.ios_per_s) {
            // One rate of all requests.
            (write, Some(_)) => {
                self.total.ios = self
                    .read
                    .ios
                    .zip(self.write.ios)
                    .and_then(|(a, b)| a.checked_add(b));
                of_side(write, self.total)
            }
            _ => {
                self.read.ios_per_s.or(self.write.ios_per_s)?;
                let is_none = |rate: Option<f64>| rate == Some(0.0);
                let write = &mut self.run.workload.write_percent;
                *write = match (is_none(self.read.ios_per_s), is_none(self.write.ios_per_s)) {
                    (true, false) => write.or(Some(Ratio::ALL)),
                    (false, true) => write.or(Some(Ratio::NONE)),
                    _ => *write,
                };
                let sum = total(&self.read, &self.write);
                let mut figures = of_side(None, sum);
                (figures.read, figures.write) = (self.read, self.write);
                figures
            }
        };
        if self.syncs && latency.mean.is_some() {
            self.run
                .notes
                .push("its latencies include those of fsync calls".to_owned());
        }
        self.run.figures.total.latency = latency;
        self.run.figures.total.latency.resolution = Some(Nanos::micros(10));
        Some(self.run)
    }
}
