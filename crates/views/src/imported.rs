//! A run of another tool on one page, and what an import brought.
//!
//! Figures are marked as that tool's; values that its text lacks are shown as unknown. Deliberately absent: the text
//! itself, which is in the document.

use crate::foot::{self, Note};
use crate::number::{NOTHING, bytes, count, counted, mib_per_s, rate, time};
use crate::paper::{Paper, Stored};
use crate::table::{Column, left, lines, right};
use crate::text::{printable, wrap};
use crate::time::write_time;
use analysis::{Finding, ImportedReport};
use model::{CacheMode, ImportedOperation, ImportedRun, ImportedWorkload, Nanos};
use std::io::{self, Write};

const UNKNOWN: &str = "unknown";

static COLUMNS: [Column; 8] = [
    left("", 5),
    right("IOPS", 7),
    right("MiB/s", 7),
    right("mean", 7),
    right("p50", 7),
    right("p99", 7),
    right("p99.9", 8),
    right("max", 7),
];

/// Writes the page.
pub fn imported_summary(
    report: &ImportedReport,
    paper: &Paper,
    out: &mut dyn Write,
) -> io::Result<()> {
    let run = &report.run;
    let mut page = wrap("", &target(run), paper.room(), usize::MAX);
    page.push(String::new());
    let answer = answer(report).map(|answer| wrap("  ", &answer, paper.room(), usize::MAX));
    page.extend(foot::head(
        answer.unwrap_or_default(),
        &report.verdict,
        paper,
    ));
    page.extend(foot::goals(&report.goals, paper));
    let heads: Vec<&Column> = COLUMNS.iter().collect();
    page.extend(lines(&heads, &rows(run), paper.room()));
    page.push(String::new());
    let first = report.verdict.reasons.first();
    let found = report.findings.iter();
    let found = found.map(|finding| Note::of(finding, first));
    let notes = found.chain(run.notes.iter().map(|note| Note::plain(note)));
    page.extend(foot::notes(notes.collect(), paper));
    page.extend(source(report, paper));
    page.extend(foot::stored(paper));
    page.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// The target, its size, and the load.
fn target(run: &ImportedRun) -> String {
    let load = &run.workload;
    let targets: Vec<String> = load.targets.iter().map(|name| printable(name)).collect();
    let names = match targets.is_empty() {
        true => format!("target {UNKNOWN}"),
        false => targets.join(" "),
    };
    let size = or_unknown(load.size.map(|size| bytes(size.0)), "size ");
    format!("{names}, {size}; {}", work(load))
}

/// The figures of all I/Os in one line; none where the text has none.
fn answer(report: &ImportedReport) -> Option<String> {
    let total = &report.run.figures.total;
    let known =
        |ns: Option<Nanos>, name: &str| ns.map(|ns| format!("{name} {}", time(ns.0 as f64)));
    let commit = report.commit();
    let of_write = |word: &str| {
        if commit.is_some() {
            format!("write {word}")
        } else {
            word.to_owned()
        }
    };
    let (mean, p99) = (of_write("mean"), of_write("p99"));
    let parts = [
        commit,
        total.ios_per_s.map(|iops| format!("{} IOPS", rate(iops))),
        total
            .bytes_per_s
            .map(|flow| format!("{} MiB/s", mib_per_s(flow))),
        known(total.latency.mean, &mean),
        known(percentile(total, 0.99), &p99),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn percentile(one: &ImportedOperation, quantile: f64) -> Option<Nanos> {
    let mut points = one.latency.percentiles.iter();
    let found = points.find(|(at, _)| (at - quantile).abs() < 1e-9);
    found.map(|(_, latency)| *latency)
}

/// Source of the figures, and the text's content other than them.
fn source(report: &ImportedReport, paper: &Paper) -> Vec<String> {
    let run = &report.run;
    let place = format!(
        "{}: {}, run {} of the file, line {}",
        report.printed_by,
        printable(&run.source),
        count(u64::from(run.place)),
        count(u64::from(run.line))
    );
    let mut page = foot::labelled("figures", &place, paper);
    let started = or_unknown(
        run.started_utc.map(|at| write_time(at.0, &paper.zone)),
        "start ",
    );
    let span = |span: Option<Nanos>| span.map(|span| time(span.0 as f64));
    let measured = or_unknown(span(run.measured), "");
    let duration = or_unknown(span(run.workload.duration), "");
    let host = run
        .host
        .as_deref()
        .map_or_else(|| format!("machine {UNKNOWN}"), printable);
    let reported = format!("{started}; measured {measured} of {duration}; {host}");
    page.extend(foot::labelled("time", &reported, paper));
    if let Some(command) = &run.command {
        page.extend(foot::labelled("command", &printable(command), paper));
    }
    if let Some(name) = &run.name {
        page.extend(foot::labelled("job", &printable(name), paper));
    }
    page.extend(foot::labelled("CPU", &load(run), paper));
    page
}

/// `64 KiB, random, 90% reads, 10% writes; queue depth 4 x 16 threads; direct I/O, write-through`.
fn work(work: &ImportedWorkload) -> String {
    let block = or_unknown(work.block.map(|block| bytes(block.0)), "block size ");
    let pattern = match work.random_percent.map(model::Ratio::as_percent) {
        None => format!("pattern {UNKNOWN}"),
        Some(0) => "sequential".to_owned(),
        Some(100) => "random".to_owned(),
        Some(share) => format!("{share}% random"),
    };
    let mix = match work.write_percent.map(model::Ratio::as_percent) {
        None => format!("share of writes {UNKNOWN}"),
        Some(0) => "reads".to_owned(),
        Some(100) => "writes".to_owned(),
        Some(share) => format!("{}% reads, {share}% writes", 100 - share),
    };
    let depth = or_unknown(work.queue_depth.map(|depth| count(u64::from(depth))), "");
    let threads = work
        .threads
        .map(|threads| counted(u64::from(threads), "thread"));
    let threads = or_unknown(threads, "threads ");
    let cache = match work.cache {
        None => format!("caching {UNKNOWN}"),
        Some(CacheMode::Unbuffered) => "direct I/O".to_owned(),
        Some(CacheMode::Cached) => "buffered".to_owned(),
        Some(CacheMode::LocalOff) => "remote cache only".to_owned(),
    };
    let through = match work.write_through {
        Some(true) => ", write-through",
        Some(false) | None => "",
    };
    format!("{block}, {pattern}, {mix}; queue depth {depth} x {threads}; {cache}{through}")
}

fn or_unknown(known: Option<String>, name: &str) -> String {
    known.unwrap_or_else(|| format!("{name}{UNKNOWN}"))
}

fn rows(run: &ImportedRun) -> Vec<Vec<String>> {
    let figures = &run.figures;
    let both = [("read", &figures.read), ("write", &figures.write)];
    let has = |one: &ImportedOperation| {
        one.ios_per_s.is_some_and(|rate| rate > 0.0) || one.latency.max.is_some()
    };
    let shown: Vec<_> = both.into_iter().filter(|(_, one)| has(one)).collect();
    let mut rows: Vec<Vec<String>> = shown.iter().map(|(name, one)| cells(name, one)).collect();
    // A run that only reads has one row of numbers, not the same one twice.
    if shown.len() != 1 || shown[0].1 != &figures.total {
        rows.push(cells("total", &figures.total));
    }
    rows
}

fn cells(name: &str, one: &ImportedOperation) -> Vec<String> {
    let nothing = || NOTHING.to_owned();
    let latency = &one.latency;
    let shown = |latency: Option<Nanos>| latency.map_or_else(nothing, |ns| time(ns.0 as f64));
    let at = |quantile: f64| shown(percentile(one, quantile));
    vec![
        name.to_owned(),
        one.ios_per_s.map_or_else(nothing, rate),
        one.bytes_per_s.map_or_else(nothing, mib_per_s),
        shown(latency.mean),
        at(0.5),
        at(0.99),
        at(0.999),
        shown(latency.max),
    ]
}

fn load(run: &ImportedRun) -> String {
    let Some(cpu) = run.cpu else {
        return format!("usage {UNKNOWN}");
    };
    let share = |value: Option<f64>, name: &str| value.map(|value| format!("{name} {value:.1}%"));
    let parts = [
        share(cpu.usage_percent, "busy"),
        share(cpu.user_percent, "user"),
        share(cpu.kernel_percent, "kernel"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let of = cpu
        .processors
        .map(|n| format!(" of {}", counted(u64::from(n), "processor")));
    format!("{}{}", parts.join(", "), of.unwrap_or_default())
}

/// Findings on several runs together, below their list; empty if there are none.
pub fn findings_summary(
    findings: &[Finding],
    paper: &Paper,
    out: &mut dyn Write,
) -> io::Result<()> {
    let notes = findings.iter().map(|finding| Note::of(finding, None));
    let page = foot::notes(notes.collect(), paper);
    page.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// The whole report as one document, ending in a newline.
pub fn imported_json(
    report: &ImportedReport,
    stored: Option<&Stored>,
    out: &mut dyn Write,
) -> io::Result<()> {
    crate::json::document(report, stored, out)
}
