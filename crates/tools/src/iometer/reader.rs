//! The results file of IOmeter, as 1.1 writes it and 2006 wrote it: blocks of lines, each under a line that begins
//! with an apostrophe.
//!
//! A row `ALL` is a run; the rows below it are its managers, workers and disks. Columns go by their names, which differ
//! between versions. Times are milliseconds; the time stamp is local, so the moment is unknown. Deliberately absent:
//! network figures.

use crate::imports::number::{Cell, bytes, cell, nanos, whole};
use crate::imports::run::{common, unknown};
use crate::imports::section::{Found, Section, Start, rows_max, short};
use model::{
    Bytes, ImportFormat, ImportedCpu, ImportedFigures, ImportedOperation, ImportedRow, ImportedRun,
    Nanos, Ratio,
};
use std::collections::BTreeMap;

/// The first line of the file; or the head of its table, where only that was kept.
pub(crate) fn begins(line: &str, _text: &str) -> Start {
    if line.starts_with("'Test Type") {
        Start::Here
    } else if line.starts_with("'Results") || line.starts_with("'Target Type") {
        Start::Orphan
    } else {
        Start::No
    }
}

/// One run a row `ALL`.
pub(crate) fn read(section: &Section, found: &mut Found) {
    let mut walk = Walk {
        rows_max: rows_max(section.text.len()),
        ..Walk::default()
    };
    let mut last = section.head;
    for (at, line) in section.lines() {
        let line = line.trim();
        if !line.is_empty() {
            last = at;
            walk.line(line, at, found);
        }
    }
    walk.close(found);
    if found.is_empty() {
        found.fault_at(last, "IOmeter's results end before any row `ALL`");
    }
}

/// Most specifications of a file, most lines of all of them, and most columns of a table: far more than the original has.
const SPECIFICATIONS_MAX: usize = 4096;
const ACCESS_LINES_MAX: usize = 65_536;
const COLUMNS_MAX: usize = 1024;

/// One line of an access specification.
#[derive(Clone, Default)]
struct Access {
    size: Option<u64>,
    reads: Option<u8>,
    random: Option<u8>,
}

/// What the next lines are.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Part {
    #[default]
    None,
    Description,
    Version,
    Stamp,
    AccessName,
    Access,
    Rows,
}

#[derive(Default)]
struct Walk {
    part: Part,
    /// Between the cells of this part, as its head has it.
    separator: char,
    version: Option<String>,
    stamp: Option<String>,
    description: Option<String>,
    access: BTreeMap<String, Vec<Access>>,
    /// The specification whose lines come next.
    current: String,
    access_lines: usize,
    columns: Vec<String>,
    /// The run of the table that is open, and where it begins.
    open: Option<(usize, ImportedRun)>,
    rows_max: usize,
}

impl Walk {
    fn close(&mut self, found: &mut Found) {
        if let Some((at, run)) = self.open.take() {
            found.run(at, run);
        }
    }

    fn line(&mut self, line: &str, at: usize, found: &mut Found) {
        if let Some(head) = line.strip_prefix('\'') {
            self.close(found);
            self.head(head);
            return;
        }
        match self.part {
            Part::Version => self.version = Some(line.to_owned()),
            Part::Stamp => self.stamp = Some(line.to_owned()),
            Part::Description => {
                let text = line
                    .split_once(self.separator)
                    .map_or(line, |(_, text)| text);
                let text = text.trim_matches('"').trim();
                self.description = Some(text.to_owned()).filter(|text| !text.is_empty());
            }
            Part::AccessName => {
                let name = line
                    .rsplit_once(self.separator)
                    .map_or(line, |(name, _)| name);
                name.trim().clone_into(&mut self.current);
                if self.access.len() < SPECIFICATIONS_MAX {
                    self.access.insert(self.current.clone(), Vec::new());
                }
            }
            Part::Access => self.access_line(line),
            Part::Rows => self.row(line, at, found),
            Part::None => {}
        }
    }

    fn head(&mut self, head: &str) {
        let head = head.trim();
        let lower = head.to_ascii_lowercase();
        let is = |start: &str| lower.starts_with(start);
        self.separator = separator(head);
        self.part = if is("test type") {
            Part::Description
        } else if is("version") {
            Part::Version
        } else if is("time stamp") {
            Part::Stamp
        } else if is("access specification name") {
            Part::AccessName
        } else if is("size") {
            Part::Access
        } else if is("target type") {
            let names = head.split(self.separator).map(str::trim);
            self.columns = names.take(COLUMNS_MAX).map(str::to_owned).collect();
            Part::Rows
        } else {
            Part::None
        };
    }

