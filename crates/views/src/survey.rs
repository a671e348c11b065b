//! A survey: the answer, whether it may be believed, one row per workload, and what a person is to know.
//!
//! A figure that is doubtful carries a mark, and its reason is among the warnings. Everything else (curve, limits in
//! sentences, machine, time) is written where everything is asked for.

mod details;
mod notes;

use crate::foot;
use crate::number::{
    NOTHING, bytes, count, half_width, mib_per_s, percentile, rate, time, whole_time_or_nothing,
};
use crate::paper::{Paper, trust_footnote};
use crate::picture::picture;
use crate::table::{Column, fitting, left, left_out, lines, picked, right};
use crate::text::{printable, shorten, wrap};
use analysis::{Answer, SurveyAnswer, SurveyAnswerSide, SurveyReport, SurveyRow, Validity};
use std::io::{self, Write};

/// The survey has seven workloads; more come only from unplanned labels.
const ROWS_MAX: usize = 10;
const NAME_MAX: usize = 22;

const COLUMNS: [Column; 11] = [
    left("workload", 20),
    right("peak IOPS", 9),
    right(WIDTH, 6),
    right(FLOW, 5),
    right(DEPTH, 4),
    right(KNEE, 6),
    right(P50, 7),
    right(P99, 7),
    right(P999, 7),
    right(ALONE, 8),
    left(LIMIT, 10),
];
const WIDTH: &str = "95% CI";
const FLOW: &str = "MiB/s";
const DEPTH: &str = "QD";
const KNEE: &str = "QD@95%";
const P50: &str = "p50";
const P99: &str = "p99";
const P999: &str = "p99.9";
const ALONE: &str = "QD1 p50";
const LIMIT: &str = "limited by";
/// On a narrow page these go first, in this order.
const DISPENSABLE: [&str; 8] = [P999, FLOW, KNEE, LIMIT, P99, WIDTH, P50, DEPTH];

/// Writes the page.
pub fn survey_summary(report: &SurveyReport, paper: &Paper, out: &mut dyn Write) -> io::Result<()> {
    let mut page = setting(report, paper);
    let answer = foot::answer(&answers(report), paper);
    page.extend(foot::head(answer, &report.verdict, paper));
    page.extend(foot::goals(&report.remarks.goals, paper));
    page.extend(table(report, paper));
    page.extend(details::kept_rates(report, paper));
    page.push(String::new());
    if paper.verbose {
        page.extend(details::limits(report, paper));
        page.extend(details::bends(report, paper));
        page.extend(picture(report, paper));
        page.push(String::new());
    }
    page.extend(foot::notes(notes::notes(report), paper));
    page.extend(foot::labelled("checks", &details::checks(report), paper));
    if paper.verbose {
        page.extend(foot::device(&report.device_check, paper));
        page.extend(foot::labelled(
            "spent",
            &details::spent(report, paper),
            paper,
        ));
    }
    page.extend(foot::stored(paper));
    page.iter().try_for_each(|line| writeln!(out, "{line}"))
}

fn setting(report: &SurveyReport, paper: &Paper) -> Vec<String> {
    let Some(target) = &report.target else {
        return vec![String::new()];
    };
    let size = bytes(
        report
            .coverage
            .budget
            .size_bytes
            .unwrap_or(target.size_bytes),
    );
    let target = foot::place(target, &size, paper);
    let engine = report
        .origin
        .engine
        .as_ref()
        .map(|engine| engine.backend.as_str());
    foot::setting(target, report.origin.host.as_ref(), engine, paper)
}

/// Small random and large sequential I/O, reads next to writes, and the latency of one I/O alone.
fn answers(report: &SurveyReport) -> Vec<Answer> {
    let figure = |answer: &SurveyAnswer, side: &SurveyAnswerSide| {
        let figure = answer.figure(side);
        let text = format!("{} {figure} (QD{})", side.operation, side.queue_depth);
        text.trim_start().to_owned()
    };
    let answer = |answer: &SurveyAnswer| Answer {
        name: answer.name.clone(),
        figures: answer
            .sides
            .iter()
            .map(|side| figure(answer, side))
            .collect(),
        detail: alone(answer),
    };
    report.answers.iter().map(answer).collect()
}

