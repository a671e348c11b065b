//! Records and context → the report of a survey.

use super::knee::knee_depth;
use super::peak::peak_of;
use super::visits::{Runs, joined, unlike_itself, untimed};
use super::{
    CellReport, GoalAnswer, LadderEnd, SurveyBudget, SurveyCells, SurveyContext, SurveyReport,
    SurveyRow, answer, beside, ladder, limit,
};
use crate::comparison::{Agreement, CountComparison};
use crate::device_check::DeviceCheck;
use crate::estimate::Estimate;
use crate::findings::{Finding, FindingRank, session_findings};
use crate::goal::{Bracket, Goal, Trial};
use crate::known::Known;
use crate::latency::Latency;
use crate::models::{KneeModels, Point, knees};
use crate::observed::Observed;
use crate::run::{OutcomeKind, Reading, RunReport, TargetReport};
use crate::say;
use crate::verdict::{Rank, Verdict};
use model::{Nanos, RunRecord};

const REPORT_VERSION: u32 = 1;
/// An interval so many times wider than asked is told.
const LOOSE: f64 = 1.25;

/// Reads the records of a survey, complete or not, with each cell's label. Never fails: without cells the
/// report says that nothing was measured.
pub fn survey_report(cells: &[(String, RunRecord)], planned: &SurveyContext) -> SurveyReport {
    survey_report_knowing(cells, planned, &Known::default())
}

/// The same, with what people said of the target.
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
            .position(|cell| cell.workload == row.workload)?;
        Some(&runs[place].targets.first()?.work)
    };
    let works: Vec<_> = rows.iter().map(work_of).collect();
    let device_check = device_check(&runs);
    let first = runs.first();
    let target = first.and_then(|run| run.targets.first());
    SurveyReport {
        verdict: verdict(&rows, &device_check, planned)
            .of_simulated(runs.iter().any(|run| run.verdict.simulated)),
        answer: answer::answer(&rows, &works),
        report_version: REPORT_VERSION,
        target: target.map(|target| target.facts.clone()),
        loose: loose(&rows, planned.precision),
        notes: notes(first).into_iter().chain(untimed(&joined)).collect(),
        findings: session_findings(&observed, known),
        device_check,
        budget: budget(planned, &reports, target),
        left_out: planned.left_out.clone(),
        beside: beside::sentences(&reports),
        cell_counts: count(&reports, planned.cells_left),
        started_utc_ns: first.map(|run| run.time.started_utc_ns),
        host: first.map(|run| run.host.clone()),
        engine: first.map(|run| run.engine.clone()),
        tool_version: first.map(|run| run.tool_version.clone()),
        command: first.map_or_else(Vec::new, |run| run.command.clone()),
        rows,
        cells: reports,
        joined,
    }
}

fn budget(
    planned: &SurveyContext,
    cells: &[CellReport],
    target: Option<&TargetReport>,
) -> SurveyBudget {
    let measured = cells.iter().map(|cell| cell.measured_ns);
    SurveyBudget {
        budget_ns: planned.budget_ns,
        elapsed_ns: planned.elapsed_ns,
        measured_ns: measured.fold(0, u64::saturating_add),
        size_bytes: planned
            .size_bytes
            .or(target.map(|target| target.work.length_bytes)),
        size_reason: planned.size_reason.clone(),
        read_only: planned.read_only,
        filled: planned.filled,
    }
}

impl CellReport {
    fn of(label: &str, run: &RunReport) -> CellReport {
        let total = run.total();
        CellReport {
            workload: label.to_owned(),
            queue_depth: run.in_flight.asked,
            threads: run
                .targets
                .iter()
                .map(|target| u64::from(target.work.threads))
                .sum(),
            asked_rate_per_s: run.open_loop.as_ref().map(|open| open.asked_per_s),
            rank: run.verdict.rank,
            outcome: run.outcome.clone(),
            runs: 1,
            latency_runs: 1,
            measured_ns: run.time.measured_ns,
            ios: total.map_or(0, |row| row.ios),
            bytes: total.map_or(0, |row| row.bytes),
            rate_per_s: total.map_or(0.0, |row| row.rate_per_s),
            rate: total.map_or_else(|| Estimate::bare(0.0, 0.0), |row| row.rate),
            bytes_per_s: total.map_or(0.0, |row| row.bytes_per_s),
            latency: total.map_or_else(Latency::default, |row| row.latency.clone()),
            response: total.and_then(|row| row.response.clone()),
            in_flight_mean: run.in_flight.mean,
            errors: total.map_or_else(Vec::new, |row| row.errors.clone()),
            findings: run.findings.clone(),
        }
    }
}

