//! A test of SNIA's PTS on one page: final figures, verdict, tables, the window of steady state, the demands.
//!
//! Omitted: every value of every round and moment, which the document has.

use crate::foot::{self, Found, Note};
use crate::json::{document, versioned_json};
use crate::number::{NOTHING, bytes, counted, mib_per_s, rate, time};
use crate::paper::{Paper, Stored};
use crate::table::{Column, left, lines, right};
use crate::text::{printable, wrap};
use crate::time::waiting;
use analysis::pts::{
    PtsForecast, PtsMoment, PtsPartForecast, PtsPartReport, PtsReport, PtsState, PtsSteady,
};
use analysis::say;
use std::io::{self, Write};

/// Cells of a part that stand in the table; of more the page has a summary.
const CELLS_MAX: usize = 64;
/// Moments of a series that stand on the page.
const MOMENTS_MAX: usize = 12;

/// Writes the page of a test.
pub fn pts_summary(report: &PtsReport, paper: &Paper, out: &mut dyn Write) -> io::Result<()> {
    let mut page = crate::looks::setting(report.place.as_ref(), paper);
    let answer = foot::answer(&report.answers, paper);
    page.extend(foot::head(answer, &report.verdict, paper));
    for part in &report.parts {
        page.extend(part_page(part, paper));
    }
    page.extend(demands(report, paper));
    if paper.verbose {
        for fact in &report.setup {
            let text = format!("{}: {}", fact.name, fact.value);
            page.extend(foot::labelled("set-up", &text, paper));
        }
        page.push(String::new());
    }
    let found = report.findings.iter().map(|one| Found {
        of: &one.step,
        at: match one.step.is_empty() {
            true => report.title.clone(),
            false => one.step.clone(),
        },
        finding: &one.finding,
    });
    let notes: Vec<Note> = foot::by_rule(found.collect(), report.verdict.reasons.first());
    page.extend(foot::notes(notes, paper));
    let source = format!("{}: {}", report.title, report.specification);
    page.extend(foot::labelled("method", &source, paper));
    page.extend(foot::started(
        report.place.as_ref().map(|place| place.started_utc_ns),
        paper,
    ));
    page.extend(foot::stored(paper));
    page.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// The whole report as one document, ending in a newline.
pub fn pts_json(
    report: &PtsReport,
    stored: Option<&Stored>,
    out: &mut dyn Write,
) -> io::Result<()> {
    document(report, stored, out)
}

/// What a test will do, as one document, ending in a newline.
pub fn pts_forecast_json(forecast: &PtsForecast, out: &mut dyn Write) -> io::Result<()> {
    versioned_json(forecast, out)
}

/// A value with its unit, by the name of its figure.
pub fn pts_value(value: f64, metric: &str) -> String {
    match metric {
        "bytes_per_s" => format!("{} MiB/s", mib_per_s(value)),
        "latency_mean_ns" => time(value),
        _ => format!("{} IOPS", rate(value)),
    }
}

fn bare_value(value: f64, metric: &str) -> String {
    match metric {
        "bytes_per_s" => mib_per_s(value),
        "latency_mean_ns" => time(value),
        _ => rate(value),
    }
}

fn part_page(part: &PtsPartReport, paper: &Paper) -> Vec<String> {
    let has_figures = part.cells.iter().any(|cell| cell.means.is_some());
    if part.kind == "precondition" || !has_figures {
        return Vec::new();
    }
    let mut page = wrap("", &heading(part), paper.room(), 3);
    page.extend(table(part, paper));
    for steady in &part.steady {
        page.extend(window(steady, &part.metric, paper));
    }
    page.extend(over_time(&part.over_time, paper));
    page.push(String::new());
    page
}

/// `128K: MiB/s, mean of rounds 4 to 8; steady state reached in round 8`.
fn heading(part: &PtsPartReport) -> String {
    let figure = match part.metric.as_str() {
        _ if part.over_time.len() > 1 => "IOPS", // the column of the table over time
        "bytes_per_s" => "MiB/s",
        "latency_mean_ns" => "mean latency",
        _ => "IOPS",
    };
    let of = match part.name.as_str() {
        "" => String::new(),
        name => format!("{}: ", printable(name)),
    };
    let over = part.steady.first().map_or(String::new(), |steady| {
        let to = steady.from_round + 4;
        format!(", mean of rounds {} to {to}", steady.from_round)
    });
    let state = match (part.kind.as_str(), part.reached, part.done) {
        ("rounds", Some(round), _) => format!("; steady state reached in round {round}"),
        ("rounds", None, true) => format!(
            "; steady state not reached in {}",
            counted(u64::from(part.rounds), "round")
        ),
        ("rounds", None, false) => {
            format!("; {} so far", counted(u64::from(part.rounds), "round"))
        }
        _ => String::new(),
    };
    format!("{of}{figure}{over}{state}")
}

/// The rows and columns of the cells; of many rows with one column each only the first and the last.
fn table(part: &PtsPartReport, paper: &Paper) -> Vec<String> {
    let mut rows: Vec<&str> = Vec::new();
    let mut columns: Vec<&str> = Vec::new();
    for cell in &part.cells {
        if !rows.contains(&cell.row.as_str()) {
            rows.push(&cell.row);
        }
        if !columns.contains(&cell.column.as_str()) {
            columns.push(&cell.column);
        }
    }
    if part.cells.len() > CELLS_MAX || part.over_time.len() > 1 {
        return Vec::new(); // the series has them
    }
    let is_latency = part.metric == "latency_mean_ns";
    let text = |row: &str, column: &str| {
        let mut cells = part.cells.iter();
        let cell = cells.find(|cell| cell.row == row && cell.column == column);
        cell.and_then(|cell| {
            let means = cell.means?;
            Some(match part.metric.as_str() {
                "bytes_per_s" => mib_per_s(means.bytes_per_s),
                "latency_mean_ns" => format!(
                    "{} (max {})",
                    time(means.latency_mean_ns),
                    time(means.latency_max_ns as f64)
                ),
                _ => rate(means.iops),
            })
        })
        .unwrap_or_else(|| NOTHING.to_owned())
    };
    let body: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let cells = columns.iter().map(|column| text(row, column));
            std::iter::once(printable(row)).chain(cells).collect()
        })
        .collect();
    let heads: Vec<String> = columns.iter().map(|column| printable(column)).collect();
    let wide = if is_latency { 20 } else { 6 };
    let first = left("", 6);
    let others: Vec<Column<'_>> = heads.iter().map(|head| right(head, wide)).collect();
    let all: Vec<&Column<'_>> = std::iter::once(&first).chain(&others).collect();
    lines(&all, &body, paper.room())
}

