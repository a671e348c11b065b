//! IOR's text, versions 2.10 to 4: a run for each line of its table.
//!
//! Its columns are those that the table names: those of IOPS and latency came with 3.3. Source: IOR's `ior-output.c`, and what
//! versions 2.10, 3.0, 3.2 and 4.0 print. Deliberately absent: the summary, which repeats the lines.

use crate::imports::number::{bytes, nanos, printed};
use crate::imports::run::{of_side, unknown};
use crate::imports::section::{Found, Section, Start, short};
use model::imported_evidence::ImportedFlush;
use model::{Bytes, CacheMode, ImportFormat, ImportedOperation, ImportedRun, Nanos, Ratio};

/// What IOR's latency is.
pub(super) const LATENCY: &str = "its latency is the mean of task 0 alone";

/// The first line of IOR, or the head of its table, where that was omitted.
pub(crate) fn begins(line: &str, _text: &str) -> Start {
    if line.starts_with("IOR-") && line.contains("MPI Coordinated Test of Parallel I/O") {
        return Start::Here;
    }
    match is_head(line) && line.contains("wr/rd(s)") {
        true => Start::Orphan,
        false => Start::No,
    }
}

/// `access    bw(MiB/s)  IOPS …`.
fn is_head(line: &str) -> bool {
    line.starts_with("access ") && line.contains("bw(MiB/s)")
}

/// What stands above the lines of a table.
#[derive(Clone, Debug, Default)]
pub(super) struct Head {
    pub(super) version: Option<String>,
    pub(super) host: Option<String>,
    pub(super) command: Option<String>,
    pub(super) test: Option<String>,
    pub(super) file: Option<String>,
    pub(super) order: Option<String>,
    pub(super) tasks: Option<u32>,
    pub(super) nodes: Option<u32>,
    pub(super) size: Option<Bytes>,
    pub(super) block: Option<Bytes>,
    pub(super) reorders: bool,
}

impl Head {
    /// Takes a line `key : value`, or `key = value` as up to 3.1.
    pub(super) fn take(&mut self, key: &str, value: &str) {
        let first = || value.split_whitespace().next().unwrap_or_default();
        let count = || first().parse::<u32>().ok();
        match key.to_ascii_lowercase().as_str() {
            "command line" | "command line used" => self.command = Some(value.to_owned()),
            "machine" => self.host = value.split_whitespace().nth(1).map(str::to_owned),
            "testid" => self.test = Some(first().to_owned()),
            "test filename" => self.file = Some(value.to_owned()),
            "ordering in a file" => self.order = Some(first().to_owned()),
            "ordering inter file" => self.reorders = !value.starts_with("no "),
            "tasks" => self.tasks = count(),
            "nodes" => self.nodes = count(),
            "clients" => self.tasks = count(), // up to 3.1: `64 (32 per node)`
            "aggregate filesize" => self.size = readable(value),
            "blocksize" => self.block = readable(value),
            _ => {}
        }
    }

    /// A run of these figures, in the order of the table: write or read, repetition, rate, transfer size.
    pub(super) fn run(&self, format: ImportFormat, write: bool, repetition: &str) -> ImportedRun {
        let mut run = unknown(format);
        run.tool_version.clone_from(&self.version);
        run.host.clone_from(&self.host);
        run.command.clone_from(&self.command);
        let name = if write { "write" } else { "read" };
        let of_test = self.test.as_deref().filter(|test| *test != "0");
        run.name = Some(match of_test {
            Some(test) => format!("test {test}, {name}, repetition {repetition}"),
            None => format!("{name}, repetition {repetition}"),
        });
        let workload = &mut run.workload;
        workload.write_percent = Some(if write { Ratio::ALL } else { Ratio::NONE });
        workload.targets = self.file.iter().cloned().collect();
        workload.threads = self.tasks;
        workload.queue_depth = Some(1);
        workload.size = self.size;
        workload.random_percent = self.order.as_deref().map(|order| match order {
            "sequential" => Ratio::NONE,
            _ => Ratio::ALL,
        });
        let options = self.command.as_deref().map(Options);
        workload.cache = options.as_ref().and_then(Options::cache);
        if write && options.is_some_and(|options| options.has('e')) {
            run.evidence.flush = Some(ImportedFlush::AtEnd);
        }
        if let Some(nodes) = self.nodes.filter(|nodes| *nodes > 1) {
            run.notes.push(format!("tasks on {nodes} nodes"));
        }
        if let Some(block) = self.block {
            run.notes.push(format!("{block} of each task in a segment"));
        }
        run
    }

    /// Reports that reads may have come from the memory of the host that wrote: the file was written before by the same call
    /// through the page cache, and each task reads its own part.
    pub(super) fn note_reads(&self, run: &mut ImportedRun, written: bool) {
        let is_read = run.workload.write_percent == Some(Ratio::NONE);
        if is_read && written && !self.reorders && run.workload.cache == Some(CacheMode::Cached) {
            run.notes.push(
                "each task read what it had written before, through the page cache, without -C: the rate may be that of memory"
                    .to_owned(),
            );
        }
    }
}

