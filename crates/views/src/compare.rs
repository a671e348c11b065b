//! A comparison on a page: the answer, what was compared with which, each figure, each cell.
//!
//! On a narrow page the least informative columns of the cells are omitted first. Deliberately absent: which change
//! counts as one.

use crate::foot::{self, Note};
use crate::number::{NOTHING, count, mib_per_s, rate, time};
use crate::paper::Paper;
use crate::table::{Column, fitting, left, left_out, lines, picked, right};
use crate::text::{printable, shorten, wrap};
use analysis::columns::short;
use analysis::say;
use analysis::{
    CellChange, ChangeReport, CompareReport, ConditionOutcome, Estimate, Outcome, SideReport,
};
use std::io::{self, Write};

/// Figures that are shown of all; the others stand in the document.
const SHOWN: [&str; 8] = [
    "iops",
    "bytes_per_s",
    "latency_mean_ns",
    "latency_p50_ns",
    "latency_p99_ns",
    "latency_p999_ns",
    "response_p50_ns",
    "response_p99_ns",
];
const P99_A: &str = "p99 A";
const P99_B: &str = "p99 B";
const DETECTABLE: &str = "detectable";
const RUNS: &str = "runs";
/// On a narrow page these columns of the cells are omitted first, in this order; `random` adds little to the pattern.
const DISPENSABLE: [&str; 6] = [RUNS, DETECTABLE, P99_A, P99_B, "random", "pattern"];

/// Writes the page.
pub fn compare_summary(
    report: &CompareReport,
    paper: &Paper,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = wrap("", &report.answer, paper.room(), 6);
    for condition in &report.conditions {
        let word = match condition.outcome {
            ConditionOutcome::Fail => "FAIL     ",
            ConditionOutcome::Unclear => "unclear  ",
            ConditionOutcome::Pass => "pass     ",
        };
        let reported = format!("{}: {}", condition.condition, condition.sentence);
        page.extend(wrap(word, &reported, paper.room(), 3));
    }
    page.extend(foot::labelled("A", &side(&report.a), paper));
    page.extend(foot::labelled("B", &side(&report.b), paper));
    page.push(String::new());
    if report.cells.len() == 1 {
        page.extend(overall(report, paper));
    } else {
        if !report.workloads.is_empty() {
            page.extend(workloads(report, paper));
            page.push(String::new());
        }
        page.extend(wrap("", &counts(report), paper.room(), usize::MAX));
        page.extend(cells(report, paper));
    }
    let mut foot = differences(report, paper);
    let notes = report.notes.iter().map(|note| Note::plain(note));
    foot.extend(foot::notes(notes.collect(), paper));
    if !foot.is_empty() {
        page.push(String::new());
        page.extend(foot);
    }
    page.iter()
        .try_for_each(|line| writeln!(out, "{}", line.trim_end()))
}

fn side(side: &SideReport) -> String {
    let results = say::counted(side.results, "result");
    format!("{}: {results}; {}", side.name, side.what)
}

/// One row a figure.
fn overall(report: &CompareReport, paper: &Paper) -> Vec<String> {
    let heads = [
        left("", 8),
        right("A", 10),
        right("B", 10),
        right("change", 8),
        right("95% interval", 17),
        right("detectable", 10),
    ];
    let blocks_differ = report
        .differences
        .iter()
        .any(|one| one.what == "block_bytes");
    // A mean over other cells is not comparable with its neighbours: a p99.9 of the fast ones may lie below the p99 of all.
    let most = report.overall.iter().map(|change| change.cells).max();
    let name = |change: &ChangeReport| match Some(change.cells) == most {
        true => change.short.clone(),
        false => format!("{} of {}", change.short, count(change.cells)),
    };
    let shown = report.overall.iter().filter(|change| {
        SHOWN.contains(&change.metric.as_str()) && (change.metric != "bytes_per_s" || blocks_differ)
    });
    let rows: Vec<Vec<String>> = shown
        .map(|change| {
            let [a, b] = [change.a, change.b].map(|value| figure(&change.metric, value));
            vec![
                name(change),
                a,
                b,
                change
                    .ratio
                    .as_ref()
                    .map_or_else(nothing, |ratio| changed(ratio.value)),
                interval(change),
                change
                    .minimum_detectable_share
                    .map_or_else(nothing, say::percent),
            ]
        })
        .collect();
    let heads: Vec<&Column<'_>> = heads.iter().collect();
    match rows.is_empty() {
        true => Vec::new(),
        false => lines(&heads, &rows, paper.room()),
    }
}

fn nothing() -> String {
    NOTHING.to_owned()
}

/// A figure in its unit.
fn figure(metric: &str, value: f64) -> String {
    if metric.ends_with("iops") {
        rate(value)
    } else if metric.ends_with("bytes_per_s") {
        format!("{} MiB/s", mib_per_s(value))
    } else {
        time(value)
    }
}

/// `+5.1%`, or `3.2 x` where that is easier to grasp.
fn changed(ratio: f64) -> String {
    match (0.5..2.0).contains(&ratio) {
        true => say::change(ratio),
        false => format!("{} x", say::digits(ratio)),
    }
}

fn interval(change: &ChangeReport) -> String {
    match &change.ratio {
        Some(Estimate {
            low: Some(low),
            high: Some(high),
            value,
            ..
        }) => match (0.5..2.0).contains(value) {
            true => format!("{} … {}", say::change(*low), say::change(*high)),
            false => format!("{} … {} x", say::digits(*low), say::digits(*high)),
        },
        _ => "inconclusive".to_owned(),
    }
}