/// What decides about steady state: the values of the window, and both bounds.
fn window(steady: &PtsSteady, metric: &str, paper: &Paper) -> Vec<String> {
    let values: Vec<String> = steady
        .values
        .iter()
        .map(|value| bare_value(*value, metric))
        .collect();
    let sign = if steady.slope_measured < 0.0 { "-" } else { "" };
    let text = format!(
        "{}: rounds {} to {}: {}; mean {}; range {} of {} allowed; slope {sign}{} of {} allowed; line {}",
        printable(&steady.cell),
        steady.from_round,
        steady.from_round + 4,
        values.join(", "),
        pts_value(steady.window.mean, metric),
        bare_value(steady.range_measured, metric),
        bare_value(steady.range_allowed, metric),
        bare_value(steady.slope_measured.abs(), metric),
        bare_value(steady.slope_allowed, metric),
        steady.formula,
    );
    foot::labelled("window", &text, paper)
}

/// Some moments of a series, evenly chosen, the first and the last among them.
fn over_time(moments: &[PtsMoment], paper: &Paper) -> Vec<String> {
    if moments.len() < 2 {
        return Vec::new();
    }
    let shown = moments.len().min(MOMENTS_MAX);
    let place = |number: usize| number * (moments.len() - 1) / (shown - 1);
    let row = |number: usize| {
        let moment = moments[place(number)];
        vec![
            say::time(moment.at_ns as f64),
            bytes(moment.written_bytes),
            rate(moment.iops),
        ]
    };
    let rows: Vec<Vec<String>> = (0..shown).map(row).collect();
    let columns = [right("at", 9), right("written", 9), right("IOPS", 7)];
    let heads: Vec<&Column<'_>> = columns.iter().collect();
    let mut page = lines(&heads, &rows, paper.room());
    if shown < moments.len() {
        let text = format!("{shown} of {} moments; --json has all", moments.len());
        page.extend(wrap("  ", &text, paper.room(), 2));
    }
    page
}

