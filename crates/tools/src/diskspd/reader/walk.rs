//! Line by line through the output: to which part each belongs. Lines that belong to none are prose around it.

use super::Layout;
use super::chart::Chart;
use super::posted;
use super::request::Request;
use super::table::{Kind, Odd, Row, Table};
use super::wrap::Line;
use crate::imports::number::{Cell, cell, nanos, utc};
use model::{ImportedCore, ImportedCpu, Nanos};

/// All that was found in a section.
#[derive(Debug, Default)]
pub(super) struct Walk {
    pub(super) command: Option<String>,
    /// A command line that was posted with the results, before them.
    pub(super) posted: Option<String>,
    pub(super) host: Option<String>,
    pub(super) started_utc: Option<Nanos>,
    processors: Option<u32>,
    pub(super) layout: Layout,
    pub(super) requests: Vec<Request>,
    pub(super) results: Vec<Results>,
    part: Part,
    /// The last line that was not empty: a chart's title stands above it.
    last: String,
    room: Room,
}

/// How much memory what is found may take. Every part that the original prints is longer as text than as what is kept
/// of it, a row with its place in three tables the least; a text of short lines that look like parts is not.
#[derive(Debug, Default)]
struct Room {
    bytes: usize,
    is_full: bool,
}

impl Room {
    /// For this length of text.
    fn of(length: usize) -> Room {
        Room {
            bytes: (4 << 20) + 3 * length,
            is_full: false,
        }
    }

    fn take(&mut self, bytes: usize) {
        self.is_full |= bytes > self.bytes;
        self.bytes = self.bytes.saturating_sub(bytes);
    }
}

/// What the next lines belong to.
#[derive(Debug, Default, PartialEq, Eq)]
enum Part {
    /// Head, prose.
    #[default]
    Around,
    /// Input parameters.
    Parameters,
    /// Results of a time span.
    Results,
    /// The sums over all time spans.
    Totals,
}

/// What a time span gave.
#[derive(Debug, Default)]
pub(super) struct Results {
    /// Which time span. `None` where the heading was omitted.
    pub(super) number: Option<u32>,
    /// Byte of its heading in the section.
    pub(super) at: usize,
    /// The command line that was posted before it.
    pub(super) posted: Option<String>,
    /// The last line with something on it.
    pub(super) last_line: usize,
    pub(super) interrupted: bool,
    pub(super) measured: Option<Nanos>,
    pub(super) threads: Option<u32>,
    pub(super) cpu: CpuTable,
    /// A `Total IO`, `Read IO`, `Write IO` that waits for its table.
    kind: Option<Kind>,
    pub(super) tables: Vec<Table>,
    pub(super) charts: Vec<Chart>,
    pub(super) odd: Odd,
}

/// The table of the processors of a time span.
#[derive(Debug, Default)]
pub(super) struct CpuTable {
    /// Its last row.
    pub(super) average: Option<ImportedCpu>,
    rows: u32, // above the last
    busiest: Option<ImportedCore>,
    is_open: bool,
}

impl Walk {
    /// Through a section of this length.
    pub(super) fn new(length: usize) -> Walk {
        Walk {
            room: Room::of(length),
            ..Walk::default()
        }
    }

    /// Whether there was more than a text of this length can have.
    pub(super) fn is_full(&self) -> bool {
        self.room.is_full
    }

    /// Takes the next line.
    pub(super) fn line(&mut self, line: &Line) {
        if self.room.is_full {
            return;
        }
        let text = line.text.trim();
        self.layout.line(text);
        if let Some(posted) = posted::in_line(text) {
            self.posted = Some(posted.to_owned());
        }
        if !self.heading(line, text) {
            match self.part {
                Part::Parameters => self.parameter(text),
                Part::Results => {
                    let last = &self.last;
                    if let Some(results) = self.results.last_mut() {
                        self.room.take(results.line(last, text));
                        if !text.is_empty() {
                            results.last_line = line.number;
                        }
                    }
                }
                Part::Around | Part::Totals => {}
            }
            self.machine(text);
        }
        if !text.is_empty() {
            text.clone_into(&mut self.last);
        }
    }

    /// Lines at which another part begins.
    fn heading(&mut self, line: &Line, text: &str) -> bool {
        if let Some(command) = text.strip_prefix("Command Line:") {
            self.command = Some(command.trim().to_owned()).filter(|command| !command.is_empty());
        } else if text == "Input parameters:" || text == "System information:" {
            self.part = match text {
                "Input parameters:" => Part::Parameters,
                _ => Part::Around,
            };
        } else if let Some(number) = text.strip_prefix("Results for timespan ") {
            let number = number.trim_end_matches(':').parse().ok();
            self.begin(line, number);
        } else if text == "Totals:" {
            self.part = Part::Totals;
        } else if text.starts_with("actual test time:") || text == "Total IO" || self.is_bare(text)
        {
            if self.begins_anew(text) {
                self.begin(line, None);
            }
            return false;
        } else {
            return false;
        }
        true
    }

    /// Whether results begin without their heading.
    fn begins_anew(&self, text: &str) -> bool {
        let open = self.results.last().filter(|_| self.part == Part::Results);
        open.is_none_or(|open| match text {
            "Total IO" => open.tables.iter().any(|table| table.kind == Kind::Total),
            _ => open.measured.is_some() || super::is_table(text),
        })
    }

    /// Returns whether a table begins that has neither a title nor results before it.
    fn is_bare(&self, text: &str) -> bool {
        self.part != Part::Results && super::is_table(text)
    }

