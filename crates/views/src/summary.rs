//! One run on one page: the answer, the numbers, what speaks for and against them. At most 25 lines.

use crate::events;
use crate::foot::{self, Note};
use crate::number::{
    NOTHING, bytes, count, digits, half_width, half_width_of, mib_per_s, percentile, rate, time,
    time_or_nothing, whole_time_or_nothing,
};
use crate::paper::Paper;
use crate::table::{Column, fitting, left, left_out, lines, picked, right};
use crate::text::{printable, wrap};
use crate::time::write_time;
use analysis::say::counted;
use analysis::{CallRow, Latency, OperationRow, RunReport, TargetReport, WorkDigest};
use model::plan::RecordedTiming;
use model::trace::TraceOperation;
use model::{Access, CacheMode, Pacing, Spacing};
use std::io::{self, Write};

static COLUMNS: [Column; 9] = [
    left("", 5),
    right("IOPS", 7),
    right("MiB/s", 7),
    right("mean", 7),
    right("p50", 7),
    right("p99", 7),
    right("p99.9", 8),
    right(RAREST, 8),
    right("max", 7),
];
/// The percentile that the fewest runs can carry.
const RAREST: &str = "p99.99";
/// On a narrow page these go first, in this order.
const DISPENSABLE: [&str; 1] = [RAREST];

