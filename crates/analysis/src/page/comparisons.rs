//! The first part against each of the others: the result of `compare`, as far as a page shows it.

use super::{PageChange, PageComparison, PageDocument};
use crate::columns::short;
use crate::compare::{CellChange, Compared, Side, compare_report};

/// The figure that is shown cell by cell.
const RATE: &str = "iops";

/// Of parts that have results. `compared` are those of all parts, each with the place of its part.
pub(super) fn comparisons(
    document: &PageDocument,
    compared: Vec<(usize, Compared)>,
) -> Vec<PageComparison> {
    let mut sides: Vec<Side> = document
        .parts
        .iter()
        .map(|part| Side {
            name: part.name.clone(),
            results: Vec::new(),
        })
        .collect();
    for (part, result) in compared {
        if let Some(side) = sides.get_mut(part) {
            side.results.push(result);
        }
    }
    sides.retain(|side| !side.results.is_empty());
    let Some((first, others)) = sides.split_first() else {
        return Vec::new();
    };
    others
        .iter()
        .map(|other| comparison(first, other))
        .collect()
}

fn comparison(a: &Side, b: &Side) -> PageComparison {
    let report = compare_report(a, b, &[]);
    PageComparison {
        a: report.a.name,
        b: report.b.name,
        answer: report.answer,
        overall: report.overall,
        cells: report.cells.into_iter().map(change).collect(),
        differences: report.differences,
        notes: report.notes,
    }
}

fn change(cell: CellChange) -> PageChange {
    let rate = cell.changes.iter().find(|change| change.metric == RATE);
    let values = cell.values.iter();
    let values: Vec<String> = values
        .map(|value| format!("{}={}", short(&value.field), value.value))
        .collect();
    PageChange {
        name: values.join(" "),
        rates: rate.map(|change| (change.a, change.b)),
        doubt: cell.doubt,
        ratio: rate.and_then(|change| change.ratio),
        differs: rate.and_then(|change| change.differs),
        outcome: rate.map(|change| change.outcome),
        at_most_share: rate.and_then(|change| change.at_most_share),
        a: cell.a,
        b: cell.b,
    }
}
