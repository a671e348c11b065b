//! What was seen of devices while they were watched, as a page and as a document.

use crate::number::NOTHING;
use crate::paper::{Paper, Stored};
use crate::table::{Column, fitted, left, right};
use crate::text::{printable, wrap};
use crate::time::write_time;
use analysis::{WatchFigures, WatchReport, say};
use std::io::{self, Write};

const COLUMNS: [Column; 11] = [
    left("", 9),
    right("reads/s", 7),
    right("writes/s", 8),
    right("rMiB/s", 6),
    right("wMiB/s", 6),
    right("read", 6),
    right("write", 6),
    right("p99", 6),
    right(QUEUE, 5),
    right("util", 5),
    right(AFTER, 5),
];
const QUEUE: &str = "queue";
const AFTER: &str = "after";
/// On a narrow page these go first, in this order.
const DISPENSABLE: [&str; 2] = [AFTER, QUEUE];

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
    let rate = mean.read_iops + mean.write_iops;
    writeln!(
        out,
        "{}: {} IOPS on average over {}",
        printable(device),
        say::rate(rate),
        say::time((*watched_ns as f64 / 1e9).round() * 1e9)
    )?;
    let moments_shown = [
        Some(("mean", mean)),
        busiest.as_ref().map(|one| ("busiest", one)),
        slowest.as_ref().map(|one| ("slowest", one)),
    ];
    let rows = moments_shown.into_iter().flatten();
    let rows: Vec<Vec<String>> = rows.map(|(name, figures)| cells(name, figures)).collect();
    for line in fitted(&COLUMNS, &rows, &DISPENSABLE, paper) {
        writeln!(out, "{line}")?;
    }
    let percentiles = match traced {
        true => "single I/Os timed by tracepoints",
        false => "averages from counters only",
    };
    let when = format!(
        "{} on {}, {} refreshes of {}; {percentiles}",
        write_time(*started_utc_ns, &paper.zone),
        printable(host),
        moments.len(),
        say::time(*interval_ns as f64)
    );
    for line in wrap("  when     ", &when, paper.room(), 3) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn cells(name: &str, figures: &WatchFigures) -> Vec<String> {
    let WatchFigures {
        at_ns,
        read_iops,
        write_iops,
        read_bytes_per_s,
        write_bytes_per_s,
        read_latency_mean_ns,
        write_latency_mean_ns,
        latency_p50_ns: _,
        latency_p99_ns,
        in_flight_mean,
        busy_share,
    } = *figures;
    let time = |ns: Option<f64>| ns.map_or_else(|| NOTHING.to_owned(), say::time);
    let after = match name {
        "mean" => String::new(),
        _ => say::time((at_ns as f64 / 1e9).round() * 1e9),
    };
    vec![
        format!("  {name}"),
        say::rate(read_iops),
        say::rate(write_iops),
        say::mib_per_s(read_bytes_per_s),
        say::mib_per_s(write_bytes_per_s),
        time(read_latency_mean_ns),
        time(write_latency_mean_ns),
        time(latency_p99_ns.map(|ns| ns as f64)),
        format!("{in_flight_mean:.1}"),
        format!("{:.0}%", busy_share * 100.0),
        after,
    ]
}
