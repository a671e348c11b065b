//! A quick look, and what layers cost, on one page each: the answer, a row a run or a way, whose doing it is.

use crate::foot::{self, Found, Note};
use crate::json::document;
use crate::number::{NOTHING, bytes, mib_per_s, percentile, rate};
use crate::paper::{Paper, Stored};
use crate::table::{Column, fitting, left, left_out, lines, picked, right};
use crate::text::{printable, width, wrap};
use analysis::looks::{AbFigure, AbReport, FitReport, FitRow};
use analysis::{
    Answer, Estimate, LayerCost, LayerRow, LayersReport, LooksPlace, QuickReport, QuickRow,
    StepFinding, Verdict, say,
};
use serde::Serialize;
use std::io::{self, Write};

const QUICK: [Column; 6] = [
    left("what", 33),
    right("/s", 6),
    right("±", 6),
    right("MiB/s", 6),
    right("p50", 7),
    right("p99", 8),
];
const LAYERS: [Column; 6] = [
    left("way", 32),
    right("/s", 6),
    right("MiB/s", 6),
    right(INTERVAL, 6),
    right("costs", 12),
    right(LESS, 10),
];
const AB: [Column; 5] = [
    left("figure", 8),
    right("A", 9),
    right("B", 9),
    right("B/A", 7),
    right("95% CI", 16),
];
const FIT: [Column; 5] = [
    left("run", 10),
    right("decides", 12),
    right("IOPS", 7),
    right("mean", 8),
    right("p99", 8),
];
const INTERVAL: &str = "±";
const LESS: &str = "MiB/s less";
/// On a narrow page these columns of layers go first, in this order.
const DISPENSABLE: [&str; 2] = [INTERVAL, LESS];