/// Writes the page.
pub fn run_summary(report: &RunReport, paper: &Paper, out: &mut dyn Write) -> io::Result<()> {
    let mut page = request(report, paper);
    page.push(String::new());
    let answer = answer(report).map(|answer| wrap("  ", &answer, paper.room(), usize::MAX));
    page.extend(foot::head(
        answer.unwrap_or_default(),
        &report.verdict,
        paper,
    ));
    page.extend(foot::goals(&report.goals, paper));
    let rows = rows(report);
    let shown = fitting(&COLUMNS, &rows, &DISPENSABLE, paper.room());
    let heads: Vec<&Column> = shown.iter().map(|&place| &COLUMNS[place]).collect();
    page.extend(lines(&heads, &picked(&rows, &shown), paper.room()));
    let left_out = left_out(&COLUMNS, &shown, paper.room());
    page.extend(footnote(report, left_out, paper));
    page.push(String::new());
    page.extend(not_known(report, paper));
    page.extend(warm_up(report, paper));
    page.extend(open_loop(report, paper));
    page.extend(calls(report, paper));
    page.extend(errors(report, paper));
    page.extend(events::lines(report.events.as_ref(), paper));
    page.extend(foot::notes(notes(report), paper));
    // Several targets have rows of their own; then one device is shown and the others are in the document.
    page.extend(foot::labelled("checks", &checks(report), paper));
    if paper.verbose {
        page.extend(
            report
                .device_checks
                .iter()
                .flat_map(|check| foot::device(check, paper)),
        );
        page.extend(foot::labelled("time", &spent(report, paper), paper));
    }
    page.extend(foot::stored(paper));
    page.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// The figures of the whole run in one line; none without I/Os.
fn answer(report: &RunReport) -> Option<String> {
    let total = report.total().filter(|total| total.ios > 0)?;
    let latency = total.response.as_ref().unwrap_or(&total.latency);
    let width = total
        .iops_estimate
        .half_width_share()
        .map(|_| format!(" ±{}", half_width_of(&total.iops_estimate)));
    let at = |quantile| percentile(latency.at(quantile));
    let commit = report.commit();
    let of_write = if commit.is_some() { "write " } else { "" };
    let commit = commit.map(|commit| format!("{commit}, "));
    Some(format!(
        "{}{} IOPS{}, {} MiB/s, {of_write}p50 {}, {of_write}p99 {}",
        commit.unwrap_or_default(),
        rate(total.iops),
        width.unwrap_or_default(),
        mib_per_s(total.bytes_per_s),
        at(0.5),
        at(0.99)
    ))
}

/// What was measured and how: each target with its workload.
fn request(report: &RunReport, paper: &Paper) -> Vec<String> {
    let mut page = Vec::new();
    let machine = foot::machine(&report.host);
    let null = report.engine.backend == "null";
    for target in report.targets.iter().take(2) {
        let size = bytes(target.facts.size_bytes);
        let place = foot::place(&target.facts, &size, paper);
        let text = format!("{place}; {machine}; {}", report.engine.backend);
        page.extend(wrap("", &text, paper.room(), usize::MAX));
        page.extend(wrap("", &work(target, null), paper.room(), usize::MAX));
    }
    if report.targets.len() > 2 {
        page.push(format!(
            "and {} more targets",
            count(report.targets.len() as u64 - 2)
        ));
    }
    page
}

/// When it was, for how long, on which kernel.
fn spent(report: &RunReport, paper: &Paper) -> String {
    format!(
        "{}; measured {} of {}; seed {}; {}",
        write_time(report.time.started_utc_ns, &paper.zone),
        time(report.time.measured_ns as f64),
        time(report.time.measured_requested_ns as f64),
        report.engine.seed,
        report.host.kernel
    )
}

/// The device's counters, the queue and the processors in one line.
fn checks(report: &RunReport) -> String {
    let counters = report.device_checks.iter().take(1).map(foot::counters);
    counters
        .chain([load(report)])
        .collect::<Vec<_>>()
        .join("; ")
}

/// What a device can make smaller, because it changes what a rate of writes means.
fn shape(work: &WorkDigest) -> String {
    match (
        work.reduction.compress_percent,
        work.reduction.dedupe_percent,
    ) {
        (0, 0) => String::new(),
        (share, 0) => format!("; data compressible by {share}%"),
        (0, share) => format!("; {share}% duplicate blocks"),
        (share, duplicate) => {
            format!("; data compressible by {share}%, {duplicate}% duplicate blocks")
        }
    }
}

fn work(target: &TargetReport, null: bool) -> String {
    let work = &target.work;
    let access = match &work.access {
        Access::Random => "random".to_owned(),
        Access::Skewed(skew) => format!("random, {skew}"),
        Access::Permuted(_) => "random, each block once a pass".to_owned(),
        Access::Stripe(stripe) => format!("stripe of {} × {} blocks", stripe.columns, stripe.rows),
        Access::Runs { columns: 1, .. } => "sequential".to_owned(),
        Access::Runs { run, columns, .. } => format!("runs of {run} blocks, one of {columns}"),
        Access::Sequential => "sequential".to_owned(),
        Access::Diskspd(walk) => match walk.random.as_percent() {
            0 => "sequential".to_owned(),
            100 => "random".to_owned(),
            percent => format!("{percent}% random"),
        },
        Access::Recorded(recorded) => format!("trace {}", printable(&recorded.trace)),
        Access::Mixed(mixed) => match mixed.random().as_percent() {
            0 => "sequential".to_owned(),
            100 => "random".to_owned(),
            percent => format!("{percent}% random"),
        },
    };
    let mix = match work.write_percent {
        0 => " reads".to_owned(),
        100 => " writes".to_owned(),
        share => format!(", {}% reads, {share}% writes", 100 - share),
    };
    let shape = shape(work);
    let cache = match (work.cache, work.write_through) {
        (CacheMode::Cached, _) if work.mapped => "mapped into memory",
        (CacheMode::Unbuffered, false) => "direct I/O",
        (CacheMode::Unbuffered, true) => "direct I/O, write-through",
        (CacheMode::LocalOff, false) => "local cache off",
        (CacheMode::LocalOff, true) => "local cache off, write-through",
        (CacheMode::Cached, false) => "buffered I/O",
        (CacheMode::Cached, true) => "buffered I/O, write-through",
    };
    let mut threads = crate::number::counted(u64::from(work.threads), "thread");
    if work.pool {
        threads.push_str(" for all targets");
    }
    let pace = match work.pacing {
        Pacing::Free => String::new(),
        Pacing::Rate { bytes_per_s } => format!("; at most {}/s per thread", bytes(bytes_per_s)),
        Pacing::Ios { per_s, .. } => format!("; at most {per_s} IOPS per thread"),
        Pacing::Bursts { ios, pause } => {
            format!(
                "; {} per thread, then a pause of {pause}",
                crate::number::counted(u64::from(ios), "I/O")
            )
        }
    };
    let block = crate::lines::sizes(target);
    // The null engine has no device and no cache.
    let cache = if null {
        String::new()
    } else {
        format!("; {cache}")
    };
    let depth = match work.threads {
        1 => work.queue_depth.to_string(),
        n => format!(
            "{} = {} × {n}",
            u64::from(n) * u64::from(work.queue_depth),
            work.queue_depth
        ),
    };
    format!("{block} {access}{mix}{shape}; QD {depth}, {threads}{pace}{cache}")
}

fn rows(report: &RunReport) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let several = report.operations.len() > 2;
    // A run that only reads has one row of numbers, not the same one twice.
    let shown = report.operations.len() - usize::from(!several);
    rows.extend(
        report.operations[..shown]
            .iter()
            .flat_map(|row| lines_of(row, &row.operation)),
    );
    rows.extend(report.total().and_then(uncertainty));
    for (number, target) in report.targets.iter().enumerate().take(4) {
        rows.extend(crate::lines::rows(target));
        if let Some(total) = target.operations.last() {
            rows.extend(lines_of(
                total,
                &format!("target {}", count(number as u64 + 1)),
            ));
        }
    }
    rows
}

