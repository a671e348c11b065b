//! Cells in columns: the first to the left, the others to the right, two spaces between.

use crate::text::{shorten, width};

/// On which side of its column a cell stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// A column: its head, its side, and how wide it is at least, so that tables of two runs look alike.
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
    let gaps = 2 * columns.len().saturating_sub(1);
    widths(columns, rows).iter().sum::<usize>() + gaps
}

/// Places of the columns that stay: those in `dispensable` go, in its order, until the table is no wider than the page.
pub(crate) fn fitting(
    columns: &[Column],
    rows: &[Vec<String>],
    dispensable: &[&str],
    page: usize,
) -> Vec<usize> {
    let mut stay: Vec<usize> = (0..columns.len()).collect();
    for head in dispensable {
        let left: Vec<&Column> = stay.iter().map(|&place| &columns[place]).collect();
        if table_width(&left, &picked(rows, &stay)) <= page {
            break;
        }
        stay.retain(|&place| columns[place].head != *head);
    }
    stay
}

/// `left out at 80 columns: p99.9, max; --json has all`; nothing where all columns stay.
pub(crate) fn left_out(columns: &[Column], stay: &[usize], page: usize) -> Option<String> {
    let places = (0..columns.len()).filter(|place| !stay.contains(place));
    let heads: Vec<&str> = places.map(|place| columns[place].head).collect();
    (!heads.is_empty()).then(|| {
        let heads = heads.join(", ");
        format!("left out at {page} columns: {heads}; --json has all")
    })
}

/// The cells at these places.
pub(crate) fn picked(rows: &[Vec<String>], places: &[usize]) -> Vec<Vec<String>> {
    let pick = |row: &Vec<String>| {
        let cells = places.iter().filter_map(|&place| row.get(place).cloned());
        cells.collect()
    };
    rows.iter().map(pick).collect()
}

/// The head and the rows as lines, whole: a figure that was cut in its middle would be another figure, so a table that is
/// wider than the page is broken by the terminal.
pub(crate) fn whole_lines(columns: &[&Column], rows: &[Vec<String>]) -> Vec<String> {
    lines(columns, rows, table_width(columns, rows))
}

/// The head and the rows as lines; a line that would be longer than the page is cut in its middle.
pub(crate) fn lines(columns: &[&Column], rows: &[Vec<String>], page: usize) -> Vec<String> {
    let widths = widths(columns, rows);
    let head: Vec<String> = columns
        .iter()
        .map(|column| column.head.to_owned())
        .collect();
    std::iter::once(&head)
        .chain(rows)
        .map(|row| {
            let mut line = String::with_capacity(widths.iter().map(|wide| wide + 2).sum());
            for ((cell, column), wide) in row.iter().zip(columns).zip(&widths) {
                let room = wide.saturating_sub(width(cell));
                let (before, after) = match column.side {
                    Side::Left => (0, room),
                    Side::Right => (room, 0),
                };
                line.extend(std::iter::repeat_n(' ', before));
                line.push_str(cell);
                line.extend(std::iter::repeat_n(' ', after + 2));
            }
            line.truncate(line.trim_end().len());
            match width(&line) <= page {
                true => line,
                false => shorten(&line, page),
            }
        })
        .collect()
}