    fn access_line(&mut self, line: &str) {
        let cells = line.split(self.separator).take(4);
        let numbers: Vec<Option<u64>> = cells.map(whole).collect();
        let get = |number: usize| numbers.get(number).copied().flatten();
        let small = |number: usize| get(number).and_then(|value| u8::try_from(value).ok());
        let room = self.access_lines < ACCESS_LINES_MAX;
        if let Some(lines) = self.access.get_mut(&self.current).filter(|_| room) {
            self.access_lines += 1;
            lines.push(Access {
                size: get(0),
                reads: small(2),
                random: small(3),
            });
        }
    }

    fn row(&mut self, line: &str, at: usize, found: &mut Found) {
        let cells: Vec<&str> = split(line, self.separator);
        let row = Row {
            columns: &self.columns,
            cells: &cells,
        };
        let kind = cells[0].trim();
        match kind {
            "ALL" => {
                let run = self.run(&row);
                self.close(found);
                match run {
                    Ok(run) => self.open = Some((at, run)),
                    Err(what) => found.fault_at(at, what),
                }
            }
            "MANAGER" | "WORKER" | "DISK" => {
                if let Some((_, run)) = &mut self.open {
                    part(run, kind, &row, self.rows_max);
                }
            }
            "PROCESSOR" => {}
            other => {
                // A run that is whole comes before what is wrong below it.
                let what = format!(
                    "read `{}` at the front of a row; expected is ALL, MANAGER, PROCESSOR, WORKER or DISK",
                    short(other)
                );
                found.fault_at(at, what);
            }
        }
    }

    fn run(&self, row: &Row) -> Result<ImportedRun, String> {
        let figures = row
            .figures()
            .filter(|figures| figures.total.ios_per_s.is_some());
        let Some(figures) = figures else {
            return Err("the row `ALL` has no number under `IOps`, or ends before it".to_owned());
        };
        if row.cells.len() + 1 < row.columns.len().min(SURE) {
            let (cells, columns) = (row.cells.len(), row.columns.len());
            return Err(format!("the row breaks off: {cells} cells of {columns}"));
        }
        let mut run = unknown(ImportFormat::IometerCsv);
        run.tool_version.clone_from(&self.version);
        run.figures = figures;
        run.cpu = row.cpu();
        let name = row.text("Access Specification Name").trim();
        run.name = Some(name.to_owned()).filter(|name| !name.is_empty());
        let workload = &mut run.workload;
        workload.threads = row.count("# Workers").and_then(|n| u32::try_from(n).ok());
        workload.queue_depth = row.count("Queue Depth").and_then(|n| u32::try_from(n).ok());
        if let Some(lines) = self.access.get(name) {
            let size = common(lines.iter().map(|line| line.size));
            workload.block = size.map(Bytes);
            let random = common(lines.iter().map(|line| line.random));
            workload.random_percent = random.and_then(Ratio::percent);
            let reads = common(lines.iter().map(|line| line.reads)).and_then(Ratio::percent);
            workload.write_percent = reads.and_then(|r| Ratio::percent(100 - r.as_percent()));
            if lines.len() > 1 {
                run.notes.push(format!(
                    "the access specification has {} lines",
                    lines.len()
                ));
            }
        }
        if let Some(text) = &self.description {
            run.notes.push(format!("described as: {}", short(text)));
        }
        if let Some(stamp) = &self.stamp {
            let stamp = short(stamp);
            run.notes.push(format!("begun at {stamp} by the clock of its machine, in a time zone that the file does not name"));
        }
        if row.has_commas() {
            run.notes
                .push("decimal commas are read as points".to_owned());
        }
        Ok(run)
    }
}

/// Adds a row of a manager, worker or disk to the run above it.
fn part(run: &mut ImportedRun, kind: &str, row: &Row, rows_max: usize) {
    const TARGETS_MAX: usize = 256;
    let targets = &mut run.workload.targets;
    if kind == "DISK" && targets.len() < TARGETS_MAX && !targets.contains(&row.name()) {
        targets.push(row.name());
    }
    let Some(figures) = row.figures() else { return };
    if run.rows.len() == rows_max {
        let note = format!("of its rows the first {rows_max} are read; the text has all of them");
        if run.notes.last() != Some(&note) {
            run.notes.push(note);
        }
        return;
    }
    if run.rows.len() == run.rows.capacity() {
        run.rows.reserve_exact(run.rows.len() / 4 + 16);
    }
    run.rows.push(ImportedRow {
        thread: None,
        target: format!("{} {}", kind.to_ascii_lowercase(), row.name()),
        size: None,
        figures,
    });
}

