//! One field by one or two others: IOPS by block size and threads.

use super::{Column, Value};
use model::ResultRow;

/// A field laid out by others.
#[derive(Clone, Debug)]
pub struct Pivot {
    /// What is shown.
    pub show: &'static Column,
    /// What the rows go by.
    pub down: &'static Column,
    /// What the columns go by; `None` is one column.
    pub across: Option<&'static Column>,
    /// The rows' values, rising.
    pub downs: Vec<Value>,
    /// The columns' values, rising; one that is not known where there is nothing to go by.
    pub acrosses: Vec<Value>,
    /// What is shown, row by row; `Nothing` where there is no result.
    pub cells: Vec<Vec<Value>>,
    /// Results in the fullest cell: above 1 each cell is the median of its results.
    pub in_one_max: usize,
    /// Fields of the work in which results of one cell differ all the same.
    pub mixed: Vec<&'static str>,
}

/// What a median must not go over unseen.
const WORK: [&str; 10] = [
    "target",
    "host",
    "tool",
    "block_bytes",
    "queue_depth",
    "threads",
    "write_percent",
    "pattern",
    "cache",
    "target_iops",
];

/// Lays a field out.
pub fn pivot(
    rows: &[ResultRow],
    show: &'static Column,
    down: &'static Column,
    across: Option<&'static Column>,
) -> Pivot {
    let downs = values(rows, down);
    let acrosses = across.map_or_else(|| vec![Value::Nothing], |across| values(rows, across));
    let (mut in_one_max, mut mixed) = (0, Vec::new());
    let mut cells = Vec::new();
    for at_down in &downs {
        let mut line = Vec::new();
        for at_across in &acrosses {
            let fits = |row: &&ResultRow| {
                (down.read)(row) == *at_down
                    && across.is_none_or(|across| (across.read)(row) == *at_across)
            };
            let inside: Vec<&ResultRow> = rows.iter().filter(fits).collect();
            in_one_max = in_one_max.max(inside.len());
            note_mixed(&inside, &mut mixed);
            line.push(median(&inside, show));
        }
        cells.push(line);
    }
    Pivot {
        show,
        down,
        across,
        downs,
        acrosses,
        cells,
        in_one_max,
        mixed,
    }
}

fn values(rows: &[ResultRow], column: &Column) -> Vec<Value> {
    let mut values: Vec<Value> = rows
        .iter()
        .map(|row| (column.read)(row))
        .filter(|value| *value != Value::Nothing)
        .collect();
    values.sort_by(Value::order);
    values.dedup();
    values
}

fn note_mixed(inside: &[&ResultRow], mixed: &mut Vec<&'static str>) {
    for name in WORK {
        let column = super::column(name).expect("a field of the table");
        let mut values = inside.iter().map(|row| (column.read)(row));
        let first = values.next();
        if !mixed.contains(&name) && values.any(|value| Some(&value) != first.as_ref()) {
            mixed.push(name);
        }
    }
}

/// Of several results the one in the middle, the lower of two: a value that was measured, never a computed one.
fn median(inside: &[&ResultRow], show: &Column) -> Value {
    let values = inside.iter().map(|row| (show.read)(row));
    let mut values: Vec<Value> = values.filter(|value| *value != Value::Nothing).collect();
    values.sort_by(Value::order);
    match values.len() {
        0 => Value::Nothing,
        count => values.swap_remove((count - 1) / 2),
    }
}

#[cfg(test)]
mod tests {
    use super::super::column;
    use super::super::tests::{cell, missing};
    use super::*;

    #[test]
    fn a_field_is_laid_out_by_two_others() {
        let rows = [
            cell(1, 64, 4, 0),
            cell(2, 8, 4, 0),
            cell(3, 8, 16, 0),
            missing(4),
        ];
        let [iops, block, threads] = ["iops", "block", "threads"].map(|name| column(name).unwrap());
        let pivot = pivot(&rows, iops, block, Some(threads));
        assert_eq!(pivot.downs, [Value::Whole(8 << 10), Value::Whole(64 << 10)]);
        assert_eq!(pivot.acrosses, [Value::Whole(4), Value::Whole(16)]);
        assert_eq!(pivot.cells[0], [Value::Real(12_500.0), Value::Real(3125.0)]);
        assert_eq!(pivot.cells[1], [Value::Real(12_500.0), Value::Nothing]);
        assert_eq!((pivot.in_one_max, pivot.mixed.len()), (1, 0));
    }

    #[test]
    fn several_results_in_one_cell_give_their_median_and_what_they_differ_in() {
        let rows = [cell(1, 8, 4, 0), cell(2, 8, 4, 30), cell(3, 8, 4, 100)];
        let [iops, block] = ["iops", "block"].map(|name| column(name).unwrap());
        let pivot = pivot(&rows, iops, block, None);
        assert_eq!(pivot.cells, [[Value::Real(12_515.0)]]);
        assert_eq!((pivot.in_one_max, pivot.mixed), (3, vec!["write_percent"]));
    }
}
