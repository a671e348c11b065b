//! How a page stays small enough for a mail: how many steps of a series it shows, and which insides it omits.
//!
//! Series are merged (`detail`). Where all insides together are still too long, those of the cells that the panel names
//! stay, then the others in their order, as long as there is room; the page reports how many it omits. No figure of the
//! table is ever omitted.

use super::{CellDetail, PageDocument};
use crate::say;

/// Steps of a time series that a screen can distinguish.
pub(super) const STEPS_MAX: usize = 600;
/// Digits of a number and the comma behind it; more than the average of pages of sweeps, so that the estimate is no promise
/// that the file breaks.
const NUMBER_BYTES: usize = 9;
/// What every cell has: its name, and three figures with their intervals.
const CELL_BYTES: usize = 560;
/// A load of several runs: rate, mean and five percentiles with their intervals.
const LOAD_BYTES: usize = 1000;

/// Omits insides until the document is no longer than this, roughly.
pub(super) fn keep_to(document: &mut PageDocument, bytes_max: usize) {
    let named: Vec<usize> = document
        .parts
        .iter()
        .flat_map(|part| part.panel.iter().filter_map(|item| item.cell))
        .collect();
    let count = document.cells.len();
    let mut order: Vec<usize> = named;
    order.extend(0..count);
    let mut room = bytes_max.saturating_sub(rows_bytes(document));
    let mut kept = vec![false; count];
    for place in order {
        let Some(detail) = document.cells[place].detail.as_deref() else {
            continue;
        };
        let bytes = detail_bytes(detail);
        if !kept[place] && bytes <= room {
            kept[place] = true;
            room -= bytes;
        }
    }
    let mut dropped = 0;
    for (cell, kept) in document.cells.iter_mut().zip(kept) {
        if !kept && cell.detail.take().is_some() {
            dropped += 1;
        }
    }
    if dropped > 0 {
        document.left_out.push(format!(
            "the time series and distributions of {} are omitted, so that the page stays small; `fathom report ID` of \
             one of them shows it",
            say::counted(dropped, "cell")
        ));
    }
}

fn rows_bytes(document: &PageDocument) -> usize {
    let cells = document.cells.iter();
    let cells: usize = cells
        .map(|cell| {
            let reasons: usize = cell.reasons.iter().map(String::len).sum();
            let command = cell.command.as_ref().map_or(0, String::len);
            CELL_BYTES + NUMBER_BYTES * cell.values.len() + reasons + command + cell.label.len()
        })
        .sum();
    cells + LOAD_BYTES * document.loads.len()
}

fn detail_bytes(detail: &CellDetail) -> usize {
    let times = detail.times.as_ref().map_or(0, |times| 4 * times.ios.len());
    let curves: usize = detail
        .distributions
        .iter()
        .map(|curve| 2 * curve.one_in.len())
        .sum();
    let heat = detail.heat.as_ref().map_or(0, |heat| {
        heat.bounds_ns.len() + heat.rows.iter().map(Vec::len).sum::<usize>() / 2
    });
    let counters = detail.counters.as_ref().map_or(0, |counters| {
        let lines = counters.tracks.iter().flat_map(|track| &track.lines);
        2 * counters.at_ns.len() + lines.map(|line| line.values.len()).sum::<usize>()
    });
    600 + NUMBER_BYTES * (times + curves + heat + counters)
}
