//! What dd prints when it is done: `2147483648 bytes (2.1 GB) copied, 28.2787 s, 75.9 MB/s`, and the command line before
//! it, where a terminal shows it.
//!
//! The command shows which side was measured: from a device to `/dev/null` it is reads, from `/dev/zero` to a file it is
//! writes. Without it nothing is known of that. Deliberately absent: the BSD and BusyBox spellings without a rate.

use crate::imports::number::{Cell, cell, nanos};
use crate::imports::run::{of_side, unknown};
use crate::imports::section::{Found, Section, Start, short};
use memchr::memmem;
use model::imported_evidence::{ImportedContent, ImportedFlush};
use model::{Bytes, CacheMode, ImportFormat, ImportedOperation, ImportedRun, Nanos, Ratio};

/// A command line, behind any prompt; or the count of records, where the command was omitted.
pub(crate) fn begins(line: &str, _text: &str) -> Start {
    if command_of(line).is_some() {
        Start::Here
    } else if records(line, "in").is_some() || is_summary(line) {
        Start::Orphan
    } else {
        Start::No
    }
}

/// One run a line `… copied, …`.
pub(crate) fn read(section: &Section, found: &mut Found) {
    let mut open = Open::default();
    for (at, line) in section.lines() {
        let line = line.trim();
        if let Some(command) = command_of(line) {
            open = Open {
                at: Some(at),
                command: Some(command.to_owned()),
                records: None,
            };
        } else if records(line, "in").is_some() {
            open.at.get_or_insert(at);
        } else if let Some(records) = records(line, "out") {
            open.records = Some(records);
        } else if line.contains(" copied, ") || line.contains(" bytes transferred in ") {
            let open = std::mem::take(&mut open);
            let begin = open.at.unwrap_or(at);
            match run(line, open) {
                Some(run) => found.run(begin, run),
                None => found.fault_at(
                    at,
                    format!(
                        "unknown line '{}': expected is `2147483648 bytes (2.1 GB) copied, 28.2787 s, 75.9 MB/s`",
                        short(line)
                    ),
                ),
            }
        }
    }
    if let (Some(at), true) = (open.at, found.is_empty()) {
        found.fault_at(
            at,
            "dd was called, but no line `… bytes … copied, … s, … MB/s` follows",
        );
    }
}

/// `1073741824 bytes (1.1 GB, 1.0 GiB) copied, 0.57 s, 1.9 GB/s`: nothing else counts bytes at its beginning.
fn is_summary(line: &str) -> bool {
    let line = line.trim();
    let counts = line.as_bytes().first().is_some_and(u8::is_ascii_digit);
    counts && line.contains(" bytes (") && line.contains(" copied, ") && line.ends_with("/s")
}

/// What stands before the summary.
#[derive(Default)]
struct Open {
    at: Option<usize>,
    command: Option<String>,
    records: Option<u64>,
}

/// `dd if=… of=…` in a line, after the prompt.
fn command_of(line: &str) -> Option<&str> {
    // Most lines of large files are of other tools.
    memmem::find(line.as_bytes(), b"dd ")?;
    let line = line.trim();
    let plain = |text: &str| without_prefix(text).starts_with("dd ");
    let prompts = ["# ", "$ ", "> ", "% "].iter();
    let behind = prompts.filter_map(|prompt| Some(line.split_once(prompt)?.1.trim_start()));
    let command = std::iter::once(line)
        .chain(behind)
        .find(|text| plain(text))?;
    let command = without_prefix(command);
    let words = command.strip_prefix("dd ")?;
    let names = |word: &str| word.starts_with("if=") || word.starts_with("of=");
    words.split_whitespace().any(names).then_some(command)
}

/// Without `sudo` and `time` before it.
fn without_prefix(mut command: &str) -> &str {
    while let Some(rest) = ["sudo ", "time "]
        .iter()
        .find_map(|word| command.strip_prefix(word))
    {
        command = rest.trim_start();
    }
    command
}

/// `2048+0 records out`: whole and partial ones.
fn records(line: &str, way: &str) -> Option<u64> {
    let rest = line
        .trim()
        .strip_suffix(way)?
        .trim_end()
        .strip_suffix("records")?;
    let (whole, part) = rest.trim().split_once('+')?;
    whole.parse::<u64>().ok()?.checked_add(part.parse().ok()?)
}

