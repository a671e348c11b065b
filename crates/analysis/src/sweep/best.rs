//! Which cells are best, and the lines that name them.
//!
//! Only of cells that may be used and whose I/Os all succeeded. Rates within 1% of the largest are equals: among them the
//! one that waits least is best, and of those the first in the matrix. Deliberately absent: any other weight between rate
//! and latency: which is worth what, the reader knows.

use super::{BestCell, BestIn, CellFigures, SweepRow};
use crate::say;
use crate::verdict::Answer;
use crate::verdict::Validity;

/// Rates this share of the largest and more are as good as it.
const EQUAL: f64 = 0.99;

/// One for each kind, where any cell has the figure.
pub(super) fn best(rows: &[SweepRow]) -> Vec<BestCell> {
    let usable: Vec<(&SweepRow, &CellFigures)> = rows
        .iter()
        .filter_map(|row| Some((row, row.figures.as_ref()?)))
        .filter(|(_, figures)| figures.validity != Some(Validity::Invalid) && figures.errors == 0)
        .filter(|(_, figures)| figures.iops > 0.0)
        .collect();
    [
        (BestIn::Rate, most(&usable, |figures| figures.iops)),
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
    let known = enough.filter_map(|(row, figures)| Some((row.cell, figures.latency_p99_ns?)));
    known
        .min_by_key(|(_, latency_p99_ns)| *latency_p99_ns)
        .map(|(cell, _)| cell)
}

/// `most IOPS`, `most MiB/s`, `lowest p99`, the first two as one where one cell has both.
pub(super) fn answers(rows: &[SweepRow], best: &[BestCell]) -> Vec<Answer> {
    let of = |what: BestIn| {
        let found = best.iter().find(|best| best.in_what == what)?;
        let row = rows.iter().find(|row| row.cell == found.cell)?;
        Some((row, row.figures.as_ref()?))
    };
    let (rate, flow) = (of(BestIn::Rate), of(BestIn::Flow));
    let ios = |figures: &CellFigures| format!("{} IOPS", say::rate(figures.iops));
    let bytes = |figures: &CellFigures| format!("{} MiB/s", say::mib_per_s(figures.bytes_per_s));
    let p99 = |figures: &CellFigures| {
        let ns = figures.latency_p99_ns?;
        Some(format!("p99 {}", say::time(ns as f64)))
    };
    let line = |what: &str, figure: String, (row, its): (&SweepRow, &CellFigures)| {
        let doubt = (its.validity == Some(Validity::Caution)).then(|| "CAUTION".to_owned());
        let cell = std::iter::once(name(row)).chain(doubt);
        let cell: Vec<String> = cell.collect();
        let answer = Answer::of(what, [Some(figure), p99(its)])?;
        Some(answer.with_detail(Some(cell.join("; "))))
    };
    let mut answers: Vec<Option<Answer>> = Vec::new();
    match (rate, flow) {
        (Some(cell), Some((other, its))) if cell.0.cell == other.cell => {
            let both = format!("{}, {}", ios(its), bytes(its));
            answers.push(line("most IOPS and MiB/s", both, cell));
        }
        _ => {
            answers.push(rate.and_then(|cell| line("most IOPS", ios(cell.1), cell)));
            answers.push(flow.and_then(|cell| line("most MiB/s", bytes(cell.1), cell)));
        }
    }
    let waiting = of(BestIn::Latency);
    answers.push(waiting.and_then(|cell| line("lowest p99", ios(cell.1), cell)));
    answers.into_iter().flatten().collect()
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
