//! Content of a survey's report other than its cells, of one that has just ended.
//!
//! It is stored with the survey. Omitted: what can still be known of one that was killed (`stored`).

use super::request::Asked;
use super::site::Site;
use super::walk::Walked;
use analysis::{Filled, LoadsLeft, SurveyContext, SurveyScope};
use model::Nanos;
use sweep::{Survey, Sweep};

/// Everything that is known at the end of a survey but for its cells.
pub(crate) struct Surveyed<'a> {
    pub(crate) asked: &'a Asked,
    pub(crate) site: &'a Site,
    pub(crate) survey: &'a Survey,
    pub(crate) depth_max: u32,
    /// What was filled, and how long that took.
    pub(crate) filled: Option<(model::Bytes, Nanos)>,
    pub(crate) walked: &'a Walked,
}

impl Surveyed<'_> {
    pub(crate) fn context(&self) -> SurveyContext {
        let cells_left = match self.survey.cells_left_max(&self.walked.done) {
            // A cell that was omitted is still wanted.
            0 if self.walked.cut => 1,
            cells => cells as u64,
        };
        SurveyContext {
            workloads: self.asked.workloads(),
            scope: SurveyScope {
                budget_ns: (self.asked.options.budget != Nanos::MAX)
                    .then_some(self.asked.options.budget.0),
                elapsed_ns: Some(self.walked.took.0),
                read_only: Some(self.asked.options.read_only),
                size_bytes: Some(self.site.size.0),
                size_reason: self.site.reason.clone(),
                filled: self.filled.map(|(bytes, took)| Filled {
                    bytes: bytes.0,
                    elapsed_ns: took.0,
                }),
            },
            cells_left: Some(cells_left),
            queue_depth_max: Some(u64::from(self.depth_max)),
            settled: self.survey.settled(&self.walked.done),
            left_out: self.left_out(),
            goal: self
                .asked
                .options
                .goal
                .map(|goal| (goal.latency.0, goal.quantile)),
            precision: (!self.asked.options.exhaustive).then_some(self.asked.options.precision),
            interrupted: self.walked.interrupted,
            failure: self.walked.trouble().map(ToString::to_string),
        }
    }

    fn left_out(&self) -> Vec<LoadsLeft> {
        let skipped = self.survey.skipped(&self.walked.done).into_iter();
        skipped
            .map(|skipped| LoadsLeft {
                workload: skipped.workload,
                loads: skipped.loads as u64,
                why: skipped.why,
            })
            .collect()
    }
}
