//! ioping: the statistics that it prints last.
//!
//! Its rate is that of the requests themselves, the pauses between them not counted. Source: ioping(1) and the output of 1.3.
//! Deliberately absent: the single requests, and the lines of numbers of `-B` and `-P`.

use crate::Tool;
use crate::imports::Reader;
use crate::imports::command;
use crate::imports::number::{printed, size, time};
use crate::imports::run::{of_side, unknown};
use crate::imports::section::{Found, Section, Start, short};
use model::imported_evidence::ImportedPace;
use model::{
    Bytes, CacheMode, ImportFormat, ImportedLatency, ImportedOperation, ImportedRun, Ratio,
};

/// Defines the row of ioping.
pub(crate) const TOOL: Tool = Tool {
    name: "ioping",
    option: None,
    readers: &[Reader {
        format: ImportFormat::IopingText,
        name: "ioping's text",
        about: "the statistics that ioping prints last",
        begins,
        read,
    }],
};

const COUNTS: &str = " requests completed in ";
const STATISTICS: &str = " ioping statistics ---";

fn begins(line: &str, _text: &str) -> Start {
    if line.trim_end().ends_with(STATISTICS) {
        return Start::Here;
    }
    // A paste may begin with the counts; behind the head they are its own.
    match line.contains(COUNTS) && line.contains(" iops, ") {
        true => Start::Beside(ImportFormat::IopingText),
        false => Start::No,
    }
}

fn read(section: &Section, found: &mut Found) {
    let options = Options::of(command::last_of(section.before(), TOOL.name));
    let headless = |line: &str| line.contains(COUNTS);
    let starts = section.lines().filter(|(_, line)| headless(line)).count();
    if section
        .lines()
        .next()
        .is_some_and(|(_, line)| headless(line))
        && starts > 0
    {
        return without_heads(section, found);
    }
    let mut lines = section.lines().map(|(_, line)| line);
    let head = lines.next().unwrap_or_default();
    let mut lines = lines.take(4);
    let counts = lines.find(|line| line.contains(COUNTS));
    let spread = lines.find(|line| line.starts_with("min/avg/max/mdev ="));
    match counts.and_then(|counts| run(head, counts, spread, &options)) {
        Some(run) => found.run(section.head, run),
        None => found.fault_at(
            section.head,
            format!(
                "no figures below '{}': expected is '… requests completed in …, … iops, …'",
                short(head)
            ),
        ),
    }
}

/// Statistics without the line that names the target: one run for each line of counts.
fn without_heads(section: &Section, found: &mut Found) {
    let mut options = Options::of(command::last_of(section.before(), TOOL.name));
    let mut lines = section.lines().peekable();
    while let Some((at, line)) = lines.next() {
        if let Some(command) = command::in_line(line, TOOL.name) {
            options = Options::of(Some(command));
        }
        if !line.contains(COUNTS) {
            continue;
        }
        let spread = lines.peek().map(|(_, line)| *line);
        let spread = spread.filter(|line| line.starts_with("min/avg/max/mdev ="));
        match run("", line, spread, &options) {
            Some(run) => found.run(at, run),
            None => found.fault_at(
                at,
                "no figures: expected is '… requests completed in …, … iops, …'",
            ),
        }
    }
}

/// In a folder ioping works on a temporary file of this size by default. Source: ioping(1), `-S`.
const FOLDER_FILE: Bytes = Bytes(1 << 20);

/// Returns whether a name is certainly a folder's; others may be a file's.
fn is_folder(name: &str) -> bool {
    matches!(
        name,
        "." | ".." | "/tmp" | "/home" | "/var" | "/var/tmp" | "/root"
    ) || name.ends_with('/')
}

/// What the command line requests, where it was posted.
#[derive(Default)]
struct Options {
    command: Option<String>,
    /// `-S`: the range that is used.
    size: Option<Bytes>,
    /// `-D` and `-C`.
    cache: Option<CacheMode>,
    /// `-i` of more than 0, which is the default, too.
    pauses: bool,
    /// `-L` is sequential.
    random: Option<Ratio>,
}

