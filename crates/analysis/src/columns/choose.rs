//! Which fields, and in which order of rows.

use super::problem::Problem;
use super::{Column, Unit, Value, column, columns};
use model::{Origin, ResultRow, RowFigures};
use std::cmp::Ordering;

/// Reads `block,threads,iops`; `all` is every field. A field that is named again stands once: in JSON and Parquet a name
/// is there once only.
pub fn columns_of(text: &str) -> Result<Vec<&'static Column>, Vec<Problem>> {
    if text == "all" {
        return Ok(columns().collect());
    }
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    for name in text.split(',').map(str::trim) {
        match column(name) {
            Some(column) if found.contains(&column) => {}
            Some(column) => found.push(column),
            None => problems.push(Problem::field(name)),
        }
    }
    if problems.is_empty() {
        Ok(found)
    } else {
        Err(problems)
    }
}

/// One field to sort by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SortKey {
    column: &'static Column,
    falling: bool,
}

impl SortKey {
    /// Returns whether it is one of these fields.
    pub fn is_of(&self, fields: &[&str]) -> bool {
        fields.contains(&self.column.name)
    }
}

/// Reads `block,-iops`: rising, and falling behind a `-`.
pub fn sort_of(text: &str) -> Result<Vec<SortKey>, Vec<Problem>> {
    let names: Vec<(&str, bool)> = text
        .split(',')
        .map(|name| name.trim())
        .map(|name| {
            name.strip_prefix('-')
                .map_or((name, false), |name| (name, true))
        })
        .collect();
    let plain: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
    let columns = columns_of(&plain.join(","))?;
    let keys = columns.into_iter().zip(names);
    Ok(keys
        .map(|(column, (_, falling))| SortKey { column, falling })
        .collect())
}

/// Where a row stands among others that are sorted by the same keys; what is not known comes last either way.
#[derive(Clone, Debug)]
pub struct SortRank<'a> {
    keys: &'a [SortKey],
    values: Vec<Value>,
}

impl<'a> SortRank<'a> {
    /// Reads the fields once, however many rows it is compared with.
    pub fn of(row: &ResultRow, keys: &'a [SortKey]) -> Self {
        let values = keys.iter().map(|key| (key.column.read)(row)).collect();
        SortRank { keys, values }
    }
}

impl Ord for SortRank<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let pairs = self.values.iter().zip(&other.values);
        let mut orders = self.keys.iter().zip(pairs).map(|(key, (one, other))| {
            match (key.falling, one, other) {
                (true, Value::Nothing, _) | (true, _, Value::Nothing) | (false, ..) => {
                    one.order(other)
                }
                (true, ..) => other.order(one),
            }
        });
        orders
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

impl PartialOrd for SortRank<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for SortRank<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for SortRank<'_> {}

/// Fields of rows, ready to be shown or written.
#[derive(Clone, Debug)]
pub struct Selection {
    /// Which fields.
    pub columns: Vec<&'static Column>,
    /// Column by column, in the order in which rows were read.
    values: Vec<Vec<Value>>,
    /// In the order in which they are shown.
    rows: Vec<RowMarks>,
    /// Fields that were omitted because all rows have the same in them.
    pub alike: Vec<Alike>,
    /// Short names of the fields that a page without room for all may omit, in this order. None where a person named what
    /// is shown.
    pub dispensable: &'static [&'static str],
}

/// A field that is the same in all rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Alike {
    /// Which.
    pub column: &'static Column,
    /// What it is.
    pub value: Value,
}

/// The fields of one row.
#[derive(Clone, Debug)]
pub struct SelectedRow {
    values: Vec<Value>,
    marks: RowMarks,
}

/// Properties of a row other than its values.
#[derive(Clone, Debug)]
struct RowMarks {
    place: usize, // in each column
    missing: bool,
    weak: Vec<bool>, // empty where none is
}

/// One row of a selection.
#[derive(Clone, Copy, Debug)]
pub struct SelectionRow<'a> {
    values: &'a [Vec<Value>],
    marks: &'a RowMarks,
}

impl<'a> SelectionRow<'a> {
    /// Its values, one a field.
    pub fn values(self) -> impl Iterator<Item = &'a Value> {
        let place = self.marks.place;
        self.values.iter().map(move |column| &column[place])
    }

    /// Its value of the field at this place.
    pub fn value(self, field: usize) -> &'a Value {
        &self.values[field][self.marks.place]
    }

    /// Whether it is a missing result.
    pub fn missing(self) -> bool {
        self.marks.missing
    }

    /// Whether the value at this place is a percentile that rests on fewer than ten I/Os beyond it.
    pub fn is_weak(self, field: usize) -> bool {
        self.marks.weak.get(field).is_some_and(|weak| *weak)
    }
}

