//! One field laid out by two others, in blocks where its columns are too many for the page.

use super::reported;
use super::table::WORD_MAX;
use crate::paper::Paper;
use crate::text::{shorten, width, wrap};
use analysis::columns::Pivot;
use std::io::{self, Write};

/// Writes what is shown and by what, then the grid.
pub fn pivot_table(pivot: &Pivot, paper: &Paper, out: &mut dyn Write) -> io::Result<()> {
    if pivot.downs.is_empty() {
        return writeln!(out, "no results with {}", pivot.down.short);
    }
    if let Some(across) = pivot.across.filter(|_| pivot.acrosses.is_empty()) {
        return writeln!(out, "no results with {}", across.short);
    }
    let by = match pivot.across {
        Some(across) => format!("{} (down) and {} (across)", pivot.down.short, across.short),
        None => pivot.down.short.to_owned(),
    };
    let mut text = format!("{} by {by}", pivot.show.short);
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
    for line in wrap("", &text, paper.room(), 4) {
        writeln!(out, "{line}")?;
    }
    writeln!(out)?;
    for line in grid(pivot, paper) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// One block below the other, each with its heads, because there is no other form that had what is omitted here.
fn grid(pivot: &Pivot, paper: &Paper) -> Vec<String> {
    let rows = rows(pivot, paper);
    let wide = |place: usize| {
        let cells = rows.iter().filter_map(|row| row.get(place));
        cells.map(|cell| width(cell)).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..rows[0].len()).map(wide).collect();
    let mut page = Vec::new();
    let mut from = 1;
    while from < widths.len() {
        let mut used = widths[0];
        let fit = widths[from..].iter().take_while(|wide| {
            used += 2 + **wide;
            used <= paper.room()
        });
        let to = from + fit.count().max(1);
        if from > 1 {
            page.push(String::new());
        }
        page.extend(rows.iter().map(|row| {
            let places = std::iter::once(0).chain(from..to);
            let cells = places.map(|place| format!("{:>1$}", row[place], widths[place]));
            cells.collect::<Vec<_>>().join("  ")
        }));
        from = to;
    }
    page
}

/// The heads, and a row for each value of the field that goes down.
fn rows(pivot: &Pivot, paper: &Paper) -> Vec<Vec<String>> {
    let reported = |value, unit| shorten(&reported(value, unit, &paper.zone), WORD_MAX);
    let mut head = vec![pivot.down.short.to_owned()];
    head.extend(pivot.acrosses.iter().map(|value| match pivot.across {
        Some(across) => reported(value, across.unit),
        None => pivot.show.short.to_owned(),
    }));
    let mut rows = vec![head];
    for (down, cells) in pivot.downs.iter().zip(&pivot.cells) {
        let mut row = vec![reported(down, pivot.down.unit)];
        row.extend(cells.iter().map(|value| reported(value, pivot.show.unit)));
        rows.push(row);
    }
    rows
}
