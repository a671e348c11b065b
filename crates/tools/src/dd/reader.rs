//! What dd prints when it is done: `2147483648 bytes (2.1 GB) copied, 28.2787 s, 75.9 MB/s`, and the command line before
//! it, where a terminal shows it.
//!
//! The command shows which side was measured: from a device to `/dev/null` it is reads, from `/dev/zero` to a file it is
//! writes. Without it nothing is known of that. BSD, macOS and BusyBox print the same in other words; where no time is
//! printed the shell's `real` is read. Omitted: BusyBox without any time.

use crate::imports::command;
use crate::imports::number::{cell, nanos};
use crate::imports::run::{of_side, unknown};
use crate::imports::section::{Found, Section, Start, short};
use model::imported_evidence::{ImportedContent, ImportedFlush};
use model::{
    Bytes, CacheMode, ImportFormat, ImportedCpu, ImportedOperation, ImportedRun, Nanos, Ratio,
};

/// A command line, behind any prompt; or the count of records, where the command was omitted. Calls one after the other
/// are one section, so that what was done between them is known.
pub(crate) fn begins(line: &str, _text: &str) -> Start {
    let known =
        command_of(line).is_some() || records(line, "in").is_some() || summary_in(line).is_some();
    match known {
        true => Start::Orphan,
        false => Start::No,
    }
}

