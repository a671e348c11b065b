//! The results that CrystalDiskMark copies as text, and programs that print the same: KDiskMark, disk-mark-me. A line is a run.
//!
//! MB are 1,000,000 bytes. Which of its repetitions a program prints is its own choice and not in the text. Source: public
//! results of CrystalDiskMark 3 to 9 and KDiskMark 1 to 3. Deliberately absent: the date, which has no time zone.

use crate::Tool;
use crate::imports::Reader;
use crate::imports::number::{nanos, printed, size};
use crate::imports::run::{after, of_side, unknown};
use crate::imports::section::{Found, Section, Start};
use model::imported_evidence::ImportedContent;
use model::{Bytes, ImportFormat, ImportedOperation, ImportedRun, Nanos, Ratio};

/// Defines the row of CrystalDiskMark.
pub(crate) const TOOL: Tool = Tool {
    name: "CrystalDiskMark",
    option: None,
    readers: &[Reader {
        format: ImportFormat::CrystalDiskMarkText,
        name: "CrystalDiskMark's text",
        about: "what CrystalDiskMark and KDiskMark copy as text",
        begins,
        read,
    }],
};

/// Between quotes and prompts of pages.
fn bare(line: &str) -> &str {
    line.trim_start_matches(['>', ' ', '\t']).trim_end()
}

fn begins(line: &str, text: &str) -> Start {
    /// A row may follow behind an empty line.
    const LINES_MAX: usize = 2;
    let line = bare(line);
    if title(line).is_some() {
        return Start::Here;
    }
    let of_head = || {
        let mut next = text.lines().skip(1).take(LINES_MAX);
        of_heads(line).next().is_some() && next.any(is_row)
    };
    match line.starts_with("* MB/s = 1,000,000 byte") || is_row(line) || of_head() {
        true => Start::Orphan,
        false => Start::No,
    }
}

/// `SEQ 1MiB (Q= 8, T= 1): 550.1 MB/s …`, `Random Read 4KiB (Q= 32,T= 1) : 395.4 MB/s`: the row of a test.
fn is_row(line: &str) -> bool {
    let line = line.trim_start();
    let kinds = ["SEQ ", "RND ", "Sequential ", "Random "];
    kinds.iter().any(|kind| line.starts_with(kind))
        && line.contains("MB/s")
        && line
            .split_once(':')
            .is_some_and(|(name, _)| name.contains("(Q"))
}

/// `CrystalDiskMark 8.0.4 x64 (C) 2007-2021 hiyohiyo`, `KDiskMark (1.6.0): https://…`: the version.
fn title(line: &str) -> Option<&str> {
    let rest = line
        .strip_prefix("CrystalDiskMark ")
        .filter(|rest| rest.contains("(C)"));
    let rest = rest.or_else(|| {
        line.strip_prefix("KDiskMark (")
            .filter(|rest| rest.contains("): "))
    });
    rest?.split([' ', ')']).next()
}

/// What stands below all lines: of each of them.
#[derive(Default)]
struct Foot<'t> {
    version: Option<&'t str>,
    size: Option<Bytes>,
    target: Option<&'t str>,
    zeros: bool,
}

impl<'t> Foot<'t> {
    /// `   Test : 1 GiB (x5) [C: 12% (11/222GiB)]`, `Mode: [Admin] <0Fill>`.
    fn line(&mut self, line: &'t str) {
        let line = bare(line);
        self.version = self.version.or_else(|| title(line));
        self.zeros |= line.contains("<0Fill>") || line.contains("<All 0x00>");
        let named = after(line, "Target:").or_else(|| after(line, "Target :"));
        self.target = named
            .and_then(|text| text.split(' ').next())
            .or(self.target);
        let test = after(line, "Test :").or_else(|| after(line, "Test:"));
        if let Some(test) = test {
            self.size = test.split_once(" (x").and_then(|(text, _)| size(text));
            let target = test.split_once('[').map(|(_, rest)| rest);
            let end = |text: &str| text.find([' ', ']']).unwrap_or(text.len());
            self.target = target
                .map(|text| &text[..end(text)])
                .filter(|name| !name.starts_with("Interval") && !name.starts_with("Measure"))
                .or(self.target);
        }
    }
}

