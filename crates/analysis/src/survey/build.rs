//! Records and context → the report of a survey.

use super::UNKNOWN_WIDTH;
use super::joined::{joined, untimed};
use super::judge::verdict;
use super::row::{goal_of, row};
use super::stalls::stalls;
use super::visits::Runs;
use super::{
    CellLoad, CellReport, CellThroughput, SurveyBudget, SurveyCells, SurveyContext, SurveyCoverage,
    SurveyOrigin, SurveyRemarks, SurveyReport, SurveyRow, SurveyScope, answer, beside, limit,
};
use crate::comparison::{Agreement, CountComparison};
use crate::device_check::DeviceCheck;
use crate::estimate::Estimate;
use crate::facts::EngineDigest;
use crate::findings::{Finding, NOISY_NEIGHBOUR, PAGE_CACHE, SHORT_RUN, session_findings};
use crate::goal_check::{GoalReport, judge};
use crate::known::Known;
use crate::latency::Latency;
use crate::observed::Observed;
use crate::run::{OutcomeKind, Reading, RunReport, TargetReport};
use crate::say;
use crate::verdict::Validity;
use model::{Nanos, ResultRow, RunRecord};

/// An interval so many times wider than asked is reported.
const LOOSE: f64 = 1.25;

/// Reads the records of a survey, complete or not, with each cell's label. Never fails: without cells the
/// report states that nothing was measured.
pub fn survey_report(cells: &[(String, RunRecord)], planned: &SurveyContext) -> SurveyReport {
    survey_report_knowing(cells, planned, &Known::default())
}

fn origin(runs: &[RunReport]) -> SurveyOrigin {
    let first = runs.first();
    SurveyOrigin {
        started_utc_ns: first.map(|run| run.time.started_utc_ns),
        host: first.map(|run| run.host.clone()),
        engine: engine(runs),
        tool_version: first.map(|run| run.tool_version.clone()),
        command: first.map_or_else(Vec::new, |run| run.command.clone()),
    }
}

/// The same, with the user's hints on the target.
pub fn survey_report_knowing(
    cells: &[(String, RunRecord)],
    planned: &SurveyContext,
    known: &Known,
) -> SurveyReport {
    let records = cells.iter().map(|(_, record)| record);
    let (runs, observed): (Vec<RunReport>, Vec<Observed>) = records
        .map(|record| Reading::of(record, known))
        .map(|read| (read.report, read.observed))
        .unzip();
    let reports: Vec<CellReport> = cells
        .iter()
        .zip(&runs)
        .map(|((label, _), run)| CellReport::of(label, run))
        .collect();
    let joined = joined(&reports, cells);
    let together = Runs {
        cells: &reports,
        joined: &joined,
    };
    let mut rows: Vec<SurveyRow> = labels(&reports, planned)
        .iter()
        .map(|label| SurveyRow {
            goal: goal_of(label, cells, planned),
            ..row(label, together, planned)
        })
        .collect();
    match runs.first().is_some_and(|run| run.engine.backend == "null") {
        true => limit::name_null(&mut rows),
        false => limit::name(
            &mut rows,
            together,
            planned.queue_depth_max.unwrap_or(u64::MAX),
        ),
    }
    let work_of = |row: &SurveyRow| {
        let place = reports
            .iter()
            .position(|cell| cell.load.workload == row.workload)?;
        Some(&runs[place].targets.first()?.work)
    };
    let works: Vec<_> = rows.iter().map(work_of).collect();
    let answers = answer::answers(&rows, &works, together);
    let device_check = device_check(&runs);
    let stalls = stalls(&reports);
    let first = runs.first();
    let target = first.and_then(|run| run.targets.first());
    SurveyReport {
        verdict: verdict(&rows, &device_check, stalls.as_ref(), planned)
            .of_simulated(runs.iter().any(|run| run.verdict.simulated)),
        answer: answer::sentence(&answers),
        answers,
        target: target.map(|target| target.facts.clone()),
        remarks: SurveyRemarks {
            loose: loose(&rows, planned.precision),
            notes: notes(first).into_iter().chain(untimed(&joined)).collect(),
            findings: stalls
                .into_iter()
                .chain(session_findings(&observed, known))
                .collect(),
            goals: goals(known, &rows, cells),
        },
        device_check,
        coverage: SurveyCoverage {
            budget: budget(&planned.scope, &reports, target),
            left_out: planned.left_out.clone(),
            cell_counts: count(&reports, planned.cells_left),
        },
        beside: beside::sentences(&reports),
        origin: origin(&runs),
        rows,
        cells: reports,
        joined,
    }
}