impl SelectedRow {
    /// These fields of a row.
    pub fn of(columns: &[&'static Column], row: &ResultRow) -> SelectedRow {
        let values: Vec<Value> = columns.iter().map(|column| (column.read)(row)).collect();
        let fields = columns.iter().zip(&values);
        let weak = fields.map(|(column, value)| is_weak(percentile(column), row, value));
        let weak: Vec<bool> = weak.collect();
        let marks = RowMarks {
            place: 0,
            missing: row.origin == Origin::Missing,
            weak: if weak.contains(&true) {
                weak
            } else {
                Vec::new()
            },
        };
        SelectedRow { values, marks }
    }
}

impl Selection {
    /// These fields of these rows.
    pub fn of(columns: Vec<&'static Column>, rows: &[ResultRow]) -> Selection {
        let rows = rows.iter().map(|row| SelectedRow::of(&columns, row));
        let rows = rows.collect();
        Selection::of_rows(columns, rows)
    }

    /// Rows of which these fields were selected.
    pub fn of_rows(columns: Vec<&'static Column>, rows: Vec<SelectedRow>) -> Selection {
        let column = |_| Vec::with_capacity(rows.len());
        let mut values: Vec<Vec<Value>> = columns.iter().map(column).collect();
        let mut marks = Vec::with_capacity(rows.len());
        for (place, row) in rows.into_iter().enumerate() {
            for (column, value) in values.iter_mut().zip(row.values) {
                column.push(value);
            }
            marks.push(RowMarks { place, ..row.marks });
        }
        Selection {
            columns,
            values,
            rows: marks,
            alike: Vec::new(),
            dispensable: &[],
        }
    }

    /// Row by row.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = SelectionRow<'_>> {
        let values = self.values.as_slice();
        let row = move |marks| SelectionRow { values, marks };
        self.rows.iter().map(row)
    }
}

/// A percentile: of which I/Os, and one in how many is beyond it.
type Percentile = (fn(&ResultRow) -> &RowFigures, u64);

/// Which percentile a field is, if it is one.
fn percentile(column: &Column) -> Option<Percentile> {
    let (before, depth) = column.short.rsplit_once("_p")?;
    let one_in = match depth {
        "50" => 2,
        "90" => 10,
        "95" => 20,
        "99" => 100,
        "999" => 1000,
        "9999" => 10_000,
        _ => return None,
    };
    let figures: fn(&ResultRow) -> &RowFigures = match before
        .split_once('_')
        .map_or("", |(operation, _)| operation)
    {
        "read" => |row| &row.read,
        "write" => |row| &row.write,
        _ => |row| &row.total,
    };
    Some((figures, one_in))
}

/// Fewer I/Os beyond a percentile of fathom's own than its error needs to be small; what another tool printed is left
/// as it is. The bound is that of `latency`.
fn is_weak(percentile: Option<Percentile>, row: &ResultRow, value: &Value) -> bool {
    let Some((figures, one_in)) = percentile else {
        return false;
    };
    let ios = figures(row).ios.filter(|_| row.origin == Origin::Measured);
    ios.is_some_and(|ios| ios / one_in < 10) && *value != Value::Nothing
}

/// What is reported once where it is equal, and in a column where it differs.
const MAY_BE_ALIKE: [&str; 15] = [
    "kind",
    "tool",
    "source",
    "host",
    "target",
    "tags",
    "block_bytes",
    "queue_depth",
    "threads",
    "write_percent",
    "pattern",
    "cache",
    "target_iops",
    "label",
    "verdict",
];
/// What most people look for.
const FIGURES: [&str; 5] = [
    "iops",
    "bytes_per_s",
    "latency_mean_ns",
    "latency_p99_ns",
    "latency_max_ns",
];
/// What is shown only where there is any.
const IF_ANY: [&str; 2] = ["errors", "reason"];
/// Columns that are omitted first when space is short: origin of a result, then nearly redundant figures, last those
/// that distinguish results. The work, its rate and the p99 stay: they take 70 columns at most.
const DISPENSABLE: [&str; 16] = [
    "source",
    "host",
    "latency_max",
    "tool",
    "tags",
    "latency_mean",
    "kind",
    "bytes_per_s",
    "target_iops",
    "cache",
    "reason",
    "target",
    "pattern",
    "label",
    "errors",
    "verdict",
];

/// The fields that distinguish these rows, what they have in common, and their results.
pub fn usual(rows: &[ResultRow]) -> Selection {
    let mut usual = Usual::default();
    let order: Vec<usize> = rows.iter().map(|row| usual.add(row)).collect();
    usual.select(&order)
}