/// The planned labels, then those of cells that nobody planned.
fn labels(cells: &[CellReport], planned: &SurveyContext) -> Vec<String> {
    let mut labels = planned.workloads.clone();
    for cell in cells {
        if !labels.contains(&cell.workload) && !beside::is_beside(&cell.workload) {
            labels.push(cell.workload.clone());
        }
    }
    labels
}

fn row(label: &str, runs: Runs<'_>, planned: &SurveyContext) -> SurveyRow {
    let mine = runs.loads(label);
    let usable = || mine.iter().copied().filter(|cell| is_sound(cell));
    let sound: Vec<&CellReport> = usable().collect();
    let known = sound
        .iter()
        .map(|cell| (cell.rate_per_s, cell.rate.half_width_share()));
    let best = peak_of(&known.collect::<Vec<_>>()).map(|at| sound[at]);
    let shallow = usable().find(|cell| cell.queue_depth == 1);
    let ladder = ladder::ladder(label, &mine, best, planned);
    let (mut rank, mut reasons) = judge(best, shallow);
    if best.is_none() && ladder.end != LadderEnd::NotRun {
        rank = Rank::Invalid;
        reasons.push(ladder.reason.clone());
    } else if ladder.end == LadderEnd::Failed {
        rank = rank.max(Rank::Weak);
        reasons.push(ladder.reason.clone());
    }
    if let Some(reason) = best.and_then(|best| unlike_itself(best, runs.cells)) {
        // What makes a row invalid comes first; of what weakens it, the text shows the first alone.
        let place = if rank == Rank::Invalid {
            reasons.len()
        } else {
            0
        };
        rank = rank.max(Rank::Weak);
        reasons.insert(place, reason);
    }
    SurveyRow {
        workload: label.to_owned(),
        rank,
        reasons,
        depth_1_p50_ns: shallow.and_then(|cell| cell.latency.at(0.5)?.latency_ns),
        depth_1_mean_ns: shallow.and_then(|cell| cell.latency.mean_ns),
        goal: None,
        knee_depth: best.and_then(|best| knee_depth(&mine, best)),
        knee: models_of(&mine),
        limit: None,
        best: best.cloned(),
        ladder,
    }
}

/// One curve: a workload has one block size.
fn models_of(cells: &[&CellReport]) -> Option<KneeModels> {
    let sound = cells.iter().filter(|cell| {
        cell.rank != Rank::Invalid && cell.rate_per_s > 0.0 && cell.errors.is_empty()
    });
    let points: Vec<Point> = sound
        .map(|cell| Point {
            cell: cell.queue_depth,
            series: String::new(),
            block_bytes: cell.bytes / cell.ios.max(1),
            in_flight: cell.queue_depth.max(1),
            rate_per_s: cell.rate_per_s,
            mean_latency_ns: cell.latency.mean_ns,
        })
        .collect();
    let block = points.first()?.block_bytes; // short I/Os aside, the same in all
    let points: Vec<Point> = points
        .into_iter()
        .map(|point| Point {
            block_bytes: block,
            ..point
        })
        .collect();
    knees(&points.iter().collect::<Vec<_>>()).into_iter().next()
}

/// Whether a cell moved anything, and did not end by a failure.
pub(super) fn is_sound(cell: &CellReport) -> bool {
    cell.ios > 0 && cell.outcome.kind != OutcomeKind::Failed
}

/// The answer to the question which rate keeps the latency, where it was asked.
fn goal_of(
    label: &str,
    cells: &[(String, RunRecord)],
    planned: &SurveyContext,
) -> Option<GoalAnswer> {
    let (latency_ns, quantile) = planned.goal?;
    let goal = Goal {
        quantile,
        latency: Nanos(latency_ns),
    };
    let mine = cells.iter().filter(|(workload, _)| workload == label);
    let trials: Vec<Trial> = mine
        .filter_map(|(_, record)| Trial::of(record, &goal))
        .collect();
    Some(GoalAnswer {
        latency_ns,
        quantile,
        rate: Bracket::of(&goal, &trials).answer(trials.len()),
    })
}

/// What was found in the two cells that a row shows, each rule once, and the worst of it. Of the cell at depth
/// 1 only the median is shown, which few I/Os can carry: that it was short is not held against the row.
fn judge(best: Option<&CellReport>, shallow: Option<&CellReport>) -> (Rank, Vec<String>) {
    let of_best = best
        .into_iter()
        .flat_map(|cell| cell.findings.iter().map(move |f| (f, cell)));
    let of_shallow = shallow
        .into_iter()
        .flat_map(|cell| cell.findings.iter().map(move |f| (f, cell)))
        .filter(|(finding, _)| finding.id != "short-run");
    let mut told: Vec<(&Finding, u64)> = Vec::new();
    for (finding, cell) in of_best.chain(of_shallow) {
        let new = told.iter().all(|(known, _)| known.id != finding.id);
        if new && finding.rank > FindingRank::Info {
            told.push((finding, cell.queue_depth));
        }
    }
    told.sort_by_key(|(finding, _)| std::cmp::Reverse(finding.rank));
    let rank = match told.first().map(|(finding, _)| finding.rank) {
        Some(FindingRank::Critical) => Rank::Invalid,
        Some(_) => Rank::Weak,
        None => Rank::Valid,
    };
    let say = |(finding, depth): &(&Finding, u64)| format!("{} (depth {depth})", finding.sentence);
    (rank, told.iter().map(say).collect())
}

