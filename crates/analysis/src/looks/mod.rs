//! Several short runs on one target in one report: `fathom quick`, what the layers above a device cost, whether storage
//! is fast enough for a program, and which of two is faster.
//!
//! A look is known by the label of its run, which is written and read here ([`QuickStep`], [`LayerStep`]), so that a
//! session from the database gives the same report as the one that has just ended. Read in this order: what both share
//! (here), `quick`, `layers`.

mod ab;
mod fit;
mod layers;
mod quick;
#[cfg(test)]
mod tests;

pub use ab::{
    AB_PAIRS_MIN, AbDecision, AbFigure, AbReport, AbRequest, AbSide, ab_is_known, ab_report,
};
pub use fit::{
    Decision, Demand, DemandFigure, DemandOperation, DemandStatistic, FitReport, FitRow, fit_report,
};
pub use layers::{Layer, LayerCost, LayerRow, LayerStep, LayerWork, LayersReport, layers_report};
pub use quick::{QuickReport, QuickRow, QuickStep, quick_report};

use crate::checks::Checks;
use crate::findings::{Finding, PAGE_CACHE, SHORT_RUN};
use crate::run::{RunReport, run_report};
use crate::spread::relative_half_width;
use crate::verdict::{Validity, Verdict};
use crate::{DeviceDigest, Estimate, HostDigest, Severity, TargetDigest};
use model::RunRecord;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Content of a session other than its runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LooksContext {
    /// It was interrupted.
    pub interrupted: bool,
    /// What ended it, where something did.
    pub failure: Option<String>,
    /// What a person should know of how it was done.
    pub notes: Vec<String>,
    /// What was required, of `fathom fit`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub demand: Option<Demand>,
    /// What was compared, of `fathom ab`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ab: Option<AbRequest>,
}

/// Place and target, once for all runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LooksPlace {
    /// The targets, each once.
    pub targets: Vec<TargetDigest>,
    /// The machine.
    pub host: HostDigest,
    /// I/O engine.
    pub engine: String,
    /// Nanoseconds since 1970 in UTC, of the first run.
    pub started_utc_ns: u64,
}

/// Finding of a rule in one of the runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepFinding {
    /// The label of the run.
    pub step: String,
    /// The finding.
    #[serde(flatten)]
    pub finding: Finding,
}

/// The errors and warnings of the runs, each rule once a label. That a cached run is cached and that a quick run is short
/// are not among them.
fn step_findings(known: &[(String, bool, &RunReport)]) -> Vec<StepFinding> {
    let mut found: Vec<StepFinding> = Vec::new();
    for (step, cached, report) in known {
        let counts = |finding: &&Finding| {
            finding.severity > Severity::Note
                && finding.because.is_none()
                && finding.id != SHORT_RUN
                && !(*cached && finding.id == PAGE_CACHE)
        };
        for finding in report.findings.iter().filter(counts) {
            let is_known = |one: &StepFinding| one.step == *step && one.finding.id == finding.id;
            if !found.iter().any(is_known) {
                found.push(StepFinding {
                    step: step.clone(),
                    finding: finding.clone(),
                });
            }
        }
    }
    found
}

/// May the figures be used: as the worst that was found; invalid where nothing was measured. Checks count that every run
/// with direct I/O passed.
fn verdict(
    known: &[(String, bool, &RunReport)],
    found: &[StepFinding],
    context: &LooksContext,
) -> Verdict {
    let named = found.iter().map(|one| Finding {
        sentence: format!("{}: {}", one.step, one.finding.sentence),
        ..one.finding.clone()
    });
    let direct = || {
        let direct = known.iter().filter(|(_, cached, _)| !cached);
        direct.map(|(.., report)| &report.verdict)
    };
    let mut verdict = Verdict::from_findings(&named.collect::<Vec<_>>(), checks(direct))
        .of_simulated(direct().any(|one| one.simulated));
    let ended = match &context.failure {
        Some(why) => Some(format!("stopped early: {why}")),
        None => context.interrupted.then(|| "interrupted".to_owned()),
    };
    if known.is_empty() {
        verdict.validity = Validity::Invalid;
        verdict.reasons = vec![ended.unwrap_or_else(|| "no run was completed".to_owned())];
    } else if let Some(ended) = ended {
        let valid = verdict.validity <= Validity::NotChecked;
        verdict.validity = verdict.validity.max(Validity::Caution);
        match valid {
            true => verdict.reasons = vec![ended],
            false => verdict.reasons.push(ended),
        }
    }
    verdict
}

