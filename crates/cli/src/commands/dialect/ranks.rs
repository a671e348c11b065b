//! The time spans of another tool's command line on many hosts: each of all ranks at once, and their records put together as one.
//!
//! Omitted: who the ranks are and what each runs (`session`).

use super::tell_trouble;
use crate::commands::hosts::agrees;
use crate::{failure, output};
use model::{CommandError, Outcome, RunRecord};
use session::{Hosts, Ran, RankResult, Schedule, Step, Timespans};
use std::rc::Rc;

/// Returns what the ranks sent of a step; what went wrong is reported. None where a rank that the job needs has no record, so that
/// nothing is known of all together.
pub(crate) fn results_of_ranks(hosts: &Hosts, label: &str) -> Option<Vec<RankResult>> {
    let (results, sums) = hosts.take_results();
    if let Err(error) = agrees(&results, sums.as_ref()) {
        failure::say(&error);
        return None;
    }
    for result in &results {
        let of = match label {
            "" => result.label(),
            label => format!("{label}, {}", result.label()),
        };
        match &result.outcome {
            Ok(record) => {
                if let Outcome::Failed(_) = &record.outcome {
                    output::tell(&format!("{of}: this process failed:"));
                }
                tell_trouble(record);
            }
            Err(why) => output::tell(&format!("{of}: {why}")),
        }
    }
    let is_whole = results.iter().all(|result| result.outcome.is_ok());
    (is_whole || hosts.goes_on()).then_some(results)
}

/// Returns the records that are there.
pub(crate) fn records_of(results: &[RankResult]) -> Vec<RunRecord> {
    let records = results
        .iter()
        .filter_map(|result| result.outcome.as_ref().ok());
    records.cloned().collect()
}

/// Time spans, each of all ranks.
pub(crate) struct SpansOfRanks<'a> {
    spans: Timespans<'a>,
    hosts: &'a Rc<Hosts>,
    /// By time span: the results of its ranks.
    pub(crate) results: Vec<Vec<RankResult>>,
}

impl<'a> SpansOfRanks<'a> {
    pub(crate) fn new(spans: Timespans<'a>, hosts: &'a Rc<Hosts>) -> Self {
        SpansOfRanks {
            spans,
            hosts,
            results: Vec::new(),
        }
    }

    /// One record for each time span, and those of its ranks.
    pub(crate) fn into_records(self) -> (Vec<RunRecord>, Vec<Vec<RankResult>>) {
        (self.spans.records, self.results)
    }
}

impl Schedule for SpansOfRanks<'_> {
    fn next(&mut self) -> Result<Option<Step>, CommandError> {
        let step = self.spans.next()?;
        // Each rank checks its part when its turn comes.
        Ok(step.map(|step| Step {
            checked: None,
            ..step
        }))
    }

    fn take(&mut self, step: Step, ran: Ran) -> bool {
        let label = match self.spans.count() {
            1 => "",
            _ => &step.label,
        };
        let Some(results) = results_of_ranks(self.hosts, label) else {
            return false;
        };
        let Some(record) = RunRecord::of_ranks(&records_of(&results)) else {
            return false;
        };
        self.results.push(results);
        let outcome = Ok(record);
        self.spans.take(step, Ran { outcome, ..ran })
    }
}