/// Invalid when every measured row is, or none was measured; weak when any is not valid or one is missing.
fn verdict(rows: &[SurveyRow], check: &DeviceCheck, planned: &SurveyContext) -> Verdict {
    let wanted: Vec<&SurveyRow> = rows.iter().filter(|row| !row.ladder.left_out()).collect();
    let measured = wanted.iter().filter(|row| row.best.is_some()).count();
    let of = |rank| {
        wanted
            .iter()
            .filter(move |row| row.rank == rank && row.best.is_some())
    };
    let doubt = |rank: Rank, word: &str| {
        let first = of(rank).next()?;
        let why = first.reasons.first()?;
        let (few, all) = (of(rank).count(), wanted.len());
        Some(format!(
            "{why}; {few} of {all} workloads are {word}, first {}",
            first.workload
        ))
    };
    let first_missing = wanted.iter().find(|row| row.best.is_none());
    let missing = first_missing.filter(|_| measured > 0).map(|row| {
        let few = wanted.len() - measured;
        let all = wanted.len();
        let why = &row.ladder.reason;
        format!(
            "{few} of {all} workloads have no result, first {}: {why}",
            row.workload
        )
    });
    let nothing = (measured == 0).then(|| "nothing was measured".to_owned());
    let cut = planned.interrupted.then(|| {
        format!(
            "interrupted with {measured} of {} workloads measured",
            wanted.len()
        )
    });
    let mut reasons: Vec<String> = [
        planned.failure.clone(),
        nothing,
        doubt(Rank::Invalid, "invalid"),
        cut,
        missing,
        doubt(Rank::Weak, "weak"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let rank = if of(Rank::Invalid).count() == measured {
        Rank::Invalid
    } else if reasons.is_empty() {
        Rank::Valid
    } else {
        Rank::Weak
    };
    let not_as = (rank == Rank::Invalid).then(|| same_not_as(rows)).flatten();
    if reasons.is_empty() {
        reasons.push(good(measured, check));
    }
    Verdict {
        rank,
        not_as,
        only_as: None,
        simulated: false,
        reasons,
    }
}

/// What all the invalid rows are not valid as, where they say the same.
fn same_not_as(rows: &[SurveyRow]) -> Option<String> {
    let mut all = rows.iter().filter_map(|row| row.best.as_ref()).map(|best| {
        best.findings
            .iter()
            .find_map(|finding| finding.not_as.clone())
    });
    let first = all.next()??;
    all.all(|other| other.as_deref() == Some(&first))
        .then_some(first)
}

fn good(measured: usize, check: &DeviceCheck) -> String {
    let device = match check.agreement {
        Agreement::Agrees => "the device counted what fathom counted",
        Agreement::Unknown => "not compared with the device's own counters",
        Agreement::DeviceLess | Agreement::DeviceMore => "see the device's own counts",
    };
    format!(
        "{}, no errors; {device}",
        say::counted(measured as u64, "workload")
    )
}

/// All cells' counts together, of the first device that was counted; a cell on another one is left out.
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
    DeviceCheck {
        sentence: measured.sentence(&device),
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
        let width = best.rate.half_width_share();
        match width {
            Some(width) if width <= LOOSE * asked => None,
            Some(width) => {
                let tenths = (width * 1000.0).round() / 1000.0;
                Some(format!("{} ± {}", row.workload, say::percent(tenths)))
            }
            None => Some(format!("{} unknown", row.workload)),
        }
    });
    let wide: Vec<String> = wide.collect();
    (!wide.is_empty()).then(|| {
        format!(
            "rates that did not hold still are known less well than the ± {} asked: {}; a longer --budget makes them narrower",
            say::percent(asked),
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
            "writes may rest in {}'s volatile write cache (write back): not proven durable",
            device.name
        ));
    }
    if let Some(hypervisor) = &run.host.virtualization {
        notes.push(format!(
            "virtual machine ({hypervisor}): the host's cache may serve reads"
        ));
    }
    notes.extend(run.engine.notes.iter().cloned());
    notes
}