fn run(line: &str, open: Open) -> Option<ImportedRun> {
    let (before, after) = line.split_once(" copied, ")?;
    let bytes: u64 = before.split_whitespace().next()?.parse().ok()?;
    let (time, rate) = after.split_once(" s, ")?;
    let Cell::Number(seconds, _) = cell(time, 0) else {
        return None;
    };
    let mut run = unknown(ImportFormat::DdText);
    run.measured = nanos(seconds, Nanos::seconds(1));
    let mut total = ImportedOperation {
        ios: open.records,
        bytes: Some(Bytes(bytes)),
        bytes_per_s: rate_of(rate).map(|printed| exact(printed, bytes, seconds)),
        ..ImportedOperation::default()
    };
    total.errors = None;
    run.workload.threads = Some(1);
    run.workload.queue_depth = Some(1);
    run.workload.size = Some(Bytes(bytes));
    if let Some(command) = &open.command {
        asked(&mut run, command);
    } else {
        run.notes.push(
            "dd's command line is not in the text: what was read or written is unknown".to_owned(),
        );
    }
    total.ios = total
        .ios
        .or_else(|| whole_blocks(bytes, run.workload.block?));
    run.figures = of_side(run.workload.write_percent, total);
    run.command = open.command;
    Some(run)
}

/// The rate, which dd prints with two or three digits, and the seconds with six: computed where two digits are too few.
/// Where both disagree it stays as printed.
fn exact(printed: f64, bytes: u64, seconds: f64) -> f64 {
    const ROUNDED: std::ops::RangeInclusive<f64> = 0.005..=0.06;
    let rate = bytes as f64 / seconds;
    match ROUNDED.contains(&(rate / printed - 1.0).abs()) {
        true => rate,
        false => printed,
    }
}

/// The number of I/Os, where the bytes are whole blocks.
fn whole_blocks(bytes: u64, block: Bytes) -> Option<u64> {
    (block.0 > 0 && bytes.is_multiple_of(block.0)).then(|| bytes / block.0)
}

/// `75.9 MB/s`: dd's units are decimal.
fn rate_of(text: &str) -> Option<f64> {
    let (number, unit) = text.trim().rsplit_once(' ')?;
    let scale = match unit {
        "B/s" | "bytes/s" => 1.0,
        "kB/s" | "KB/s" => 1e3,
        "MB/s" => 1e6,
        "GB/s" => 1e9,
        "TB/s" => 1e12,
        _ => return None,
    };
    Some(cell(number, 1).number()? * scale).filter(|rate| rate.is_finite() && *rate >= 0.0)
}

fn asked(run: &mut ImportedRun, command: &str) {
    let (work, notes) = (&mut run.workload, &mut run.notes);
    let value = |name: &str| {
        let mut words = command.split_whitespace();
        words.find_map(|word| word.strip_prefix(name))
    };
    let (from, to) = (value("if="), value("of="));
    let (is_source, is_sink) = (from.is_none_or(is_endless), to.is_none_or(is_nothing));
    let flags = match (is_source, is_sink) {
        (true, false) => {
            work.write_percent = Some(Ratio::ALL);
            work.targets = to.into_iter().map(str::to_owned).collect();
            value("oflag=")
        }
        // From nothing to nothing: no device.
        (true, true) => {
            work.write_percent = Some(Ratio::ALL);
            work.targets = to.into_iter().map(str::to_owned).collect();
            value("oflag=")
        }
        (false, true) => {
            work.write_percent = Some(Ratio::NONE);
            work.targets = from.into_iter().map(str::to_owned).collect();
            value("iflag=")
        }
        _ => {
            notes.push("dd read one target and wrote another: the figures are of both".to_owned());
            return;
        }
    };
    let has = |list: Option<&str>, word: &str| {
        list.is_some_and(|list| list.split(',').any(|one| one == word))
    };
    work.block = Some(value("bs=").map_or(Some(Bytes(512)), size_of)).flatten();
    work.random_percent = Some(Ratio::NONE);
    work.cache = Some(match has(flags, "direct") {
        true => CacheMode::Unbuffered,
        false => CacheMode::Cached,
    });
    work.write_through = Some(has(flags, "sync") || has(flags, "dsync"));
    let conv = value("conv=");
    if from == Some("/dev/zero") {
        run.evidence.content = Some(ImportedContent::Zeros);
    }
    if has(conv, "fsync") || has(conv, "fdatasync") {
        run.evidence.flush = Some(ImportedFlush::AtEnd);
        notes.push(
            "it flushed at the end, so the time includes what was still in memory".to_owned(),
        );
    }
}

/// What gives bytes without a device.
fn is_endless(path: &str) -> bool {
    ["/dev/zero", "/dev/urandom", "/dev/random"].contains(&path)
}

/// What takes bytes without a device; what is written to `/dev/zero` is dropped too.
fn is_nothing(path: &str) -> bool {
    ["/dev/null", "/dev/zero"].contains(&path)
}

/// dd's own sizes: K is 1024, kB is 1000. Source: dd(1).
fn size_of(text: &str) -> Option<Bytes> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let scale: u64 = match unit {
        "" | "c" => 1,
        "w" => 2,
        "b" => 512,
        "kB" => 1000,
        "k" | "K" | "KiB" => 1 << 10,
        "MB" => 1_000_000,
        "m" | "M" | "xM" | "MiB" => 1 << 20,
        "GB" => 1_000_000_000,
        "g" | "G" | "GiB" => 1 << 30,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(scale).map(Bytes)
}
