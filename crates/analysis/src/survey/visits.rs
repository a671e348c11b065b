//! Which runs are of one load, and whether they contradict each other.
//!
//! Deliberately absent: what they come to together (`joined`).

use super::CellReport;
use super::joined::by_time;
use crate::estimate::Estimate;
use crate::run::OutcomeKind;
use crate::say;

/// Runs of one load that are further apart than this, as a share of the lower, make a row weak.
const APART_MAX: f64 = 0.10;

/// Every run, and what those of one load came to together.
#[derive(Clone, Copy)]
pub(super) struct Runs<'a> {
    pub(super) cells: &'a [CellReport],
    /// As [`joined`](super::joined::joined) makes them.
    pub(super) joined: &'a [CellReport],
}

impl<'a> Runs<'a> {
    /// Each load of a workload once, without those of an open loop, in the order of their first runs.
    pub(super) fn loads(self, label: &str) -> Vec<&'a CellReport> {
        let mine = |cell: &&CellReport| cell.workload == label;
        let mut loads: Vec<&CellReport> = Vec::new();
        for cell in self
            .cells
            .iter()
            .filter(mine)
            .filter(|cell| is_closed(cell))
        {
            match loads.iter_mut().find(|known| is_same(known, cell)) {
                Some(known) if known.measured_ns < cell.measured_ns => *known = cell,
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
}

/// Whether a new I/O began when one ended, as against at a rate.
pub(super) fn is_closed(run: &CellReport) -> bool {
    run.asked_rate_per_s.is_none()
}

pub(super) fn is_same(one: &CellReport, other: &CellReport) -> bool {
    let load = |cell: &CellReport| (cell.queue_depth, cell.threads);
    one.workload == other.workload && load(one) == load(other)
}

/// Whether a run may be taken together with others.
pub(super) fn is_whole(run: &CellReport) -> bool {
    run.ios > 0 && run.outcome.kind == OutcomeKind::Complete
}

/// What the runs of a row's best load came to, where they contradict each other.
pub(super) fn unlike_itself(best: &CellReport, cells: &[CellReport]) -> Option<String> {
    let runs = cells.iter().filter(|cell| {
        let closed = cell.workload == best.workload && cell.asked_rate_per_s.is_none();
        closed && is_same(cell, best) && is_whole(cell)
    });
    let runs: Vec<&CellReport> = runs.collect();
    let rates = runs.iter().map(|run| run.rate_per_s);
    let (least, most) = rates.fold((f64::MAX, 0.0f64), |(least, most), rate| {
        (least.min(rate), most.max(rate))
    });
    let apart = most > (1.0 + APART_MAX) * least;
    let contradict = runs.len() > 1 && apart && Estimate::contradict(&by_time(&runs));
    contradict.then(|| {
        let each: Vec<String> = runs.iter().map(|run| say::rate(run.rate_per_s)).collect();
        format!(
            "not repeatable: the same load gave {} IOPS (QD{})",
            each.join(", then "),
            best.queue_depth
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::survey::joined::tests::run;

    #[test]
    fn a_load_that_is_not_like_itself_is_told_with_what_it_came_to() {
        let runs = [run(14_500.0, Some(300.0), 1), run(20_400.0, Some(300.0), 1)];
        let told = unlike_itself(&runs[0], &runs).unwrap();
        assert!(told.contains("14.5k, then 20.4k IOPS"), "{told}");
        let near = [run(1000.0, Some(1.0), 1), run(1099.0, Some(1.0), 1)];
        assert_eq!(unlike_itself(&near[0], &near), None, "less than a tenth");
        let unsure = [run(1000.0, Some(70.0), 1), run(1120.0, Some(70.0), 1)];
        assert_eq!(unlike_itself(&unsure[0], &unsure), None, "may be one");
        assert_eq!(unlike_itself(&runs[0], &runs[..1]), None, "one run");
    }
}