/// What is to be reached, by the best load of each workload, all its runs together.
fn goals(known: &Known, rows: &[SurveyRow], cells: &[(String, RunRecord)]) -> Vec<GoalReport> {
    if known.goals.is_empty() {
        return Vec::new();
    }
    let result = |row: &SurveyRow| {
        let best = row.best.as_ref();
        let result = best.and_then(|best| as_row(best, cells));
        (row.workload.clone(), result)
    };
    judge(known, &rows.iter().map(result).collect::<Vec<_>>())
}

/// A load as one result: what was asked is that of its first run, the figures are those of all.
fn as_row(load: &CellReport, cells: &[(String, RunRecord)]) -> Option<ResultRow> {
    let mine = cells
        .iter()
        .filter(|(label, _)| *label == load.load.workload);
    let mut rows = mine.map(|(label, record)| ResultRow {
        label: label.clone(),
        ..ResultRow::of_record(record)
    });
    let mut row = rows.find(|row| {
        let asked = row.work.queue_depth.zip(row.work.threads);
        let in_flight = asked.map(|(depth, threads)| u64::from(depth) * u64::from(threads));
        in_flight == Some(load.load.queue_depth)
            && row.work.threads.map(u64::from) == Some(load.load.threads)
    })?;
    row.total.ios_per_s = Some(load.throughput.iops);
    row.total.bytes_per_s = Some(load.throughput.bytes_per_s);
    row.total.latency.mean = load.latency.mean_ns.map(|ns| Nanos(ns.round() as u64));
    row.total.latency.max = load.latency.max_ns.map(Nanos);
    let percentiles = load.latency.percentiles.iter();
    row.total.latency.percentiles = percentiles
        .filter_map(|one| Some((one.quantile, Nanos(one.latency_ns?))))
        .collect();
    Some(row)
}

fn budget(
    scope: &SurveyScope,
    cells: &[CellReport],
    target: Option<&TargetReport>,
) -> SurveyBudget {
    let measured = cells.iter().map(|cell| cell.throughput.measured_ns);
    SurveyBudget {
        budget_ns: scope.budget_ns,
        elapsed_ns: scope.elapsed_ns,
        measured_ns: measured.fold(0, u64::saturating_add),
        size_bytes: scope
            .size_bytes
            .or(target.map(|target| target.work.range.length_bytes)),
        size_reason: scope.size_reason.clone(),
        read_only: scope.read_only,
        filled: scope.filled,
    }
}

impl CellReport {
    fn of(label: &str, run: &RunReport) -> CellReport {
        let total = run.total();
        let findings = findings(run);
        CellReport {
            load: CellLoad {
                workload: label.to_owned(),
                queue_depth: run.in_flight.requested,
                threads: run
                    .targets
                    .iter()
                    .map(|target| u64::from(target.work.threads))
                    .sum(),
                write_percent: run
                    .targets
                    .first()
                    .map_or(0, |target| target.work.write_percent),
                target_iops: run.open_loop.as_ref().map(|open| open.target_iops),
            },
            validity: match findings.len() == run.findings.len() {
                true => run.verdict.validity,
                false => Validity::of_findings(&findings),
            },
            outcome: run.outcome.clone(),
            runs: 1,
            latency_runs: 1,
            throughput: CellThroughput {
                measured_ns: run.time.measured_ns,
                ios: total.map_or(0, |row| row.ios),
                bytes: total.map_or(0, |row| row.bytes),
                iops: total.map_or(0.0, |row| row.iops),
                iops_estimate: total
                    .map_or_else(|| Estimate::bare(0.0, 0.0), |row| row.iops_estimate),
                bytes_per_s: total.map_or(0.0, |row| row.bytes_per_s),
            },
            latency: total.map_or_else(Latency::default, |row| row.latency.clone()),
            response: total.and_then(|row| row.response.clone()),
            in_flight_mean: run.in_flight.mean,
            errors: total.map_or_else(Vec::new, |row| row.errors.clone()),
            findings,
        }
    }
}

/// The survey ended the run, so that a short one is none as long as its interval shows how sure it is.
fn findings(run: &RunReport) -> Vec<Finding> {
    let width = run
        .total()
        .and_then(|total| total.iops_estimate.half_width_share());
    let is_known = width.is_some_and(|width| width <= UNKNOWN_WIDTH);
    let kept = run.findings.iter();
    let kept = kept.filter(|finding| !(is_known && finding.id == SHORT_RUN));
    kept.cloned().collect()
}

