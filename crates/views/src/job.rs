//! A run on many hosts on one page: the sum, the verdict, a row for each rank, and what is wrong with which one.
//!
//! Of many ranks those furthest from the median are shown. Omitted: the page of one rank, which is that of any run.

use crate::foot::{self, Note};
use crate::number::{NOTHING, half_width, percentile};
use crate::paper::Paper;
use crate::table::{Column, fitted, left, right};
use crate::text::{printable, wrap};
use analysis::{JobDigest, JobOperation, JobReport, RankRow, say};
use std::io::{self, Write};

/// Ranks that are shown where there are more of them, unless all are asked for.
const ROWS_MAX: usize = 12;

static COLUMNS: [Column; 10] = [
    left("rank", 4),
    left("host", 4),
    right("IOPS", 7),
    right("±", 5),
    right("MiB/s", 7),
    right("p50", 7),
    right("p99", 7),
    right("of median", 6),
    right("z", 4),
    left("differs in", 0),
];
const DISPENSABLE: [&str; 5] = ["z", "±", "p50", "differs in", "MiB/s"];

/// Writes the page.
pub fn job_summary(report: &JobReport, paper: &Paper, out: &mut dyn Write) -> io::Result<()> {
    let mut page = wrap("", &title(report), paper.room(), usize::MAX);
    page.push(String::new());
    let answer = report
        .operations
        .iter()
        .flat_map(|row| wrap("  ", &sum(row), paper.room(), usize::MAX));
    page.extend(foot::head(answer.collect(), &report.verdict, paper));
    page.extend(table(&report.hosts, paper));
    page.push(String::new());
    if !report.alone.is_empty() {
        page.push("each alone, one after another:".to_owned());
        page.extend(table(&report.alone, paper));
        page.push(String::new());
    }
    let first = report.verdict.reasons.first();
    let notes = report
        .findings
        .iter()
        .map(|finding| Note::of(finding, first));
    page.extend(foot::notes(notes.collect(), paper));
    page.extend(foot::labelled("start", &start(report), paper));
    page.extend(foot::stored(paper));
    page.iter().try_for_each(|line| writeln!(out, "{line}"))
}

fn title(report: &JobReport) -> String {
    shared(
        &report.job,
        report.hosts.iter().map(|row| row.host.as_str()),
    )
}

/// `4 ranks on 2 hosts over Open MPI v4.1.4, each on its own target`.
pub(crate) fn shared<'a>(job: &JobDigest, names: impl Iterator<Item = &'a str>) -> String {
    let mut hosts: Vec<&str> = names.filter(|host| !host.is_empty()).collect();
    hosts.sort_unstable();
    hosts.dedup();
    let shared = match job.layout {
        model::JobLayout::Own => "each on its own target",
        model::JobLayout::Segments => "each on its own segment of one target",
        model::JobLayout::All => "all on the whole of one target",
        model::JobLayout::Interleaved => "with interleaved ranges of one target",
    };
    format!(
        "{} on {} over {}, {shared}",
        say::counted(u64::from(job.ranks), "rank"),
        say::counted(hosts.len() as u64, "host"),
        printable(&job.transport)
    )
}

/// `write   41.2k IOPS, 322 MiB/s, p50 2.88 ms, p99 12.4 ms`.
fn sum(row: &JobOperation) -> String {
    let point = |quantile: f64| {
        row.latency
            .percentiles
            .iter()
            .find(|one| (one.quantile - quantile).abs() < 1e-9)
    };
    let errors = match row.errors {
        0 => String::new(),
        errors => format!(", {}", say::counted(errors, "error")),
    };
    format!(
        "{:<6} {} IOPS, {} MiB/s, p50 {}, p99 {}{errors}",
        row.operation,
        say::rate(row.iops),
        say::mib_per_s(row.bytes_per_s),
        percentile(point(0.5)),
        percentile(point(0.99))
    )
}

fn start(report: &JobReport) -> String {
    let start = &report.start;
    let fairness = report
        .fairness
        .map_or_else(String::new, |index| format!("; Jain's index {index:.3}"));
    format!(
        "began within {} ±{} of each other; windows overlap by {}{fairness}",
        say::time(start.spread_ns as f64),
        say::time(start.uncertainty_ns as f64),
        say::percent(start.overlap)
    )
}

/// Ranks by their distance from the median, those without a result first.
fn table(all: &[RankRow], paper: &Paper) -> Vec<String> {
    let off = |row: &RankRow| {
        row.figures
            .and_then(|one| one.of_median)
            .map_or(f64::INFINITY, |share| (share - 1.0).abs())
    };
    let mut ranks: Vec<&RankRow> = all.iter().collect();
    let many = ranks.len() > ROWS_MAX && !paper.verbose;
    if many {
        ranks.sort_by(|a, b| off(b).total_cmp(&off(a)));
        ranks.truncate(ROWS_MAX);
        ranks.sort_by_key(|row| row.rank);
    }
    let rows: Vec<Vec<String>> = ranks.into_iter().map(cells).collect();
    let mut page = fitted(&COLUMNS, &rows, &DISPENSABLE, paper);
    if many {
        let omitted = all.len() - ROWS_MAX;
        page.push(format!(
            "  {omitted} more ranks are as near to the median or nearer; all with --verbose"
        ));
    }
    page
}

fn cells(row: &RankRow) -> Vec<String> {
    let time = |ns: Option<u64>| ns.map_or_else(|| NOTHING.to_owned(), |ns| say::time(ns as f64));
    let differs = match (&row.missing, row.differs_in.as_slice()) {
        (Some(why), _) => format!("no result: {}", printable(why)),
        (None, facts) => printable(&facts.join(", ")),
    };
    let of = |number: Option<f64>, say: &dyn Fn(f64) -> String| {
        number.map_or_else(|| NOTHING.to_owned(), say)
    };
    let figures = row.figures.unwrap_or_default();
    let known = |value: f64| row.figures.map(|_| value);
    vec![
        format!("  {}", row.rank),
        printable(&row.host),
        of(known(figures.iops), &say::rate),
        half_width(figures.half_width),
        of(known(figures.bytes_per_s), &say::mib_per_s),
        time(figures.latency_p50_ns),
        time(figures.latency_p99_ns),
        of(figures.of_median, &|share| format!("{share:.2}")),
        of(figures.z, &|z| format!("{z:.1}")),
        differs,
    ]
}
