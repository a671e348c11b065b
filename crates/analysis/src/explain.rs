//! The meaning of every id that fathom prints: findings, severities, results, answers of `fathom check` and ends of a command.
//!
//! Findings come from the table of rules; the others are written here. Omitted: layout (`views`), and the nearest id to a
//! misspelt one (`cli`).

use crate::findings::{FINDINGS, Group, Look, Rule};
use schemars::JsonSchema;
use serde::Serialize;

/// What an id names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExplainedKind {
    /// A finding about a result.
    Finding,
    /// How serious a finding is.
    Severity,
    /// How far a result may be used: the first word of a report.
    Result,
    /// The answer of `fathom check`.
    Check,
    /// How a command ended: its exit code.
    Outcome,
}

/// The explanation of one id.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Explanation {
    /// The id, in lower case with hyphens.
    pub id: &'static str,
    /// What the id names.
    pub kind: ExplainedKind,
    /// What a finding is about; none for other kinds.
    pub group: Option<Group>,
    /// Its meaning.
    pub meaning: &'static str,
    /// How it is found, with thresholds.
    pub method: &'static str,
    /// Names of the figures that a finding has in JSON.
    pub evidence: &'static [&'static str],
    /// What to do.
    pub advice: &'static str,
    /// Where the method, or the counter that it reads, is described.
    pub source: &'static str,
    /// Data from which a finding is derived.
    pub derived_from: Option<&'static str>,
}

/// An id that is no finding.
struct Topic {
    id: &'static str,
    kind: ExplainedKind,
    meaning: &'static str,
    method: &'static str,
    advice: &'static str,
    source: &'static str,
}

const TOPICS: &[Topic] = &[
    Topic {
        id: "valid",
        kind: ExplainedKind::Result,
        meaning: "The result may be used: fathom checked it and found no warning and no error.",
        method: "No finding is a warning or an error, and enough checks were possible: device counters, cache, queue, steady state, number of samples. The line lists the checks that passed.",
        advice: "Use the result.",
        source: "The manual, chapter Statistics: Verdict.",
    },
    Topic {
        id: "not-checked",
        kind: ExplainedKind::Result,
        meaning: "No finding is a warning or an error, but too few checks were possible to rely on that.",
        method: "Printed results of other tools often lack device counters, series and depths. `unchecked` in JSON lists what each missing check needs.",
        advice: "Repeat the measurement with fathom, or import an output with more detail (DISKSPD's XML, fio's JSON).",
        source: "The manual, chapter Statistics: Verdict.",
    },
    Topic {
        id: "caution",
        kind: ExplainedKind::Result,
        meaning: "The result may be used with its warnings in mind. From `fathom check`: a measurement is possible, but the warnings change what its figures mean.",
        method: "At least one finding is a warning and none is an error. A finding that another one explains does not count. A survey or sweep is CAUTION where any of its workloads is uncertain or missing.",
        advice: "Read the first warning and do what it advises, or state it together with the result.",
        source: "The manual, chapter Statistics: Verdict.",
    },
    Topic {
        id: "invalid",
        kind: ExplainedKind::Result,
        meaning: "The result does not describe what was requested. `INVALID as a disk result` is valid as something else, such as a cache result.",
        method: "At least one finding is an error. A survey or sweep is INVALID where all of its measured workloads are.",
        advice: "Do not use the figures. Remove the cause that the line names, and measure again.",
        source: "The manual, chapter Statistics: Verdict.",
    },
    Topic {
        id: "simulated",
        kind: ExplainedKind::Result,
        meaning: "The target was a simulated device (`sim:`): no hardware was measured.",
        method: "The word follows the verdict, as in `VALID (simulated)`.",
        advice: "Use such results to learn fathom and to test scripts.",
        source: "The manual, chapter Simulated devices.",
    },
    Topic {
        id: "ready",
        kind: ExplainedKind::Check,
        meaning: "fathom check found nothing that would distort a measurement of this target.",
        method: "Nothing that was checked would distort the result: other load, device health, throttling, free space, scheduler, mount options, frequency governor, clock. What could not be checked is listed.",
        advice: "Measure.",
        source: "The manual, chapter fathom check.",
    },
    Topic {
        id: "not-ready",
        kind: ExplainedKind::Check,
        meaning: "A measurement of this target now would not give figures of this target.",
        method: "At least one check found a problem that makes figures untrue, such as other I/O on the device. The exit code is 3.",
        advice: "Remove the problems that the output lists, then repeat fathom check.",
        source: "The manual, chapter fathom check.",
    },
    Topic {
        id: "error",
        kind: ExplainedKind::Severity,
        meaning: "A finding that makes the result INVALID: it does not describe what was requested.",
        method: "Each rule has its own threshold: see the finding.",
        advice: "Remove the cause and measure again.",
        source: "The manual, chapter Findings, results and outcomes.",
    },
    Topic {
        id: "warning",
        kind: ExplainedKind::Severity,
        meaning: "A finding that makes the result CAUTION: it may be used with this in mind.",
        method: "Each rule has its own threshold: see the finding.",
        advice: "Do what the finding advises, or state it together with the result.",
        source: "The manual, chapter Findings, results and outcomes.",
    },
    Topic {
        id: "note",
        kind: ExplainedKind::Severity,
        meaning: "A finding that helps to read the result and does not change its validity.",
        method: "Each rule has its own threshold: see the finding.",
        advice: "Nothing is required.",
        source: "The manual, chapter Findings, results and outcomes.",
    },
    Topic {
        id: "complete",
        kind: ExplainedKind::Outcome,
        meaning: "The command ran to its end. Exit code 0.",
        method: "The result was printed and stored. Its validity does not change the exit code.",
        advice: "Read the first word of the report, or `verdict.validity` in JSON.",
        source: "The manual, chapter Exit codes.",
    },
    Topic {
        id: "failed",
        kind: ExplainedKind::Outcome,
        meaning: "The command failed or was interrupted. Exit code 1.",
        method: "One of these: an I/O failed; no I/O completed; I/Os were not completed in time or were short; another program truncated the target; the run was interrupted; the result could not be written or stored.",
        advice: "Read the message on standard error. What was measured until then is stored and marked.",
        source: "The manual, chapter Exit codes.",
    },
    Topic {
        id: "refused",
        kind: ExplainedKind::Outcome,
        meaning: "The request was refused: it cannot be run, or it would destroy data. Exit code 2.",
        method: "The request is checked as a whole before anything is opened for writing. All problems are reported at once.",
        advice: "Correct the options that the messages name. Nothing was run and nothing was written.",
        source: "The manual, chapter Exit codes.",
    },
    Topic {
        id: "condition-not-met",
        kind: ExplainedKind::Outcome,
        meaning: "The command completed, and its answer is no. Exit code 3.",
        method: "A condition of `compare --fail-if` was violated, or `fathom check` answered NOT READY.",
        advice: "The comparison or the check is on standard output.",
        source: "The manual, chapter Exit codes.",
    },
];

