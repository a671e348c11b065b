//! From where more I/Os in flight bring little, as all output of a survey has it: table, picture,
//! ladder, page, and the text of `sweep` on the loads that it omitted.
//!
//! The knee is the lightest load that reaches 95% of the best rate, with any number of threads; and there is one only
//! where a heavier load was run as well, for at the heaviest the rate may rise on. The best rate is that of the row,
//! which is chosen by intervals; that of the load at the knee is what was measured there. Deliberately absent: the two
//! models of a knee (`models`), which need more loads than a survey runs, and are shown next to it.

use super::row::is_sound;
use super::visits::Runs;
use super::{CellReport, SurveyReport, SurveyRow};

/// The share of the best rate that counts as having reached it.
pub const KNEE_SHARE: f64 = 0.95;

/// The lightest load that reaches the best rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// I/Os in flight over all threads.
    pub in_flight: u64,
    /// A heavier load was run as well. Where none was, the rate may rise beyond it.
    pub is_knee: bool,
}

impl Reached {
    /// Of loads that gave a result, in any order: the I/Os in flight of each, and its rate. None where no rate is
    /// [`KNEE_SHARE`] of the best.
    pub fn of(
        mut loads: impl Iterator<Item = (u64, f64)> + Clone,
        best_per_s: f64,
    ) -> Option<Reached> {
        let enough = loads
            .clone()
            .filter(|(_, rate)| *rate >= KNEE_SHARE * best_per_s);
        let in_flight = enough.map(|(in_flight, _)| in_flight).min()?;
        Some(Reached {
            in_flight,
            is_knee: loads.any(|(other, _)| other > in_flight),
        })
    }
}

/// The knee of one workload.
#[derive(Clone, Debug, PartialEq)]
pub struct SurveyKnee {
    /// I/Os in flight over all threads.
    pub in_flight: u64,
    /// Threads that shared them, in the fastest of its cells.
    pub threads: u64,
    /// IOPS there.
    pub iops: f64,
    /// The row's best rate; `iops` is at least 95% of it.
    pub best_per_s: f64,
}

impl SurveyReport {
    /// The knee of a row of this report; none where the rate still rose at the heaviest load that was run.
    pub fn knee(&self, row: &SurveyRow) -> Option<SurveyKnee> {
        knee(&self.runs().loads(&row.workload), row.best.as_ref()?)
    }

    /// Each load of a row that gave a result once, all its runs together, the lightest first: of several with as many in
    /// flight the fastest.
    pub fn loads(&self, row: &SurveyRow) -> Vec<&CellReport> {
        let mut sound = self.runs().loads(&row.workload);
        sound.retain(|cell| is_sound(cell));
        sound.sort_by(|a, b| {
            let faster = b.throughput.iops.total_cmp(&a.throughput.iops);
            a.load.queue_depth.cmp(&b.load.queue_depth).then(faster)
        });
        sound.dedup_by_key(|cell| cell.load.queue_depth);
        sound
    }

    fn runs(&self) -> Runs<'_> {
        Runs {
            cells: &self.cells,
            joined: &self.joined,
        }
    }

    /// The knee of each workload that has a result, by its name.
    pub fn knees(&self) -> Vec<(String, Option<SurveyKnee>)> {
        let rows = self.rows.iter().filter(|row| row.best.is_some());
        rows.map(|row| (row.workload.clone(), self.knee(row)))
            .collect()
    }
}

/// Of the loads of one workload, each once.
pub(super) fn knee(cells: &[&CellReport], best: &CellReport) -> Option<SurveyKnee> {
    let Reached { in_flight, is_knee } = reached(cells, best)?;
    if !is_knee {
        return None;
    }
    let here = cells
        .iter()
        .filter(|cell| is_sound(cell) && cell.load.queue_depth == in_flight);
    let fastest = here.max_by(|a, b| a.throughput.iops.total_cmp(&b.throughput.iops))?;
    Some(SurveyKnee {
        in_flight,
        threads: fastest.load.threads,
        iops: fastest.throughput.iops,
        best_per_s: best.throughput.iops,
    })
}

/// The smallest depth that reaches 95% of the best rate, also where that is the deepest that was run.
pub(super) fn knee_depth(cells: &[&CellReport], best: &CellReport) -> Option<u64> {
    reached(cells, best).map(|reached| reached.in_flight)
}

fn reached(cells: &[&CellReport], best: &CellReport) -> Option<Reached> {
    let sound = cells.iter().filter(|cell| is_sound(cell));
    let loads = sound.map(|cell| (cell.load.queue_depth, cell.throughput.iops));
    Reached::of(loads, best.throughput.iops)
}
