//! The line of a survey that says whether its figures may be used.
//!
//! Deliberately absent: the figures themselves, which are `answer`'s.

use super::{CellReport, SurveyReport, SurveyRow};
use crate::findings::{Finding, SHORT_RUN};
use crate::verdict::Rank;

/// How far the figures of a row may be used: VALID where nothing speaks against one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FigureRanks {
    /// Of the peak, its interval and its latencies.
    pub peak: Rank,
    /// Of the median at queue depth 1.
    pub depth_1: Rank,
}

impl SurveyReport {
    /// Whether there are figures that may be used.
    pub fn has_headline_answer(&self) -> bool {
        self.answer.is_some() && self.verdict.rank != Rank::Invalid
    }

    /// Tells which figures of a row are doubtful. A row that is doubtful as a whole has a doubtful peak.
    pub fn figure_ranks(&self, row: &SurveyRow) -> FigureRanks {
        let shallow = self
            .loads(row)
            .into_iter()
            .find(|load| load.queue_depth == 1);
        let found = FigureRanks {
            peak: row
                .best
                .as_ref()
                .map_or(Rank::Valid, |best| of_cell(best, |_| true)),
            depth_1: shallow.map_or(Rank::Valid, |cell| {
                of_cell(cell, |finding| finding.id != SHORT_RUN)
            }),
        };
        match found.peak.max(found.depth_1) {
            Rank::Valid if row.rank != Rank::Valid => FigureRanks {
                peak: row.rank,
                ..found
            },
            _ => found,
        }
    }
}

fn of_cell(cell: &CellReport, counts: fn(&Finding) -> bool) -> Rank {
    let found: Vec<Finding> = cell
        .findings
        .iter()
        .filter(|f| counts(f))
        .cloned()
        .collect();
    Rank::of_findings(&found)
}
