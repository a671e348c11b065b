//! iozone: the table of its automatic mode and the lines of its throughput mode, a run per test.
//!
//! kB are 1024 bytes. A test that was not run leaves blanks, so the column of a figure follows from its place in the line.
//! Source: iozone's documentation, and public results of 3.2 to 3.5. Deliberately absent: the tables for spreadsheets, which
//! repeat the figures, and its other units (`-O`, `-N`).

use crate::Tool;
use crate::imports::Reader;
use crate::imports::command;
use crate::imports::number::{printed, size};
use crate::imports::run::{after, of_side, unknown};
use crate::imports::section::{Found, Section, Start};
use model::imported_evidence::ImportedFlush;
use model::{Bytes, CacheMode, ImportFormat, ImportedOperation, ImportedRun, Ratio};

/// Defines the row of iozone.
pub(crate) const TOOL: Tool = Tool {
    name: "iozone",
    option: None,
    readers: &[Reader {
        format: ImportFormat::IozoneText,
        name: "iozone's text",
        about: "the tables that iozone prints",
        begins,
        read,
    }],
};

const KIB: f64 = 1024.0;
/// Blanks that a test that was not run leaves.
const COLUMN: f64 = 9.0;
const COMMAND: &str = "Command line used:";
const CHILDREN: &str = "Children see throughput for";

