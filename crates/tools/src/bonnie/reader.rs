//! The line of commas that bonnie++ prints last: each test of it is a run.
//!
//! The layouts of 1.03 and of 1.96/1.97 are read; a line of another version is named. `+++++` is what bonnie++ prints for
//! a test that was over too soon to be timed: such a run has no figure and reports that, because neither a blank nor a
//! zero would be true. The table for people above the line is read where the line is not there. Deliberately absent: the
//! largest latencies of the newer layout.

use super::table::{self, figure_of, size_of};
use crate::imports::run::{of_side, unknown};
use crate::imports::section::{Found, Section, Start, short};
use model::{CacheMode, ImportFormat, ImportedCpu, ImportedOperation, ImportedRun, Ratio};

/// Note on each test that was over too soon.
pub(crate) const NOT_TIMED: &str = "bonnie++ printed +++++: it was over too soon to be timed";

/// A layout: where the fields are.
struct Layout {
    version: Option<usize>,
    name: usize,
    size: usize,
    /// The first of the tests of data; share of processor behind each.
    data: usize,
    /// The first of the tests of files; as above.
    files: usize,
}

const OLD: Layout = Layout {
    version: None,
    name: 0,
    size: 1,
    data: 2,
    files: 15,
};
const OLD_LENGTH: usize = 27;
const NEW: Layout = Layout {
    version: Some(1),
    name: 2,
    size: 5,
    data: 7,
    files: 24,
};
const NEW_LENGTH: usize = 36;
/// More than any version prints.
const FIELDS_MAX: usize = 128;

/// Name, percent of writes where it is one of both, and whether it moves blocks: else it counts seeks.
const DATA: [(&str, Option<Ratio>, bool); 6] = [
    ("writes by character", Some(Ratio::ALL), true),
    ("block writes", Some(Ratio::ALL), true),
    ("rewrites", None, true),
    ("reads by character", Some(Ratio::NONE), true),
    ("block reads", Some(Ratio::NONE), true),
    ("random seeks", None, false),
];

const FILES: [&str; 6] = [
    "sequential creates",
    "sequential stats",
    "sequential deletes",
    "random creates",
    "random stats",
    "random deletes",
];

/// A line of commas with bonnie++'s number of fields.
pub(crate) fn begins(line: &str, text: &str) -> Start {
    if begins_line(line) || table::begins(line, text, begins_line) {
        Start::Here
    } else {
        Start::No
    }
}

/// Whether it is a line of commas.
fn begins_line(line: &str) -> bool {
    table(line).is_some() || is_newer(line)
}

/// A line's fields, each with its byte in the line.
struct Table<'t> {
    layout: &'static Layout,
    fields: Vec<(usize, &'t str)>,
    /// Pages swallow one of the commas for the test by character that `-f` switches off.
    mended: bool,
}

impl<'t> Table<'t> {
    /// The fields of a row of the table for people, in the order of a line of 1.03.
    fn of_row(row: &'t table::Row) -> Self {
        let front = [row.name.as_deref().unwrap_or_default(), &row.size];
        let fields = row.fields.iter().map(String::as_str);
        Table {
            layout: &OLD,
            fields: front
                .into_iter()
                .chain(fields)
                .map(|text| (0, text))
                .collect(),
            mended: false,
        }
    }

    fn at(&self, number: usize) -> Option<&'t str> {
        self.fields
            .get(number)
            .map(|(_, text)| *text)
            .filter(|text| !text.is_empty())
    }
}

/// The fields of a line that has enough of them, and no more than are looked at.
fn fields(line: &str) -> Vec<(usize, &str)> {
    if line
        .bytes()
        .filter(|byte| *byte == b',')
        .take(OLD_LENGTH)
        .count()
        + 2
        < OLD_LENGTH
    {
        return Vec::new();
    }
    let mut at = line.len() - line.trim_start().len();
    let place = |field| {
        let place = (at, field);
        at += str::len(field) + 1;
        place
    };
    line.trim().split(',').take(FIELDS_MAX).map(place).collect()
}

