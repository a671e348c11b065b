//! Rows as comma-separated values: one line of headings with their units, numbers in plain digits with a decimal point,
//! nothing where nothing is known. Source: RFC 4180, with a line feed at the end of a line.

use crate::time::utc_text;
use analysis::columns::{Selection, Unit, Value};
use std::io::{self, Write};

/// Writes the headings and all rows.
pub fn rows_csv(selection: &Selection, out: &mut dyn Write) -> io::Result<()> {
    let headings: Vec<&str> = selection
        .columns
        .iter()
        .map(|column| column.heading)
        .collect();
    writeln!(out, "{}", headings.join(","))?;
    for row in &selection.rows {
        let cells = row.iter().zip(&selection.columns);
        let cells: Vec<String> = cells
            .map(|(value, column)| cell(value, column.unit))
            .collect();
        writeln!(out, "{}", cells.join(","))?;
    }
    Ok(())
}

fn cell(value: &Value, unit: Unit) -> String {
    match value {
        Value::Nothing => String::new(),
        Value::Name(session, number) => format!("{session}.{number}"),
        Value::Text(text) => quoted(text),
        Value::Tags(tags) => quoted(&tags.join(" ")),
        Value::Whole(ns) if unit == Unit::Moment => utc_text(*ns),
        Value::Whole(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Truth(is) => is.to_string(),
    }
}

/// In quotes where it has to be.
pub(super) fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) || text.starts_with(' ') || text.ends_with(' ') {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_break_a_line_is_quoted() {
        for (text, cell) in [
            ("plain", "plain"),
            ("4K, random", "\"4K, random\""),
            ("a \"b\"", "\"a \"\"b\"\"\""),
            ("a\nb", "\"a\nb\""),
        ] {
            assert_eq!(quoted(text), cell);
        }
    }
}
