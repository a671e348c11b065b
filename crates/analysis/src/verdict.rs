//! What stands before the numbers: the answer in a few lines, and whether it may be used and why not.

use crate::checks::Checks;
use crate::findings::{Confidence, Finding, Group, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far a result may be used.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub enum Validity {
    /// Nothing speaks against it.
    #[default]
    #[serde(rename = "VALID")]
    Valid,
    /// Nothing speaks against it, and too little could be checked.
    #[serde(rename = "NOT CHECKED")]
    NotChecked,
    /// It may be used with the reasons in mind.
    #[serde(rename = "CAUTION")]
    Caution,
    /// It does not measure what was requested.
    #[serde(rename = "INVALID")]
    Invalid,
}

impl Validity {
    /// Errors make a result invalid, warnings make it CAUTION; what another finding explains does neither.
    pub(crate) fn of_findings(findings: &[Finding]) -> Validity {
        let own = findings.iter().filter(|finding| finding.because.is_none());
        Validity::of_severity(own.map(|finding| finding.severity).max())
    }

    /// Of the worst finding; none where there is no finding.
    pub(crate) const fn of_severity(worst: Option<Severity>) -> Validity {
        match worst {
            Some(Severity::Error) => Validity::Invalid,
            Some(Severity::Warning) => Validity::Caution,
            Some(Severity::Note) | None => Validity::Valid,
        }
    }

    /// As it uses the first line.
    pub const fn word(self) -> &'static str {
        match self {
            Validity::Valid => "VALID",
            Validity::NotChecked => "NOT CHECKED",
            Validity::Caution => "CAUTION",
            Validity::Invalid => "INVALID",
        }
    }
}

/// The figure of a limit that is probable and no reason to doubt the result: `limited to 777 IOPS`.
fn limit(findings: &[Finding]) -> Option<&str> {
    let probable = findings.iter().find(|finding| {
        finding.group == Group::Limit
            && finding.because.is_none()
            && finding.confidence > Confidence::Low
    });
    probable?.sentence.split(": ").next()
}

/// What explains the figures, where no finding is a reason to doubt them: `only zeros were written`.
pub(crate) fn hints(findings: &[Finding]) -> String {
    const HINTS: [&str; 11] = [
        "requested-rate",
        "same-place",
        "compressible-data",
        "working-set-fits-cache",
        "zero-data",
        "commit-latency",
        "write-penalty",
        "latency-groups",
        "slow-tail",
        "single-spindle",
        "one-at-a-time",
    ];
    const HINTS_MAX: usize = 2;
    const LENGTH_MAX: usize = 140;
    let all = findings.iter().filter(|finding| {
        finding.severity == Severity::Note
            && finding.because.is_none()
            && HINTS.contains(&finding.id.as_str())
    });
    let short = |sentence: &str| match sentence.split_once(": ") {
        Some((short, _)) if sentence.len() > LENGTH_MAX => short.to_owned(),
        _ => sentence.to_owned(),
    };
    let all = all.map(|finding| format!("; {}", short(&finding.sentence)));
    all.take(HINTS_MAX).collect()
}

/// The engine of devices that exist in a model only.
pub(crate) const SIMULATED: &str = "simulated";

/// May this result be used, and why or why not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// How far the result may be used.
    pub validity: Validity,
    /// If the result is valid for one use but not for another: the use for which it is not valid.
    pub invalid_for: Option<String>,
    /// Checks that were possible and passed: `cache bypassed`.
    #[serde(default)]
    pub checks: Vec<String>,
    /// Data that the other checks lacked.
    #[serde(default)]
    pub unchecked: Vec<String>,
    /// Of a device that exists in a model only: no hardware was measured.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub simulated: bool,
    /// The reasons, in sentences, the most important first; for a valid result, the checks. // at least one
    pub reasons: Vec<String>,
}

