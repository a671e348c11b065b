//! The report of a test: final figures, verdict, set-up, tables, windows, and every demand of the specification.
//!
//! Omitted: layout.

use super::answers::answers;
use super::definition::{PtsDefinition, PtsPartKind};
use super::demands::{Judged, PtsDemand, PtsState, Rests, demands};
use super::measured::PtsRun;
use super::parts::{PtsPartReport, part_reports};
use super::progress::{PtsContext, PtsProgress, progress};
use crate::checks::Checks;
use crate::findings::{Finding, NotSteady, PtsSeen, pts_findings};
use crate::looks::{LooksPlace, StepFinding, place_of};
use crate::run::RunReport;
use crate::say;
use crate::verdict::{Answer, Validity, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What reports name as their source.
const SPECIFICATION: &str = "after SNIA SSS PTS 2.0.2";
/// A longer pause between two runs than opening, checking and storing take is an interruption.
const PAUSE_MAX_NS: u64 = 10_000_000_000;

/// A fact of the set-up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PtsFact {
    /// Its heading.
    pub name: String,
    /// The fact.
    pub value: String,
}

/// A test of SNIA's PTS.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PtsReport {
    /// The final figures, in a few lines; none where nothing was measured.
    pub answers: Vec<Answer>,
    /// Whether the figures may be used, with the reasons.
    pub verdict: Verdict,
    /// Name of the test, as `fathom pts` takes it.
    pub test: String,
    /// Title of the test.
    pub title: String,
    /// Source of the method.
    pub specification: String,
    /// Factor of all times. // 1 unless it is a demonstration
    pub scale: f64,
    /// Where and on what; none where nothing was run.
    pub place: Option<LooksPlace>,
    /// The set-up, as the headings of the specification have it.
    pub setup: Vec<PtsFact>,
    /// The parts in their order.
    pub parts: Vec<PtsPartReport>,
    /// Every demand of the specification, with the fact that shows whether it was met.
    pub demands: Vec<PtsDemand>,
    /// Findings on the test and its runs, by severity.
    pub findings: Vec<StepFinding>,
    /// Everything was run.
    pub complete: bool,
}

/// Puts a report together. `first` is that of the first run.
pub fn pts_report(
    definition: &PtsDefinition,
    runs: &[PtsRun],
    first: Option<&RunReport>,
    context: &PtsContext,
) -> PtsReport {
    let parts = progress(definition, runs, None, context.end());
    let place = first.and_then(|first| place_of(Some(first), std::slice::from_ref(first)));
    let judged = Judged {
        definition,
        context,
        runs,
        parts: &parts,
        target: place.as_ref().and_then(|place| place.targets.first()),
        rests: rests(definition, runs, context.scale()),
    };
    let demands = demands(&judged);
    let complete = parts.iter().all(|part| part.done);
    let findings = findings(&parts, &demands, runs, context);
    let reports = part_reports(definition.test, &parts);
    PtsReport {
        answers: answers(definition.test, &reports),
        verdict: verdict(&reports, &demands, &findings, context, runs),
        test: definition.test.name().to_owned(),
        title: definition.test.title().to_owned(),
        specification: SPECIFICATION.to_owned(),
        scale: context.scale(),
        setup: setup(definition, &parts, place.as_ref(), context),
        place,
        parts: reports,
        demands,
        findings,
        complete,
    }
}

/// Pauses between runs that the test did not ask for. A simulated drive does not rest between runs.
fn rests(definition: &PtsDefinition, runs: &[PtsRun], scale: f64) -> Rests {
    let mut rests = Rests::default();
    for pair in runs.windows(2) {
        let [before, after] = pair else { continue };
        if after.simulated.is_some() {
            continue;
        }
        let part = definition.parts.get(after.step.part as usize);
        let cell = part.and_then(|part| part.cells.get(after.step.cell as usize));
        let idle = cell.map_or(0.0, |cell| cell.idle.0 as f64 * scale) as u64;
        let ended = before.started_utc_ns.saturating_add(before.busy_ns);
        let pause = after
            .started_utc_ns
            .saturating_sub(ended)
            .saturating_sub(idle);
        // A round, or a part, that begins again was interrupted, however soon it was resumed.
        let again = (after.step.part, after.step.round) == (before.step.part, before.step.round)
            && after.step.attempt > before.step.attempt
            || after.step.part == before.step.part && after.step.series > before.step.series;
        if again || pause > PAUSE_MAX_NS {
            rests.count += 1;
            rests.sum_ns = rests.sum_ns.saturating_add(pause);
        }
    }
    rests
}

