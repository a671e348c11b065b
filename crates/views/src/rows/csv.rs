//! Rows as comma-separated values: one line of headings with their units, numbers in plain digits with a decimal point,
//! empty if unknown; text that a spreadsheet or a terminal would execute is escaped. Source: RFC 4180,
//! with a line feed at the end of a line.

use super::Export;
use crate::text::printable;
use crate::time::utc_text;
use analysis::columns::{Selection, Unit, Value};
use std::io::{self, Write};

pub(super) const EXPORT: Export = Export {
    name: "csv",
    about: "Comma-separated, headings with their units",
    is_text: true,
    write: rows_csv,
};

/// Writes the headings and all rows.
fn rows_csv(selection: &Selection, out: &mut dyn Write) -> io::Result<()> {
    let headings: Vec<&str> = selection.columns.iter().map(|column| column.name).collect();
    writeln!(out, "{}", headings.join(","))?;
    for row in selection.rows() {
        let cells = row.values().zip(&selection.columns);
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

/// A text: in quotes where it has to be, what is not visible as an escape, and never a formula.
pub(super) fn quoted(text: &str) -> String {
    let text = inert(printable(text));
    if text.contains([',', '"']) || text.starts_with(' ') || text.ends_with(' ') {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

/// What a spreadsheet would take for a formula has an apostrophe before it. A number may have a sign. Source: OWASP, CSV
/// Injection; tabulators and carriage returns are escapes by now.
fn inert(text: String) -> String {
    let number = |text: &str| text.parse::<f64>().is_ok_and(f64::is_finite);
    match text.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']) && !number(&text) {
        true => format!("'{text}"),
        false => text,
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
            (" a", "\" a\""),
        ] {
            assert_eq!(quoted(text), cell);
        }
    }

    #[test]
    fn i1_no_text_is_a_formula_and_numbers_stay_numbers() {
        for (text, cell) in [
            ("=1+1", "'=1+1"),
            ("=HYPERLINK(\"x\",1)", "\"'=HYPERLINK(\"\"x\"\",1)\""),
            ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
            ("-2+3", "'-2+3"),
            ("@SUM(1)", "'@SUM(1)"),
            ("\t=1", "\\t=1"),
            ("\r=1", "\\r=1"),
            ("＝1", "'＝1"),
            ("-5", "-5"),
            ("+1.5e3", "+1.5e3"),
            ("-inf", "'-inf"),
            ("a=b", "a=b"),
        ] {
            assert_eq!(quoted(text), cell);
        }
    }

    #[test]
    fn i2_nothing_in_a_cell_steers_a_terminal() {
        for (text, cell) in [
            ("a\nb", "a\\nb"),
            ("\u{1b}[2J", "\\u{1b}[2J"),
            ("\u{9b}2J\u{7f}", "\\u{9b}2J\\u{7f}"),
            ("a\u{202e}b", "a\\u{202e}b"),
        ] {
            assert_eq!(quoted(text), cell);
        }
    }
}
