//! One workload of a survey: its cells → its row in the table.
//!
//! Deliberately absent: what limits it, which is seen from all rows together (`limit`), and which cells are one load
//! (`visits`).

use super::judge::judge;
use super::knee::knee_depth;
use super::peak::RunLoad;
use super::visits::{Runs, has_lasting_noise};
use super::{CellReport, GoalAnswer, LadderEnd, SurveyContext, SurveyRow, ladder};
use crate::findings::{Finding, NOT_REPEATABLE};
use crate::goal::{Bracket, Goal, Trial};
use crate::models::{KneeModels, Point, knees};
use crate::run::OutcomeKind;
use crate::verdict::Validity;
use model::{Nanos, RunRecord};

/// The row of a label, with or without cells.
pub(super) fn row(label: &str, runs: Runs<'_>, planned: &SurveyContext) -> SurveyRow {
    let mine = runs.loads(label);
    let usable = || mine.iter().copied().filter(|cell| is_sound(cell));
    let sound: Vec<&CellReport> = usable().collect();
    let known = sound.iter().map(|cell| RunLoad {
        rate: cell.throughput.iops,
        half_width: cell.throughput.iops_estimate.half_width_share(),
        in_flight: cell.load.queue_depth,
        runs: runs.of(cell),
    });
    let lasting = has_lasting_noise(runs.cells, label);
    let best = RunLoad::peak_of(&known.collect::<Vec<_>>(), lasting).map(|at| sound[at]);
    let shallow = usable().find(|cell| cell.load.queue_depth == 1);
    let failed = |cell: &CellReport| cell.outcome.kind == OutcomeKind::Failed;
    let ended = runs.cells.iter().any(failed);
    let ladder = ladder::ladder(label, &mine, best, planned, ended);
    let (mut validity, mut reasons) = judge(best, shallow);
    if best.is_none() && ladder.end != LadderEnd::NotRun {
        validity = Validity::Invalid;
        reasons.push(ladder.reason.clone());
    } else if ladder.end == LadderEnd::Failed {
        validity = validity.max(Validity::Caution);
        reasons.push(ladder.reason.clone());
    }
    if let Some(reason) = best.and_then(|best| contradiction(best, &mine)) {
        // What makes a row invalid comes first; of what weakens it, the text shows the first alone.
        let place = if validity == Validity::Invalid {
            reasons.len()
        } else {
            0
        };
        validity = validity.max(Validity::Caution);
        reasons.insert(place, reason);
    }
    SurveyRow {
        workload: label.to_owned(),
        validity,
        reasons,
        qd1_latency_p50_ns: shallow.and_then(|cell| cell.latency.at(0.5)?.latency_ns),
        qd1_latency_mean_ns: shallow.and_then(|cell| cell.latency.mean_ns),
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
        cell.validity != Validity::Invalid && cell.throughput.iops > 0.0 && cell.errors.is_empty()
    });
    let points: Vec<Point> = sound
        .map(|cell| Point {
            cell: cell.load.queue_depth,
            series: String::new(),
            block_bytes: cell.throughput.bytes / cell.throughput.ios.max(1),
            in_flight: cell.load.queue_depth.max(1),
            iops: cell.throughput.iops,
            latency_mean_ns: cell.latency.mean_ns,
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

/// Returns why a load that may be better than the best one was not chosen: its runs contradict each other.
fn contradiction(best: &CellReport, loads: &[&CellReport]) -> Option<String> {
    if unlike(best).is_some() {
        return None; // `judge` has it
    }
    let may_be_better = |load: &&&CellReport| {
        load.throughput
            .iops_estimate
            .high
            .is_some_and(|high| high > best.throughput.iops)
    };
    let mut others = loads.iter().filter(may_be_better);
    others.find_map(|load| {
        Some(format!(
            "{} (QD{})",
            unlike(load)?.sentence,
            load.load.queue_depth
        ))
    })
}

/// Finds that the runs of a load contradict each other.
fn unlike(load: &CellReport) -> Option<&Finding> {
    let mut findings = load.findings.iter();
    findings.find(|finding| finding.id == NOT_REPEATABLE)
}

/// Whether a cell moved anything, and did not end by a failure.
pub(super) fn is_sound(cell: &CellReport) -> bool {
    cell.throughput.ios > 0 && cell.outcome.kind != OutcomeKind::Failed
}

/// The answer to the question which rate keeps the latency, where it was asked.
pub(super) fn goal_of(
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
        iops_estimate: Bracket::of(&goal, &trials).answer(trials.len()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::{Repeats, not_repeatable};
    use crate::survey::joined::by_time;
    use crate::survey::joined::tests::run;
    use crate::survey::{CellLoad, CellThroughput};

    #[test]
    fn a_better_load_that_is_not_repeatable_makes_the_row_uncertain() {
        let best = run(139_000.0, Some(1000.0), 1);
        let deeper = |rate: f64, reach: f64| CellReport {
            load: CellLoad {
                queue_depth: 2 * best.load.queue_depth,
                ..best.load.clone()
            },
            ..run(rate, Some(reach), 1)
        };
        let runs = [deeper(47_000.0, 500.0), deeper(242_000.0, 900.0)];
        let mut both = deeper(144_500.0, 98_400.0);
        both.findings.extend(not_repeatable(&Repeats {
            in_flight: both.load.queue_depth,
            runs: &by_time(&[&runs[0], &runs[1]]),
        }));
        assert_eq!(both.findings.last().unwrap().id, NOT_REPEATABLE);
        let reported = contradiction(&best, &[&best, &both]).unwrap();
        assert!(
            reported.ends_with(&format!("(QD{})", both.load.queue_depth)),
            "{reported}"
        );
        let worse = CellReport {
            throughput: CellThroughput {
                iops_estimate: deeper(60_000.0, 20_000.0).throughput.iops_estimate,
                ..both.throughput.clone()
            },
            ..both.clone()
        };
        assert_eq!(contradiction(&best, &[&best, &worse]), None);
    }
}
