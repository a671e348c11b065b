//! Where more I/Os in flight stop to pay, as everything that tells a person of a survey has it: table, picture, ladder, page.
//!
//! The knee is the lightest load that reaches 95 % of the best rate, whatever its threads; and there is one only where a
//! heavier load was run as well, for at the heaviest the rate may rise on. The best rate is that of the row, which is chosen
//! by intervals; that of the load at the knee is what was measured there. Deliberately absent: the two models of a knee
//! (`models`), which need more loads than a survey runs, and are shown beside it.

use super::build::{is_sound, loads};
use super::{CellReport, SurveyReport, SurveyRow};

/// The share of the best rate that counts as having reached it.
pub(crate) const KNEE_SHARE: f64 = 0.95;

/// The knee of one workload.
#[derive(Clone, Debug, PartialEq)]
pub struct SurveyKnee {
    /// I/Os in flight over all threads.
    pub in_flight: u64,
    /// Threads that shared them, in the fastest of its cells.
    pub threads: u64,
    /// I/Os a second there.
    pub rate_per_s: f64,
    /// A row's best rate, which this is 95 % of at least.
    pub best_per_s: f64,
}

impl SurveyReport {
    /// The knee of a row of this report; none where the rate still rose at the heaviest load that was run.
    pub fn knee(&self, row: &SurveyRow) -> Option<SurveyKnee> {
        knee(&loads(&row.workload, &self.cells), row.best.as_ref()?)
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
    let in_flight = knee_depth(cells, best)?;
    let sound = || cells.iter().filter(|cell| is_sound(cell));
    if !sound().any(|cell| cell.queue_depth > in_flight) {
        return None;
    }
    let here = sound().filter(|cell| cell.queue_depth == in_flight);
    let fastest = here.max_by(|a, b| a.rate_per_s.total_cmp(&b.rate_per_s))?;
    Some(SurveyKnee {
        in_flight,
        threads: fastest.threads,
        rate_per_s: fastest.rate_per_s,
        best_per_s: best.rate_per_s,
    })
}

/// The smallest depth that reaches 95 % of the best rate, the deepest too.
pub(super) fn knee_depth(cells: &[&CellReport], best: &CellReport) -> Option<u64> {
    let reached = cells
        .iter()
        .filter(|cell| is_sound(cell) && cell.rate_per_s >= KNEE_SHARE * best.rate_per_s);
    reached.map(|cell| cell.queue_depth).min()
}
