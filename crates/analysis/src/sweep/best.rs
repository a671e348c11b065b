//! Which cells are best, and the sentence that says so.
//!
//! Only of cells that may be used and whose I/Os all succeeded. Of equals the first in the matrix. Deliberately absent:
//! a weight between rate and latency: which is worth what, the reader knows.

use super::{BestCell, BestIn, CellFigures, SweepRow};
use crate::say;
use crate::verdict::Rank;

/// One for each kind, where any cell has the figure.
pub(super) fn best(rows: &[SweepRow]) -> Vec<BestCell> {
    let usable: Vec<(&SweepRow, &CellFigures)> = rows
        .iter()
        .filter_map(|row| Some((row, row.figures.as_ref()?)))
        .filter(|(_, figures)| figures.rank != Some(Rank::Invalid) && figures.errors == 0)
        .filter(|(_, figures)| figures.rate_per_s > 0.0)
        .collect();
    // The first of the largest: `max_by` would give the last.
    let most = |of: &dyn Fn(&CellFigures) -> Option<f64>| {
        let mut found: Option<(u64, f64)> = None;
        for (row, figures) in &usable {
            let Some(value) = of(figures) else { continue };
            if found.is_none_or(|(_, largest)| value > largest) {
                found = Some((row.cell, value));
            }
        }
        found.map(|(cell, _)| cell)
    };
    [
        (BestIn::Rate, most(&|figures| Some(figures.rate_per_s))),
        (BestIn::Flow, most(&|figures| Some(figures.bytes_per_s))),
        (
            BestIn::Latency,
            most(&|figures| Some(-(figures.p99_ns? as f64))),
        ),
    ]
    .into_iter()
    .filter_map(|(in_what, cell)| {
        let cell = cell?;
        Some(BestCell { in_what, cell })
    })
    .collect()
}

/// `most I/Os: 84.1 k IO/s at block=4K depth=32 (p99 1.20 ms); most bytes: …`, in one part where one cell is best in
/// both. None where nothing is best.
pub(super) fn answer(rows: &[SweepRow], best: &[BestCell]) -> Option<String> {
    let of = |what: BestIn| {
        let found = best.iter().find(|best| best.in_what == what)?;
        let row = rows.iter().find(|row| row.cell == found.cell)?;
        Some((row, row.figures.as_ref()?))
    };
    let (rate, flow) = (of(BestIn::Rate), of(BestIn::Flow));
    let ios = |figures: &CellFigures| format!("{} IO/s", say::rate(figures.rate_per_s));
    let bytes = |figures: &CellFigures| format!("{} MiB/s", say::mib_per_s(figures.bytes_per_s));
    let mut parts: Vec<String> = Vec::new();
    match (rate, flow) {
        (Some((row, figures)), Some((other, _))) if row.cell == other.cell => {
            let both = format!("{}, {}", ios(figures), bytes(figures));
            parts.push(part("most I/Os and bytes", &both, row, figures));
        }
        _ => {
            parts.extend(rate.map(|(row, its)| part("most I/Os", &ios(its), row, its)));
            parts.extend(flow.map(|(row, its)| part("most bytes", &bytes(its), row, its)));
        }
    }
    let waiting = of(BestIn::Latency).and_then(|(row, figures)| {
        let p99 = say::time(figures.p99_ns? as f64);
        let doubt = doubt(figures).map_or_else(String::new, |word| format!(" ({word})"));
        Some(format!("least waiting: p99 {p99} at {}{doubt}", name(row)))
    });
    parts.extend(waiting);
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn part(what: &str, value: &str, row: &SweepRow, figures: &CellFigures) -> String {
    let p99 = figures
        .p99_ns
        .map(|ns| format!("p99 {}", say::time(ns as f64)));
    let beside: Vec<String> = p99
        .into_iter()
        .chain(doubt(figures).map(str::to_owned))
        .collect();
    let beside = match beside.is_empty() {
        true => String::new(),
        false => format!(" ({})", beside.join("; ")),
    };
    format!("{what}: {value} at {}{beside}", name(row))
}

/// A best cell that is weak is said to be.
fn doubt(figures: &CellFigures) -> Option<&'static str> {
    (figures.rank == Some(Rank::Weak)).then_some("weak")
}

/// What a cell goes by.
pub(super) fn name(row: &SweepRow) -> String {
    let values: Vec<String> = row
        .values
        .iter()
        .map(|one| format!("{}={}", one.field, one.value))
        .collect();
    match (&row.group, values.is_empty()) {
        (Some(group), true) => group.clone(),
        (Some(group), false) => format!("{group}: {}", values.join(" ")),
        (None, true) => "the only cell".to_owned(),
        (None, false) => values.join(" "),
    }
}
