//! Cells in columns: the first to the left, the others to the right, two spaces between.

use crate::paper::Paper;
use crate::text::{shorten, width, wrapped};
use std::io::{self, Write};
use std::ops::Range;

/// On which side of its column a cell stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// A column: its head, its side, and how wide it is at least, so that tables of two runs look equal.
pub(crate) struct Column<'a> {
    pub(crate) head: &'a str,
    pub(crate) side: Side,
    pub(crate) width_min: usize,
}

/// A column of numbers.
pub(crate) const fn right(head: &str, width_min: usize) -> Column<'_> {
    Column {
        head,
        side: Side::Right,
        width_min,
    }
}

/// A column of words.
pub(crate) const fn left(head: &str, width_min: usize) -> Column<'_> {
    Column {
        head,
        side: Side::Left,
        width_min,
    }
}

/// How wide each column is: its widest cell, its head, or its least.
fn widths(columns: &[&Column], rows: &[Vec<String>]) -> Vec<usize> {
    columns
        .iter()
        .enumerate()
        .map(|(place, column)| {
            let cells = rows
                .iter()
                .filter_map(|row| row.get(place))
                .map(|cell| width(cell));
            cells
                .chain([width(column.head), column.width_min])
                .max()
                .unwrap_or(0)
        })
        .collect()
}

/// How wide the whole table is.
pub(crate) fn table_width(columns: &[&Column], rows: &[Vec<String>]) -> usize {
    width_of(&widths(columns, rows))
}

/// The same of columns so wide.
fn width_of(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1)
}

/// Places of the columns that stay: those in `dispensable` go, in its order, until the table is no wider than the page.
pub(crate) fn fitting(
    columns: &[Column],
    rows: &[Vec<String>],
    dispensable: &[&str],
    page: usize,
) -> Vec<usize> {
    let all: Vec<&Column> = columns.iter().collect();
    fitting_widths(columns, &widths(&all, rows), dispensable, page)
}

fn fitting_widths(
    columns: &[Column],
    widths: &[usize],
    dispensable: &[&str],
    page: usize,
) -> Vec<usize> {
    let mut stay: Vec<usize> = (0..columns.len()).collect();
    for head in dispensable {
        let left: Vec<usize> = stay.iter().map(|&place| widths[place]).collect();
        if width_of(&left) <= page {
            break;
        }
        stay.retain(|&place| columns[place].head != *head);
    }
    stay
}

/// `omitted at 80 columns: p99.9, max; --json has all`; nothing where all columns stay.
pub(crate) fn left_out(columns: &[Column], stay: &[usize], page: usize) -> Option<String> {
    let places = (0..columns.len()).filter(|place| !stay.contains(place));
    let heads: Vec<&str> = places.map(|place| columns[place].head).collect();
    (!heads.is_empty()).then(|| {
        let heads = heads.join(", ");
        format!("omitted at {page} columns: {heads}; --json has all")
    })
}

/// Returns the table with the columns that have room, and below it which were omitted.
pub(crate) fn fitted(
    columns: &[Column],
    rows: &[Vec<String>],
    dispensable: &[&str],
    paper: &Paper,
) -> Vec<String> {
    let shown = fitting(columns, rows, dispensable, paper.room());
    let heads: Vec<&Column> = shown.iter().map(|&place| &columns[place]).collect();
    let mut page = lines(&heads, &picked(rows, &shown), paper.room());
    if let Some(reported) = left_out(columns, &shown, paper.room()) {
        page.extend(wrapped("  ", &reported, paper));
    }
    page
}

/// The cells at these places.
pub(crate) fn picked(rows: &[Vec<String>], places: &[usize]) -> Vec<Vec<String>> {
    let pick = |row: &Vec<String>| {
        let cells = places.iter().filter_map(|&place| row.get(place).cloned());
        cells.collect()
    };
    rows.iter().map(pick).collect()
}

/// Where a row goes on that is wider than the page.
const INDENT: usize = 4;

/// The columns of each line of a row: those that do not fit the page stand on further lines, because a figure that was cut
/// in its middle would be another figure.
fn folded(widths: &[usize], page: usize) -> Vec<Range<usize>> {
    let mut lines: Vec<Range<usize>> = Vec::new();
    let mut used = 0;
    for (place, wide) in widths.iter().enumerate() {
        match lines.last_mut() {
            Some(last) if used + 2 + wide <= page => {
                used += 2 + wide;
                last.end = place + 1;
            }
            before => {
                used = wide + if before.is_some() { INDENT } else { 0 };
                lines.push(place..place + 1);
            }
        }
    }
    lines
}

