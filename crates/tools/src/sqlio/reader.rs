//! What SQLIO 1.5 prints, as the specification's section 8.2 has it; metric lines are read by their words before the
//! colon, all else is free text.
//!
//! Latencies are whole milliseconds, so a mean of 0 represents anything below one. Deliberately absent: SQLIO's
//! options, which are not in its output.

use crate::imports::number::{Cell, bytes, cell, nanos, size};
use crate::imports::run::unknown;
use crate::imports::section::{Found, Section, Start};
use model::imported_evidence::ImportedContent;
use model::{
    Bytes, CacheMode, HistogramShare, ImportFormat, ImportedCpu, ImportedRun, Nanos, Ratio,
};

/// `sqlio v1.5.SG`; a paste may begin with the figures.
pub(crate) fn begins(line: &str, _text: &str) -> Start {
    let version = line.strip_prefix("sqlio v");
    if version.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
        Start::Here
    } else if is_data(line.trim_end()) {
        Start::Orphan
    } else {
        Start::No
    }
}

/// The line above the figures; a paste may begin with the second.
fn is_data(line: &str) -> bool {
    line == "CUMULATIVE DATA:" || line == "throughput metrics:"
}

/// One run a section, or several where only figures were pasted.
pub(crate) fn read(section: &Section, found: &mut Found) {
    let mut walk = Walk::new();
    let (mut at, mut any) = (section.head, false);
    let before = section.head_line();
    for (place, line) in section.before().lines().enumerate() {
        walk.line(line.trim(), place);
    }
    for (number, (place, line)) in section.lines().enumerate() {
        // Figures of another run: those of this one are whole.
        let is_next = line.trim() == "throughput metrics:" || working(line.trim()).is_some();
        if any && walk.in_figures && walk.has_rates() && is_next {
            end(std::mem::replace(&mut walk, Walk::new()), at, found);
            at = place;
        }
        any = true;
        walk.line(line.trim(), before + number);
    }
    end(walk, at, found);
}

fn end(walk: Walk, at: usize, found: &mut Found) {
    let line = walk.last_line;
    match walk.finish() {
        Ok(run) => found.run(at, run),
        Err(what) => found.fault(line, what),
    }
}

struct Walk {
    run: ImportedRun,
    /// Sizes of the files that have one.
    sizes: Vec<Bytes>,
    reads: Option<bool>,
    has_head: bool,
    in_figures: bool,
    /// The columns of the histogram.
    columns: Option<Vec<Nanos>>,
    /// Nothing after the last figure belongs to the run.
    whole: bool,
    odd: Option<String>,
    last_line: usize,
}

const MS: Nanos = Nanos::millis(1);

impl Walk {
    fn new() -> Walk {
        Walk {
            run: unknown(ImportFormat::SqlioText),
            sizes: Vec::new(),
            reads: None,
            has_head: false,
            in_figures: false,
            columns: None,
            whole: false,
            odd: None,
            last_line: 0,
        }
    }

    fn line(&mut self, line: &str, number: usize) {
        if line.is_empty() || self.whole {
            return;
        }
        if !self.in_figures {
            self.last_line = number;
        }
        if is_data(line) {
            self.in_figures = true;
        } else if self.in_figures {
            if self.figure(line) {
                self.last_line = number;
            }
        } else {
            self.head(line);
        }
    }

    fn has_rates(&self) -> bool {
        let total = &self.run.figures.total;
        total.ios_per_s.is_some() && total.bytes_per_s.is_some()
    }