/// What all passed, and what any could not be checked by.
fn checks<'a, I: Iterator<Item = &'a Verdict>>(all: impl Fn() -> I) -> Checks {
    let first = all().next().into_iter();
    let passed = first.flat_map(|first| &first.checks);
    let in_all = |check: &&String| all().all(|one| one.checks.contains(check));
    let mut missing: Vec<String> = Vec::new();
    for check in all().flat_map(|one| &one.unchecked) {
        if !missing.contains(check) {
            missing.push(check.clone());
        }
    }
    Checks {
        passed: passed.filter(in_all).cloned().collect(),
        missing,
        without_device: false,
    }
}

pub(crate) fn place_of(first: Option<&RunReport>, all: &[RunReport]) -> Option<LooksPlace> {
    let first = first?;
    let mut targets: Vec<TargetDigest> = Vec::new();
    for facts in all
        .iter()
        .flat_map(|run| &run.targets)
        .map(|target| &target.facts)
    {
        if !targets.iter().any(|known| known.path == facts.path) {
            targets.push(facts.clone());
        }
    }
    Some(LooksPlace {
        targets,
        host: first.host.clone(),
        engine: first.engine.backend.clone(),
        started_utc_ns: first.time.started_utc_ns,
    })
}

fn reports(runs: &[(String, RunRecord)]) -> Vec<RunReport> {
    runs.iter().map(|(_, record)| run_report(record)).collect()
}

/// IOPS with the interval of its whole steps of the time series, taken for independent: too narrow where a rate
/// drifts within the run.
fn rate(report: &RunReport) -> Option<Estimate> {
    let total = report
        .operations
        .iter()
        .find(|row| row.operation == "total")?;
    let longest = report.intervals.iter().map(|step| step.length_ns).max()?;
    let whole = report
        .intervals
        .iter()
        .filter(|step| step.length_ns == longest);
    let rates: Vec<f64> = whole.filter_map(|step| step.iops).collect();
    let bare = Estimate::bare(total.iops, rates.len() as f64);
    let Some(share) = relative_half_width(&rates) else {
        return Some(bare);
    };
    Some(Estimate {
        low: Some((bare.value * (1.0 - share)).max(0.0)),
        high: Some(bare.value * (1.0 + share)),
        ..bare
    })
}

/// Bytes of one I/O.
fn block(report: &RunReport) -> f64 {
    report
        .targets
        .first()
        .map_or(0.0, |target| target.work.block_bytes as f64)
}

fn scaled(estimate: Estimate, by: f64) -> Estimate {
    Estimate {
        value: estimate.value * by,
        low: estimate.low.map(|low| low * by),
        high: estimate.high.map(|high| high * by),
        ..estimate
    }
}

/// Share of the bytes that a device moved in the measured phase; none where it does not report it.
fn device_share(report: &RunReport) -> Option<f64> {
    let checks = report.device_checks.iter();
    let counts: Vec<_> = checks.filter_map(|check| check.measured.as_ref()).collect();
    let bytes = |of: fn(&crate::OperationComparison) -> u64| -> f64 {
        counts
            .iter()
            .map(|one| (of(&one.read) + of(&one.write)) as f64)
            .sum()
    };
    let tool = bytes(|one| one.tool_bytes);
    (tool > 0.0).then(|| bytes(|one| one.device_bytes) / tool)
}

/// The device that lies lowest under a target.
fn lowest(target: &TargetDigest) -> Option<&DeviceDigest> {
    target.chain.last()
}