/// The head and the rows as lines. A row that is longer than the page goes on in the next line; a cell that is longer is
/// cut in its middle.
pub(crate) fn lines(columns: &[&Column], rows: &[Vec<String>], page: usize) -> Vec<String> {
    let widths = widths(columns, rows);
    let folded = folded(&widths, page);
    let head: Vec<String> = columns
        .iter()
        .map(|column| column.head.to_owned())
        .collect();
    let mut lines = Vec::with_capacity((rows.len() + 1) * folded.len());
    for row in std::iter::once(&head).chain(rows) {
        for places in &folded {
            let cells = places.clone().filter_map(|place| {
                let cell = row.get(place)?;
                Some((cell.as_str(), columns[place].side, widths[place]))
            });
            let mut line = String::new();
            put(cells, indent(places), &mut line);
            lines.push(shorten(&line, page));
        }
    }
    lines
}

fn indent(places: &Range<usize>) -> usize {
    if places.start == 0 { 0 } else { INDENT }
}

/// Puts one line together in the memory of the one before it: each cell with its side and the width of its column.
fn put<'c>(cells: impl Iterator<Item = (&'c str, Side, usize)>, indent: usize, line: &mut String) {
    line.clear();
    blanks(indent, line);
    for (cell, side, wide) in cells {
        let room = wide.saturating_sub(width(cell));
        let (before, after) = match side {
            Side::Left => (0, room),
            Side::Right => (room, 0),
        };
        blanks(before, line);
        line.push_str(cell);
        blanks(after + 2, line);
    }
    line.truncate(line.trim_end().len());
}

/// Adds blanks, as many at once as possible.
fn blanks(count: usize, line: &mut String) {
    const SOME: &str = "                                                                ";
    let mut left = count;
    while left > 0 {
        let now = left.min(SOME.len());
        line.push_str(&SOME[..now]);
        left -= now;
    }
}

/// A table of any length: its cells in one piece of memory, and how wide its columns are so far.
pub(crate) struct Cells<'a> {
    columns: &'a [Column<'a>], // one at least
    text: String,
    ends: Vec<usize>, // of the cells in `text`, row after row
    widths: Vec<usize>,
}

impl<'a> Cells<'a> {
    /// A table without rows.
    pub(crate) fn new(columns: &'a [Column<'a>]) -> Self {
        let all: Vec<&Column> = columns.iter().collect();
        Cells {
            columns,
            text: String::new(),
            ends: Vec::new(),
            widths: widths(&all, &[]),
        }
    }

    /// Returns how many columns it has.
    pub(crate) fn columns(&self) -> usize {
        self.columns.len()
    }

    /// Adds the next cell of a row, or the first of the next row.
    pub(crate) fn push(&mut self, cell: &str) {
        let wide = &mut self.widths[self.ends.len() % self.columns.len()];
        *wide = width(cell).max(*wide);
        self.text.push_str(cell);
        self.ends.push(self.text.len());
    }

    /// Adds the rows of another table of the same columns.
    pub(crate) fn append(&mut self, other: &Cells<'_>) {
        let before = self.text.len();
        self.text.push_str(&other.text);
        self.ends.extend(other.ends.iter().map(|end| before + end));
        for (own, wide) in self.widths.iter_mut().zip(&other.widths) {
            *own = (*own).max(*wide);
        }
    }

    /// As [`fitting`].
    pub(crate) fn fitting(&self, dispensable: &[&str], page: usize) -> Vec<usize> {
        fitting_widths(self.columns, &self.widths, dispensable, page)
    }

    /// Writes the head and the rows, these columns of them, as [`lines`] does.
    pub(crate) fn write<'s>(
        &'s self,
        shown: &[usize],
        page: usize,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let widths: Vec<usize> = shown.iter().map(|&place| self.widths[place]).collect();
        let folded = folded(&widths, page);
        let mut line = String::new();
        let mut write = |cell: &dyn Fn(usize) -> &'s str| {
            for places in &folded {
                let cells = shown[places.clone()].iter().map(|&place| {
                    let side = self.columns[place].side;
                    (cell(place), side, self.widths[place])
                });
                put(cells, indent(places), &mut line);
                if width(&line) > page {
                    line = shorten(&line, page);
                }
                line.push('\n');
                out.write_all(line.as_bytes())?;
            }
            io::Result::Ok(())
        };
        write(&|place| self.columns[place].head)?;
        for first in (0..self.ends.len()).step_by(self.columns.len()) {
            write(&|place| self.cell(first + place))?;
        }
        Ok(())
    }

    fn cell(&self, place: usize) -> &str {
        let from = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[from..self.ends[place]]
    }
}