fn findings(
    parts: &[PtsProgress<'_>],
    demands: &[PtsDemand],
    runs: &[PtsRun],
    context: &PtsContext,
) -> Vec<StepFinding> {
    let not_steady = parts.iter().filter(|part| {
        part.part.kind == PtsPartKind::Rounds && part.done && part.reached.is_none()
    });
    let mut not_steady = not_steady.filter_map(|part| {
        let cell = part.tracked().into_iter().next()?;
        let window = crate::steady_state::SteadyWindow::last(&part.values(cell, part.part.metric));
        Some(NotSteady {
            rounds: u32::try_from(part.rounds.len()).unwrap_or(u32::MAX),
            rounds_ended_it: part.rounds.len() >= part.part.rounds_max as usize,
            range_share: window
                .as_ref()
                .map_or(f64::NAN, |window| window.range_share),
            slope_share: window
                .as_ref()
                .map_or(f64::NAN, |window| window.slope_share),
        })
    });
    let of_state = |state| demands.iter().filter(move |one| one.state == state);
    // What scaling leaves undone is one finding.
    let scaled = |one: &&PtsDemand| {
        context.scale_divisor > 1
            && (one.demand.starts_with("preconditioning") || one.demand.starts_with("times"))
    };
    let seen = PtsSeen {
        scale: context.scale(),
        not_steady: not_steady.next_back(),
        unmet: of_state(PtsState::NotMet)
            .filter(|one| !scaled(one))
            .map(|one| one.demand.clone())
            .collect(),
        unknown: of_state(PtsState::Unknown).count() as u64,
    };
    let mut found: Vec<StepFinding> = pts_findings(&seen)
        .into_iter()
        .map(|finding| StepFinding {
            step: String::new(),
            finding,
        })
        .collect();
    for run in runs {
        for finding in &run.findings {
            if !found.iter().any(|known| known.finding.id == finding.id) {
                found.push(StepFinding {
                    step: run.label.clone(),
                    finding: finding.clone(),
                });
            }
        }
    }
    found
}

fn verdict(
    parts: &[PtsPartReport],
    demands: &[PtsDemand],
    found: &[StepFinding],
    context: &PtsContext,
    runs: &[PtsRun],
) -> Verdict {
    let findings: Vec<Finding> = found.iter().map(|one| one.finding.clone()).collect();
    let names = |state| {
        let of_state = demands.iter().filter(move |one| one.state == state);
        of_state.map(|one| one.demand.clone()).collect()
    };
    let checks = Checks {
        passed: names(PtsState::Met),
        missing: names(PtsState::Unknown),
        without_device: false,
    };
    let simulated = runs.iter().any(|run| run.simulated.is_some());
    let mut verdict = Verdict::from_findings(&findings, checks).of_simulated(simulated);
    let ended = match &context.failure {
        Some(why) => Some(format!("stopped early: {why}")),
        None => context.interrupted.then(|| {
            let part = parts.iter().rev().find(|part| part.rounds > 0);
            match part {
                Some(part) => format!(
                    "not finished: {}",
                    say::counted(u64::from(part.rounds), "complete round")
                ),
                None => "not finished: no complete round".to_owned(),
            }
        }),
    };
    let measured = parts.iter().filter(|part| part.kind != "precondition");
    let has_figures = measured
        .flat_map(|part| &part.cells)
        .any(|cell| cell.means.is_some());
    if !has_figures {
        verdict.validity = Validity::Invalid;
        let why = ended.unwrap_or_else(|| "no round was completed".to_owned());
        verdict.reasons.insert(0, why);
    } else if let Some(ended) = ended {
        verdict.validity = verdict.validity.max(Validity::Caution);
        verdict.reasons.insert(0, ended);
    }
    verdict
}

fn setup(
    definition: &PtsDefinition,
    parts: &[PtsProgress<'_>],
    place: Option<&LooksPlace>,
    context: &PtsContext,
) -> Vec<PtsFact> {
    let fact = |name: &str, value: String| PtsFact {
        name: name.to_owned(),
        value,
    };
    let mut facts = vec![
        fact("test", definition.test.title().to_owned()),
        fact("purge", context.purge.statement().to_owned()),
        fact(
            "active range",
            format!(
                "{} of {}",
                say::bytes(context.range_bytes),
                say::bytes(context.capacity_bytes)
            ),
        ),
        fact("data pattern", "random, incompressible".to_owned()),
    ];
    let fill = definition.parts.iter();
    for part in fill.filter(|part| part.kind == PtsPartKind::Precondition) {
        let Some(cell) = part.cells.first() else {
            continue;
        };
        facts.push(fact(
            "preconditioning",
            format!(
                "twice the range, {} sequential writes, {} × QD{}",
                cell.row,
                say::counted(u64::from(cell.threads), "thread"),
                cell.depth
            ),
        ));
    }
    let steady = parts
        .iter()
        .filter(|part| part.part.kind == PtsPartKind::Rounds);
    for part in steady {
        let reached = match part.reached {
            Some(round) => format!("reached in round {round}"),
            None if part.done => format!(
                "not reached in {}",
                say::counted(part.rounds.len() as u64, "round")
            ),
            None => format!("{} so far", say::counted(part.rounds.len() as u64, "round")),
        };
        let name = format!("steady state {}", part.part.name);
        facts.push(fact(name.trim(), reached));
    }
    let device = place.and_then(|place| place.targets.first()?.chain.last());
    if let Some(device) = device {
        let model = device.model.clone().unwrap_or_else(|| device.name.clone());
        facts.push(fact("device", model));
        let cache = device.write_cache.clone();
        facts.push(fact(
            "write cache",
            cache.unwrap_or_else(|| "not reported".to_owned()),
        ));
    }
    facts
}