impl Verdict {
    /// An error makes a result invalid, a warning makes it CAUTION. A finding that another one explains is no reason of its
    /// own. Without a reason it is valid, with what was checked, or not checked.
    pub(crate) fn from_findings(findings: &[Finding], checks: Checks) -> Verdict {
        let of = |validity| {
            let own = findings.iter().filter(|finding| finding.because.is_none());
            own.filter(move |finding| finding.severity == validity)
        };
        let first_error = of(Severity::Error).next();
        let mut reasons: Vec<String> = of(Severity::Error)
            .chain(of(Severity::Warning))
            .map(|finding| finding.sentence.clone())
            .collect();
        let validity = match Validity::of_findings(findings) {
            Validity::Valid if !checks.are_enough() => Validity::NotChecked,
            validity => validity,
        };
        let passed = checks.passed.join(", ");
        let checked = match (validity, passed.is_empty()) {
            (Validity::Valid, _) => Some(format!("no errors; {passed}")),
            (Validity::NotChecked, true) => Some("nothing to check it by".to_owned()),
            (Validity::NotChecked, false) => {
                Some(format!("too little to check it by: only {passed}"))
            }
            _ => None,
        };
        let probable = limit(findings).map(|limit| format!("{limit}; "));
        let probable = probable.unwrap_or_default();
        reasons.extend(checked.map(|checked| format!("{probable}{checked}{}", hints(findings))));
        Verdict {
            validity,
            invalid_for: first_error.and_then(|finding| finding.invalid_for.clone()),
            checks: checks.passed,
            unchecked: checks.missing,
            simulated: false,
            reasons,
        }
    }

    /// Returns whether the device exists in a model only.
    #[must_use]
    pub(crate) fn of_simulated(self, simulated: bool) -> Verdict {
        Verdict { simulated, ..self }
    }

    /// Of figures that another tool printed: without a rate there is nothing to use.
    pub(crate) fn of_printed(findings: &[Finding], checks: Checks, has_rate: bool) -> Verdict {
        let mut verdict = Verdict::from_findings(findings, checks);
        if verdict.validity <= Validity::NotChecked && !has_rate {
            verdict.validity = Validity::Caution;
            verdict.reasons = vec!["the text contains no rate".to_owned()];
        }
        verdict
    }

    /// What every first line begins with: `VALID`, or `VALID (simulated)` where no hardware was measured.
    pub fn words(&self) -> String {
        let simulated = if self.simulated { " (simulated)" } else { "" };
        format!("{}{simulated}", self.validity.word())
    }

    /// The first line of every view: `CAUTION: stopped after 12 s of 60 s`.
    pub fn sentence(&self) -> String {
        let as_what = self
            .invalid_for
            .as_ref()
            .map_or_else(String::new, |what| format!(" as {what}"));
        let why = self.reasons.first().map_or("", String::as_str);
        format!("{}{as_what}: {why}", self.words())
    }
}

/// One line: the workload, and its figures with their units.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// `4 KiB random`.
    pub name: String,
    /// `read 11.3k IOPS (QD1)`.
    pub figures: Vec<String>,
    /// What may go below the figures where a line has no room for it: `QD1 latency 66 µs`.
    pub detail: Option<String>,
}

impl Answer {
    /// Joins the figures that are known; none without any.
    pub(crate) fn of(
        name: &str,
        figures: impl IntoIterator<Item = Option<String>>,
    ) -> Option<Answer> {
        let figures: Vec<String> = figures.into_iter().flatten().collect();
        (!figures.is_empty()).then(|| Answer {
            name: name.to_owned(),
            figures,
            detail: None,
        })
    }

    /// Adds what may go below the figures.
    #[must_use]
    pub(crate) fn with_detail(self, detail: Option<String>) -> Answer {
        Answer { detail, ..self }
    }

    /// Writes the line as a sentence: `4 KiB random: read 11.3k IOPS (QD1)`.
    pub fn sentence(&self) -> String {
        let parts = self.figures.iter().chain(&self.detail);
        let parts: Vec<&str> = parts.map(String::as_str).collect();
        format!("{}: {}", self.name, parts.join(", "))
    }
}
