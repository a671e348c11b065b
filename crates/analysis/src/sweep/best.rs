//! Which cells are best, and the sentence that says so.
//!
//! Only of cells that may be used and whose I/Os all succeeded. Rates within 1% of the largest are equals: among them the
//! one that waits least is best, and of those the first in the matrix. Deliberately absent: any other weight between rate
//! and latency: which is worth what, the reader knows.

use super::{BestCell, BestIn, CellFigures, SweepRow};
use crate::say;
use crate::verdict::Rank;

/// Rates this share of the largest and more are as good as it.
const EQUAL: f64 = 0.99;

/// One for each kind, where any cell has the figure.
pub(super) fn best(rows: &[SweepRow]) -> Vec<BestCell> {
    let usable: Vec<(&SweepRow, &CellFigures)> = rows
        .iter()
        .filter_map(|row| Some((row, row.figures.as_ref()?)))
        .filter(|(_, figures)| figures.rank != Some(Rank::Invalid) && figures.errors == 0)
        .filter(|(_, figures)| figures.rate_per_s > 0.0)
        .collect();
    [
        (BestIn::Rate, most(&usable, |figures| figures.rate_per_s)),
        (BestIn::Flow, most(&usable, |figures| figures.bytes_per_s)),
        (
            BestIn::Latency,
            least_waiting(&usable, f64::NEG_INFINITY, |_| 0.0),
        ),
    ]
    .into_iter()
    .filter_map(|(in_what, cell)| {
        let cell = cell?;
        Some(BestCell { in_what, cell })
    })
    .collect()
}

type Usable<'a> = [(&'a SweepRow, &'a CellFigures)];

/// Of the cells with the most of something, the one that waits least.
fn most(usable: &Usable<'_>, of: impl Fn(&CellFigures) -> f64) -> Option<u64> {
    let largest = usable
        .iter()
        .map(|(_, figures)| of(figures))
        .fold(0.0, f64::max);
    let first = usable.iter().find(|(_, figures)| of(figures) >= largest);
    least_waiting(usable, EQUAL * largest, of).or(first.map(|(row, _)| row.cell))
}

/// Of the cells with at least so much of something, the first with the smallest p99; none where none has a p99.
fn least_waiting(usable: &Usable<'_>, least: f64, of: impl Fn(&CellFigures) -> f64) -> Option<u64> {
    let enough = usable.iter().filter(|(_, figures)| of(figures) >= least);
    let known = enough.filter_map(|(row, figures)| Some((row.cell, figures.p99_ns?)));
    known
        .min_by_key(|(_, p99_ns)| *p99_ns)
        .map(|(cell, _)| cell)
}

/// `most I/Os: 84.1k IOPS at block=4K depth=32 (p99 1.20 ms); most bytes: …`, in one part where one cell is best in
/// both. None where nothing is best.
pub(super) fn answer(rows: &[SweepRow], best: &[BestCell]) -> Option<String> {
    let of = |what: BestIn| {
        let found = best.iter().find(|best| best.in_what == what)?;
        let row = rows.iter().find(|row| row.cell == found.cell)?;
        Some((row, row.figures.as_ref()?))
    };
    let (rate, flow) = (of(BestIn::Rate), of(BestIn::Flow));
    let ios = |figures: &CellFigures| format!("{} IOPS", say::rate(figures.rate_per_s));
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
    (figures.rank == Some(Rank::Caution)).then_some("CAUTION")
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
