//! The final figures of a test, in a few lines.

use super::definition::PtsTest;
use super::parts::{PtsCellReport, PtsMeans, PtsPartReport};
use crate::say;
use crate::verdict::Answer;

/// The lines of a test; empty where nothing was measured.
pub(super) fn answers(test: PtsTest, parts: &[PtsPartReport]) -> Vec<Answer> {
    let lines = match test {
        PtsTest::Iops => vec![of_row(parts, "4K", &iops), of_row(parts, "128K", &iops)],
        PtsTest::Tp => vec![of_row(parts, "128K", &flow), of_row(parts, "1024K", &flow)],
        PtsTest::Lat => vec![of_row(parts, "4K", &latency), of_row(parts, "8K", &latency)],
        PtsTest::Wsat => vec![saturation(parts)],
        PtsTest::Hir => parts.iter().map(|part| recovery(part, parts)).collect(),
        PtsTest::Xsr => vec![stimuli(parts)],
        PtsTest::Cbw => vec![demand(parts)],
        PtsTest::Dirth => {
            let histograms = cells(parts).filter(|cell| cell.latency.is_some());
            let histograms = histograms.map(histogram);
            std::iter::once(demand(parts)).chain(histograms).collect()
        }
    };
    lines.into_iter().flatten().collect()
}

fn cells(parts: &[PtsPartReport]) -> impl Iterator<Item = &PtsCellReport> {
    let measured = parts.iter().filter(|part| part.kind != "precondition");
    measured.flat_map(|part| &part.cells)
}

/// The cells of a row, those of the usual mixes.
fn of_row(
    parts: &[PtsPartReport],
    row: &str,
    figure: &dyn Fn(PtsMeans) -> String,
) -> Option<Answer> {
    let shown = |cell: &&PtsCellReport| {
        cell.row == row && matches!(&*cell.column, "100/0" | "65/35" | "0/100")
    };
    let of_cell = |cell: &PtsCellReport| {
        let what = match &*cell.column {
            "100/0" => "read",
            "0/100" => "write",
            mix => mix,
        };
        Some(format!("{what} {}", figure(cell.means?)))
    };
    let pattern = cells(parts).find(shown).map(|cell| cell.pattern.clone())?;
    Answer::of(
        &format!("{row} {pattern}"),
        cells(parts).filter(shown).map(of_cell),
    )
}

fn iops(means: PtsMeans) -> String {
    format!("{} IOPS", say::rate(means.iops))
}

fn flow(means: PtsMeans) -> String {
    format!("{} MiB/s", say::mib_per_s(means.bytes_per_s))
}

fn latency(means: PtsMeans) -> String {
    format!(
        "{} (max {})",
        say::time(means.latency_mean_ns),
        say::time(means.latency_max_ns as f64)
    )
}

fn saturation(parts: &[PtsPartReport]) -> Option<Answer> {
    let part = parts.first()?;
    let first = part.over_time.first().map(|moment| moment.iops);
    let last = part.cells.first()?.values.last().copied();
    let rate = |what: &str, value: Option<f64>| {
        value.map(|value| format!("{what} {} IOPS", say::rate(value)))
    };
    let written = format!("{} written", say::bytes(part.written_bytes));
    Answer::of(
        "4K random write",
        [
            rate("at first", first),
            rate("at last", last),
            Some(written),
        ],
    )
}

/// How fast writes are between idle times, compared with writes without them.
fn recovery(part: &PtsPartReport, parts: &[PtsPartReport]) -> Option<Answer> {
    let (after, cycles) = part.cells.split_last()?;
    if part.kind != "once" || cycles.is_empty() {
        return None;
    }
    let known = cycles.iter().filter_map(|cell| Some(cell.means?.iops));
    let known: Vec<f64> = known.collect();
    let mean = known.iter().sum::<f64>() / known.len() as f64;
    let steady = parts.first()?.steady.first().map(|one| one.window.mean);
    let share = steady.map(|steady| format!("{} of the steady state", say::percent(mean / steady)));
    let after = after.means.map(|means| format!("then {}", iops(means)));
    let figures = [
        (!known.is_empty()).then(|| format!("{} IOPS", say::rate(mean))),
        share.filter(|_| !known.is_empty()),
        after,
    ];
    Answer::of(&part.name, figures)
}

fn stimuli(parts: &[PtsPartReport]) -> Option<Answer> {
    let last_of = |row: &str| {
        let cells = cells(parts).filter(|cell| cell.row == row && cell.means.is_some());
        Some(flow(cells.last()?.means?))
    };
    let first_of = |row: &str| {
        let mut cells = cells(parts).filter(|cell| cell.row == row && cell.means.is_some());
        Some(flow(cells.next()?.means?))
    };
    let named =
        |what: &str, figure: Option<String>| figure.map(|figure| format!("{what} {figure}"));
    Answer::of(
        "1024K sequential write",
        [
            named("before", last_of("1024K sequential before")),
            named("after 8K random", first_of("1024K sequential after")),
            named("at last", last_of("1024K sequential after")),
        ],
    )
}

fn demand(parts: &[PtsPartReport]) -> Option<Answer> {
    let measured = parts.iter().find(|part| part.kind == "rounds")?;
    let all = || {
        measured
            .cells
            .iter()
            .filter_map(|cell| Some((cell, cell.means?)))
    };
    let at_most = all().next();
    let peak = all().max_by(|one, other| one.1.iops.total_cmp(&other.1.iops));
    let alone = all().next_back();
    let figure = |what: &str, found: Option<(&PtsCellReport, PtsMeans)>| {
        let (cell, means) = found?;
        Some(format!(
            "{what} {} at {} ({} {})",
            iops(means),
            say::time(means.latency_mean_ns),
            cell.row,
            cell.column
        ))
    };
    Answer::of(
        "demand",
        [
            figure("most IOPS", peak),
            figure("most demand", at_most),
            figure("least demand", alone),
        ],
    )
}

fn histogram(cell: &PtsCellReport) -> Option<Answer> {
    let latency = cell.latency.as_ref()?;
    let at = |name: &str, quantile: f64| {
        let ns = latency.at(quantile)?.latency_ns?;
        Some(format!("{name} {}", say::time(ns as f64)))
    };
    let max = latency
        .max_ns
        .map(|ns| format!("max {}", say::time(ns as f64)));
    Answer::of(
        &cell.row,
        [
            cell.means.map(iops),
            at("p50", 0.5),
            at("p99", 0.99),
            at("p99.99", 0.9999),
            max,
        ],
    )
}
