//! The fields of a result: one table that serves the filter, sorting, `--columns`, the headings of CSV, JSON and Parquet,
//! and the documentation.
//!
//! Read in this order: `value` (the content of a field, and how values compare), `table` (all fields), `filter`
//! (`block=8K and write=0`), `problem` (what is wrong with them), `choose` (which fields, in which order of rows), `pivot` (one field by two others), `best`
//! (the highest rate that fits). Deliberately absent: how a value looks (`views`).

mod best;
mod choose;
mod filter;
mod pivot;
mod problem;
mod table;
mod value;

pub use best::{Best, best};
pub use choose::{
    Alike, SelectedRow, Selection, SelectionRow, SortKey, SortRank, Usual, columns_of, sort_of,
    usual,
};
pub use filter::{Filter, moment_span};
pub use pivot::{Pivot, pivot};
pub use problem::{Problem, renamed};
pub use table::{COLUMNS, JUDGED, column, columns, short};
pub use value::{Unit, Value};

use model::ResultRow;

/// One field of a result.
#[derive(Debug)]
pub struct Column {
    /// Its name in every document and filter, with its unit last: `latency_p99_ns`.
    pub name: &'static str,
    /// The same without its unit, over values that have theirs: `latency_p99`.
    pub short: &'static str,
    /// Kind of its values.
    pub unit: Unit,
    /// Its meaning in one line.
    pub about: &'static str,
    /// Its value in a row.
    pub read: fn(&ResultRow) -> Value,
}

impl PartialEq for Column {
    /// A name represents one field.
    fn eq(&self, other: &Column) -> bool {
        self.name == other.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Bytes, Nanos, Origin, RowFigures, RowTimes, RowWork};

    /// A cell of a sweep with its place in the matrix and figures that follow from it.
    pub(super) fn cell(number: u32, block: u64, threads: u32, write: u8) -> ResultRow {
        let ios = 100_000 / u64::from(threads) + u64::from(write);
        ResultRow {
            session: 12,
            number,
            kind: "sweep".to_owned(),
            label: format!("{block}/{threads}"),
            tool: "fathom".to_owned(),
            target: "fathom.dat".to_owned(),
            tags: vec!["baseline".to_owned()],
            started_utc: Some(Nanos(1_795_219_200_000_000_000)), // 2026-11-21
            work: RowWork {
                block: Some(Bytes::kib(block)),
                threads: Some(threads),
                write_percent: Some(write),
                pattern: Some("random".to_owned()),
                ..RowWork::default()
            },
            measured: Some(Nanos::seconds(2)),
            total: RowFigures {
                ios: Some(ios),
                bytes: Some(Bytes(ios * block * 1024)),
                latency: RowTimes {
                    percentiles: vec![(0.99, Nanos::millis(u64::from(threads)))],
                    ..RowTimes::default()
                },
                ..RowFigures::default()
            },
            ..ResultRow::default()
        }
    }

    pub(super) fn missing(number: u32) -> ResultRow {
        ResultRow {
            session: 12,
            number,
            origin: Origin::Missing,
            reason: Some("no space".to_owned()),
            ..ResultRow::default()
        }
    }

    #[test]
    fn every_field_has_one_name_with_its_unit_last_and_a_short_form_without_it() {
        let mut seen = std::collections::BTreeSet::new();
        for column in columns() {
            assert!(seen.insert(column.name), "{}", column.name);
            if column.short != column.name && column.name != "queue_depth" {
                assert!(seen.insert(column.short), "{}", column.short);
                let unit = column.name.strip_prefix(column.short);
                let unit = unit.unwrap_or_else(|| panic!("{}", column.name));
                assert!(
                    ["_ns", "_bytes", "_percent", "_utc"].contains(&unit),
                    "{unit}"
                );
            }
            let suffix = match column.unit {
                Unit::Time => "_ns",
                Unit::Size => "bytes",
                Unit::SizePerSecond => "bytes_per_s",
                Unit::Rate => "iops",
                Unit::Percent => "_percent",
                Unit::Moment => "_utc",
                _ => "",
            };
            assert!(column.name.ends_with(suffix), "{}", column.name);
        }
    }

    #[test]
    fn figures_that_were_counted_become_rates_over_the_measured_time() {
        let row = cell(1, 8, 1, 0);
        let read = |name: &str| (column(name).unwrap().read)(&row);
        assert_eq!(read("iops"), Value::Real(50_000.0));
        assert_eq!(read("bytes_per_s"), Value::Real(50_000.0 * 8192.0));
        assert_eq!(read("latency_p99"), Value::Whole(1_000_000));
        assert_eq!(read("latency_p50"), Value::Nothing);
    }
}