fn demands(report: &PtsReport, paper: &Paper) -> Vec<String> {
    let shown = report.demands.iter();
    let shown = shown.filter(|one| paper.verbose || one.state != PtsState::Met);
    let mut page: Vec<String> = Vec::new();
    for demand in shown {
        let text = format!(
            "{}: {}: {}",
            demand.state.name(),
            printable(&demand.demand),
            printable(&demand.fact)
        );
        page.extend(foot::labelled("demand", &text, paper));
    }
    let met = report.demands.iter();
    let met = met.filter(|one| one.state == PtsState::Met).count();
    if !paper.verbose && met > 0 {
        let text = format!("met: {}", counted(met as u64, "other demand"));
        page.extend(foot::labelled("demand", &text, paper));
    }
    page.push(String::new());
    page
}

/// Writes what a test will do.
pub fn pts_forecast(forecast: &PtsForecast, paper: &Paper, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Vec::new();
    let mut line = |label: &str, text: String| page.extend(foot::labelled(label, &text, paper));
    let span = |least: u64, most: u64, text: &dyn Fn(u64) -> String| match least == most {
        true => text(least),
        false => format!("{} to {}", text(least), text(most)),
    };
    let scaled = match forecast.scale < 1.0 {
        true => format!(
            ", scaled to {}: no PTS result",
            say::percent(forecast.scale)
        ),
        false => String::new(),
    };
    line("test", format!("{}{scaled}", forecast.title));
    let create = forecast
        .target
        .create_bytes
        .map(|size| format!("; the file is created with {}", bytes(size)));
    line(
        "target",
        format!(
            "{}, range {}{}",
            printable(&forecast.target.path),
            bytes(forecast.target.range_bytes),
            create.unwrap_or_default()
        ),
    );
    line("purge", forecast.purge.clone());
    for part in &forecast.parts {
        line("part", part_line(part));
    }
    let times = span(
        forecast.duration_ns.least,
        forecast.duration_ns.most,
        &waiting,
    );
    line("takes", times);
    let written = span(
        forecast.written_bytes.least,
        forecast.written_bytes.most,
        &bytes,
    );
    line(
        "writes",
        format!(
            "{written}, a guess with {} MiB/s",
            mib_per_s(forecast.guess_bytes_per_s as f64)
        ),
    );
    if !forecast.omitted.is_empty() {
        let sizes = printable(&forecast.omitted.join(", "));
        line("omitted", format!("{sizes}: too small for the target"));
    }
    if let Some(session) = forecast.resumes {
        line("resumes", format!("session {session}"));
    }
    page.iter().try_for_each(|line| writeln!(out, "{line}"))
}

fn part_line(part: &PtsPartForecast) -> String {
    let of = match part.name.as_str() {
        "" => String::new(),
        name => format!("{}: ", printable(name)),
    };
    let time = waiting(part.round_ns);
    match part.kind.as_str() {
        "precondition" => format!(
            "{of}preconditioning, {} written sequentially",
            bytes(part.written_bytes)
        ),
        "rounds" => format!(
            "{of}5 to {} rounds of {}, each {time}",
            part.rounds_max,
            counted(part.runs, "run")
        ),
        _ => format!("{of}{}, {time}", counted(part.runs, "run")),
    }
}