/// Columns up to the response times, which every version has.
const SURE: usize = 24;

/// Comma, or what a spreadsheet of a country with decimal commas writes. From a head, because names of specifications
/// have semicolons in them.
fn separator(line: &str) -> char {
    if line.contains(';') {
        ';'
    } else if line.contains('\t') {
        '\t'
    } else {
        ','
    }
}

/// Cells of a line. IOmeter quotes nothing but its description, yet a spreadsheet that saved the file again does.
fn split(line: &str, separator: char) -> Vec<&str> {
    let mut quoted = false;
    line.split(move |c: char| {
        quoted ^= c == '"';
        c == separator && !quoted
    })
    .take(COLUMNS_MAX)
    .map(|cell| cell.trim().trim_matches('"'))
    .collect()
}

struct Row<'r> {
    columns: &'r [String],
    cells: &'r [&'r str],
}

impl Row<'_> {
    fn text(&self, name: &str) -> &str {
        let mut columns = self.columns.iter().take(self.cells.len());
        let place = columns.position(|column| column == name);
        place
            .and_then(|place| self.cells.get(place))
            .map_or("", |text| text)
    }

    fn name(&self) -> String {
        self.text("Target Name").to_owned()
    }

    fn count(&self, name: &str) -> Option<u64> {
        whole(self.text(name))
    }

    fn number(&self, name: &str) -> Option<f64> {
        cell(self.text(name), 6)
            .number()
            .filter(|value| *value >= 0.0)
    }

    fn has_commas(&self) -> bool {
        let comma = |text: &&str| matches!(cell(text, 6), Cell::Number(_, true));
        self.cells.iter().skip(6).any(comma)
    }

    /// MiB/s by any of the names that versions give it; the oldest had one column, also of MiB.
    fn rate(&self, prefix: &str) -> Option<f64> {
        let names = ["MBps (Binary)", "MiBps (Binary)", "MBps"];
        let mib = names
            .iter()
            .find_map(|name| self.number(&format!("{prefix}{name}")));
        let rate = mib.map(|mib| mib * f64::from(1 << 20));
        rate.filter(|rate| bytes(*rate, 1).is_some())
    }

    fn figures(&self) -> Option<ImportedFigures> {
        let side = |prefix: &str, errors: &str| {
            let ms = |name: String| nanos(self.number(&name)?, Nanos::millis(1));
            let mut one = ImportedOperation {
                ios_per_s: self.number(&format!("{prefix}IOps")),
                bytes_per_s: self.rate(prefix),
                errors: self.count(errors),
                ..ImportedOperation::default()
            };
            one.latency.mean = ms(format!("Average {prefix}Response Time"));
            one.latency.max = ms(format!("Maximum {prefix}Response Time"));
            // Without I/Os both are printed as 0.
            if one.latency.max == Some(Nanos(0)) {
                (one.latency.mean, one.latency.max) = (None, None);
            }
            one
        };
        let mut figures = ImportedFigures {
            total: side("", "Errors"),
            read: side("Read ", "Read Errors"),
            write: side("Write ", "Write Errors"),
        };
        figures.read.ios = self.count("Read I/Os");
        figures.write.ios = self.count("Write I/Os");
        figures.read.bytes = self.count("Bytes Read").map(Bytes);
        figures.write.bytes = self.count("Bytes Written").map(Bytes);
        let sum = |a: Option<u64>, b: Option<u64>| a?.checked_add(b?);
        figures.total.ios = sum(figures.read.ios, figures.write.ios);
        let bytes = |one: &ImportedOperation| one.bytes.map(|bytes| bytes.0);
        figures.total.bytes = sum(bytes(&figures.read), bytes(&figures.write)).map(Bytes);
        let any = figures.total.ios_per_s.is_some() || figures.total.ios.is_some();
        any.then_some(figures)
    }

    fn cpu(&self) -> Option<ImportedCpu> {
        let usage = self.number("% CPU Utilization");
        usage.is_some().then(|| ImportedCpu {
            usage_percent: usage,
            user_percent: self.number("% User Time"),
            kernel_percent: self.number("% Privileged Time"),
            ..ImportedCpu::default()
        })
    }
}