    fn head(&mut self, line: &str) {
        let workload = &mut self.run.workload;
        if let Some(version) = line.strip_prefix("sqlio v") {
            self.run.tool_version = Some(version.to_owned());
        } else if let Some((reads, rest)) = working(line) {
            self.reads = Some(reads);
            self.has_head = true;
            let threads: Option<u32> = line.split(' ').next().and_then(|word| word.parse().ok());
            workload.threads = match (workload.threads, threads) {
                (Some(sum), Some(more)) => sum.checked_add(more),
                (sum, more) => more.or(sum),
            };
            let seconds = rest
                .split_whitespace()
                .next()
                .and_then(|word| word.parse().ok());
            workload.duration = seconds.and_then(|value| nanos(value, Nanos::seconds(1)));
            if let Some((_, files)) = rest.split_once(" file") {
                let files = files.trim_start_matches('s').trim();
                workload.targets.push(files.to_owned());
            }
        } else if let Some(rest) = line.strip_prefix("using ") {
            self.using(rest);
        } else if let Some(rest) = line.strip_prefix("enabling multiple I/Os per thread with ") {
            workload.queue_depth = rest.split(' ').next().and_then(|word| word.parse().ok());
        } else if let Some(rest) = line.strip_prefix("buffering set to ") {
            let (cache, through) = buffering(rest);
            workload.cache = cache;
            workload.write_through = through;
        }
    }

    /// `using 8KB random IOs`, `using specified size: 2000 MB for file: F`.
    fn using(&mut self, rest: &str) {
        if let Some((amount, kind)) = rest.split_once(' ')
            && let Some(kind) = kind.strip_suffix(" IOs")
        {
            self.run.workload.block = size(amount);
            self.run.workload.random_percent = match kind {
                "random" => Some(Ratio::ALL),
                "sequential" => Some(Ratio::NONE),
                _ => None,
            };
        } else if let Some((amount, _)) = rest.split_once(" for file:")
            && let Some((_, amount)) = amount.split_once("size:")
            && let Some(bytes) = size(amount)
        {
            self.sizes.push(bytes);
            // Where a size is specified, SQLIO creates the file, of zeros.
            if rest.starts_with("specified ") {
                self.run.evidence.content = Some(ImportedContent::Zeros);
            }
        }
    }

    /// Takes a line of figures. Whether it was one.
    fn figure(&mut self, line: &str) -> bool {
        let Some((name, value)) = line.split_once(':') else {
            return false;
        };
        let total = &mut self.run.figures.total;
        match name {
            "IOs/sec" if total.ios_per_s.is_none() => {
                total.ios_per_s = number(&mut self.odd, value, 2);
            }
            "MBs/sec" if total.bytes_per_s.is_none() => {
                let mib = number(&mut self.odd, value, 2);
                let rate = mib.map(|mib| mib * f64::from(1 << 20));
                total.bytes_per_s = rate.filter(|rate| bytes(*rate, 1).is_some());
            }
            "Min_Latency(ms)" if total.latency.min.is_none() => {
                total.latency.min = number(&mut self.odd, value, 0).and_then(|v| nanos(v, MS));
                total.latency.resolution = Some(MS);
            }
            "Avg_Latency(ms)" if total.latency.mean.is_none() => {
                total.latency.mean = number(&mut self.odd, value, 0).and_then(|v| nanos(v, MS));
                total.latency.resolution = Some(MS);
            }
            "Max_Latency(ms)" if total.latency.max.is_none() => {
                total.latency.max = number(&mut self.odd, value, 0).and_then(|v| nanos(v, MS));
            }
            "ms" => self.columns = columns(value),
            "%" => {
                self.histogram(value);
                self.whole = true;
            }
            "ProcessorNumber" => {}
            _ => return false,
        }
        true
    }

    fn histogram(&mut self, value: &str) {
        let shares: Vec<f64> = value
            .split_whitespace()
            .take(COLUMNS_MAX + 1)
            .map_while(|word| word.parse().ok())
            .collect();
        match &self.columns {
            Some(columns) if columns.len() == shares.len() => {
                let both = columns.iter().zip(shares);
                self.run.figures.total.latency.histogram = both
                    .map(|(&from, percent)| HistogramShare { from, percent })
                    .collect();
            }
            _ => self.run.notes.push(
                "the histogram's percentages are not under its milliseconds; it is omitted"
                    .to_owned(),
            ),
        }
    }