/// Returns every id once: findings by group in the order of consequence, then the others.
pub fn explanations() -> Vec<Explanation> {
    let by_group = Group::ALL.iter().flat_map(|group| {
        let rules = FINDINGS.iter().filter(|rule| rule.group == *group);
        rules.map(of_rule)
    });
    by_group.chain(TOPICS.iter().map(of_topic)).collect()
}

fn of_rule(rule: &Rule) -> Explanation {
    Explanation {
        id: rule.id.as_str(),
        kind: ExplainedKind::Finding,
        group: Some(rule.group),
        meaning: rule.what,
        method: rule.method,
        evidence: rule.evidence,
        advice: rule.advice,
        source: rule.source,
        derived_from: Some(match rule.look {
            Look::Own(_) | Look::OwnKnowing(_) => "a run of fathom",
            Look::Any(_) => "a run of any tool",
            Look::Several(_) => "the runs of a session",
            Look::Both(..) => "a run of any tool; the runs of a session",
            Look::Job(_) => "the ranks of a run on many hosts",
            Look::Pts(_) => "a test of SNIA's PTS",
            Look::Files(_) => "work with files",
            Look::Audit(_) => "the account of a program",
        }),
    }
}

fn of_topic(topic: &Topic) -> Explanation {
    Explanation {
        id: topic.id,
        kind: topic.kind,
        group: None,
        meaning: topic.meaning,
        method: topic.method,
        evidence: &[],
        advice: topic.advice,
        source: topic.source,
        derived_from: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PreflightAnswer;
    use crate::findings::Severity;
    use crate::verdict::Validity;

    #[test]
    fn every_printed_word_has_one_explanation() {
        let all = explanations();
        let printed = [
            Validity::Valid,
            Validity::NotChecked,
            Validity::Caution,
            Validity::Invalid,
        ]
        .map(Validity::word);
        let answers =
            [PreflightAnswer::Ready, PreflightAnswer::NotReady].map(PreflightAnswer::name);
        let severities = [Severity::Note, Severity::Warning, Severity::Error].map(Severity::name);
        for word in printed.into_iter().chain(answers).chain(severities) {
            let id = word.to_lowercase().replace(' ', "-");
            assert_eq!(all.iter().filter(|one| one.id == id).count(), 1, "{id}");
        }
        for (place, one) in all.iter().enumerate() {
            assert!(
                all[..place].iter().all(|other| other.id != one.id),
                "{}",
                one.id
            );
        }
        assert!(all.len() > FINDINGS.len());
    }
}