/// The planned labels, then those of unplanned cells.
fn labels(cells: &[CellReport], planned: &SurveyContext) -> Vec<String> {
    let mut labels = planned.workloads.clone();
    for cell in cells {
        if !labels.contains(&cell.load.workload) && !beside::is_beside(&cell.load.workload) {
            labels.push(cell.load.workload.clone());
        }
    }
    labels
}

/// From the first cell, with every engine that a cell had: `auto` may take another one for one I/O at a time.
fn engine(runs: &[RunReport]) -> Option<EngineDigest> {
    let names = model::distinct(runs.iter().map(|run| run.engine.backend.as_str()));
    Some(EngineDigest {
        backend: names.join(", "),
        ..runs.first()?.engine.clone()
    })
}

/// All cells' counts together, of the first device that was counted; a cell on another one is omitted.
fn device_check(runs: &[RunReport]) -> DeviceCheck {
    let checks = || runs.iter().flat_map(|run| &run.device_checks);
    let Some(device) = checks().find_map(|check| check.device.clone()) else {
        let why = checks().next().map(|check| check.sentence.clone());
        return DeviceCheck {
            device: None,
            sentence: why.unwrap_or_else(|| "nothing was measured".to_owned()),
            agreement: Agreement::Unknown,
            measured: None,
            lifetime: None,
        };
    };
    let mut measured = CountComparison::default();
    let mut lifetime: Option<CountComparison> = None;
    for check in checks().filter(|check| check.device.as_ref() == Some(&device)) {
        if let Some(counts) = &check.measured {
            measured.add(counts);
        }
        if let Some(counts) = &check.lifetime {
            lifetime.get_or_insert_default().add(counts);
        }
    }
    // Many points that agree hide one that does not; its finding is reported, and the sentence must not deny it.
    let is_apart = |run: &&RunReport| {
        let mut found = run.findings.iter();
        found.any(|finding| [NOISY_NEIGHBOUR, PAGE_CACHE].contains(&finding.id))
    };
    let apart = match measured.agreement() {
        Agreement::Agrees => runs.iter().filter(is_apart).count(),
        _ => 0,
    };
    let but = match apart {
        0 => String::new(),
        apart => format!(
            ", but not in {apart} of {}",
            say::counted(runs.len() as u64, "run")
        ),
    };
    DeviceCheck {
        sentence: format!("{}{but}", measured.sentence(&device)),
        agreement: measured.agreement(),
        device: Some(device),
        measured: Some(measured),
        lifetime,
    }
}

fn count(cells: &[CellReport], left: Option<u64>) -> SurveyCells {
    let of = |kind| {
        cells
            .iter()
            .filter(|cell| cell.outcome.kind == kind)
            .count() as u64
    };
    SurveyCells {
        done: of(OutcomeKind::Complete),
        interrupted: of(OutcomeKind::Interrupted),
        failed: of(OutcomeKind::Failed),
        left,
    }
}

/// The peaks that are known less well than asked, where there are any.
fn loose(rows: &[SurveyRow], asked: Option<f64>) -> Option<String> {
    let asked = asked?;
    let wide = rows.iter().filter_map(|row| {
        let best = row.best.as_ref()?;
        let width = best.throughput.iops_estimate.half_width_share();
        match width {
            Some(width) if width <= LOOSE * asked => None,
            Some(width) => {
                let tenths = (width * 1000.0).round() / 1000.0;
                Some(format!("{} ±{}", row.workload, say::percent(tenths)))
            }
            None => Some(format!("{} unknown", row.workload)),
        }
    });
    let wide: Vec<String> = wide.collect();
    (!wide.is_empty()).then(|| {
        format!(
            "±{} precision not reached for {} of {} workloads: {}; try a longer --budget",
            say::percent(asked),
            wide.len(),
            rows.len(),
            wide.join(", ")
        )
    })
}

/// What stands below the device and cannot be seen in any count.
fn notes(first: Option<&RunReport>) -> Vec<String> {
    let Some(run) = first else {
        return Vec::new();
    };
    let mut notes = Vec::new();
    let chain = || run.targets.iter().flat_map(|target| &target.facts.chain);
    let volatile = chain().rfind(|device| device.write_cache.as_deref() == Some("write back"));
    if let Some(device) = volatile {
        notes.push(format!(
            "{} has a volatile write cache (write back): completed writes may not be durable",
            device.name
        ));
    }
    if let Some(hypervisor) = &run.host.virtualization {
        notes.push(format!(
            "virtual machine ({hypervisor}): the host cache may serve reads"
        ));
    }
    notes.extend(run.engine.notes.iter().cloned());
    notes
}