    fn finish(mut self) -> Result<ImportedRun, String> {
        if !self.in_figures {
            return Err("SQLIO's output ends before `CUMULATIVE DATA:`".to_owned());
        }
        if let Some(text) = &self.odd {
            return Err(format!("invalid value '{text}': a number is expected"));
        }
        let total = &self.run.figures.total;
        if total.ios_per_s.is_none() || total.bytes_per_s.is_none() {
            return Err(
                "the text breaks off: `IOs/sec:` and `MBs/sec:` are not both there".to_owned(),
            );
        }
        let latency = &mut self.run.figures.total.latency;
        if latency.min.is_some() && latency.max.is_none() {
            let what = "the text breaks off inside of the latencies: the largest is not in it";
            self.run.notes.push(what.to_owned());
        } else if latency.min.is_some() && latency.histogram.is_empty() && self.run.notes.is_empty()
        {
            self.run
                .notes
                .push("the histogram is not in the text".to_owned());
        }
        match self.reads {
            Some(true) => self.run.figures.read = self.run.figures.total.clone(),
            Some(false) => self.run.figures.write = self.run.figures.total.clone(),
            None => {}
        }
        let workload = &mut self.run.workload;
        workload.write_percent = self
            .reads
            .map(|reads| if reads { Ratio::NONE } else { Ratio::ALL });
        if self.has_head && workload.block.is_some() && workload.cache.is_none() {
            // The one mode for which SQLIO prints no line: with direct I/O, durable.
            workload.cache = Some(CacheMode::Unbuffered);
            workload.write_through = Some(true);
        }
        if self.has_head && workload.block.is_some() {
            // Without its line, each I/O is waited for.
            workload.queue_depth = workload.queue_depth.or(Some(1));
        }
        workload.size = (self.sizes.len() == 1).then(|| self.sizes[0]);
        if !self.has_head {
            self.run
                .notes
                .push("what was asked for is not in the text".to_owned());
        }
        self.run.cpu = self.run.cpu.filter(|cpu| *cpu != ImportedCpu::default());
        Ok(self.run)
    }
}

fn number(odd: &mut Option<String>, text: &str, decimals: usize) -> Option<f64> {
    match cell(text, decimals) {
        Cell::Number(value, _) if value >= 0.0 => Some(value),
        Cell::Nothing | Cell::NotANumber => None,
        _ => {
            odd.get_or_insert_with(|| crate::imports::section::short(text));
            None
        }
    }
}

/// `4 threads writing for 120 secs to file F`: whether it reads, and what follows `for`.
fn working(line: &str) -> Option<(bool, &str)> {
    let (front, rest) = line
        .split_once(" for ")
        .or_else(|| line.split_once("..."))?;
    let mut words = front.split(' ');
    words.next()?.parse::<u32>().ok()?;
    if !matches!(words.next()?, "thread" | "threads") {
        return None;
    }
    match words.next()? {
        "reading" => Some((true, rest)),
        "writing" => Some((false, rest)),
        _ => None,
    }
}

/// SQLIO's text on its four modes.
fn buffering(text: &str) -> (Option<CacheMode>, Option<bool>) {
    if text.starts_with("use hardware disk cache (but not file cache)") {
        (Some(CacheMode::Unbuffered), Some(false))
    } else if text.starts_with("not use file nor disk caches") {
        (Some(CacheMode::Unbuffered), Some(true))
    } else if text.starts_with("use both file and disk caches") {
        (Some(CacheMode::Cached), Some(false))
    } else if text.starts_with("use software file cache (but not hardware") {
        (Some(CacheMode::Cached), Some(true))
    } else {
        (None, None)
    }
}

/// Most columns of a histogram: SQLIO prints 25.
const COLUMNS_MAX: usize = 1000;

/// `0  1  2 … 23 24+`.
fn columns(value: &str) -> Option<Vec<Nanos>> {
    let words = value.split_whitespace().take(COLUMNS_MAX + 1);
    let edges: Option<Vec<Nanos>> = words
        .map(|word| nanos(word.trim_end_matches('+').parse().ok()?, MS))
        .collect();
    edges.filter(|edges| {
        edges.len() <= COLUMNS_MAX && edges.windows(2).all(|pair| pair[0] < pair[1])
    })
}