/// One run a line `… copied, …`, or `real …` of the shell where dd prints no time. A line of `status=progress` is none where
/// the last line of its call follows.
pub(crate) fn read(section: &Section, found: &mut Found) {
    let mut open = Open {
        dropped: drops_caches(section.before()),
        ..Open::default()
    };
    let mut timed = Timed::default();
    for (at, line) in section.lines() {
        let line = line.trim();
        if let Some(command) = command_of(line) {
            // A result may be in a comment behind the command.
            let whole = summary_in(line);
            let earlier = std::mem::take(&mut open);
            timed.end(found);
            let dropped = line.contains(DROP) || (earlier.at.is_none() && earlier.dropped);
            earlier.end(found, false);
            open = Open {
                at: Some(at),
                command: Some(command.to_owned()),
                is_prose: is_prose(line, command),
                dropped,
                ..Open::default()
            };
            if let Some(whole) = whole {
                timed.begin(at, run(whole, std::mem::take(&mut open)), found);
            }
        } else if timed.line(line) {
        } else if line.contains(DROP) {
            open.dropped = true;
        } else if records(line, "in").is_some() {
            open.at.get_or_insert(at);
        } else if let Some(records) = records(line, "out") {
            open.records = Some(records);
        } else if open.records.is_none() && is_progress(line) {
            open.at.get_or_insert(at);
            open.progress = Some(line.to_owned());
        } else if is_end(line) || open.is_timed_by(line) {
            let open = std::mem::take(&mut open);
            let begin = open.at.unwrap_or(at);
            let summary = summary_in(line).unwrap_or(line);
            let side = labelled(line, summary).filter(|_| open.command.is_none());
            let run = run(summary, open).map(|run| with_side(run, side));
            match run {
                Some(run) => timed.begin(begin, Some(run), found),
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
    timed.end(found);
    open.end(found, true);
}

fn with_side(mut run: ImportedRun, side: Option<Ratio>) -> ImportedRun {
    if side.is_some() {
        run.workload.write_percent = side;
        run.figures = of_side(side, run.figures.total);
    }
    run
}

/// A run below which the shell's `time` may print what the processor did.
#[derive(Default)]
struct Timed {
    open: Option<(usize, ImportedRun)>,
    real: Option<f64>,
    busy: [Option<f64>; 2],
}

impl Timed {
    fn begin(&mut self, at: usize, run: Option<ImportedRun>, found: &mut Found) {
        self.end(found);
        self.open = run.map(|run| (at, run));
    }

    /// Takes `real`, `user` or `sys` of the shell. Returns whether the line is one of them.
    fn line(&mut self, line: &str) -> bool {
        if self.open.is_none() {
            return false;
        }
        for (word, place) in [("real", &mut self.real)]
            .into_iter()
            .chain(["user", "sys"].into_iter().zip(&mut self.busy))
        {
            if let Some(seconds) = shell_seconds(line, word) {
                *place = Some(seconds);
                return true;
            }
        }
        false
    }

    fn end(&mut self, found: &mut Found) {
        let Timed { open, real, busy } = std::mem::take(self);
        let Some((at, mut run)) = open else { return };
        if let (Some(real), [Some(user), Some(kernel)]) = (real.filter(|real| *real > 0.0), busy) {
            run.cpu = Some(ImportedCpu {
                user_percent: Some(100.0 * user / real),
                kernel_percent: Some(100.0 * kernel / real),
                ..ImportedCpu::default()
            });
        }
        found.run(at, run);
    }
}

/// `write, 1073741824 bytes (1.1 GB, 1.0 GiB) copied, 0.57 s, 1.9 GB/s, bs=1M`: from the bytes to the rate; nothing else counts bytes so.
fn summary_in(line: &str) -> Option<&str> {
    let bytes = line.find(" bytes (")?;
    let number = line[..bytes].trim_end_matches(|c: char| c.is_ascii_digit());
    let text = &line[number.len()..];
    let copied = text.find(" copied, ")?;
    let end = copied + text[copied..].find("/s")? + "/s".len();
    let is_end = !text[end..].starts_with(|c: char| c.is_ascii_alphanumeric());
    (number.len() < bytes && is_end).then(|| &text[..end])
}

/// The direction that a script writes before the bytes.
fn labelled(line: &str, summary: &str) -> Option<Ratio> {
    let (label, _) = line.split_once(summary)?;
    match label
        .trim()
        .trim_end_matches([',', ':'])
        .to_ascii_lowercase()
        .as_str()
    {
        "write" => Some(Ratio::ALL),
        "read" => Some(Ratio::NONE),
        _ => None,
    }
}

/// The last line of a call: as GNU and BusyBox print it, or as BSD and macOS do.
fn is_end(line: &str) -> bool {
    line.contains(" copied, ") || line.contains(" bytes transferred in ")
}

/// What `status=progress` prints each second: whole seconds, where the last line of a call has their fractions.
fn is_progress(line: &str) -> bool {
    let time = line.split_once(" copied, ").map(|(_, rest)| rest);
    let seconds = time
        .and_then(|rest| rest.split_once(" s, "))
        .map(|(time, _)| time);
    seconds.is_some_and(|time| !time.is_empty() && time.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns whether a command stands in a sentence: no result of it may be expected.
fn is_prose(line: &str, command: &str) -> bool {
    const WORDS_MIN: usize = 3;
    let before = &line[..line.len() - command.len().min(line.len())];
    let before = line
        .split_once(command)
        .map_or(before, |(before, _)| before);
    let is_shell = before.contains(['$', '#', '%', '>', ';', '|', '&', '\u{276f}']);
    !is_shell && before.split_whitespace().count() >= WORDS_MIN
}

/// The kernel's switch that empties its caches.
const DROP: &str = "drop_caches";

/// Returns whether the last lines before a call empty the caches.
fn drops_caches(before: &str) -> bool {
    const LINES: usize = 3;
    let lines = before.lines().rev().filter(|line| !line.trim().is_empty());
    lines.take(LINES).any(|line| line.contains(DROP))
}

/// What stands before the summary.
#[derive(Default)]
struct Open {
    at: Option<usize>,
    command: Option<String>,
    records: Option<u64>,
    dropped: bool,
    /// Whether the command stands in a sentence.
    is_prose: bool,
    /// The last line of `status=progress`.
    progress: Option<String>,
}

impl Open {
    /// Returns whether a line of the shell has the time of a call that printed its records and no more.
    fn is_timed_by(&self, line: &str) -> bool {
        let real = || shell_seconds(line, "real").filter(|seconds| *seconds > 0.0);
        self.command.is_some() && self.records.is_some() && real().is_some()
    }

    /// Ends a call whose last line is not in the text: its figures are those of its progress, or it is reported.
    fn end(mut self, found: &mut Found, is_last: bool) {
        let Some(at) = self.at else { return };
        let Some(line) = self.progress.take() else {
            if self.command.is_some() && !self.is_prose || is_last && found.is_empty() {
                found.fault_at(
                    at,
                    "dd was called, but no line `… bytes … copied, … s, … MB/s` follows",
                );
            }
            return;
        };
        let is_cut = self.command.is_some() || self.records.is_some();
        self.records = None; // of more bytes than the line counts
        let Some(mut run) = run(&line, self) else {
            return found.fault_at(at, "dd's progress without figures");
        };
        if is_cut {
            let what = "dd's last line is not in the text: the figures are those of its progress until then";
            run.notes.push(what.to_owned());
        }
        found.run(at, run);
    }
}

/// `real    0m12.345s` of the shell's `time`, or `real 12.34` of `time -p`.
fn shell_seconds(line: &str, word: &str) -> Option<f64> {
    let time = line.trim().strip_prefix(word)?;
    let time = time.strip_prefix([' ', '\t'])?.trim();
    let Some(minutes) = time.strip_suffix('s') else {
        return cell(time, 2).number().filter(|seconds| *seconds >= 0.0);
    };
    let (minutes, seconds) = minutes.split_once('m')?;
    let seconds = cell(seconds, 1).number()?;
    Some(f64::from(minutes.parse::<u32>().ok()?) * 60.0 + seconds)
}

/// `dd if=… of=…` in a line, behind a prompt of any shape, in a script or in prose.
fn command_of(line: &str) -> Option<&str> {
    /// Words `dd` of prose before the command.
    const TRIES_MAX: usize = 8;
    let mut rest = line;
    for _ in 0..TRIES_MAX {
        let command = command::in_line(rest, "dd")?;
        let names = |word: &str| word.starts_with("if=") || word.starts_with("of=");
        if command.split_whitespace().skip(1).any(names) {
            return Some(command);
        }
        let at = command.as_ptr() as usize - rest.as_ptr() as usize;
        rest = &rest[at + 2..];
    }
    None
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

/// Bytes, seconds and the printed rate of the last line: of GNU's `… copied, 28.2787 s, 75.9 MB/s`, BusyBox's
/// `… copied, 11.163 seconds, 91.8MB/s`, BSD's and macOS's `… bytes transferred in 5.1 secs (209715 bytes/sec)`.
fn summary(line: &str) -> Option<(u64, f64, Option<f64>)> {
    let bytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    let (time, rate) = match line.split_once(" bytes transferred in ") {
        Some((_, after)) => {
            let (time, rate) = after.split_once(" sec")?;
            let rate = rate.split_once('(').map(|(_, rate)| rate);
            (
                time,
                rate.and_then(|rate| rate.trim_end().strip_suffix(')')),
            )
        }
        None => {
            let (_, after) = line.split_once(" copied, ")?;
            let (time, rate) = after.split_once(", ")?;
            let time = time.strip_suffix(" seconds").or(time.strip_suffix(" s"))?;
            (time, Some(rate))
        }
    };
    Some((bytes, cell(time, 0).number()?, rate.and_then(rate_of)))
}

fn run(line: &str, open: Open) -> Option<ImportedRun> {
    let mut run = unknown(ImportFormat::DdText);
    run.workload.threads = Some(1);
    run.workload.queue_depth = Some(1);
    match &open.command {
        Some(command) => asked(&mut run, command),
        None => run.notes.push(
            "dd's command line is not in the text: what was read or written is unknown".to_owned(),
        ),
    }
    let by_records = || {
        let bytes = open.records?.checked_mul(run.workload.block?.0)?;
        let seconds = shell_seconds(line, "real").filter(|seconds| *seconds > 0.0)?;
        run.notes.push(
            "dd printed no rate: it is computed from its records and the shell's time".to_owned(),
        );
        Some((bytes, seconds, Some(bytes as f64 / seconds)))
    };
    let (bytes, seconds, printed) = summary(line).or_else(by_records)?;
    run.measured = nanos(seconds, Nanos::seconds(1));
    run.workload.size = Some(Bytes(bytes));
    let blocks = || whole_blocks(bytes, run.workload.block?);
    let total = ImportedOperation {
        ios: open.records.or_else(blocks),
        bytes: Some(Bytes(bytes)),
        bytes_per_s: printed.map(|printed| exact(printed, bytes, seconds)),
        ..ImportedOperation::default()
    };
    if open.dropped && run.workload.write_percent == Some(Ratio::NONE) {
        run.evidence.flush = Some(ImportedFlush::BeforeReads);
    }
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

/// `75.9 MB/s`: dd's units are decimal; BusyBox's are binary, and follow the number at once.
fn rate_of(text: &str) -> Option<f64> {
    let text = text.trim();
    let end = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(end);
    let kilo: f64 = if number.ends_with(' ') {
        1000.0
    } else {
        1024.0
    };
    let scale = match unit {
        "B/s" | "bytes/s" | "bytes/sec" => 1.0,
        "kB/s" | "KB/s" => kilo,
        "MB/s" => kilo.powi(2),
        "GB/s" => kilo.powi(3),
        "TB/s" => kilo.powi(4),
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
    let (from, to) = (value("if="), value("of=").or_else(|| output_of(command)));
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
            notes.extend(to.filter(|to| to.starts_with('|')).map(|to| {
                format!("dd wrote to `{to}`: its rate may be that of the pipe's other end")
            }));
            value("iflag=")
        }
        _ => {
            notes.push("dd read one target and wrote another: the figures are of both".to_owned());
            work.block = value("bs=").map_or(Some(Bytes(512)), size_of);
            work.random_percent = Some(Ratio::NONE);
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

/// Where the shell sends what dd writes without `of=`: a file, or a pipe as `|nc`.
fn output_of(command: &str) -> Option<&str> {
    let (_, rest) = command
        .split_once('|')
        .or_else(|| command.split_once('>'))?;
    let is_pipe = command.contains('|');
    let start = command.len() - rest.len();
    let name_end = rest.trim_start().find(' ').map_or(command.len(), |end| {
        start + (rest.len() - rest.trim_start().len()) + end
    });
    match is_pipe {
        true => Some(command[start - 1..].trim_end()),
        false => Some(command[start..name_end].trim()),
    }
}

/// What gives bytes without a device.
fn is_endless(path: &str) -> bool {
    ["/dev/zero", "/dev/urandom", "/dev/random"].contains(&path)
}

/// What takes bytes without a device; what is written to `/dev/zero` is dropped too.
fn is_nothing(path: &str) -> bool {
    ["/dev/null", "/dev/zero"].contains(&path) || path.starts_with('|')
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
