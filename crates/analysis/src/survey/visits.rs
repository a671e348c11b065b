//! Which runs are of one load.
//!
//! Deliberately absent: what they come to together (`joined`).

use super::{CellLoad, CellReport, SurveyReport};
use crate::run::OutcomeKind;

/// Every run, and the result of those of one load together.
#[derive(Clone, Copy)]
pub(super) struct Runs<'a> {
    pub(super) cells: &'a [CellReport],
    /// As [`joined`](super::joined::joined) makes them.
    pub(super) joined: &'a [CellReport],
}

impl<'a> Runs<'a> {
    /// Each load of a workload once, without those of an open loop, in the order of their first runs.
    pub(super) fn loads(self, label: &str) -> Vec<&'a CellReport> {
        let mine = |cell: &&CellReport| cell.load.workload == label;
        let mut loads: Vec<&CellReport> = Vec::new();
        for cell in self
            .cells
            .iter()
            .filter(mine)
            .filter(|cell| is_closed(cell))
        {
            match loads.iter_mut().find(|known| is_same(known, cell)) {
                Some(known) if known.throughput.measured_ns < cell.throughput.measured_ns => {
                    *known = cell;
                }
                Some(_) => {}
                None => loads.push(cell),
            }
        }
        for load in &mut loads {
            if let Some(all) = self.joined.iter().find(|all| is_same(all, load)) {
                *load = all;
            }
        }
        loads
    }

    /// How often a load was run. // at least 1
    pub(super) fn of(self, load: &CellReport) -> usize {
        let mine = self.cells.iter();
        let runs = mine.filter(|cell| is_closed(cell) && is_whole(cell) && is_same(cell, load));
        runs.count().max(1)
    }
}

/// Whether a run of a workload has noise that lasts as long as it.
pub(super) fn has_lasting_noise(cells: &[CellReport], label: &str) -> bool {
    let mut mine = cells.iter().filter(|cell| cell.load.workload == label);
    mine.any(|cell| is_closed(cell) && is_whole(cell) && cell.throughput.iops_estimate.is_lasting())
}

impl SurveyReport {
    /// Each load of the survey once, with the places of its runs among the cells: all runs of a load together where it was
    /// run more than once, as the text has it.
    pub(crate) fn each_load(&self) -> Vec<(Vec<usize>, &CellReport)> {
        let mut loads: Vec<(Vec<usize>, &CellReport)> = Vec::new();
        for (place, run) in self.cells.iter().enumerate() {
            let mut joined = self.joined.iter();
            let all = joined.find(|all| is_closed(run) && is_whole(run) && is_same(all, run));
            let known = all.and_then(|all| {
                let mut loads = loads.iter_mut();
                loads.find(|(_, load)| std::ptr::eq(*load, all))
            });
            match known {
                Some((places, _)) => places.push(place),
                None => loads.push((vec![place], all.unwrap_or(run))),
            }
        }
        loads
    }
}

/// Whether a new I/O began when one ended, as against at a rate.
pub(super) fn is_closed(run: &CellReport) -> bool {
    run.load.target_iops.is_none()
}

pub(super) fn is_same(one: &CellReport, other: &CellReport) -> bool {
    let (one, other) = (&one.load, &other.load);
    let in_flight = |load: &CellLoad| (load.queue_depth, load.threads);
    one.workload == other.workload && in_flight(one) == in_flight(other)
}

/// Whether a run may be taken together with others.
pub(super) fn is_whole(run: &CellReport) -> bool {
    run.throughput.ios > 0 && run.outcome.kind == OutcomeKind::Complete
}
