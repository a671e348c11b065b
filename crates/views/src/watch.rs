//! What was seen of devices while they were watched, as a page and as a document.

use crate::paper::{Paper, Stored};
use crate::text::printable;
use crate::time::write_time;
use analysis::{WatchFigures, WatchReport, say};
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};

/// Every stretch of every device of a session, or one of them.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Watched<'a> {
    /// In the order in which they were kept: device after device, stretch after stretch.
    watched: &'a [WatchReport],
}

/// One document, ending in a newline.
pub fn watch_json(
    reports: &[WatchReport],
    stored: Option<&Stored>,
    out: &mut dyn Write,
) -> io::Result<()> {
    crate::json::document(&Watched { watched: reports }, stored, out)
}

/// A paragraph a device.
pub fn watch_summary(
    reports: &[WatchReport],
    paper: &Paper,
    out: &mut dyn Write,
) -> io::Result<()> {
    for (place, report) in reports.iter().enumerate() {
        if place > 0 {
            writeln!(out)?;
        }
        one(report, paper, out)?;
    }
    if let Some(Stored { session, .. }) = &paper.stored {
        writeln!(out, "\nmoment by moment: fathom show {session} --json")?;
    }
    Ok(())
}

fn one(report: &WatchReport, paper: &Paper, out: &mut dyn Write) -> io::Result<()> {
    let WatchReport {
        device,
        started_utc_ns,
        host,
        interval_ns,
        watched_ns,
        traced,
        mean,
        busiest,
        slowest,
        moments,
    } = report;
    let rate = mean.reads_per_s + mean.writes_per_s;
    writeln!(
        out,
        "{}: {} IO/s on average over {}",
        printable(device),
        say::rate(rate),
        say::time((*watched_ns as f64 / 1e9).round() * 1e9)
    )?;
    writeln!(
        out,
        "  {:<8} {:>9} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>6} {:>6}",
        "", "reads/s", "writes/s", "rMiB/s", "wMiB/s", "read", "write", "p99", "queue", "util"
    )?;
    line(out, "mean", mean)?;
    if let Some(busiest) = busiest {
        line(out, "busiest", busiest)?;
    }
    if let Some(slowest) = slowest {
        line(out, "slowest", slowest)?;
    }
    let percentiles = match traced {
        true => "single I/Os timed by tracepoints",
        false => "averages from counters only",
    };
    writeln!(
        out,
        "  {:<8} {} on {}, {} refreshes of {}; {percentiles}",
        "when",
        write_time(*started_utc_ns, &paper.zone),
        printable(host),
        moments.len(),
        say::time(*interval_ns as f64)
    )
}

fn line(out: &mut dyn Write, name: &str, figures: &WatchFigures) -> io::Result<()> {
    let WatchFigures {
        at_ns,
        reads_per_s,
        writes_per_s,
        read_bytes_per_s,
        write_bytes_per_s,
        read_mean_ns,
        write_mean_ns,
        p50_ns: _,
        p99_ns,
        queue,
        utilisation,
    } = *figures;
    let time = |ns: Option<f64>| ns.map_or("-".to_owned(), say::time);
    write!(
        out,
        "  {name:<8} {:>9} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {queue:>6.1} {:>4.0} %",
        say::rate(reads_per_s),
        say::rate(writes_per_s),
        say::mib_per_s(read_bytes_per_s),
        say::mib_per_s(write_bytes_per_s),
        time(read_mean_ns),
        time(write_mean_ns),
        time(p99_ns.map(|ns| ns as f64)),
        utilisation * 100.0
    )?;
    match name {
        "mean" => writeln!(out),
        _ => writeln!(
            out,
            "  after {}",
            say::time((at_ns as f64 / 1e9).round() * 1e9)
        ),
    }
}
