//! Cells → report.

use super::best::{answers, best, name};
use super::headline::verdict;
use super::points::points;
use super::ranks;
use super::{
    CellFigures, FieldValue, SweepCell, SweepContext, SweepCounts, SweepCourse, SweepMatrix,
    SweepOrigin, SweepRanksReport, SweepReport, SweepResult, SweepRow,
};
use crate::findings::session_findings;
use crate::goal_check::{GoalReport, judge};
use crate::known::Known;
use crate::models::models;
use crate::observed::Observed;
use crate::say;
use crate::spread::{mean, relative_half_width};
use crate::verdict::SIMULATED;
use crate::verdict::Validity;

/// Whether any cell ran on a device that exists in a model only.
fn is_simulated(cells: &[SweepCell]) -> bool {
    let results = cells.iter().flat_map(|cell| &cell.runs);
    let mut results = results.filter_map(|run| run.result.as_ref().ok());
    results.any(|result| result.row.work.engine.as_deref() == Some(SIMULATED))
}

/// Puts a sweep's cells together, in the order given.
pub fn sweep_report(cells: &[SweepCell], context: &SweepContext) -> SweepReport {
    sweep_report_knowing(cells, context, &Known::default())
}

/// The same, with the user's hints on the target.
pub fn sweep_report_knowing(
    cells: &[SweepCell],
    context: &SweepContext,
    known: &Known,
) -> SweepReport {
    let runs = cells.iter().flat_map(|cell| &cell.runs);
    let results = runs.filter_map(|run| run.result.as_ref().ok());
    let observed: Vec<Observed> = results
        .map(|result| Observed::of_row(&result.row))
        .collect();
    let mut rows: Vec<SweepRow> = cells.iter().map(row).collect();
    let best = best(&rows);
    for one in &best {
        let at = rows.iter_mut().filter(|row| row.cell == one.cell);
        at.for_each(|row| row.best_in.push(one.in_what));
    }
    let counts = counts(&rows, context);
    let models = models(&points(cells, &rows));
    let findings = session_findings(&observed, known);
    SweepReport {
        verdict: verdict(&rows, counts, context, &findings).of_simulated(is_simulated(cells)),
        models,
        answers: answers(&rows, &best),
        matrix: SweepMatrix {
            target: context.target.clone(),
            axes: context.axes.clone(),
            cell_counts: counts,
        },
        notes: notes(&rows, counts, context),
        findings,
        goals: goals(cells, known),
        ranks: SweepRanksReport {
            job: ranks::job(cells),
            hosts: ranks::hosts(cells),
        },
        rows,
        best,
        course: SweepCourse {
            order: context.order.clone(),
            rest_ns: context.rest_ns,
            elapsed_ns: context.elapsed_ns,
        },
        origin: SweepOrigin {
            started_utc_ns: context.started_utc_ns,
            host: context.host.clone(),
            tool_version: context.tool_version.clone(),
            command: context.command.clone(),
        },
    }
}

/// Every run of every cell.
fn goals(cells: &[SweepCell], known: &Known) -> Vec<GoalReport> {
    let runs = cells.iter().flat_map(|cell| {
        let values = cell.values.iter();
        let values: Vec<String> = values
            .map(|(field, value)| format!("{field}={value}"))
            .collect();
        let name = values.join(" ");
        cell.runs.iter().map(move |run| {
            let row = run.result.as_ref().ok().map(|result| result.row.clone());
            (name.clone(), row)
        })
    });
    match known.goals.is_empty() {
        true => Vec::new(),
        false => judge(known, &runs.collect::<Vec<_>>()),
    }
}

fn row(cell: &SweepCell) -> SweepRow {
    let results: Vec<&SweepResult> = cell
        .runs
        .iter()
        .filter_map(|run| run.result.as_ref().ok())
        .collect();
    let mut reasons = cell.runs.iter().filter_map(|run| run.result.as_ref().err());
    let figures = figures(&results);
    SweepRow {
        cell: cell.number,
        group: cell.group.clone(),
        values: cell
            .values
            .iter()
            .map(|(field, value)| FieldValue {
                field: field.clone(),
                value: value.clone(),
            })
            .collect(),
        runs: cell.runs.len() as u64,
        stored: cell.runs.iter().filter_map(|run| run.stored).collect(),
        missing: reasons.next_back().cloned().filter(|_| figures.is_none()),
        figures,
        best_in: Vec::new(),
        ranks: ranks::of_cell(cell).map_or_else(Vec::new, |ranks| ranks.hosts.clone()),
    }
}

