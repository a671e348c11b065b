//! Rows of fields on a page.

use super::{head, reported};
use crate::number::counted;
use crate::paper::Paper;
use crate::table::{Cells, Column};
use crate::text::{begin, is_plain, shorten, wrap};
use analysis::columns::{COLUMNS, Selection, Unit, Value};
use std::io::{self, Write};

/// Longest word in a table; the whole of it is in CSV and JSON.
pub(super) const WORD_MAX: usize = 36;
/// What a field means, as in the table of fields.
const ABOUT_LINES_MAX: usize = 5;

/// Writes the rows: how many, what they have in common, and the table.
pub fn rows_table(selection: &Selection, paper: &Paper, out: &mut dyn Write) -> io::Result<()> {
    if selection.rows().len() == 0 {
        return writeln!(out, "no results");
    }
    let heads: Vec<Column> = selection
        .columns
        .iter()
        .map(|column| head(column))
        .collect();
    let cells = cells(selection, &heads, paper);
    let shown = cells.fitting(selection.dispensable, paper.room());
    for line in heading(selection, &shown, paper) {
        writeln!(out, "{line}")?;
    }
    cells.write(&shown, paper.room(), out)?;
    let mut rows = selection.rows();
    if rows.any(|row| shown.iter().any(|&place| row.is_weak(place))) {
        let weak = "rests on fewer than ten I/Os beyond it: another run may have another figure";
        for line in wrap("~ ", weak, paper.room(), usize::MAX) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}

/// What all rows have in common, and which fields are not on this page.
fn heading(selection: &Selection, shown: &[usize], paper: &Paper) -> Vec<String> {
    let mut text = counted(selection.rows().len() as u64, "result");
    let missing = selection.rows().filter(|row| row.missing()).count();
    if missing > 0 {
        text.push_str(&format!(", {missing} of them missing"));
    }
    let alike = selection.alike.iter().map(|alike| {
        let value = reported(&alike.value, alike.column.unit, &paper.zone);
        format!("{} {}", alike.column.short, cut(alike.column.name, &value))
    });
    let alike: Vec<String> = alike.collect();
    if !alike.is_empty() {
        text.push_str(&format!("; equal in all: {}", alike.join(", ")));
    }
    let mut reported = wrap("", &text, paper.room(), 4);
    let places = (0..selection.columns.len()).filter(|place| !shown.contains(place));
    let left_out: Vec<&str> = places.map(|place| selection.columns[place].short).collect();
    if !left_out.is_empty() {
        let text = format!(
            "omitted at {} columns: {}; fathom table --columns NAMES shows those that you specify, --csv all there are",
            paper.room(),
            left_out.join(", ")
        );
        reported.extend(wrap("", &text, paper.room(), 4));
    }
    reported.push(String::new());
    reported
}

/// Cuts a text: of a name both ends matter, of a sentence the beginning.
fn cut(field: &str, text: &str) -> String {
    match field {
        "reason" => begin(text, WORD_MAX),
        _ => shorten(text, WORD_MAX),
    }
}

/// Rows from which on a second thread is worth its start.
const ROWS_OF_A_THREAD: usize = 8192;

/// The cells of all rows. Many rows are worded by several threads, each a part of them.
fn cells<'a>(selection: &Selection, heads: &'a [Column<'a>], paper: &Paper) -> Cells<'a> {
    let rows = selection.rows().len();
    let usable = std::thread::available_parallelism().map_or(1, usize::from);
    let parts = usable.min(rows / ROWS_OF_A_THREAD + 1);
    let each = rows.div_ceil(parts);
    let of = |part: usize| cells_of(selection, part * each, each, heads, paper);
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..parts)
            .map(|part| scope.spawn(move || of(part)))
            .collect();
        let mut cells = of(0);
        for other in others {
            let part = other.join();
            cells.append(&part.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        cells
    })
}

/// The cells of so many rows behind so many others.
fn cells_of<'a>(
    selection: &Selection,
    skip: usize,
    take: usize,
    heads: &'a [Column<'a>],
    paper: &Paper,
) -> Cells<'a> {
    let mut cells = Cells::new(heads);
    for row in selection.rows().skip(skip).take(take) {
        let values = row.values().zip(&selection.columns);
        for (place, (value, column)) in values.enumerate() {
            // Most words stand in a cell as they are: a copy of each takes as long as all else of a cell.
            if let Value::Text(text) = value
                && text.len() <= WORD_MAX
                && is_plain(text)
            {
                cells.push(text);
                continue;
            }
            let text = reported(value, column.unit, &paper.zone);
            match column.unit {
                Unit::Text | Unit::Tags => cells.push(&cut(column.name, &text)),
                _ if row.is_weak(place) => cells.push(&format!("~{text}")),
                _ => cells.push(&text),
            }
        }
    }
    cells
}

/// Writes all fields there are: name, unit, meaning.
pub fn fields_table(paper: &Paper, out: &mut dyn Write) -> io::Result<()> {
    for (group, columns) in COLUMNS {
        writeln!(out, "{group}:")?;
        for column in *columns {
            let head = format!("  {:<22} {:<7} ", column.name, unit(column.unit));
            for line in wrap(&head, column.about, paper.room(), ABOUT_LINES_MAX) {
                writeln!(out, "{line}")?;
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

/// The unit of plain numbers, as CSV and JSON have them.
fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Rate => "1/s",
        Unit::Size => "bytes",
        Unit::SizePerSecond => "bytes/s",
        Unit::Time => "ns",
        Unit::Percent => "%",
        Unit::Moment => "UTC",
        Unit::Truth => "yes/no",
        Unit::Text | Unit::Name | Unit::Tags | Unit::Count => "",
    }
}