fn read(section: &Section, found: &mut Found) {
    let mut foot = Foot::default();
    for (_, line) in section.lines() {
        foot.line(line);
    }
    let mut disk = Disk::default();
    for line in section.before().lines().map(bare) {
        disk.line(line);
    }
    for (at, line) in section.lines() {
        let line = bare(line);
        if !line.contains("MB/s") || line.starts_with('*') {
            disk.line(line);
            continue;
        }
        let mut any = false;
        for (column, run) in runs(line, &disk.sides, &foot) {
            any = true;
            let run = disk.name(run, column);
            found.run(at + column, run); // ascending, and of one line
        }
        disk.has_rows = true;
        if !any {
            found.fault_at(
                at,
                "no figures: expected is 'SEQ 1MiB (Q= 8, T= 1): … MB/s [ … IOPS] < … us>'",
            );
        }
    }
    if found.is_empty() {
        found.fault_at(
            section.head,
            "the head of CrystalDiskMark's text, without results",
        );
    }
}

/// The disk that rows are of, as far as lines above them show: results of several are pasted without their heads.
#[derive(Default)]
struct Disk<'t> {
    /// Of the columns.
    sides: Vec<Option<Ratio>>,
    /// The last line that may be a name.
    name: Option<&'t str>,
    has_rows: bool,
    has_writes: bool,
    /// How many disks before it.
    before: usize,
    is_named: Option<&'t str>,
}

impl<'t> Disk<'t> {
    fn line(&mut self, line: &'t str) {
        const NAME_MAX: usize = 60;
        let sides: Vec<Option<Ratio>> = of_heads(line).collect();
        if sides.is_empty() {
            let is_name =
                !line.is_empty() && line.len() <= NAME_MAX && !line.contains([':', '=', '`']);
            if is_name {
                self.name = Some(line);
            }
            return;
        }
        let reads = sides.contains(&Some(Ratio::NONE));
        if reads && self.has_rows && self.has_writes {
            self.before += 1;
            (self.has_rows, self.has_writes) = (false, false);
            self.is_named = self.name.take();
        }
        self.has_writes |= sides.contains(&Some(Ratio::ALL));
        self.sides = sides;
    }

    /// Gives a run of another disk, or of another column, a target of its own.
    fn name(&self, mut run: ImportedRun, column: usize) -> ImportedRun {
        let number = format!("disk {}", self.before + 1);
        let name = match (self.before, column >= self.sides.len().max(1)) {
            (_, true) => Some(format!("column {}", column + 1)),
            (0, false) => None,
            _ => Some(self.is_named.map_or(number, str::to_owned)),
        };
        if let Some(name) = name.filter(|_| run.workload.targets.is_empty()) {
            run.workload.targets = vec![name];
        }
        run
    }
}

/// The heads of a line: one, or one of each column.
fn of_heads(line: &str) -> impl Iterator<Item = Option<Ratio>> + '_ {
    let starts = line.match_indices('[').map(|(at, _)| &line[at..]);
    starts
        .filter_map(of_head)
        .take(if line.starts_with('[') { 8 } else { 0 })
}

/// The runs of a row, one of each column, with its number.
fn runs<'l>(
    line: &'l str,
    sides: &'l [Option<Ratio>],
    foot: &'l Foot<'_>,
) -> impl Iterator<Item = (usize, ImportedRun)> + 'l {
    const COLUMNS_MAX: usize = 8;
    let (head, rest) = line.split_once(':').unwrap_or(("", line));
    let ends = rest.match_indices("MB/s").map(|(at, _)| at);
    let mut from = 0;
    let starts: Vec<usize> = ends
        .take(COLUMNS_MAX)
        .map(|end| {
            // A column begins behind the blanks before its rate.
            let number = rest[from..end].trim_end();
            let start = from
                + number
                    .rfind([' ', '\t', '>', ']', '|'])
                    .map_or(0, |at| at + 1);
            from = end + 4;
            start
        })
        .collect();
    let columns = starts.len();
    (0..columns).filter_map(move |column| {
        let to = starts.get(column + 1).copied().unwrap_or(rest.len());
        let side = sides.get(column).or(sides.first()).copied().flatten();
        Some((column, run(head, &rest[starts[column]..to], side, foot)?))
    })
}

