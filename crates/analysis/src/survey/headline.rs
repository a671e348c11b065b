//! The line of a survey that states whether its figures may be used.
//!
//! Deliberately absent: the figures themselves, which are `answer`'s.

use super::judge::counted;
use super::{CellReport, SurveyReport, SurveyRow};
use crate::findings::Finding;
use crate::verdict::Validity;

/// How far the figures of a row may be used: VALID where nothing speaks against one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FigureValidity {
    /// Of the peak, its interval and its latencies.
    pub peak: Validity,
    /// Of the median at queue depth 1.
    pub depth_1: Validity,
}

impl SurveyReport {
    /// Returns the errors and warnings of the points that the table shows of a row, with the point of each.
    pub fn row_findings(&self, row: &SurveyRow) -> Vec<(&CellReport, &Finding)> {
        let mut loads = self.loads(row);
        let is_peak = |load: &CellReport| {
            let best = row.best.as_ref();
            best.is_some_and(|best| {
                (best.load.queue_depth, best.load.threads)
                    == (load.load.queue_depth, load.load.threads)
            })
        };
        loads.retain(|load| load.load.queue_depth == 1 || is_peak(load));
        let peak = loads.iter().copied().find(|load| is_peak(load));
        let shallow = loads
            .iter()
            .copied()
            .find(|load| load.load.queue_depth == 1);
        // A point that is both is shown once.
        let shallow = shallow.filter(|_| peak.is_none_or(|peak| peak.load.queue_depth > 1));
        counted(peak, shallow).collect()
    }

    /// Returns the validity of each figure of a row. A row that is doubtful for another reason has a doubtful peak.
    pub fn figure_validity(&self, row: &SurveyRow) -> FigureValidity {
        let found = self.row_findings(row);
        let worst = |counts: &dyn Fn(&CellReport) -> bool| {
            let of = found.iter().filter(|(cell, _)| counts(cell));
            Validity::of_severity(of.map(|(_, finding)| finding.severity).max())
        };
        let at = row.best.as_ref().map(|best| best.load.queue_depth);
        let validities = FigureValidity {
            peak: worst(&|cell| Some(cell.load.queue_depth) == at),
            depth_1: worst(&|cell| cell.load.queue_depth == 1),
        };
        match validities.peak.max(validities.depth_1) {
            Validity::Valid => FigureValidity {
                peak: row.validity,
                ..validities
            },
            _ => validities,
        }
    }
}
