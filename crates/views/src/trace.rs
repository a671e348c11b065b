//! The summary of a trace: one line for the answer, a row per operation, then arrivals, latency and working set.
//!
//! Omitted: the devices, of which there may be thousands; `--json` has them.

use crate::learned::LearnedSummary;
use crate::number::{NOTHING, bytes, count, counted, digits, rate, time};
use crate::paper::Paper;
use crate::table::{left, lines, right};
use crate::text::{printable, wrapped};
use analysis::say::percent;
use model::Nanos;
use model::trace::{TraceOperation, TraceQuantiles, TraceShare, TraceSummary};
use std::io::{self, Write};

/// So many sizes of an operation are in its row.
const SIZES: usize = 3;
/// The column of topics.
const INDENT: usize = 14;
/// The smallest difference of time at which arrivals are described.
const FINE_NS: u64 = 10_000_000;

/// One document, ending in a newline.
pub fn trace_json(summary: &TraceSummary, out: &mut dyn Write) -> io::Result<()> {
    crate::json::versioned_json(summary, out)
}

/// One document, ending in a newline.
pub fn learned_json(learned: &LearnedSummary, out: &mut dyn Write) -> io::Result<()> {
    crate::json::versioned_json(learned, out)
}

/// The whole page; `name` is the trace's.
pub fn trace_summary(
    name: &str,
    summary: &TraceSummary,
    paper: &Paper,
    out: &mut dyn Write,
) -> io::Result<()> {
    for line in wrapped("", &headline(name, summary), paper) {
        writeln!(out, "{line}")?;
    }
    writeln!(out)?;
    let columns = [
        left("operation", 0),
        right("I/Os", 0),
        right("share", 0),
        right("data", 0),
        right("sequential", 0),
        left("sizes", 0),
    ];
    let all: Vec<&_> = columns.iter().collect();
    let rows: Vec<Vec<String>> = summary
        .operations
        .iter()
        .map(|share| row(share, summary.ios))
        .collect();
    for line in lines(&all, &rows, paper.room()) {
        writeln!(out, "{line}")?;
    }
    writeln!(out)?;
    for (topic, text) in topics(summary) {
        for line in wrapped(&format!("{topic:INDENT$}"), &text, paper) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}

/// `app.iotrace: 1.20M I/Os in 60.0 s (20.1k IOPS), 71% reads; 2 devices; format kernel`.
fn headline(name: &str, summary: &TraceSummary) -> String {
    let reads = summary
        .operations
        .iter()
        .find(|share| share.operation == TraceOperation::Read);
    let reads = reads.map_or(0, |share| share.ios) as f64 / summary.ios as f64;
    let duration = summary.duration_ns;
    let per_s = match duration.0 {
        0 => String::new(),
        _ => format!(" ({} IOPS)", rate(duration.rate_of(summary.ios as f64))),
    };
    format!(
        "{}: {} in {}{per_s}, {} reads; {}; format {}",
        printable(name),
        counted_ios(summary.ios),
        time(duration.0 as f64),
        percent(reads),
        counted(summary.devices.len() as u64, "device"),
        summary.format
    )
}

fn row(share: &TraceShare, ios: u64) -> Vec<String> {
    let transfers = share.operation.transfers();
    let part = |count: u64| percent(count as f64 / share.ios as f64);
    vec![
        share.operation.name().to_owned(),
        number(share.ios),
        percent(share.ios as f64 / ios as f64),
        if share.operation == TraceOperation::Flush {
            NOTHING.to_owned()
        } else {
            bytes(share.bytes)
        },
        if transfers {
            part(share.sequential)
        } else {
            NOTHING.to_owned()
        },
        if transfers {
            sizes(share)
        } else {
            String::new()
        },
    ]
}

/// `8 KiB 93%, 128 KiB 5%, other 2%`.
fn sizes(share: &TraceShare) -> String {
    let part = |count: u64| percent(count as f64 / share.ios as f64);
    let shown = share.sizes.iter().take(SIZES);
    let mut parts: Vec<String> = shown
        .map(|size| format!("{} {}", bytes(size.bytes), part(size.ios)))
        .collect();
    let other = share
        .sizes
        .iter()
        .skip(SIZES)
        .map(|size| size.ios)
        .sum::<u64>()
        + share.other_sizes;
    if other > 0 {
        parts.push(format!("other {}", part(other)));
    }
    parts.join(", ")
}

/// The lines below the table.
fn topics(summary: &TraceSummary) -> Vec<(&'static str, String)> {
    let mut topics = Vec::new();
    let fine = summary.resolution_ns.0 <= FINE_NS;
    let arrivals = &summary.arrivals;
    let at = |at: Nanos| match at.0 {
        0 => "the start".to_owned(),
        ns => time(ns as f64),
    };
    let busiest = |ios: u64, window: &str, from| {
        format!("{} in {window} from {}", counted_ios(ios), at(from))
    };
    let second = busiest(
        arrivals.busiest_second_ios,
        "1 s",
        arrivals.busiest_second_at_ns,
    );
    if summary.duration_ns >= Nanos::seconds(60) {
        let minute = busiest(
            arrivals.busiest_minute_ios,
            "60 s",
            arrivals.busiest_minute_at_ns,
        );
        topics.push(("busiest", format!("{second}; {minute}")));
    } else if summary.duration_ns >= Nanos::seconds(1) {
        topics.push(("busiest", second));
    }
    if let Some(gaps) = arrivals.gaps.filter(|_| fine) {
        let bursts = |value: Option<f64>| value.map_or_else(|| NOTHING.to_owned(), digits);
        topics.push((
            "arrivals",
            format!(
                "gaps {}; variance/mean of counts {} in 10 ms, {} in 1 s",
                quantiles(&gaps),
                bursts(arrivals.dispersion_10ms),
                bursts(arrivals.dispersion_1s)
            ),
        ));
    }
    if let Some(latency) = &summary.latency {
        let in_flight = summary.mean_in_flight.map(digits);
        let in_flight =
            in_flight.map_or_else(String::new, |mean| format!("; {mean} in flight on average"));
        topics.push(("latency", format!("{}{in_flight}", quantiles(latency))));
    }
    let set = &summary.working_set;
    let about = if set.sampled_share < 1.0 {
        "about "
    } else {
        ""
    };
    let hottest = set.hottest_tenth_share.map(percent);
    let hottest = hottest.map_or_else(String::new, |share| {
        format!("; the most accessed tenth received {share} of the accesses")
    });
    topics.push((
        "working set",
        format!(
            "{about}{} (read {}, written {}){hottest}",
            bytes(set.bytes),
            bytes(set.read_bytes),
            bytes(set.written_bytes)
        ),
    ));
    topics.extend(warnings(summary));
    topics
}

/// What limits the use of the trace.
fn warnings(summary: &TraceSummary) -> Vec<(&'static str, String)> {
    let mut all = Vec::new();
    if summary.resolution_ns.0 > FINE_NS {
        let resolution = time(summary.resolution_ns.0 as f64);
        all.push(format!(
            "times have a resolution of {resolution}: arrivals within it are unknown"
        ));
    }
    if summary.lost > 0 {
        all.push(format!(
            "the recorder lost {} events: I/Os are missing",
            count(summary.lost)
        ));
    }
    if summary.skipped > 0 {
        all.push(format!(
            "{} I/Os without data are not counted",
            count(summary.skipped)
        ));
    }
    all.into_iter().map(|text| ("note", text)).collect()
}

/// A count of I/Os: in full below 10000, then `20.0k`.
fn number(ios: u64) -> String {
    if ios < 10_000 {
        count(ios)
    } else {
        rate(ios as f64)
    }
}

fn counted_ios(ios: u64) -> String {
    format!("{} I/Os", number(ios))
}

fn quantiles(of: &TraceQuantiles) -> String {
    format!(
        "p50 {}, p99 {}, max {}",
        time(of.p50_ns.0 as f64),
        time(of.p99_ns.0 as f64),
        time(of.max_ns.0 as f64)
    )
}
