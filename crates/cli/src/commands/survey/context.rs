//! Content of a survey's report other than its cells: of one that has just ended, and of one from the store.
//!
//! The context of a survey that ended is kept with it. Of one that was killed, or that another version kept in
//! another form, the command line is read again; what only the moment knew is not known any more.

use super::request::Asked;
use super::site::Site;
use super::walk::Walked;
use crate::args;
use analysis::{Filled, LoadsLeft, SurveyContext, SurveyScope};
use model::Nanos;
use store::{Session, SessionOutcome};
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
            workloads: workloads(self.asked),
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

/// What can still be known of a survey in the store.
pub(crate) fn from_store(session: &Session) -> SurveyContext {
    let kept = session.context.as_deref();
    if let Some(context) = kept.and_then(|text| serde_json::from_str(text).ok()) {
        return context;
    }
    let asked = asked_again(&session.summary.command);
    let read_only = asked.as_ref().map(|asked| asked.options.read_only);
    let first = session
        .runs
        .first()
        .and_then(|run| run.record()?.plan.targets.first());
    SurveyContext {
        workloads: asked.as_ref().map(workloads).unwrap_or_default(),
        scope: SurveyScope {
            budget_ns: asked.as_ref().map(|asked| asked.options.budget.0),
            read_only,
            size_bytes: first.map(|target| target.length.0),
            ..SurveyScope::default()
        },
        goal: asked
            .as_ref()
            .and_then(|asked| Some((asked.options.goal?.latency.0, asked.options.goal?.quantile))),
        queue_depth_max: asked.and_then(|asked| asked.depth_max).map(u64::from),
        // One that was never finished was killed, or is still running: its result is as partial.
        interrupted: matches!(
            session.summary.outcome,
            Some(SessionOutcome::Interrupted) | None
        ),
        failure: (session.summary.outcome == Some(SessionOutcome::Failed))
            .then(|| "it ended by an error".to_owned()),
        ..SurveyContext::default()
    }
}

fn workloads(asked: &Asked) -> Vec<String> {
    let run = asked.options.wanted();
    run.map(|workload| workload.name.clone()).collect()
}

/// `None` for a line of another version that this one does not understand.
fn asked_again(command: &[String]) -> Option<Asked> {
    Asked::read(&args::stored(&super::COMMAND, command)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_stored_command_line_said_is_understood_again() {
        let words = ["fathom", "survey", "--budget", "90s", "--read-only"].map(str::to_owned);
        let asked = asked_again(&words).unwrap();
        assert_eq!(asked.options.budget, Nanos::seconds(90));
        assert!(asked.options.read_only);
        assert_eq!(
            asked_again(&["fathom".to_owned(), "explore".to_owned()]),
            None
        );
    }
}