/// The response times first, where a rate was asked, and the service times below them.
fn lines_of(row: &OperationRow, name: &str) -> Vec<Vec<String>> {
    let rates = [rate(row.iops), mib_per_s(row.bytes_per_s)];
    let Some(response) = &row.response else {
        return vec![cells(name, rates, &row.latency)];
    };
    let nothing = [String::new(), String::new()];
    vec![
        cells(name, rates, response),
        cells("  service", nothing, &row.latency),
    ]
}

fn cells(name: &str, [rate, mib]: [String; 2], latency: &Latency) -> Vec<String> {
    let at = |quantile| percentile(latency.at(quantile));
    vec![
        name.to_owned(),
        rate,
        mib,
        time_or_nothing(latency.mean_ns),
        at(0.5),
        at(0.99),
        at(0.999),
        at(0.9999),
        whole_time_or_nothing(latency.max_ns),
    ]
}

/// Half of each 95% interval of the row above; nothing where no figure of it has one.
fn uncertainty(row: &OperationRow) -> Option<Vec<String>> {
    let latency = row.response.as_ref().unwrap_or(&row.latency);
    let at = |quantile| half_width(latency.at(quantile).and_then(|p| p.half_width_share()));
    let cells = vec![
        "±95%".to_owned(),
        half_width_of(&row.iops_estimate),
        half_width_of(&row.bytes_per_s_estimate),
        latency
            .mean
            .as_ref()
            .map_or_else(|| NOTHING.to_owned(), half_width_of),
        at(0.5),
        at(0.99),
        at(0.999),
        at(0.9999),
    ];
    cells[1..]
        .iter()
        .any(|cell| cell != NOTHING)
        .then_some(cells)
}

/// Why a figure of the whole run has no interval, in the place of the interval.
fn not_known(report: &RunReport, paper: &Paper) -> Vec<String> {
    let Some(total) = report.total().filter(|total| total.ios > 0) else {
        return Vec::new();
    };
    let mean = total.latency.mean.as_ref();
    let figures = [
        ("IOPS", total.iops_estimate.not_known),
        ("latencies", mean.and_then(|mean| mean.not_known)),
    ];
    let names = figures.iter().filter(|(_, why)| why.is_some());
    let names: Vec<&str> = names.map(|(name, _)| *name).collect();
    let Some(why) = figures.iter().find_map(|(_, why)| *why) else {
        return Vec::new();
    };
    let reported = format!(
        "± of {} is not known: {}",
        names.join(" and "),
        why.sentence()
    );
    wrap("", &reported, paper.room(), 2)
}

/// `the first 12 s of 60 s: 12.1k IOPS; after them 20.6k IOPS ±0.4%; the table is over all 60 s`.
fn warm_up(report: &RunReport, paper: &Paper) -> Vec<String> {
    let cut = &report.warmup_cut;
    let (Some(ns), Some(before), Some(after)) =
        (cut.cut_ns, cut.iops_before, &cut.iops_after_estimate)
    else {
        return Vec::new();
    };
    if !cut.differs {
        return Vec::new();
    }
    let whole = time(report.time.measured_ns as f64);
    let reported = format!(
        "the first {} of {whole}: {} IOPS; after that {} IOPS ±{}; the table is over all of it",
        time(ns as f64),
        rate(before),
        rate(after.value),
        half_width_of(after)
    );
    foot::labelled("warm-up", &reported, paper)
}

/// What the marks in the table mean, where there are any.
fn footnote(report: &RunReport, left_out: Option<String>, paper: &Paper) -> Vec<String> {
    let rows = report.operations.iter().filter(|row| row.ios > 0);
    let shown = rows.flat_map(|row| {
        let responses = row.response.as_ref().map(|latency| &latency.percentiles);
        row.latency
            .percentiles
            .iter()
            .chain(responses.into_iter().flatten())
    });
    let mut parts = crate::paper::trust_footnote(shown);
    parts.extend(left_out);
    match parts.is_empty() {
        true => parts,
        false => wrap("", &parts.join("; "), paper.room(), 2),
    }
}