/// Writes the page of a quick look.
pub fn quick_summary(report: &QuickReport, paper: &Paper, out: &mut dyn Write) -> io::Result<()> {
    let mut page = setting(report.place.as_ref(), paper);
    let answer = foot::answer(&report.answers, paper);
    page.extend(foot::head(answer, &report.verdict, paper));
    let heads: Vec<&Column> = QUICK.iter().collect();
    let rows: Vec<Vec<String>> = report.rows.iter().map(quick_cells).collect();
    let (table, left_out) = beside(lines(&heads, &rows, paper.room()), &report.rows, paper);
    page.extend(table);
    let parts = [
        Some("± half of the 95% interval of the rate".to_owned()),
        left_out,
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    page.extend(wrap("  ", &parts.join("; "), paper.room(), 2));
    page.push(String::new());
    let notes = notes(&report.findings, &report.verdict, &report.notes);
    page.extend(foot::notes(notes, paper));
    page.extend(ended(report.place.as_ref(), paper));
    page.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// Writes the page of whether storage is fast enough: the decision first.
pub fn fit_summary(report: &FitReport, paper: &Paper, out: &mut dyn Write) -> io::Result<()> {
    let value = |row: &FitRow| Some(report.demand.as_ref()?.figure.value(row.figure?));
    let time = |value: Option<f64>| value.map_or_else(|| NOTHING.to_owned(), say::time);
    let cells = |row: &FitRow| {
        vec![
            printable(&row.label),
            value(row).unwrap_or_else(|| NOTHING.to_owned()),
            rate(row.iops),
            time(row.latency_mean_ns),
            time(row.latency_p99_ns),
        ]
    };
    let rows: Vec<Vec<String>> = report.rows.iter().map(cells).collect();
    let mut page = decision(
        &report.answers,
        report.place.as_ref(),
        &report.verdict,
        paper,
    );
    page.extend(lines(&FIT.iter().collect::<Vec<_>>(), &rows, paper.room()));
    page.push(String::new());
    let notes = notes(&report.findings, &report.verdict, &report.notes);
    page.extend(foot::notes(notes, paper));
    page.extend(ended(report.place.as_ref(), paper));
    page.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// Writes the page of which of two is faster: the decision first.
pub fn ab_summary(report: &AbReport, paper: &Paper, out: &mut dyn Write) -> io::Result<()> {
    let cells = |row: &AbFigure| {
        let ends = row.ratio.low.zip(row.ratio.high);
        vec![
            row.label(),
            row.value(row.a),
            row.value(row.b),
            format!("{:.3}", row.ratio.value),
            ends.map_or_else(
                || NOTHING.to_owned(),
                |(low, high)| format!("{low:.3} to {high:.3}"),
            ),
        ]
    };
    let rows: Vec<Vec<String>> = report.figures.iter().map(cells).collect();
    let mut page = decision(
        &report.answers,
        report.place.as_ref(),
        &report.verdict,
        paper,
    );
    page.extend(lines(&AB.iter().collect::<Vec<_>>(), &rows, paper.room()));
    if let Some(request) = &report.request {
        page.push(format!(
            "  A = {}, B = {}",
            printable(&request.a),
            printable(&request.b)
        ));
    }
    page.push(String::new());
    let notes = notes(&report.findings, &report.verdict, &report.notes);
    page.extend(foot::notes(notes, paper));
    page.extend(ended(report.place.as_ref(), paper));
    page.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// Writes a decision, then its place, then whether the figures may be used.
fn decision(
    answers: &[Answer],
    place: Option<&LooksPlace>,
    verdict: &Verdict,
    paper: &Paper,
) -> Vec<String> {
    let sentences: Vec<String> = answers.iter().map(Answer::sentence).collect();
    let sentence = printable(&sentences.join("; "));
    let mut page = wrap("", &sentence, paper.room(), usize::MAX);
    page.push(String::new());
    page.extend(setting(place, paper));
    page.extend(foot::head(Vec::new(), verdict, paper));
    page
}

/// Writes the page of what layers cost.
pub fn layers_summary(report: &LayersReport, paper: &Paper, out: &mut dyn Write) -> io::Result<()> {
    let mut page = setting(report.place.as_ref(), paper);
    let answer = foot::answer(&report.answers, paper);
    page.extend(foot::head(answer, &report.verdict, paper));
    page.pop();
    let all: Vec<Vec<String>> = report.rows.iter().map(layer_cells).collect();
    let shown = fitting(&LAYERS, &all, &DISPENSABLE, paper.room());
    let heads: Vec<&Column> = shown.iter().map(|&place| &LAYERS[place]).collect();
    let mut rest = report.rows.as_slice();
    while let Some(first) = rest.first() {
        let (same, later) =
            rest.split_at(rest.iter().take_while(|row| row.work == first.work).count());
        rest = later;
        page.push(String::new());
        page.push(format!("{}:", first.work.name()));
        let rows: Vec<Vec<String>> = same.iter().map(layer_cells).collect();
        page.extend(lines(&heads, &picked(&rows, &shown), paper.room()));
    }
    let rounds = say::counted(report.rounds, "round");
    let reported = format!(
        "costs are relative to the raw device with direct I/O, with the 95% interval of {rounds}"
    );
    let parts = [Some(reported), left_out(&LAYERS, &shown, paper.room())];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    page.extend(wrap("  ", &parts.join("; "), paper.room(), 3));
    page.push(String::new());
    let notes = notes(&report.findings, &report.verdict, &report.notes);
    page.extend(foot::notes(notes, paper));
    page.extend(ended(report.place.as_ref(), paper));
    page.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// Writes the whole report of a look as one document, ending in a newline.
pub fn look_json(
    report: &impl Serialize,
    stored: Option<&Stored>,
    out: &mut dyn Write,
) -> io::Result<()> {
    document(report, stored, out)
}

pub(crate) fn setting(place: Option<&LooksPlace>, paper: &Paper) -> Vec<String> {
    let Some(place) = place else {
        return Vec::new();
    };
    let targets = place.targets.iter();
    let targets: Vec<String> = targets
        .map(|target| foot::place(target, &bytes(target.size_bytes), paper))
        .collect();
    let engine = Some(place.engine.as_str());
    foot::setting(targets.join("; "), Some(&place.host), engine, paper)
}

fn notes(found: &[StepFinding], verdict: &Verdict, notes: &[String]) -> Vec<Note> {
    let found = found.iter().map(|one| Found {
        of: &one.step,
        at: one.step.clone(),
        finding: &one.finding,
    });
    let mut all = foot::by_rule(found.collect(), verdict.reasons.first());
    all.extend(notes.iter().map(|note| Note::plain(note)));
    all
}

/// When the first run started, where everything is shown, and where the result is stored.
fn ended(place: Option<&LooksPlace>, paper: &Paper) -> Vec<String> {
    let mut page = foot::started(place.map(|place| place.started_utc_ns), paper);
    page.extend(foot::stored(paper));
    page
}

/// Behind each row its text, if there is room for all of them; otherwise a note. The document always has it.
fn beside(table: Vec<String>, rows: &[QuickRow], paper: &Paper) -> (Vec<String>, Option<String>) {
    let label = rows.iter().map(|row| printable(&row.what));
    let label = std::iter::once(String::new()).chain(label);
    let both = table.iter().zip(label);
    let whole: Vec<String> = both
        .map(|(line, label)| format!("{line}  {label}").trim_end().to_owned())
        .collect();
    match whole.iter().all(|line| width(line) <= paper.room()) {
        true => (whole, None),
        false => {
            let columns = paper.width();
            let reported =
                format!("omitted at {columns} columns: what each row means; --json has it");
            (table, Some(reported))
        }
    }
}

fn half_width(found: Estimate) -> String {
    found
        .half_width_share()
        .map_or_else(|| NOTHING.to_owned(), say::percent)
}

fn quick_cells(row: &QuickRow) -> Vec<String> {
    let at = |quantile| percentile(row.latency.at(quantile));
    vec![
        printable(&row.label),
        rate(row.iops_estimate.value),
        half_width(row.iops_estimate),
        mib_per_s(row.bytes_per_s_estimate.value),
        at(0.5),
        at(0.99),
    ]
}

fn layer_cells(row: &LayerRow) -> Vec<String> {
    vec![
        format!("  {}", row.layer.name()),
        rate(row.iops_estimate.value),
        mib_per_s(row.bytes_per_s_estimate.value),
        half_width(row.iops_estimate),
        row.cost.map_or_else(|| NOTHING.to_owned(), cost),
        row.cost.map_or_else(
            || NOTHING.to_owned(),
            |cost| signed(cost.bytes_per_s, mib_per_s),
        ),
    ]
}

/// `3.1 ±0.8%`.
fn cost(cost: LayerCost) -> String {
    let share = signed(cost.share.value * 100.0, say::digits);
    let half = cost
        .share
        .high
        .map(|high| (high - cost.share.value) * 100.0);
    let half = half.map_or(String::new(), |half| format!(" ±{}", say::digits(half)));
    format!("{share}{half}%")
}

/// With its sign, below 0.
fn signed(value: f64, text: fn(f64) -> String) -> String {
    let sign = if value < 0.0 { "-" } else { "" };
    format!("{sign}{}", text(value.abs()))
}