/// `None` without any rate.
fn figures(results: &[&SweepResult]) -> Option<CellFigures> {
    let mut ranked: Vec<(f64, &SweepResult)> = results
        .iter()
        .filter_map(|result| Some((result.iops()?, *result)))
        .collect();
    let rates: Vec<f64> = ranked.iter().map(|(rate, _)| *rate).collect();
    let flows: Vec<f64> = ranked
        .iter()
        .filter_map(|(_, result)| result.bytes_per_s())
        .collect();
    ranked.sort_by(|one, other| one.0.total_cmp(&other.0)); // stable: of equals the first run
    let (_, middle) = ranked.get(ranked.len().saturating_sub(1) / 2)?;
    let latency = &middle.row.total.latency;
    let at = |quantile| latency.at(quantile).map(|time| time.0);
    let worst = ranked
        .iter()
        .filter_map(|(_, result)| result.validity)
        .max();
    let doubted = ranked
        .iter()
        .find(|(_, result)| result.validity == worst && worst > Some(Validity::Valid));
    Some(CellFigures {
        iops: mean(&rates),
        iops_half_width_share: relative_half_width(&rates),
        bytes_per_s: mean(&flows),
        latency_mean_ns: latency.mean.map(|time| time.0),
        latency_p50_ns: at(0.5),
        latency_p99_ns: at(0.99),
        latency_p999_ns: at(0.999),
        latency_max_ns: latency.max.map(|time| time.0),
        errors: ranked
            .iter()
            .filter_map(|(_, result)| result.row.total.errors)
            .sum(),
        validity: worst,
        reasons: doubted.map_or_else(Vec::new, |(_, result)| result.reasons.clone()),
    })
}

fn counts(rows: &[SweepRow], context: &SweepContext) -> SweepCounts {
    let of = |which: fn(&SweepRow) -> bool| rows.iter().filter(|row| which(row)).count() as u64;
    let done = of(|row| row.figures.is_some());
    let missing = of(|row| row.missing.is_some());
    let planned = context.cells_planned.unwrap_or(rows.len() as u64);
    SweepCounts {
        planned,
        done,
        missing,
        left: planned.saturating_sub(done + missing),
        runs: rows.iter().map(|row| row.runs).sum(),
    }
}

fn notes(rows: &[SweepRow], counts: SweepCounts, context: &SweepContext) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(failure) = &context.failure {
        notes.push(format!("it ended early: {failure}"));
    } else if context.interrupted {
        notes.push("it was interrupted; the same command, or --resume, continues it".to_owned());
    }
    if let Some(first) = rows.iter().find(|row| row.missing.is_some()) {
        let reason = first.missing.as_deref().unwrap_or_default();
        notes.push(format!(
            "{} without a result; the first, {}: {reason}",
            say::counted(counts.missing, "cell"),
            name(first)
        ));
    }
    for (validity, word) in [
        (Validity::Invalid, "invalid"),
        (Validity::Caution, "CAUTION"),
        (Validity::NotChecked, "not checked"),
    ] {
        let of_rank = |row: &&SweepRow| {
            let figures = row.figures.as_ref();
            figures.is_some_and(|figures| figures.validity == Some(validity))
        };
        let Some(first) = rows.iter().find(of_rank) else {
            continue;
        };
        let count = rows.iter().filter(of_rank).count() as u64;
        let reasons = first.figures.as_ref().and_then(|f| f.reasons.first());
        notes.push(format!(
            "{} {word}; the first, {}: {}",
            say::counted(count, "cell"),
            name(first),
            reasons.map_or("", String::as_str)
        ));
    }
    notes
}