/// `asked 50.0k/s (constant), reached 31.2k/s; at the end 188k I/Os waited, the oldest for 3.76 s`.
fn open_loop(report: &RunReport, paper: &Paper) -> Vec<String> {
    let Some(open) = &report.open_loop else {
        return Vec::new();
    };
    let waited = match open.backlog_after_ios {
        0 => "nothing waited at the end".to_owned(),
        ios => format!(
            "at the end {} waited, the oldest for {}",
            crate::number::counted(ios, "I/O"),
            time(open.late_after_ns as f64)
        ),
    };
    let late = open.lateness.map_or_else(String::new, |late| {
        format!(
            "; I/Os were late by p50 {}, p99 {}, max {}",
            time(late.p50_ns as f64),
            time(late.p99_ns as f64),
            time(late.max_ns as f64)
        )
    });
    let requested = match open.spacing {
        Spacing::Recorded => match timing(report) {
            RecordedTiming::Dependent(_) => {
                "I/Os start a think time after the completions that they waited for".to_owned()
            }
            RecordedTiming::Flushes => {
                "I/Os start at the times of the profile; its waits for flushes are kept".to_owned()
            }
            RecordedTiming::Recorded | RecordedTiming::Fast => {
                "I/Os start at the times of the trace".to_owned()
            }
        },
        spacing => format!(
            "requested {}/s ({})",
            rate(open.target_iops as f64),
            spacing.name()
        ),
    };
    let reported = format!(
        "{requested}, reached {}/s; {waited}{late}; response times are from the scheduled start, I/O latencies from the submission",
        rate(open.iops)
    );
    foot::labelled("rate", &reported, paper)
}

fn timing(report: &RunReport) -> RecordedTiming {
    match report.targets.first().map(|target| &target.work.access) {
        Some(Access::Recorded(recorded)) => recorded.issue.timing,
        _ => RecordedTiming::Recorded,
    }
}

/// `3 flushes: p50 1.20 ms, p99 2.00 ms, max 2.00 ms; 1 of 2 discards: …`.
fn calls(report: &RunReport, paper: &Paper) -> Vec<String> {
    let one = |row: &CallRow| {
        let what = match row.operation {
            TraceOperation::Flush => "flush",
            _ => "discard",
        };
        let planned = counted(row.planned, what);
        let all = match row.calls == row.planned {
            true => planned,
            false => format!("{} of {planned}", count(row.calls)),
        };
        let failed = match row.failed {
            0 => String::new(),
            failed => format!(", {failed} failed"),
        };
        let times = [row.p50_ns, row.p99_ns, row.max_ns].map(|ns| time(ns as f64));
        let [p50, p99, max] = times;
        match row.calls {
            0 => all + &failed,
            _ => format!("{all}{failed}: p50 {p50}, p99 {p99}, max {max}"),
        }
    };
    let all: Vec<String> = report.calls.iter().map(one).collect();
    match all.is_empty() {
        true => Vec::new(),
        false => foot::labelled("calls", &all.join("; "), paper),
    }
}

/// `in flight 31.9 of 32; CPU 0.44 of 2 cores (kernel 0.33, user 0.11)`.
fn load(report: &RunReport) -> String {
    let flight = &report.in_flight;
    let mean = flight
        .mean
        .map_or_else(|| crate::number::NOTHING.to_owned(), digits);
    let mut reported = format!("{mean} I/Os in flight of {}", count(flight.requested));
    let cpu = &report.cpu;
    if !cpu.cores.is_empty() {
        reported.push_str(&format!(
            "; CPU: {} of {} busy (user {}, kernel {})",
            digits(cpu.user_cores + cpu.kernel_cores),
            crate::number::counted(cpu.cores.len() as u64, "core"),
            digits(cpu.user_cores),
            digits(cpu.kernel_cores)
        ));
    }
    reported
}

/// What did not go as asked, on a line of its own; nothing where nothing did.
fn errors(report: &RunReport, paper: &Paper) -> Vec<String> {
    let total = report.total();
    let failed = total.map_or(0, |row| row.errors.iter().map(|e| e.count).sum());
    let short = total.map_or(0, |row| row.short_ios);
    let parts: Vec<String> = [
        (failed, "failed"),
        (short, "transferred less than requested"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, what)| format!("{} {what}", crate::number::counted(count, "I/O")))
    .collect();
    if parts.is_empty() {
        return Vec::new();
    }
    foot::labelled("errors", &parts.join("; "), paper)
}

/// The findings, each with its advice, then the engine's notes and the range of the rate.
fn notes(report: &RunReport) -> Vec<Note> {
    let first = report.verdict.reasons.first();
    let found = report
        .findings
        .iter()
        .map(|finding| Note::of(finding, first));
    let steadiness = &report.steadiness;
    let windows = steadiness.window_iops.iter().copied();
    let (low, high) = (
        windows.clone().min_by(f64::total_cmp),
        windows.max_by(f64::total_cmp),
    );
    // Of a rate that was not steady, its finding has more.
    let swing = low
        .zip(high)
        .filter(|_| steadiness.steady == Some(true))
        .map(|(low, high)| {
            let (low, high) = (rate(low), rate(high));
            format!("five windows: lowest {low}, highest {high} IOPS")
        });
    let engine = report.engine.notes.iter().cloned();
    found
        .chain(engine.chain(swing).map(|note| Note::plain(&note)))
        .collect()
}
