//! The answer before the numbers: may this result be used, and if not, why.

use crate::findings::{Finding, FindingRank};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far a result may be used.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Rank {
    /// Nothing speaks against it.
    #[default]
    Valid,
    /// It may be used with the reasons in mind.
    Weak,
    /// It does not say what was asked.
    Invalid,
}

impl Rank {
    /// As it stands on the first line.
    pub const fn word(self) -> &'static str {
        match self {
            Rank::Valid => "VALID",
            Rank::Weak => "WEAK",
            Rank::Invalid => "INVALID",
        }
    }
}

/// The engine of devices that exist in a model only.
pub(crate) const SIMULATED: &str = "simulated";

/// May this result be used, and why or why not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// How far the result may be used.
    pub rank: Rank,
    /// Where the result is valid as one thing but not as another: what it is not valid as.
    pub not_as: Option<String>,
    /// Where less could be looked at than usual: what it is valid as, `printed`.
    #[serde(default)]
    pub only_as: Option<String>,
    /// Of a device that exists in a model only: no hardware was measured.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub simulated: bool,
    /// Why, in sentences, the most important first; for a valid result, what was looked at. // at least one
    pub reasons: Vec<String>,
}

impl Verdict {
    /// Critical findings make a result invalid, warnings make it weak. `good` is said when there are none.
    pub(crate) fn from_findings(findings: &[Finding], good: String) -> Verdict {
        let of = |rank| findings.iter().filter(move |finding| finding.rank == rank);
        let first_critical = of(FindingRank::Critical).next();
        let mut reasons: Vec<String> = of(FindingRank::Critical)
            .chain(of(FindingRank::Warning))
            .map(|finding| finding.sentence.clone())
            .collect();
        let rank = match (first_critical, reasons.is_empty()) {
            (Some(_), _) => Rank::Invalid,
            (None, false) => Rank::Weak,
            (None, true) => Rank::Valid,
        };
        if reasons.is_empty() {
            reasons.push(good);
        }
        Verdict {
            rank,
            not_as: first_critical.and_then(|finding| finding.not_as.clone()),
            only_as: None,
            simulated: false,
            reasons,
        }
    }

    /// Says whether the device exists in a model only.
    #[must_use]
    pub(crate) fn of_simulated(self, simulated: bool) -> Verdict {
        Verdict { simulated, ..self }
    }

    /// Of figures that another tool printed. They can contradict each other, and then they are told like our own; where
    /// they do not, they are valid as printed and no more: the device's counts and most of the rest are not known.
    pub(crate) fn of_printed(findings: &[Finding], has_rate: bool) -> Verdict {
        let good = "no figure contradicts another; the device's own counts are not known";
        let mut verdict = Verdict::from_findings(findings, good.to_owned());
        match (verdict.rank, has_rate) {
            (Rank::Valid, true) => verdict.only_as = Some("printed".to_owned()),
            (Rank::Valid, false) => {
                verdict.rank = Rank::Weak;
                verdict.reasons = vec!["the text holds no rate".to_owned()];
            }
            (Rank::Weak | Rank::Invalid, _) => {}
        }
        verdict
    }

    /// What every first line begins with: `VALID`, or `SIMULATED, VALID` where no hardware was measured.
    pub fn words(&self) -> String {
        let simulated = if self.simulated { "SIMULATED, " } else { "" };
        format!("{simulated}{}", self.rank.word())
    }

    /// The first line of every view: `WEAK: stopped after 12 s of 60 s`.
    pub fn sentence(&self) -> String {
        let as_what = match (&self.not_as, &self.only_as) {
            (Some(what), _) | (None, Some(what)) => format!(" as {what}"),
            (None, None) => String::new(),
        };
        let why = self.reasons.first().map_or("", String::as_str);
        format!("{}{as_what}: {why}", self.words())
    }
}
