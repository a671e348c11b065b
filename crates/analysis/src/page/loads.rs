//! The loads that a survey ran more than once, for charts: one point each, with the figures of all runs.
//!
//! The figures are those of the survey's report, so that page and text are equal. Only of a survey is it known that two
//! cells are one load. Deliberately absent: the table of cells, which lists every run.

use super::PageLoad;
use super::curves::Seen;
use super::panel::surely;
use super::reports::Surveyed;
use std::collections::HashMap;

/// Those of all parts.
pub(super) fn loads(cells: &[Seen<'_>], surveyed: &HashMap<usize, Surveyed>) -> Vec<PageLoad> {
    let mut parts: Vec<(usize, &Surveyed)> =
        surveyed.iter().map(|(&part, of)| (part, of)).collect();
    parts.sort_by_key(|(part, _)| *part);
    let parts = parts.into_iter();
    let joined =
        parts.flat_map(|(number, part)| part.joined.iter().map(move |load| (number, load)));
    let load = joined.filter_map(|(number, load)| {
        let is_run = |seen: &&Seen<'_>| {
            let asked = (seen.outstanding(), seen.row.work.threads.map(u64::from));
            let mine = (Some(load.load.queue_depth), Some(load.load.threads));
            let whole = !seen.cell.failed && seen.row.outcome.as_deref() != Some("interrupted");
            seen.cell.part == number
                && seen.cell.label == load.load.workload
                && asked == mine
                && whole
        };
        let mut runs: Vec<&Seen<'_>> = cells.iter().filter(is_run).collect();
        let reached = |seen: &Seen<'_>| surely(seen.cell.iops_estimate, seen.rate());
        runs.sort_by(|one, other| reached(other).total_cmp(&reached(one)));
        (!runs.is_empty()).then(|| PageLoad {
            cells: runs.iter().map(|seen| seen.place).collect(),
            iops: load.throughput.iops,
            bytes_per_s: load.throughput.bytes_per_s,
            latency: load.latency.clone(),
        })
    });
    load.collect()
}

/// The load that a cell is a run of.
pub(super) fn load_of(loads: &[PageLoad], cell: usize) -> Option<&PageLoad> {
    loads.iter().find(|load| load.cells.contains(&cell))
}

/// Whether charts show a cell: all but the further runs of a load.
pub(super) fn is_shown(loads: &[PageLoad], cell: usize) -> bool {
    load_of(loads, cell).is_none_or(|load| load.cells.first() == Some(&cell))
}