/// `[Read]`, `[Write]`, `[Mix] Read 70%/Write 30%`: the share of writes of the lines below.
fn of_head(line: &str) -> Option<Option<Ratio>> {
    let rest = line.strip_prefix('[')?;
    if rest.starts_with("Read]") {
        return Some(Some(Ratio::NONE));
    }
    if rest.starts_with("Write]") {
        return Some(Some(Ratio::ALL));
    }
    let mixed = rest.strip_prefix("Mix")?;
    let share = mixed
        .split_once("Write ")
        .and_then(|(_, share)| share.split('%').next());
    Some(share.and_then(|share| Ratio::percent(share.trim().parse().ok()?)))
}

/// `SEQ 1MiB (Q= 8, T= 1): 5024.997 MB/s [ 4792.2 IOPS] < 1667.96 us>`; `Random Read 4KiB (Q= 32,T= 1) : 395.432 MB/s [ 96541.0 IOPS]`.
fn run(head: &str, rest: &str, side: Option<Ratio>, foot: &Foot<'_>) -> Option<ImportedRun> {
    let (rate, rest) = rest.split_once("MB/s")?;
    let (name, queue) = head.split_once('(').unwrap_or((head, ""));
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    let has = |word: &str| name.split(' ').any(|one| one == word);
    let mut run = unknown(ImportFormat::CrystalDiskMarkText);
    let work = &mut run.workload;
    work.random_percent = match name.split(' ').next() {
        Some("SEQ" | "Sequential") => Some(Ratio::NONE),
        Some("RND" | "Random") => Some(Ratio::ALL),
        _ => return None,
    };
    work.write_percent = match (has("Read"), has("Write")) {
        (true, _) => Some(Ratio::NONE),
        (_, true) => Some(Ratio::ALL),
        _ => side,
    };
    let words: Vec<&str> = name.split(' ').collect();
    let joined = words
        .windows(2)
        .find_map(|pair| block_of(&format!("{}{}", pair[0], pair[1])));
    work.block = words.iter().find_map(|word| block_of(word)).or(joined);
    let number = |label: &str| {
        let (_, rest) = queue.split_once(label)?;
        let rest = rest.trim_start();
        let end = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        rest[..end].parse().ok()
    };
    work.queue_depth = number("Q=").or_else(|| number("QD="));
    work.threads = number("T=").or(Some(1));
    work.size = foot.size;
    work.targets = foot.target.into_iter().map(str::to_owned).collect();
    run.tool_version = foot.version.map(str::to_owned);
    run.evidence.content = foot.zeros.then_some(ImportedContent::Zeros);
    let between = |open: &str, close: &str| {
        let (_, rest) = rest.split_once(open)?;
        printed(rest.split_once(close)?.0)
    };
    let mut figures = ImportedOperation {
        bytes_per_s: Some(printed(rate)? * 1e6),
        ios_per_s: between("[", "IOPS"),
        ..ImportedOperation::default()
    };
    figures.latency.mean = between("<", "us>").and_then(|mean| nanos(mean, Nanos::micros(1)));
    run.figures = of_side(run.workload.write_percent, figures);
    run.name = Some(name);
    Some(run)
}

/// `128KiB`; `4KB` of version 3, which is 4096 bytes too.
fn block_of(word: &str) -> Option<Bytes> {
    size(word).filter(|_| word.ends_with('B') && word.starts_with(|c: char| c.is_ascii_digit()))
}
