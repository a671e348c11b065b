//! Results as rows of fields: a table for people; CSV, JSON and Parquet for programs.
//!
//! A table speaks in the units people think in; the others give plain numbers under headings that name their unit.
//! Read in this order: `table`, `pivot`, `csv`, `json`, `parquet`. Deliberately absent: which fields and which rows
//! (`analysis::columns`).

mod answer;
mod csv;
mod json;
#[cfg(feature = "parquet")]
mod parquet;
mod pivot;
mod table;

pub use answer::{AnswerCell, AnswerTable, answer_csv, answer_table};
pub use pivot::pivot_table;
pub use table::{fields_table, rows_table};

use crate::number::{self, NOTHING};
use crate::table::{Column, left, right};
use crate::text::printable;
use crate::time::Zone;
use crate::time::minute;
use analysis::columns::{Selection, Unit, Value};
use std::io::{self, Write};

/// A form in which results leave fathom for other programs: one file, and one row in [`EXPORTS`].
#[derive(Debug)]
pub struct Export {
    /// The option of `fathom export` that asks for it, without its dashes.
    pub name: &'static str,
    /// What it is, for the help.
    pub about: &'static str,
    /// Whether a terminal can show it.
    pub is_text: bool,
    /// Writes the fields and rows that were chosen.
    pub write: fn(&Selection, &mut dyn Write) -> io::Result<()>,
}

/// Every form.
pub const EXPORTS: &[Export] = &[
    csv::EXPORT, // in the order of the help
    json::EXPORT,
    #[cfg(feature = "parquet")]
    parquet::EXPORT,
];

/// Returns the form that this option asks for.
pub fn export(name: &str) -> Option<&'static Export> {
    EXPORTS.iter().find(|export| export.name == name)
}

/// A value as a person reads it.
fn reported(value: &Value, unit: Unit, zone: &Zone) -> String {
    match (value, unit) {
        (Value::Nothing, _) => NOTHING.to_owned(),
        (Value::Name(session, number), _) => format!("{session}.{number}"),
        (Value::Text(text), _) => printable(text),
        (Value::Tags(tags), _) => printable(&tags.join(" ")),
        (Value::Truth(is), _) => if *is { "yes" } else { "no" }.to_owned(),
        (Value::Whole(ns), Unit::Moment) => minute(*ns, zone),
        (Value::Whole(bytes), Unit::Size) => number::bytes(*bytes),
        (Value::Whole(count), Unit::Count) => number::count(*count),
        (value, unit) => {
            let number = value.number().unwrap_or(0.0);
            match unit {
                Unit::Time => number::time(number),
                Unit::SizePerSecond => format!("{} MiB/s", number::mib_per_s(number)),
                Unit::Percent => format!("{number}%"),
                _ => number::rate(number),
            }
        }
    }
}

/// Words stand to the left, numbers to the right.
fn head(column: &analysis::columns::Column) -> Column<'static> {
    match column.unit {
        Unit::Name | Unit::Text | Unit::Tags | Unit::Moment => left(column.short, 1),
        _ => right(column.short, 1),
    }
}