fn counts(report: &CompareReport) -> String {
    let counts = &report.cell_counts;
    let most = report.no_difference_above_share.map(say::percent);
    let kinds = [
        (counts.faster, "faster in B".to_owned()),
        (counts.slower, "slower in B".to_owned()),
        (
            counts.no_difference,
            format!("with no difference above {}", most.unwrap_or_default()),
        ),
        (counts.inconclusive, "inconclusive".to_owned()),
    ];
    let parts: Vec<String> = kinds
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, what)| format!("{} {what}", count(*number)))
        .collect();
    format!(
        "{}: {}",
        say::counted(counts.paired, "cell"),
        parts.join(", ")
    )
}

/// One row a workload of two surveys, each side at its peak.
fn workloads(report: &CompareReport, paper: &Paper) -> Vec<String> {
    let mut heads = vec![left("", 2), left("workload", 16)];
    heads.extend(figure_heads("A peak", "B peak"));
    let fields = ["workload".to_owned()];
    let rows = report.workloads.iter().map(|cell| row(cell, &fields));
    let rows: Vec<Vec<String>> = rows.collect();
    let shown = fitting(&heads, &rows, &DISPENSABLE, paper.room());
    let columns: Vec<&Column<'_>> = shown.iter().map(|&place| &heads[place]).collect();
    lines(&columns, &picked(&rows, &shown), paper.room())
}

/// The columns behind those that distinguish rows.
fn figure_heads<'a>(a: &'a str, b: &'a str) -> [Column<'a>; 9] {
    [
        right(a, 7),
        right(b, 7),
        right("IOPS", 7),
        right("95% interval", 17),
        right(DETECTABLE, 10),
        right(P99_A, 7),
        right(P99_B, 7),
        right("p99", 7),
        left(RUNS, 4),
    ]
}

fn cells(report: &CompareReport, paper: &Paper) -> Vec<String> {
    let mut heads: Vec<Column<'_>> = vec![left("", 2)];
    heads.extend(report.fields.iter().map(|field| right(short(field), 4)));
    let words = heads.len();
    heads.extend(figure_heads("A IOPS", "B IOPS"));
    let rows: Vec<Vec<String>> = report
        .cells
        .iter()
        .map(|cell| row(cell, &report.fields))
        .collect();
    let shown = fitting(&heads, &rows, &DISPENSABLE, paper.room());
    let columns: Vec<&Column<'_>> = shown.iter().map(|&place| &heads[place]).collect();
    let mut page = lines(&columns, &picked(&rows, &shown), paper.room());
    for ((line, cell), row) in page.iter_mut().skip(1).zip(&report.cells).zip(&rows) {
        if let Some(reason) = &cell.missing {
            let reported = format!("{}  NA: {}", row[..words].join("  "), printable(reason));
            *line = shorten(&reported, paper.room());
        }
    }
    let marks = "+ faster, - slower in B, beyond chance for so many rows; ? inconclusive; * a side is CAUTION or \
                 INVALID";
    let left_out = left_out(&heads, &shown, paper.room());
    let parts = [Some(marks.to_owned()), left_out].into_iter().flatten();
    let parts: Vec<String> = parts.collect();
    page.extend(wrap("  ", &parts.join("; "), paper.room(), 3));
    page
}

fn row(cell: &CellChange, fields: &[String]) -> Vec<String> {
    let find = |metric: &str| cell.changes.iter().find(|change| change.metric == metric);
    let (iops, p99) = (find("iops"), find("latency_p99_ns"));
    let value = |field: &String| {
        let found = cell.values.iter().find(|one| one.field == *field);
        found.map_or_else(nothing, |one| shorten(&printable(&one.value), 24))
    };
    let ratio = |change: Option<&ChangeReport>| {
        let ratio = change.and_then(|change| change.ratio.as_ref());
        ratio.map_or_else(nothing, |ratio| changed(ratio.value))
    };
    let side = |change: Option<&ChangeReport>, of: fn(&ChangeReport) -> f64| {
        change.map_or_else(nothing, |change| figure(&change.metric, of(change)))
    };
    let mark = match iops.map(|change| change.outcome) {
        Some(Outcome::Faster) => "+",
        Some(Outcome::Slower) => "-",
        Some(Outcome::NoDifference) => " ",
        Some(Outcome::Inconclusive) | None => "?",
    };
    let doubt = if cell.doubt.is_some() { "*" } else { "" };
    let mut cells = vec![format!("{mark}{doubt}")];
    cells.extend(fields.iter().map(value));
    cells.push(side(iops, |change| change.a));
    cells.push(side(iops, |change| change.b));
    cells.push(ratio(iops));
    cells.push(iops.map_or_else(nothing, interval));
    let seen = iops.and_then(|change| change.minimum_detectable_share);
    cells.push(seen.map_or_else(nothing, say::percent));
    cells.push(side(p99, |change| change.a));
    cells.push(side(p99, |change| change.b));
    cells.push(ratio(p99));
    cells.push(format!("{} {}", cell.a.join(","), cell.b.join(",")));
    cells
}

fn differences(report: &CompareReport, paper: &Paper) -> Vec<String> {
    let mut page = Vec::new();
    for (place, one) in report.differences.iter().enumerate() {
        let head = if place == 0 { "differs " } else { "        " };
        let reported = format!("{}: {} in A, {} in B", one.words(), one.a, one.b);
        page.extend(wrap(head, &reported, paper.room(), 2));
    }
    page
}
