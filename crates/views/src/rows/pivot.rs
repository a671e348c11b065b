//! One field laid out by two others.

use super::told;
use crate::paper::Paper;
use crate::text::{width, wrap};
use analysis::columns::Pivot;
use std::io::{self, Write};

/// Writes what is shown and by what, then the grid.
pub fn pivot_table(pivot: &Pivot, paper: &Paper, out: &mut dyn Write) -> io::Result<()> {
    if pivot.downs.is_empty() {
        return writeln!(out, "no results that know {}", pivot.down.name);
    }
    let by = match pivot.across {
        Some(across) => format!("{} (down) and {} (across)", pivot.down.name, across.name),
        None => pivot.down.name.to_owned(),
    };
    let mut text = format!("{} by {by}", pivot.show.name);
    if pivot.in_one_max > 1 {
        text.push_str(&format!(
            "; each the median of up to {} results",
            pivot.in_one_max
        ));
    }
    if !pivot.mixed.is_empty() {
        let fields = pivot.mixed.join(", ");
        text.push_str(&format!(
            ", which differ in {fields}: add --where to choose among them"
        ));
    }
    for line in wrap("", &text, paper.width(), 4) {
        writeln!(out, "{line}")?;
    }
    writeln!(out)?;
    for line in grid(pivot, paper) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn grid(pivot: &Pivot, paper: &Paper) -> Vec<String> {
    let mut head = vec![pivot.down.name.to_owned()];
    head.extend(pivot.acrosses.iter().map(|value| match pivot.across {
        Some(across) => told(value, across.unit, &paper.zone),
        None => pivot.show.name.to_owned(),
    }));
    let mut rows = vec![head];
    for (down, cells) in pivot.downs.iter().zip(&pivot.cells) {
        let mut row = vec![told(down, pivot.down.unit, &paper.zone)];
        row.extend(
            cells
                .iter()
                .map(|value| told(value, pivot.show.unit, &paper.zone)),
        );
        rows.push(row);
    }
    let wide = |place: usize| {
        let cells = rows.iter().filter_map(|row| row.get(place));
        cells.map(|cell| width(cell)).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..rows[0].len()).map(wide).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths);
        let cells = cells.map(|(cell, wide)| format!("{}{cell}", " ".repeat(wide - width(cell))));
        cells.collect::<Vec<_>>().join("  ")
    };
    rows.iter().map(line).collect()
}
