//! Before anything is measured: what would make the numbers untrue, or another user's, and how to put it right.
//!
//! Pure: facts in, remarks out. Each rule is a function of the facts and stands in `load` (who else is at work) or
//! `setting` (how things are set). Deliberately absent: taking the facts, and refusing a run: the caller decides.

mod load;
pub(crate) mod setting;
mod thresholds;

#[cfg(test)]
mod tests;

pub use thresholds::{CheckThreshold, check_thresholds};

use model::{CounterWindow, DeviceHealth, HostRecord, TargetFacts};
use schemars::JsonSchema;
use serde::Serialize;

/// What is known before a run.
#[derive(Clone, Debug)]
pub struct Facts<'a> {
    /// The machine.
    pub host: &'a HostRecord,
    /// The target, as it would be measured.
    pub target: &'a TargetFacts,
    /// Why a survey of it would be refused; empty where it would start.
    pub refused: &'a [String],
    /// Whether a survey that only reads would start.
    pub starts_read_only: bool,
    /// Health of its devices as the system reports it.
    pub health: &'a [DeviceHealth],
    /// What the kernel reads the time from.
    pub time_source: Option<&'a str>,
    /// The counters over a second or two in which nothing was measured.
    pub window: &'a CounterWindow,
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Nothing was found.
    Ready,
    /// It can be measured, and something affects the figures.
    Caution,
    /// Numbers would not be those of the target.
    NotReady,
}

impl Answer {
    /// As it stands at the start of the first line.
    pub const fn name(self) -> &'static str {
        match self {
            Answer::Ready => "READY",
            Answer::Caution => "CAUTION",
            Answer::NotReady => "NOT READY",
        }
    }
}

/// How much a remark weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// Checked and in order.
    Ok,
    /// Could not be checked.
    Unknown,
    /// Affects the figures.
    Warning,
    /// Makes them untrue.
    Error,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Remark {
    /// Name of the check: `other load`, `governor`.
    pub topic: &'static str,
    /// How much it weighs.
    pub weight: Weight,
    /// What was found.
    pub found: String,
    /// Remedy; none if none is needed.
    pub remedy: Option<String>,
}

/// All remarks before a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Preflight {
    /// The target, as it was named.
    pub target: String,
    /// The answer, from the most severe remark.
    pub answer: Answer,
    /// The most severe first.
    pub remarks: Vec<Remark>,
    /// For how long other load was observed.
    pub observed_ns: u64,
}

/// The checks of one host of several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HostPreflight {
    /// Number of its rank.
    pub rank: u32,
    /// Its name.
    pub host: String,
    /// What was found there.
    pub check: Preflight,
}

/// The checks of all hosts of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HostsPreflight {
    /// The most severe answer of all hosts; not ready, too, where their targets do not fit the layout.
    pub answer: Answer,
    /// Why their targets cannot be measured together; empty where they can.
    pub targets: Vec<String>,
    /// Hosts with the most severe answer first.
    pub hosts: Vec<HostPreflight>,
}

/// Puts the checks of all hosts together. `targets` is why their targets cannot be measured together.
pub fn hosts_preflight(mut hosts: Vec<HostPreflight>, targets: Vec<String>) -> HostsPreflight {
    hosts.sort_by_key(|host| (std::cmp::Reverse(host.check.answer), host.rank));
    let worst = hosts.first().map(|first| first.check.answer);
    HostsPreflight {
        answer: match targets.is_empty() {
            true => worst.unwrap_or(Answer::NotReady),
            false => Answer::NotReady,
        },
        targets,
        hosts,
    }
}

impl Preflight {
    /// Those that call for something, heaviest first.
    pub fn calling(&self) -> impl Iterator<Item = &Remark> {
        self.remarks
            .iter()
            .filter(|remark| remark.weight >= Weight::Warning)
    }
}

/// One rule: `None` where it has nothing to check.
type Rule = fn(&Facts<'_>) -> Vec<Remark>;

const RULES: [Rule; 14] = [
    setting::target,
    setting::start,
    setting::health,
    load::device,
    load::cpus,
    load::hypervisor,
    setting::shared,
    setting::throttle,
    setting::quota,
    setting::space,
    setting::scheduler,
    setting::mount,
    setting::governor,
    setting::time_source,
];

/// Checks everything.
pub fn preflight(facts: &Facts<'_>) -> Preflight {
    let mut remarks: Vec<Remark> = RULES.iter().flat_map(|rule| rule(facts)).collect();
    remarks.sort_by_key(|remark| std::cmp::Reverse(remark.weight)); // stable: the rules' order within a weight
    let answer = match remarks.first().map(|remark| remark.weight) {
        Some(Weight::Error) => Answer::NotReady,
        Some(Weight::Warning) => Answer::Caution,
        Some(Weight::Ok | Weight::Unknown) | None => Answer::Ready,
    };
    Preflight {
        target: facts.target.path.to_string_lossy().into_owned(),
        answer,
        remarks,
        observed_ns: facts.window.elapsed().0,
    }
}

fn fine(topic: &'static str, found: impl Into<String>) -> Vec<Remark> {
    one(topic, Weight::Ok, found, None)
}

fn unknown(topic: &'static str, found: impl Into<String>) -> Vec<Remark> {
    one(topic, Weight::Unknown, found, None)
}

fn care(topic: &'static str, found: impl Into<String>, remedy: &str) -> Vec<Remark> {
    one(topic, Weight::Warning, found, Some(remedy))
}

fn stop(topic: &'static str, found: impl Into<String>, remedy: &str) -> Vec<Remark> {
    one(topic, Weight::Error, found, Some(remedy))
}

fn one(
    topic: &'static str,
    weight: Weight,
    found: impl Into<String>,
    remedy: Option<&str>,
) -> Vec<Remark> {
    vec![Remark {
        topic,
        weight,
        found: found.into(),
        remedy: remedy.map(str::to_owned),
    }]
}