    fn begin(&mut self, line: &Line, number: Option<u32>) {
        self.part = Part::Results;
        self.room.take(2 * size_of::<Results>());
        self.results.push(Results {
            number,
            at: line.at,
            last_line: line.number,
            posted: self.posted.take(),
            ..Results::default()
        });
    }

    fn parameter(&mut self, text: &str) {
        if let Some(number) = text.strip_prefix("timespan:") {
            self.room.take(2 * size_of::<Request>());
            self.requests
                .push(Request::new(number.trim().parse().unwrap_or(0)));
        } else if let Some(request) = self.requests.last_mut() {
            self.room.take(request.line(text));
        }
    }

    fn machine(&mut self, text: &str) {
        let Some((name, value)) = text.split_once(':') else {
            return;
        };
        let value = value.trim();
        match name {
            "computer name" => {
                self.host = Some(value.to_owned()).filter(|host| host != "<unknown>");
            }
            "start time" => self.started_utc = utc(value),
            "cpu count" | "proc count" => self.processors = value.parse().ok(),
            _ => {}
        }
    }

    /// How many processors there are, as printed.
    pub(super) fn processors(&self, results: &Results) -> Option<u32> {
        self.processors
            .or(Some(results.cpu.rows).filter(|rows| *rows > 0))
    }
}

/// A chart with the rows that the original prints.
const CHART_BYTES: usize = 2 * size_of::<Chart>() + 3 * 16 * size_of::<(f64, Nanos)>();

impl Results {
    /// Takes a line; answers with how much memory it may have taken.
    fn line(&mut self, last: &str, text: &str) -> usize {
        if let Some(chart) = self.charts.last_mut()
            && chart.line(text)
        {
            return 0; // its rows are few, and counted with it
        }
        if let Some(table) = self.tables.last_mut().filter(|table| table.total.is_none())
            && table.line(text)
        {
            let path = text.rsplit('|').next().unwrap_or_default();
            return match text.is_empty() {
                true => 0,
                false => size_of::<Row>() + path.len(),
            };
        }
        if let Some(chart) = Chart::begin(last, text) {
            self.charts.push(chart);
            return CHART_BYTES + last.len();
        } else if let Some(kind) = Kind::of(text) {
            self.kind = Some(kind);
        } else if let Some(table) = self.next_kind().and_then(|kind| Table::begin(kind, text)) {
            self.kind = None;
            self.tables.push(table);
            return 2 * size_of::<Table>();
        }
        self.own_line(text);
        0
    }

    /// What the next table is of; the first one without a title is of all I/Os.
    fn next_kind(&self) -> Option<Kind> {
        self.kind.or(self.tables.is_empty().then_some(Kind::Total))
    }

    fn own_line(&mut self, text: &str) {
        if text.starts_with("The test was interrupted before") {
            self.interrupted = true;
        } else if let Some(rest) = text.strip_prefix("actual test time:") {
            let seconds = self.odd.number(rest.trim().trim_end_matches('s'), 2);
            self.measured = seconds.and_then(|value| nanos(value, Nanos::seconds(1)));
        } else if let Some(rest) = text.strip_prefix("thread count:") {
            self.threads = rest.trim().parse().ok();
        } else if text.contains("CPU |") && text.contains("Usage") {
            self.cpu.is_open = true;
        } else if self.cpu.is_open {
            self.cpu.line(text, &mut self.odd);
        }
    }
}

impl CpuTable {
    /// Reads a row. Optional columns of the topology stand before the four percentages, so these are read from the end.
    fn line(&mut self, text: &str, odd: &mut Odd) {
        let cells: Vec<&str> = text.rsplitn(6, '|').map(str::trim).collect();
        let cells: Vec<&str> = cells.into_iter().rev().collect();
        if cells.len() < 5 {
            self.is_open &= text.is_empty() || text.starts_with('-') || text.starts_with("...");
            return;
        }
        let shares = &cells[cells.len() - 4..];
        if cells[cells.len() - 5] != "avg." {
            self.rows += 1;
            let core = core(cells[cells.len() - 5], shares);
            self.busiest = busier(self.busiest, core);
            return;
        }
        let mut share = |number: usize| match cell(shares[number], 2) {
            Cell::Number(value, comma) => {
                odd.commas |= comma;
                Some(value)
            }
            _ => None,
        };
        self.average = Some(ImportedCpu {
            processors: None,
            usage_percent: share(0),
            user_percent: share(1),
            kernel_percent: share(2),
            idle_percent: share(3),
            busiest: self.busiest,
        });
        self.is_open = false;
    }
}

/// A processor's row: its number, then usage, user, kernel and idle.
fn core(number: &str, shares: &[&str]) -> Option<ImportedCore> {
    let share = |at: usize| match cell(shares.get(at)?, 2) {
        Cell::Number(value, _) => Some(value),
        _ => None,
    };
    Some(ImportedCore {
        cpu: number.parse().ok()?,
        usage_percent: share(0)?,
        user_percent: share(1)?,
        kernel_percent: share(2)?,
    })
}

/// The first of the busiest.
pub(crate) fn busier(
    one: Option<ImportedCore>,
    other: Option<ImportedCore>,
) -> Option<ImportedCore> {
    match (one, other) {
        (Some(one), Some(other)) if other.usage_percent > one.usage_percent => Some(other),
        (one, other) => one.or(other),
    }
}