/// Name, percent of writes and of random places.
type Test = (&'static str, Ratio, Option<Ratio>);

/// In the order of the columns.
const TESTS: [Test; 13] = [
    ("write", Ratio::ALL, Some(Ratio::NONE)),
    ("rewrite", Ratio::ALL, Some(Ratio::NONE)),
    ("read", Ratio::NONE, Some(Ratio::NONE)),
    ("reread", Ratio::NONE, Some(Ratio::NONE)),
    ("random read", Ratio::NONE, Some(Ratio::ALL)),
    ("random write", Ratio::ALL, Some(Ratio::ALL)),
    ("backward read", Ratio::NONE, None),
    ("record rewrite", Ratio::ALL, None),
    ("stride read", Ratio::NONE, None),
    ("fwrite", Ratio::ALL, Some(Ratio::NONE)),
    ("frewrite", Ratio::ALL, Some(Ratio::NONE)),
    ("fread", Ratio::NONE, Some(Ratio::NONE)),
    ("freread", Ratio::NONE, Some(Ratio::NONE)),
];

/// How the throughput mode calls its threads, with their test.
const THROUGHPUT: [(&str, usize); 10] = [
    ("initial writers", 0),
    ("rewriters", 1),
    ("readers", 2),
    ("re-readers", 3),
    ("random readers", 4),
    ("random writers", 5),
    ("reverse readers", 6),
    ("stride readers", 8),
    ("fwriters", 9),
    ("freaders", 11),
];

fn begins(line: &str, _text: &str) -> Start {
    let line = line.trim_start();
    if line.starts_with("Iozone: Performance Test of File I/O") {
        return Start::Here;
    }
    let is_figure = line.starts_with(CHILDREN) && line.contains('=');
    match line.starts_with(COMMAND) && line.contains("iozone") || is_head(line) || is_figure {
        true => Start::Orphan,
        false => Start::No,
    }
}

/// `kB  reclen    write  rewrite    read    reread …`.
fn is_head(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let head = [words.next(), words.next(), words.next()];
    matches!(head, [Some("kB" | "KB"), Some("reclen"), Some("write")])
}

fn read(section: &Section, found: &mut Found) {
    let mut call = Call::default();
    let posted = command::last_of(section.before(), TOOL.name);
    posted.into_iter().for_each(|posted| call.posted(posted));
    let mut in_table = false;
    for (at, line) in section.lines() {
        let text = line.trim();
        if is_head(text) {
            (in_table, call.is_known) = (true, true);
        } else if let Some(rest) = text.strip_prefix(CHILDREN) {
            call.throughput(at, rest, found);
        } else if in_table && text.starts_with(|c: char| c.is_ascii_digit()) {
            call.row(at, line, found);
        } else {
            in_table &= text.is_empty();
            call.line(text);
        }
    }
    if found.is_empty() {
        found.fault_at(section.head, "iozone's head without figures");
    }
}

/// What is known of a call of iozone.
#[derive(Default)]
struct Call {
    version: Option<String>,
    command: Option<String>,
    /// Whether the command stands before the head of its output.
    is_posted: bool,
    direct: bool,
    target: Option<String>,
    synced: bool,
    syncs_at_end: bool,
    /// Whether the text would have the options, so that one that is not there was not used.
    is_known: bool,
    /// Size of the file of each thread, of the command line.
    size: Option<Bytes>,
    /// Of the throughput mode.
    record: Option<Bytes>,
    /// Another unit than kB/s, as printed.
    other_unit: Option<String>,
}

impl Call {
    /// Takes the options of a command line: what iozone prints of them may not have been posted.
    fn posted(&mut self, command: &str) {
        let has = |letter| command::option(command, letter).is_some();
        self.direct |= has('I');
        self.synced |= has('o');
        self.syncs_at_end |= has('e');
        let other = [('O', "ops/sec"), ('N', "microseconds/op")];
        let other = other.iter().find(|(letter, _)| has(*letter));
        self.other_unit = other
            .map(|(_, unit)| (*unit).to_owned())
            .or(self.other_unit.take());
        let size = |letter| command::option(command, letter).and_then(size);
        self.size = size('s');
        self.record = size('r').or(self.record);
        self.is_known = true;
        self.target = command::option(command, 'f')
            .filter(|name| !name.is_empty())
            .map(str::to_owned);
        self.command = Some(command.to_owned());
        self.is_posted = true;
    }

    fn line(&mut self, text: &str) {
        if let Some(command) = command::in_line(text, TOOL.name).filter(|_| !text.contains(COMMAND))
        {
            self.posted(command);
        } else if text.starts_with("Iozone: ") {
            let posted = self.command.take().filter(|_| self.is_posted);
            *self = Call {
                is_known: true,
                ..Call::default()
            };
            posted.into_iter().for_each(|posted| self.posted(&posted));
        } else if let Some((_, version)) = text.split_once("$Revision:") {
            self.version = version.split_whitespace().next().map(str::to_owned);
        } else if let Some(command) = after(text, COMMAND) {
            self.posted(command);
            self.is_posted = false; // the next call may have other options
        } else if let Some(unit) = after(text, "Output is in") {
            let is_known = unit.eq_ignore_ascii_case("kbytes/sec");
            self.other_unit = (!is_known).then(|| unit.to_owned());
        } else if text.starts_with("O_DIRECT feature enabled") {
            self.direct = true;
        } else if text.starts_with("SYNC Mode") {
            self.synced = true;
        } else if text.starts_with("Include fsync in write timing") {
            self.syncs_at_end = true;
        } else if let Some((_, rest)) = text.split_once("Each process writes a ") {
            let record = rest
                .split_once(" in ")
                .and_then(|(_, rest)| rest.split(' ').next());
            self.record = record.and_then(kib);
        }
    }

    /// `          102400       4     3087     3145                      9761     5744`.
    fn row(&self, at: usize, line: &str, found: &mut Found) {
        let mut words = words(line);
        let (size, record) = (words.next(), words.next());
        let (Some((_, size)), Some((mut end, record))) = (size, record) else {
            found.fault_at(
                at,
                "a row of iozone's table without a size and a record length",
            );
            return;
        };
        let mut column = 0;
        for (place, text) in words {
            let skipped = ((place - end) as f64 / COLUMN).round() as usize;
            column += skipped.max(1);
            end = place;
            let Some(rate) = printed(text) else { continue };
            if let Some(test) = TESTS.get(column - 1) {
                let mut run = self.run(test, rate, kib(record));
                run.workload.size = kib(size);
                run.workload.threads = Some(1);
                found.run(at, run);
            }
        }
    }

    /// ` 12 initial writers  =  416004.59 kB/sec`.
    fn throughput(&self, at: usize, rest: &str, found: &mut Found) {
        let parts = rest.split_once('=');
        let figures = parts.and_then(|(head, rate)| {
            let (count, name) = head.trim().split_once(' ')?;
            let (_, test) = THROUGHPUT.iter().find(|(known, _)| *known == name.trim())?;
            let (rate, unit) = rate.trim().split_once(' ')?;
            let is_known = unit.trim().eq_ignore_ascii_case("kb/sec");
            Some((
                *test,
                printed(rate).filter(|_| is_known)?,
                count.parse().ok()?,
            ))
        });
        match figures {
            Some((test, rate, threads)) => {
                let mut run = self.run(&TESTS[test], rate, self.record);
                run.workload.threads = Some(threads);
                found.run(at, run);
            }
            None => found.fault_at(at, "no throughput in kB/sec, or an unknown test"),
        }
    }

    fn run(&self, test: &Test, rate: f64, record: Option<Bytes>) -> ImportedRun {
        let (name, write, random) = *test;
        let mut run = unknown(ImportFormat::IozoneText);
        run.name = Some(name.to_owned());
        run.tool_version.clone_from(&self.version);
        run.command.clone_from(&self.command);
        let work = &mut run.workload;
        (work.block, work.write_percent, work.random_percent) = (record, Some(write), random);
        work.queue_depth = Some(1);
        work.targets.extend(self.target.clone());
        work.cache = match (self.direct, self.is_known) {
            (true, _) => Some(CacheMode::Unbuffered),
            (false, true) => Some(CacheMode::Cached),
            (false, false) => None,
        };
        work.write_through = self.is_known.then_some(self.synced);
        work.size = self.size;
        run.evidence.flush = self.syncs_at_end.then_some(ImportedFlush::AtEnd);
        let mut figures = ImportedOperation::default();
        match &self.other_unit {
            Some(unit) => run
                .notes
                .push(format!("its figures are in '{unit}', which is not read")),
            None => figures.bytes_per_s = Some(rate * KIB),
        }
        run.figures = of_side(Some(write), figures);
        run
    }
}

/// The words of a line, each with the place behind it.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let start = line.as_ptr() as usize;
    line.split_whitespace()
        .map(move |word| (word.as_ptr() as usize - start + word.len(), word))
}

fn kib(text: &str) -> Option<Bytes> {
    text.parse::<u64>().ok()?.checked_mul(1024).map(Bytes)
}