fn table(line: &str) -> Option<Table<'_>> {
    let mut fields = fields(line);
    let first = fields.first().map_or("", |(_, text)| *text);
    if matches!(first, "1.96" | "1.97") && fields.len() >= NEW_LENGTH {
        return Some(Table {
            layout: &NEW,
            fields,
            mended: false,
        });
    }
    let mended =
        fields.len() == OLD_LENGTH - 1 && fields[2].1.is_empty() && !fields[3].1.is_empty();
    if mended {
        fields.insert(2, fields[2]);
    }
    let is_name = !first.is_empty() && first.chars().all(|c| c.is_ascii_graphic());
    let of_a_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | ':' | '/');
    let are_numbers = fields
        .iter()
        .skip(2)
        .all(|(_, text)| text.chars().all(of_a_number));
    let size = fields.get(OLD.size).map_or("", |(_, text)| *text);
    let is_size = size.starts_with(|c: char| c.is_ascii_digit()) && size_of(size).is_some();
    let fits = fields.len() == OLD_LENGTH && is_name && are_numbers && is_size;
    fits.then_some(Table {
        layout: &OLD,
        fields,
        mended,
    })
}

/// A later version's line: it has its versions in front, and may have other fields than are known here.
fn is_newer(line: &str) -> bool {
    let fields = fields(line);
    let version = |(_, text): &(usize, &str)| text.starts_with("1.9") || text.starts_with("2.");
    fields.len() >= NEW_LENGTH && fields.iter().take(2).all(version)
}

/// One run a test that has a field; tests that were switched off have none.
pub(crate) fn read(section: &Section, found: &mut Found) {
    for (at, line) in section.lines() {
        if let Some(table) = table(line) {
            for (at, run) in tests(at, &table) {
                found.run(at, run);
            }
        } else if is_newer(line) {
            found.fault_at(
                at,
                format!(
                    "unknown version in '{}': bonnie++ 1.03, 1.96 and 1.97 are read",
                    short(line)
                ),
            );
        }
    }
    if found.is_empty() {
        for row in table::rows(section) {
            for (_, mut run) in tests(row.at, &Table::of_row(&row)) {
                run.tool_version.clone_from(&row.version);
                found.run(row.at, run);
            }
        }
    }
    if found.is_empty() {
        found.fault_at(section.head, "bonnie++'s line contains no test that ran");
    }
}

fn tests(at: usize, table: &Table<'_>) -> Vec<(usize, ImportedRun)> {
    let layout = table.layout;
    let of_data = DATA
        .iter()
        .enumerate()
        .map(|(number, test)| (layout.data + 2 * number, *test));
    let of_files = FILES.iter().enumerate();
    let of_files = of_files.map(|(number, name)| (layout.files + 2 * number, (*name, None, false)));
    let size = table.at(layout.size).and_then(size_of);
    let mut runs = Vec::new();
    for (number, (name, write, moves)) in of_data.chain(of_files) {
        let Some(text) = table.at(number) else {
            continue;
        };
        let mut run = of_test(name, write, text, moves);
        run.host = table.at(layout.name).map(str::to_owned);
        run.workload.size = size.filter(|_| number < layout.files);
        run.tool_version = layout
            .version
            .and_then(|at| table.at(at))
            .map(str::to_owned);
        let load = table
            .at(number + 1)
            .and_then(|text| text.parse::<f64>().ok());
        run.cpu = load
            .filter(|load| load.is_finite())
            .map(|load| ImportedCpu {
                usage_percent: Some(load),
                ..ImportedCpu::default()
            });
        if table.mended && runs.is_empty() {
            let odd = "a comma is missing behind the size, as pages swallow one; it is read as if it were there";
            run.notes.push(odd.to_owned());
        }
        runs.push((at + table.fields[number].0, run));
    }
    runs
}

fn of_test(name: &str, write: Option<Ratio>, text: &str, moves: bool) -> ImportedRun {
    let mut run = unknown(ImportFormat::BonnieText);
    run.name = Some(name.to_owned());
    run.workload.write_percent = write;
    run.workload.cache = Some(CacheMode::Cached);
    run.workload.write_through = Some(false);
    run.workload.random_percent = match name {
        "random seeks" => Some(Ratio::ALL),
        _ if moves => Some(Ratio::NONE),
        _ => None,
    };
    let value = figure_of(text);
    let mut total = ImportedOperation::default();
    match (value, moves) {
        (Some(kib), true) => total.bytes_per_s = Some(kib * 1024.0),
        (Some(rate), false) => total.ios_per_s = Some(rate),
        (None, _) => run.notes.push(match text.starts_with('+') {
            true => NOT_TIMED.to_owned(),
            false => format!("`{}` is no figure", short(text)),
        }),
    }
    run.figures = of_side(write, total);
    run
}
