//! The first line of a survey: how far it may be used, and what was found.
//!
//! Where nothing may be used, the reason stands there instead.

use super::SurveyReport;
use crate::verdict::Rank;

impl SurveyReport {
    /// `WEAK (3 of 7 workloads): up to 84.1k random reads/s, …`; without an answer the verdict's own sentence.
    pub fn headline(&self) -> String {
        let Some(answer) = self.answer.as_ref().filter(|_| self.has_headline_answer()) else {
            return self.verdict.sentence();
        };
        let wanted = || self.rows.iter().filter(|row| !row.ladder.left_out());
        let doubted = wanted()
            .filter(|row| row.rank != Rank::Valid || row.best.is_none())
            .count();
        let share = if doubted == 0 {
            String::new()
        } else {
            format!(" ({doubted} of {} workloads)", wanted().count())
        };
        format!("{}{share}: {answer}", self.verdict.words())
    }

    /// Whether the first line says what was found; the reasons of the verdict then stand elsewhere.
    pub fn has_headline_answer(&self) -> bool {
        self.answer.is_some() && self.verdict.rank != Rank::Invalid
    }
}
