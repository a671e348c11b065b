//! The answer to a question in SQL: its own columns, its values as they are.

use super::csv::quoted;
use crate::number::NOTHING;
use crate::paper::Paper;
use crate::text::{printable, shorten, width};
use std::io::{self, Write};

/// Columns and rows of text; `None` is what SQL calls NULL.
#[derive(Clone, Debug)]
pub struct AnswerTable {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Row by row.
    pub rows: Vec<Vec<Option<String>>>,
}

/// As a table; what would be longer than the page is shortened in its middle.
pub fn answer_table(answer: &AnswerTable, paper: &Paper, out: &mut dyn Write) -> io::Result<()> {
    let told = |cell: &Option<String>| match cell {
        None => NOTHING.to_owned(),
        Some(text) => shorten(&printable(text), paper.width()),
    };
    let mut rows = vec![answer.columns.iter().map(|name| printable(name)).collect()];
    rows.extend(
        answer
            .rows
            .iter()
            .map(|row| row.iter().map(told).collect::<Vec<_>>()),
    );
    let wide = |place: usize| {
        let cells = rows.iter().filter_map(|row: &Vec<String>| row.get(place));
        cells.map(|cell| width(cell)).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..answer.columns.len()).map(wide).collect();
    for row in &rows {
        let cells = row.iter().zip(&widths);
        let cells = cells.map(|(cell, wide)| format!("{cell}{}", " ".repeat(wide - width(cell))));
        writeln!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(())
}

/// As comma-separated values.
pub fn answer_csv(answer: &AnswerTable, out: &mut dyn Write) -> io::Result<()> {
    let line = |cells: Vec<String>| cells.join(",");
    writeln!(
        out,
        "{}",
        line(answer.columns.iter().map(|name| quoted(name)).collect())
    )?;
    for row in &answer.rows {
        let cells = row
            .iter()
            .map(|cell| cell.as_deref().map_or_else(String::new, quoted));
        writeln!(out, "{}", line(cells.collect()))?;
    }
    Ok(())
}
