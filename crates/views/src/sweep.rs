//! A sweep on a page: the answer, one row a cell, what speaks against it. And, before it runs, what it will do.
//!
//! All cells are shown, however many. A cell that is not valid carries a mark before its values, one without a result
//! has NA and the reason.

mod forecast;
mod ranks;

pub use forecast::sweep_forecast;

use crate::foot::{self, Note};
use crate::number::{NOTHING, count, counted, half_width, mib_per_s, rate, whole_time_or_nothing};
use crate::paper::Paper;
use crate::table::{Column, fitting, left, left_out, lines, picked, right};
use crate::text::{printable, shorten, wrap};
use crate::time::{waiting, write_time};
use analysis::{BestIn, CellFigures, SweepReport, SweepRow, Validity};
use std::io::{self, Write};

/// Workloads whose models are reported; those of all stand in the document.
const SERIES_MAX: usize = 4;
/// A value is rarely longer; a path may be.
const VALUE_MAX: usize = 24;
/// On a narrow page these go first, in this order.
const DISPENSABLE: [&str; 6] = [MAX, MEAN, P999, P50, BEST, FLOW];
const FLOW: &str = "MiB/s";
const BEST: &str = "best in";
const MAX: &str = "max";
const MEAN: &str = "mean";
const P50: &str = "p50";
const P999: &str = "p99.9";

/// Writes the page.
pub fn sweep_summary(report: &SweepReport, paper: &Paper, out: &mut dyn Write) -> io::Result<()> {
    let target = shorten(&printable(&report.matrix.target), paper.room() / 2);
    let mut page = foot::setting(target, report.origin.host.as_ref(), None, paper);
    let answer = foot::answer(&report.answers, paper);
    page.extend(foot::head(answer, &report.verdict, paper));
    page.extend(foot::goals(&report.goals, paper));
    let (table, left_out) = table(report, paper);
    page.extend(table);
    page.extend(footnote(report, left_out, paper));
    page.extend(ranks::ranks(report, paper));
    page.extend(models(report, paper));
    page.push(String::new());
    let found = report
        .findings
        .iter()
        .map(|finding| Note::of(finding, None));
    let notes = found.chain(report.notes.iter().map(|note| Note::plain(note)));
    page.extend(foot::notes(notes.collect(), paper));
    page.extend(foot::labelled("spent", &spent(report, paper), paper));
    page.extend(foot::stored(paper));
    page.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// Its lines, and which columns found no room.
fn table(report: &SweepReport, paper: &Paper) -> (Vec<String>, Option<String>) {
    let repeated = report.rows.iter().any(|row| row.runs > 1);
    let stored = report.rows.iter().any(|row| !row.stored.is_empty());
    let grouped = report.rows.iter().any(|row| row.group.is_some());
    let mut heads: Vec<Column<'_>> = vec![left("", 1)];
    heads.extend(grouped.then(|| left("group", 5)));
    heads.extend(report.matrix.axes.iter().map(|axis| right(axis, 4)));
    let words = heads.len();
    heads.push(right("IOPS", 7));
    heads.extend(repeated.then(|| right("±", 4)));
    heads.push(right(FLOW, 7));
    heads.extend([MEAN, P50, "p99", P999, MAX].map(|head| right(head, 7)));
    heads.extend(stored.then(|| right("run", 3)));
    heads.push(left(BEST, 0));
    let rows: Vec<Vec<String>> = report
        .rows
        .iter()
        .map(|row| {
            let mut cells = vec![mark(row).to_owned()];
            cells.extend(grouped.then(|| printable(row.group.as_deref().unwrap_or(NOTHING))));
            cells.extend(report.matrix.axes.iter().map(|axis| value(row, axis)));
            cells.extend(figures(row, repeated));
            cells.extend(stored.then(|| runs(row)));
            cells.push(best(row));
            cells
        })
        .collect();
    let shown = fitting(&heads, &rows, &DISPENSABLE, paper.room());
    let left_out = left_out(&heads, &shown, paper.room());
    let heads: Vec<&Column<'_>> = shown.iter().map(|&place| &heads[place]).collect();
    let rows = picked(&rows, &shown);
    let mut page = lines(&heads, &rows, paper.room());
    for ((line, cells), row) in page.iter_mut().skip(1).zip(&rows).zip(&report.rows) {
        if let Some(reason) = &row.missing {
            let head = lines(
                &heads[..words],
                std::slice::from_ref(&cells[..words].to_vec()),
                paper.room(),
            );
            let reported = format!(
                "{}  NA: {}",
                head.last().map_or("", String::as_str),
                printable(reason)
            );
            *line = shorten(&reported, paper.room());
        }
    }
    (page, left_out)
}

fn mark(row: &SweepRow) -> &'static str {
    match row.figures.as_ref().and_then(|figures| figures.validity) {
        Some(Validity::Caution | Validity::NotChecked) => "*",
        Some(Validity::Invalid) => "!",
        Some(Validity::Valid) | None => " ",
    }
}

