//! Content of a survey other than its table: the rates within a latency, the checks; and, if everything is requested,
//! limits and knees in sentences and how the time was spent.

use super::{NAME_MAX, whole_time};
use crate::foot;
use crate::number::{bytes, count, counted, rate, time};
use crate::paper::Paper;
use crate::text::{printable, shorten, wrap};
use crate::time::write_time;
use analysis::{Estimate, LadderEnd, Limit, SurveyReport, SurveyRow, say};

/// Names the checks that passed, or what they found, in one line.
pub(super) fn checks(report: &SurveyReport) -> String {
    let counts = &report.coverage.cell_counts;
    let mut parts = vec![foot::counters(&report.device_check)];
    let points = counted(counts.done + counts.interrupted + counts.failed, "point");
    // Simulated time passes as fast as the machine computes it, which is no property of a device.
    let elapsed =
        whole_time(report.coverage.budget.elapsed_ns).filter(|_| !report.verdict.simulated);
    parts.push(match elapsed {
        Some(time) => format!("{points} in {time}"),
        None => points,
    });
    let failed: u64 = report
        .cells
        .iter()
        .flat_map(|cell| &cell.errors)
        .map(|error| error.count)
        .sum();
    parts.push(match failed {
        0 => "no I/O errors".to_owned(),
        failed => format!("{} failed", counted(failed, "I/O")),
    });
    parts.join("; ")
}

/// What limits each workload, in a sentence; those with the same sentence together.
pub(super) fn limits(report: &SurveyReport, paper: &Paper) -> Vec<String> {
    let mut groups: Vec<(&Limit, Vec<String>)> = Vec::new();
    for (row, limit) in report
        .rows
        .iter()
        .filter_map(|row| Some((row, row.limit.as_ref()?)))
    {
        let name = printable(&row.workload);
        match groups.iter_mut().find(|(known, _)| *known == limit) {
            Some((_, names)) => names.push(name),
            None => groups.push((limit, vec![name])),
        }
    }
    let lines = groups.into_iter().flat_map(|(limit, names)| {
        let (kind, why) = (limit.kind.word(), printable(&limit.sentence));
        foot::labelled(
            "limit",
            &format!("{}: {kind} ({why})", names.join(", ")),
            paper,
        )
    });
    lines.collect()
}

/// The queue depth at which the curve bends by two models, of the workloads that have either.
pub(super) fn bends(report: &SurveyReport, paper: &Paper) -> Vec<String> {
    let knee = |row: &SurveyRow| {
        let knee = row.knee.as_ref()?;
        let usl = knee.usl.fit.as_ref().and_then(|fit| fit.knee_depth);
        if knee.kneedle.fit.is_none() && usl.is_none() {
            return None;
        }
        let [one, other] = [knee.kneedle.fit, usl]
            .map(|depth| depth.map_or_else(|| "none".to_owned(), say::digits));
        let apart = match knee.apart.is_some_and(|apart| apart > 2.0) {
            true => " (they disagree)",
            false => "",
        };
        Some(format!(
            "{} {one} / {other}{apart}",
            printable(&row.workload)
        ))
    };
    let parts: Vec<String> = report.rows.iter().filter_map(knee).collect();
    match parts.is_empty() {
        true => Vec::new(),
        false => {
            let text = format!(
                "QD by Kneedle / by the Universal Scalability Law: {}",
                parts.join("; ")
            );
            foot::labelled("bends", &text, paper)
        }
    }
}

/// The arrival rates that keep the latency asked for, one line a workload; nothing where none was asked.
pub(super) fn kept_rates(report: &SurveyReport, paper: &Paper) -> Vec<String> {
    let asked = report.rows.iter().find_map(|row| row.goal.as_ref());
    let Some(asked) = asked else {
        return Vec::new();
    };
    let percent = say::percent(asked.quantile);
    let goal = time(asked.latency_ns as f64);
    let head = format!(
        "Highest rate of Poisson arrivals with {percent} of the response times below {goal}:"
    );
    let measured = report.rows.iter().filter(|row| row.best.is_some());
    let rows = measured.filter_map(|row| {
        let rate = kept_rate(row.goal.as_ref()?.iops_estimate.as_ref());
        Some(format!(
            "  {:<20}  {rate}",
            shorten(&printable(&row.workload), NAME_MAX - 2)
        ))
    });
    let mut page = vec![String::new()];
    page.extend(wrap("", &head, paper.room(), paper.lines(2)));
    page.extend(rows.map(|row| shorten(&row, paper.room())));
    page
}

fn kept_rate(found: Option<&Estimate>) -> String {
    let Some(found) = found else {
        return "not measured: the budget was used up".to_owned();
    };
    match (found.low, found.high) {
        (_, Some(high)) if found.value == 0.0 => {
            format!(
                "none: the lowest rate tried, {} IOPS, exceeds it",
                rate(high)
            )
        }
        (Some(low), Some(high)) => {
            format!(
                "{} IOPS ({} … {})",
                rate(found.value),
                rate(low),
                rate(high)
            )
        }
        _ => format!("at least {} IOPS", rate(found.value)),
    }
}

pub(super) fn spent(report: &SurveyReport, paper: &Paper) -> String {
    let budget = &report.coverage.budget;
    let counts = &report.coverage.cell_counts;
    let mut parts = Vec::new();
    let whole = whole_time;
    match (whole(budget.elapsed_ns), whole(budget.budget_ns)) {
        (Some(spent), Some(given)) => parts.push(format!("{spent} of {given}")),
        (Some(spent), None) => parts.push(spent),
        (None, Some(given)) => parts.push(format!("{given} given")),
        (None, None) => {}
    }
    let ran = counts.done + counts.interrupted + counts.failed;
    let mut cells = counted(ran, "point");
    for (number, what) in [
        (counts.failed, "failed"),
        (counts.interrupted, "interrupted"),
    ] {
        if number > 0 {
            cells.push_str(&format!(", {} {what}", count(number)));
        }
    }
    if let Some(left) = counts.left.filter(|&left| left > 0) {
        cells.push_str(&format!(", up to {} left", count(left)));
    }
    parts.push(cells);
    parts.extend(skipped(report));
    if let Some(filled) = &budget.filled {
        let (size, took) = (bytes(filled.bytes), time(filled.elapsed_ns as f64));
        parts.push(format!("filled {size} in {took}"));
    }
    let begun = report
        .origin
        .started_utc_ns
        .map(|ns| write_time(ns, &paper.zone));
    parts.extend(begun);
    parts.join("; ")
}

/// Counts the loads that were not run: redundant ones and ones that the budget did not reach.
fn skipped(report: &SurveyReport) -> Option<String> {
    let is_known = |name: &str| {
        let row = report.rows.iter().find(|row| row.workload == name);
        row.is_none_or(|row| matches!(row.ladder.end, LadderEnd::GainEnded | LadderEnd::MaxDepth))
    };
    let (mut known, mut others) = (0, 0);
    for left in &report.coverage.left_out {
        match is_known(&left.workload) {
            true => known += left.loads,
            false => others += left.loads,
        }
    }
    let reported = [
        (known, "redundant points skipped"),
        (others, "points not reached"),
    ];
    let reported = reported.into_iter().filter(|(loads, _)| *loads > 0);
    let reported: Vec<String> = reported
        .map(|(loads, what)| format!("{} {what}", count(loads)))
        .collect();
    (!reported.is_empty()).then(|| reported.join("; "))
}
