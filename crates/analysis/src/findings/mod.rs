//! What the rules found: one rule is one file here and one row in [`FINDINGS`].
//!
//! A rule looks at what is already derived and says one thing: a sentence, the numbers behind it, and what
//! to do. It never says the same as another rule, and it keeps silent rather than guess: every threshold
//! stands in its file with the reason. A rule's test cases stand beside it, the quiet ones too.

mod abandoned;
mod backlog;
mod clock_drift;
mod in_flight;
mod interrupted;
mod io_errors;
mod neighbour;
mod nothing_measured;
mod page_cache;
mod short_run;
mod steal;
mod tool_bound;
mod unsteady;

use crate::cpu::CpuReport;
use crate::device_check::DeviceCheck;
use crate::in_flight::InFlight;
use crate::intervals::{IntervalRow, Steadiness};
use crate::open_loop::OpenLoop;
use crate::workers::WorkerShare;
use model::{RunRecord, Tally};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Every rule, the most important first; among findings of one rank this is the order of the report.
pub const FINDINGS: &[Rule] = &[
    Rule {
        id: "io-errors",
        look: io_errors::look,
    },
    Rule {
        id: "abandoned",
        look: abandoned::look,
    },
    Rule {
        id: "nothing-measured",
        look: nothing_measured::look,
    },
    Rule {
        id: "backlog",
        look: backlog::look,
    },
    Rule {
        id: "page-cache",
        look: page_cache::look,
    },
    Rule {
        id: "interrupted",
        look: interrupted::look,
    },
    Rule {
        id: "noisy-neighbour",
        look: neighbour::look,
    },
    Rule {
        id: "tool-bound",
        look: tool_bound::look,
    },
    Rule {
        id: "in-flight",
        look: in_flight::look,
    },
    Rule {
        id: "not-steady",
        look: unsteady::look,
    },
    Rule {
        id: "short-run",
        look: short_run::look,
    },
    Rule {
        id: "steal",
        look: steal::look,
    },
    Rule {
        id: "clock-drift",
        look: clock_drift::look,
    },
];

/// One rule.
pub struct Rule {
    /// Its name, for good: documents refer to it.
    pub id: &'static str,
    /// Looks, and says something or nothing.
    pub look: fn(&Seen<'_>) -> Option<Finding>,
}

/// All that a rule may look at.
pub struct Seen<'a> {
    /// The record itself.
    pub record: &'a RunRecord,
    /// All operations and threads of the measured phase together.
    pub total: &'a Tally,
    /// The rate over time.
    pub intervals: &'a [IntervalRow],
    /// Whether it held still.
    pub steadiness: &'a Steadiness,
    /// The device's counts beside the tool's.
    pub device_checks: &'a [DeviceCheck],
    /// What the processors did.
    pub cpu: &'a CpuReport,
    /// How many I/Os were in flight.
    pub in_flight: &'a InFlight,
    /// How a rate was kept, where one was asked.
    pub open_loop: Option<&'a OpenLoop>,
    /// What the worker threads' time went into.
    pub workers: &'a [WorkerShare],
}

/// How much a finding weighs.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FindingRank {
    /// Good to know.
    Info,
    /// The result may be used with this in mind.
    Warning,
    /// The result does not say what was asked.
    Critical,
}

/// One thing that a rule found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Name of the rule.
    pub id: String,
    /// How much it weighs.
    pub rank: FindingRank,
    /// What was found, in one sentence with its numbers.
    pub sentence: String,
    /// What the result is not valid as, where it is still valid as something else.
    pub not_as: Option<String>,
    /// The numbers behind the sentence.
    pub evidence: Vec<Evidence>,
    /// What to do next.
    pub advice: String,
}

/// One number behind a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// What it is, with its unit last: `stopped_after_ns`.
    pub name: String,
    /// How much.
    pub value: f64,
}

/// A finding without `not_as`; a number that is not finite is left out of the evidence.
pub(crate) fn finding(
    id: &str,
    rank: FindingRank,
    sentence: String,
    evidence: &[(&str, f64)],
    advice: &str,
) -> Finding {
    Finding {
        id: id.to_owned(),
        rank,
        sentence,
        not_as: None,
        evidence: evidence
            .iter()
            .filter(|(_, value)| value.is_finite())
            .map(|(name, value)| Evidence {
                name: (*name).to_owned(),
                value: *value,
            })
            .collect(),
        advice: advice.to_owned(),
    }
}

/// For the rules' tests: what the whole table says of a record under one rule's name.
#[cfg(test)]
fn found(record: &RunRecord, id: &str) -> Option<Finding> {
    assert!(FINDINGS.iter().any(|rule| rule.id == id));
    crate::run_report(record)
        .findings
        .into_iter()
        .find(|finding| finding.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;

    #[test]
    fn a_plain_run_gives_no_finding_at_all() {
        let report = crate::run_report(
            &Sample {
                depth: 8,
                ..Sample::default()
            }
            .build(),
        );
        assert_eq!(report.findings, []);
        assert_eq!(
            report.verdict.sentence(),
            "VALID: no errors; the device counted what fathom counted; the rate was steady"
        );
    }

    #[test]
    fn every_rule_has_a_name_of_its_own() {
        for (place, rule) in FINDINGS.iter().enumerate() {
            assert!(
                FINDINGS[..place].iter().all(|before| before.id != rule.id),
                "{}",
                rule.id
            );
        }
    }
}