/// `QD1 latency 65.7 / 58.3 µs`, in the order of the sides; nothing where it was not measured.
fn alone(answer: &SurveyAnswer) -> Option<String> {
    let sides = || answer.sides.iter().map(|side| side.qd1_latency_p50_ns);
    if sides().all(|ns| ns.is_none()) {
        return None;
    }
    let each: Vec<String> = sides().map(whole_time_or_nothing).collect();
    let unit = |text: &String| text.split(' ').nth(1).map(str::to_owned);
    let text = match each.as_slice() {
        [one, other] if unit(one).is_some() && unit(one) == unit(other) => {
            let number = one.split(' ').next().unwrap_or_default();
            format!("{number} / {other}")
        }
        _ => each.join(" / "),
    };
    Some(format!("QD1 latency {text}"))
}

fn table(report: &SurveyReport, paper: &Paper) -> Vec<String> {
    let rows: Vec<Vec<String>> = report
        .rows
        .iter()
        .take(ROWS_MAX)
        .map(|row| cells(report, row))
        .collect();
    let shown = fitting(&COLUMNS, &rows, &DISPENSABLE, paper.room());
    let heads: Vec<&Column> = shown.iter().map(|&place| &COLUMNS[place]).collect();
    let mut page = lines(&heads, &picked(&rows, &shown), paper.room());
    let more = report.rows.len().saturating_sub(ROWS_MAX);
    if more > 0 {
        page.push(format!("and {} more: see --json", count(more as u64)));
    }
    // Words instead of numbers for a workload without a result, as wide as the page allows.
    for (line, row) in page.iter_mut().skip(1).zip(&report.rows) {
        if row.best.is_none() {
            let text = format!("{:<22}{}", name(row), printable(&row.ladder.reason));
            *line = shorten(&text, paper.room());
        }
    }
    page.extend(footnote(report, &shown, paper));
    page
}

fn name(row: &SurveyRow) -> String {
    shorten(&printable(&row.workload), NAME_MAX - 2)
}

fn cells(report: &SurveyReport, row: &SurveyRow) -> Vec<String> {
    let Some(best) = &row.best else {
        return vec![name(row)];
    };
    let validities = report.figure_validity(row);
    let at = |quantile| percentile(best.latency.at(quantile));
    let interval = half_width(best.throughput.iops_estimate.half_width_share());
    vec![
        name(row),
        marked(rate(best.throughput.iops), validities.peak),
        match interval == NOTHING {
            true => interval,
            false => format!("±{interval}"),
        },
        mib_per_s(best.throughput.bytes_per_s),
        count(best.load.queue_depth),
        row.knee_depth.map_or_else(|| NOTHING.to_owned(), count),
        at(0.5),
        at(0.99),
        at(0.999),
        marked(
            whole_time_or_nothing(row.qd1_latency_p50_ns),
            validities.depth_1,
        ),
        row.limit
            .as_ref()
            .map_or(NOTHING, |limit| limit.kind.word())
            .to_owned(),
    ]
}

/// The figure with the mark of its validity.
fn marked(figure: String, validity: Validity) -> String {
    match validity {
        Validity::Valid | Validity::NotChecked => figure,
        Validity::Caution => format!("{figure}*"),
        Validity::Invalid => format!("{figure}!"),
    }
}

/// What the heads and marks of the table mean, where there are any.
fn footnote(report: &SurveyReport, shown: &[usize], paper: &Paper) -> Vec<String> {
    let measured = || report.rows.iter().filter(|row| row.best.is_some());
    if measured().next().is_none() {
        return Vec::new();
    }
    let has = |head: &str| shown.iter().any(|&place| COLUMNS[place].head == head);
    let validities = |validity| {
        measured().any(|row| {
            let validities = report.figure_validity(row);
            validities.peak == validity || validities.depth_1 == validity
        })
    };
    let percentiles = || {
        let best = measured().filter_map(|row| row.best.as_ref());
        best.flat_map(|cell| &cell.latency.percentiles).filter(|p| {
            let heads = [(0.5, P50), (0.99, P99), (0.999, P999)];
            heads
                .iter()
                .any(|(quantile, head)| p.quantile == *quantile && has(head))
        })
    };
    let mut parts = vec!["QD = I/Os in flight, all threads".to_owned()];
    parts.extend(has(KNEE).then(|| "QD@95% = lowest QD with 95% of the peak".to_owned()));
    parts.extend(validities(Validity::Caution).then(|| "* doubtful".to_owned()));
    parts.extend(validities(Validity::Invalid).then(|| "! invalid".to_owned()));
    parts.extend(trust_footnote(percentiles()));
    parts.extend(left_out(&COLUMNS, shown, paper.room()));
    wrap("", &parts.join("; "), paper.room(), usize::MAX)
}

/// A time in words for other parts of this view.
fn whole_time(ns: Option<u64>) -> Option<String> {
    ns.map(|ns| time(ns as f64))
}