fn value(row: &SweepRow, axis: &str) -> String {
    let found = row.values.iter().find(|one| one.field == axis);
    found.map_or_else(
        || NOTHING.to_owned(),
        |one| shorten(&printable(&one.value), VALUE_MAX),
    )
}

fn figures(row: &SweepRow, repeated: bool) -> Vec<String> {
    let Some(figures) = &row.figures else {
        return vec![NOTHING.to_owned(); 7 + usize::from(repeated)];
    };
    let CellFigures {
        iops,
        iops_half_width_share,
        bytes_per_s,
        latency_mean_ns,
        latency_p50_ns,
        latency_p99_ns,
        latency_p999_ns,
        latency_max_ns,
        errors: _, // a cell with errors is marked and reported among the notes
        validity: _,
        reasons: _,
    } = figures;
    let spread = half_width(*iops_half_width_share);
    let mut cells = vec![rate(*iops)];
    cells.extend(repeated.then_some(spread));
    cells.push(mib_per_s(*bytes_per_s));
    cells.extend(
        [
            latency_mean_ns,
            latency_p50_ns,
            latency_p99_ns,
            latency_p999_ns,
            latency_max_ns,
        ]
        .map(|ns| whole_time_or_nothing(*ns)),
    );
    cells
}

/// The last run; all of them stand in the document.
fn runs(row: &SweepRow) -> String {
    row.stored
        .last()
        .map_or_else(|| NOTHING.to_owned(), ToString::to_string)
}

fn best(row: &SweepRow) -> String {
    let names = row.best_in.iter().map(|best| match best {
        BestIn::Rate => "IOPS",
        BestIn::Flow => "MiB/s",
        BestIn::Latency => "p99",
    });
    names.collect::<Vec<_>>().join(", ")
}

fn footnote(report: &SweepReport, left_out: Option<String>, paper: &Paper) -> Vec<String> {
    let any = |validity| {
        let of = |row: &SweepRow| {
            row.figures
                .as_ref()
                .is_some_and(|f| f.validity == Some(validity))
        };
        report.rows.iter().any(of)
    };
    let repeated = report.rows.iter().any(|row| row.runs > 1);
    let words = [
        (any(Validity::Caution) || any(Validity::NotChecked)).then_some("* CAUTION"),
        any(Validity::Invalid).then_some("! INVALID"),
        repeated.then_some(
            "IOPS and MiB/s are means of a cell's runs, ± half the 95% interval of the mean, latencies those of its middle run",
        ),
    ];
    let words = words.into_iter().flatten().map(str::to_owned);
    let parts: Vec<String> = words.chain(left_out).collect();
    match parts.is_empty() {
        true => Vec::new(),
        false => wrap("  ", &parts.join("; "), paper.room(), 4),
    }
}

/// What the cells have in common, in few lines.
fn models(report: &SweepReport, paper: &Paper) -> Vec<String> {
    let mut page = Vec::new();
    let said: Vec<_> = report
        .models
        .iter()
        .filter(|one| !one.sentences.is_empty())
        .collect();
    for one in said.iter().take(SERIES_MAX) {
        page.push(String::new());
        for (place, sentence) in one.sentences.iter().enumerate() {
            let of = match (place, one.series.is_empty()) {
                (0, false) => format!("{}: ", one.series),
                _ => String::new(),
            };
            let head = if place == 0 { "models  " } else { "        " };
            page.extend(wrap(head, &format!("{of}{sentence}"), paper.room(), 6));
        }
    }
    if said.len() > SERIES_MAX {
        let more = counted((said.len() - SERIES_MAX) as u64, "workload");
        page.extend(wrap(
            "        ",
            &format!("and of {more} more: see --json"),
            paper.room(),
            1,
        ));
    }
    page
}

fn spent(report: &SweepReport, paper: &Paper) -> String {
    let counts = &report.matrix.cell_counts;
    let mut parts = Vec::new();
    parts.extend(report.course.elapsed_ns.map(waiting));
    let mut cells = format!(
        "{} of {}",
        count(counts.done),
        counted(counts.planned, "cell")
    );
    for (number, what) in [(counts.missing, "NA"), (counts.left, "left")] {
        if number > 0 {
            cells.push_str(&format!(", {} {what}", count(number)));
        }
    }
    if counts.runs != counts.done + counts.missing {
        cells.push_str(&format!(", {}", counted(counts.runs, "run")));
    }
    parts.push(cells);
    parts.extend(
        report
            .course
            .order
            .as_ref()
            .map(|order| match order.as_str() {
                "given" => "in the order given".to_owned(),
                other => format!("order {other}"),
            }),
    );
    parts.extend(
        report
            .origin
            .started_utc_ns
            .map(|ns| write_time(ns, &paper.zone)),
    );
    parts.join("; ")
}