impl Options {
    fn of(command: Option<&str>) -> Options {
        let Some(command) = command else {
            return Options::default();
        };
        let value = |letter| command::option(command, letter);
        let has = |letter| value(letter).is_some();
        let flood = value('i').is_some_and(|pause| pause.starts_with('0')) || has('R') || has('L');
        Options {
            command: Some(command.to_owned()),
            size: value('S').and_then(size),
            cache: match (has('D'), has('C')) {
                (true, _) => Some(CacheMode::Unbuffered),
                (false, true) => Some(CacheMode::Cached),
                _ => None,
            },
            pauses: !flood,
            random: Some(if has('L') { Ratio::NONE } else { Ratio::ALL }),
        }
    }
}

/// `4 requests completed in 948.8 us, 16 KiB read, 4.21 k iops, 16.5 MiB/s`.
fn run(head: &str, counts: &str, spread: Option<&str>, options: &Options) -> Option<ImportedRun> {
    let mut fields = counts.trim().split(", ");
    let (requests, spent) = fields.next()?.split_once(COUNTS)?;
    let mut run = unknown(ImportFormat::IopingText);
    let mut figures = ImportedOperation::default();
    let mut write = None;
    for field in fields {
        if let Some(rate) = field.strip_suffix(" iops") {
            figures.ios_per_s = scaled(rate);
        } else if let Some(rate) = field.strip_suffix("/s") {
            figures.bytes_per_s = size(rate).map(|rate| rate.0 as f64);
        } else if let Some(read) = field.strip_suffix(" read") {
            (write, figures.bytes) = (Some(Ratio::NONE), size(read));
        } else if let Some(written) = field.strip_suffix(" written") {
            (write, figures.bytes) = (Some(Ratio::ALL), size(written));
        }
    }
    figures.ios_per_s?;
    // Thousands are rounded to three digits: `11.3 k` is no count.
    figures.ios = requests.trim().parse().ok();
    figures.latency = spread.map(latency).unwrap_or_default();
    run.measured = time(spent).filter(|spent| spent.0 > 0);
    // Up to 0.9 the time includes the pauses between requests, and the rate does not.
    let spent_s = run.measured.map(|spent| spent.as_seconds());
    let counted = figures
        .ios
        .zip(spent_s)
        .map(|(ios, spent)| ios as f64 / spent);
    let paused = counted.zip(figures.ios_per_s);
    run.measured = run
        .measured
        .filter(|_| paused.is_none_or(|(counted, rate)| counted >= 0.5 * rate));
    let target = head.trim().trim_start_matches('-').trim_start();
    let target = target.split(" (").next().filter(|name| !name.is_empty());
    run.command.clone_from(&options.command);
    (run.workload.size, run.workload.cache) = (options.size, options.cache);
    run.workload.random_percent = options.random;
    run.evidence.paced = options.pauses;
    run.evidence.pace = options.pauses.then_some(ImportedPace::Pauses);
    if options.size.is_none() && target.is_some_and(is_folder) {
        run.workload.size = Some(FOLDER_FILE);
        let what = "ioping wrote a file of 1 MiB into this folder just before it read it";
        run.notes.push(what.to_owned());
    }
    run.workload.targets = target.into_iter().map(str::to_owned).collect();
    run.workload.write_percent = write;
    let each = figures.bytes.zip(figures.ios.filter(|ios| *ios > 0));
    let whole = each.filter(|(bytes, ios)| bytes.0 % ios == 0);
    run.workload.block = whole.map(|(bytes, ios)| Bytes(bytes.0 / ios));
    run.workload.queue_depth = Some(1);
    run.workload.threads = Some(1);
    run.figures = of_side(write, figures);
    Some(run)
}

/// `4.21 k`.
fn scaled(text: &str) -> Option<f64> {
    let (number, unit) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    let scale = match unit {
        "" => 1.0,
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        _ => return None,
    };
    Some(printed(number)? * scale)
}

/// `min/avg/max/mdev = 223.4 us / 237.2 us / 253.4 us / 12.2 us`.
fn latency(line: &str) -> ImportedLatency {
    let values = line.split_once('=').map_or("", |(_, values)| values);
    let mut values = values.split(" / ").map(time);
    let mut next = || values.next().flatten();
    ImportedLatency {
        min: next(),
        mean: next(),
        max: next(),
        sd: next(),
        ..ImportedLatency::default()
    }
}