/// The words of a command line.
struct Options<'t>(&'t str);

impl Options<'_> {
    /// Whether a flag is given, alone or among others.
    fn has(&self, letter: char) -> bool {
        let mut words = self.0.split_whitespace().skip(1);
        words.any(|word| {
            let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
            letters.is_some_and(|letters| {
                let flags = letters.split('=').next().unwrap_or_default();
                let only_flags = flags.chars().all(|one| one.is_ascii_alphabetic());
                only_flags && flags.contains(letter)
            })
        })
    }

    /// Through the page cache by default; unknown where a script may set it.
    fn cache(&self) -> Option<CacheMode> {
        let lower = self.0.to_ascii_lowercase();
        match lower.contains("odirect") || lower.contains("useo_direct=1") {
            true => Some(CacheMode::Unbuffered),
            false if self.has('f') || lower.contains("-a ") && !lower.contains("-a posix") => None,
            false => Some(CacheMode::Cached),
        }
    }
}

/// `262144 bytes`, `1 MiB`, `1.50 GiB`.
fn readable(text: &str) -> Option<Bytes> {
    let (number, unit) = text.trim().split_once(' ')?;
    let unit = match unit.trim() {
        "bytes" => 1,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        "TiB" => 1 << 40,
        _ => return None,
    };
    bytes(printed(number)?, unit)
}

/// A table while its lines are read.
#[derive(Default)]
struct Table<'t> {
    columns: Vec<&'t str>,
    /// Something was written by the same test.
    written: bool,
}

/// One run for each line of the tables.
pub(crate) fn read(section: &Section, found: &mut Found) {
    /// Options of a test.
    const OPTIONS_MAX: usize = 40;
    let mut head = Head::default();
    let mut table = Table::default();
    let before: Vec<&str> = section.before().lines().rev().take(OPTIONS_MAX).collect();
    for (key, value) in before.into_iter().rev().filter_map(pair) {
        head.take(key, value);
    }
    for (at, line) in section.lines() {
        let trimmed = line.trim();
        if let Some(rest) = trimmed.strip_prefix("IOR-") {
            head.version = rest.split(':').next().map(str::to_owned);
        } else if is_head(trimmed) {
            table.columns = trimmed.split_whitespace().collect();
            table.written = false;
        } else if trimmed.starts_with("Summary of all tests") || trimmed.starts_with("Max Write:") {
            table.columns.clear();
        } else if let Some((key, value)) = pair(line) {
            head.take(key, value);
        } else if let Some(run) = row(trimmed, &head, &mut table) {
            found.run(at, run);
        }
    }
    if found.is_empty() {
        found.fault_at(
            section.head,
            "IOR's output without a line of writes or reads",
        );
    }
}

/// `key : value`, or `key = value`.
fn pair(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once([':', '='])?;
    let key = key.trim();
    let is_key =
        !key.is_empty() && key.len() <= 24 && key.starts_with(|c: char| c.is_ascii_alphabetic());
    is_key.then(|| (key, value.trim()))
}

fn row(line: &str, head: &Head, table: &mut Table<'_>) -> Option<ImportedRun> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let write = match *words.first()? {
        "write" => true,
        "read" => false,
        _ => return None,
    };
    if table.columns.is_empty() || words.len() != table.columns.len() {
        return None;
    }
    let text = |column: &str| {
        let place = table.columns.iter().position(|name| *name == column)?;
        words.get(place).copied()
    };
    let number = |column: &str| text(column).and_then(printed);
    let mut run = head.run(ImportFormat::IorText, write, text("iter").unwrap_or("0"));
    run.workload.block = number("xfer(KiB)").and_then(|kib| bytes(kib, 1024));
    run.measured = number("total(s)").and_then(|seconds| nanos(seconds, Nanos::seconds(1)));
    let mut figures = ImportedOperation {
        bytes_per_s: number("bw(MiB/s)").map(|rate| rate * f64::from(1 << 20)),
        ios_per_s: number("IOPS"),
        ..ImportedOperation::default()
    };
    figures.latency.mean = number("Latency(s)").and_then(|mean| nanos(mean, Nanos::seconds(1)));
    if figures.latency.mean.is_some() {
        run.notes.push(LATENCY.to_owned());
    }
    let times = ["open(s)", "wr/rd(s)", "close(s)"].map(|column| (column, text(column)));
    let times: Vec<String> = times
        .into_iter()
        .filter_map(|(column, time)| Some(format!("{column} {}", short(time?))))
        .collect();
    if !times.is_empty() {
        run.notes.push(times.join(", "));
    }
    figures.bytes_per_s?;
    run.figures = of_side(run.workload.write_percent, figures);
    head.note_reads(&mut run, table.written);
    table.written |= write;
    Some(run)
}