/// Chooses the fields of [`usual`] while rows are read, and keeps of each row no more than may be shown.
pub struct Usual {
    id: Vec<Value>,
    may_be_alike: Vec<Field>,
    figures: Vec<(&'static Column, Vec<Value>)>,
    percentiles: Vec<Option<Percentile>>, // of `figures`
    if_any: Vec<(&'static Column, Vec<Value>)>,
    marks: Vec<Marks>, // one a row
}

/// A field that is kept once while it is the same in all rows that have a result.
struct Field {
    column: &'static Column,
    first: Option<Value>,
    /// Of rows without a result while the others are identical: they are no witness against these.
    others: Vec<(usize, Value)>,
    /// Of all rows; empty while they are identical.
    values: Vec<Value>,
}

#[derive(Clone, Copy)]
struct Marks {
    missing: bool,
    imported: bool,
    of_files: bool,
    weak: u8, // a bit for each of `FIGURES`
}

impl Default for Usual {
    fn default() -> Usual {
        let named = |name: &&str| column(name).expect("a field of the table");
        let field = |name| Field {
            column: named(name),
            first: None,
            others: Vec::new(),
            values: Vec::new(),
        };
        Usual {
            id: Vec::new(),
            may_be_alike: MAY_BE_ALIKE.iter().map(field).collect(),
            figures: FIGURES
                .iter()
                .map(|name| (named(name), Vec::new()))
                .collect(),
            percentiles: FIGURES.iter().map(named).map(percentile).collect(),
            if_any: IF_ANY
                .iter()
                .map(|name| (named(name), Vec::new()))
                .collect(),
            marks: Vec::new(),
        }
    }
}

impl Usual {
    /// Adds a row. Its number, from 0, is what [`Usual::select`] takes.
    pub fn add(&mut self, row: &ResultRow) -> usize {
        let number = self.marks.len();
        let mut marks = Marks {
            missing: row.origin == Origin::Missing,
            imported: row.origin == Origin::Imported,
            of_files: row.work.engine.as_deref() == Some("files"),
            weak: 0,
        };
        self.id.push(Value::Name(row.session, row.number));
        for field in &mut self.may_be_alike {
            field.add(number, (field.column.read)(row), marks.missing);
        }
        for (place, (column, values)) in self.figures.iter_mut().enumerate() {
            let value = (column.read)(row);
            marks.weak |= u8::from(is_weak(self.percentiles[place], row, &value)) << place;
            values.push(value);
        }
        for (column, values) in &mut self.if_any {
            values.push((column.read)(row));
        }
        self.marks.push(marks);
        number
    }

    /// The chosen fields of these rows, in this order. Every row that was added is one of them.
    pub fn select(mut self, order: &[usize]) -> Selection {
        let mut alike = Vec::new();
        let mut chosen: Vec<(&'static Column, Vec<Value>)> = vec![(
            column("id").expect("a field of the table"),
            std::mem::take(&mut self.id),
        )];
        let rows = self.marks.len();
        for field in self.may_be_alike {
            match field.first {
                None => {}
                Some(_) if !field.values.is_empty() => chosen.push((field.column, field.values)),
                Some(Value::Nothing) => {}
                Some(value) if rows > 1 => alike.push(Alike {
                    column: field.column,
                    value,
                }),
                Some(_) if field.column.unit == Unit::Tags => {}
                Some(value) => chosen.push((field.column, vec![value])),
            }
        }
        let figures = chosen.len();
        let nothing = |value: &Value| matches!(value, Value::Nothing | Value::Whole(0));
        let known = |values: &[Value]| values.iter().any(|value| *value != Value::Nothing);
        // A figure that no row has is omitted; if there are none at all, their headings show that.
        let any_known = self.figures.iter().any(|(_, values)| known(values));
        let (places, kept): (Vec<usize>, Vec<_>) = (0..)
            .zip(self.figures)
            .filter(|(_, (_, values))| !any_known || known(values))
            .unzip();
        chosen.extend(kept);
        let any = self.if_any.into_iter();
        chosen.extend(any.filter(|(_, values)| !values.iter().all(nothing)));
        let dropped = one_of_label_and_work(&chosen, &self.marks);
        let figures = figures - dropped.iter().filter(|place| **place < figures).count();
        for place in dropped.into_iter().rev() {
            chosen.remove(place);
        }
        let (columns, values): (Vec<&'static Column>, Vec<Vec<Value>>) = chosen.into_iter().unzip();
        let weak = |marks: Marks| match marks.weak {
            0 => Vec::new(),
            bits => {
                let bit = |place: usize| {
                    let figure = place.checked_sub(figures).and_then(|at| places.get(at));
                    figure.is_some_and(|figure| bits >> figure & 1 == 1)
                };
                (0..columns.len()).map(bit).collect()
            }
        };
        let rows = order.iter().map(|&place| RowMarks {
            place,
            missing: self.marks[place].missing,
            weak: weak(self.marks[place]),
        });
        Selection {
            rows: rows.collect(),
            columns,
            values,
            alike,
            dispensable: &DISPENSABLE,
        }
    }
}

impl Field {
    fn add(&mut self, number: usize, value: Value, missing: bool) {
        if !self.values.is_empty() {
            self.values.push(value);
            return;
        }
        match &self.first {
            _ if missing => self.others.push((number, value)),
            None => self.first = Some(value),
            Some(first) if *first == value => {}
            Some(first) => {
                self.values = vec![first.clone(); number];
                for (number, value) in self.others.drain(..) {
                    self.values[number] = value;
                }
                self.values.push(value);
            }
        }
    }
}

/// Positions of redundant fields. The label repeats the columns next to it in words, except for
/// imports, where it is the name of a job or a test. For work with files they do not contain the operation; there the
/// label has the order, and what it writes.
fn one_of_label_and_work(chosen: &[(&'static Column, Vec<Value>)], marks: &[Marks]) -> Vec<usize> {
    let is = |names: &[&str]| {
        let places = chosen.iter().enumerate();
        let named = places.filter(|(_, (column, _))| names.contains(&column.name));
        named.map(|(place, _)| place).collect::<Vec<usize>>()
    };
    if marks.iter().all(|row| row.of_files) {
        is(&["write_percent", "pattern"])
    } else if marks.iter().all(|row| row.imported) {
        Vec::new()
    } else if !marks.iter().any(|row| row.of_files) && !is(&["block_bytes"]).is_empty() {
        is(&["label"])
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{cell, missing};
    use super::*;

    fn sort_rows(rows: &mut [ResultRow], keys: &[SortKey]) {
        rows.sort_by_cached_key(|row| SortRank::of(row, keys));
    }

    fn numbers(rows: &[ResultRow]) -> Vec<u32> {
        rows.iter().map(|row| row.number).collect()
    }

    #[test]
    fn rows_are_sorted_by_several_fields_and_the_unknown_comes_last() {
        let mut rows = vec![
            missing(1),
            cell(2, 64, 4, 0),
            cell(3, 8, 16, 0),
            cell(4, 8, 4, 0),
        ];
        sort_rows(&mut rows, &sort_of("block,threads").unwrap());
        assert_eq!(numbers(&rows), [4, 3, 2, 1]);
        sort_rows(&mut rows, &sort_of("block,-threads").unwrap());
        assert_eq!(numbers(&rows), [3, 4, 2, 1]);
        sort_rows(&mut rows, &sort_of("-block").unwrap());
        assert_eq!(numbers(&rows), [2, 3, 4, 1]);
    }

    #[test]
    fn wrong_fields_are_reported_all_at_once_with_what_is_near() {
        let near = columns_of("p99x,latency").unwrap_err();
        assert!(near[0].to_string().contains('?') || near[0].to_string().contains("hint"));
        let latency = near[1].to_string();
        assert!(
            latency.contains("latency_mean_ns, latency_sd_ns, latency_min_ns"),
            "{latency}"
        );
        let problems = columns_of("block,trheads,nonsense").unwrap_err();
        let reported: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert!(
            reported[0].contains("did you mean 'threads'?"),
            "{}",
            reported[0]
        );
        assert!(
            reported[1].starts_with("unknown field 'nonsense'; hint: fathom table --fields"),
            "{}",
            reported[1]
        );
    }

    #[test]
    fn what_is_alike_is_said_once() {
        let rows = [cell(1, 8, 4, 0), cell(2, 8, 16, 0), missing(3)];
        let selection = usual(&rows);
        let names: Vec<&str> = selection.columns.iter().map(|column| column.name).collect();
        assert_eq!(
            names,
            [
                "id",
                "threads",
                "label",
                "iops",
                "bytes_per_s",
                "latency_p99_ns",
                "reason"
            ],
            "no row has a mean or a maximum"
        );
        let alike: Vec<&str> = selection
            .alike
            .iter()
            .map(|alike| alike.column.name)
            .collect();
        assert_eq!(
            alike,
            [
                "kind",
                "tool",
                "target",
                "tags",
                "block_bytes",
                "write_percent",
                "pattern"
            ]
        );
    }
}
