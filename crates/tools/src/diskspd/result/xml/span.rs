//! The element `TimeSpan` of a time span that was measured.

use super::element::Document;
use super::series;
use crate::diskspd::TimeSpan;
use crate::diskspd::figures::{
    CpuShares, CpuUse, Figures, LATENCY_POINTS, Latency, Measured, PARTS_OF_WHOLE, Row,
};
use crate::diskspd::result::ms;
use model::Effective;

/// Everything inside the element.
pub(super) fn write(measured: &Measured, asked: &TimeSpan, document: &mut Document) {
    document.number("TestTimeSeconds", measured.time.as_seconds(), 2);
    document.leaf("ThreadCount", measured.threads);
    document.leaf("RequestCount", asked.request_count);
    document.leaf("ProcCount", measured.cpus.len());
    processors(measured, document);
    if asked.measure_latency {
        latency(&measured.total, document);
    }
    if asked.intervals.printed {
        series::write(&measured.total.series, document);
    }
    for rows in measured.rows.chunk_by(|a, b| a.thread == b.thread) {
        document.open("Thread", &[]);
        document.leaf("Id", rows[0].thread);
        for row in rows {
            target(row, asked, document);
        }
        document.close("Thread");
    }
}

fn processors(measured: &Measured, document: &mut Document) {
    document.open("CpuUtilization", &[]);
    for CpuUse {
        place,
        shares: used,
    } in &measured.cpus
    {
        document.open("CPU", &[]);
        document.leaf("Socket", place.socket);
        document.leaf("Node", place.node);
        document.leaf("Group", place.group);
        document.leaf("Core", place.core);
        document.leaf("EfficiencyClass", place.class);
        document.leaf("Id", place.number);
        shares(used, document);
        document.close("CPU");
    }
    document.open("Average", &[]);
    shares(&measured.cpu_average, document);
    document.close("Average");
    document.close("CpuUtilization");
}

fn shares(shares: &CpuShares, document: &mut Document) {
    document.number("UsagePercent", shares.usage, 2);
    document.number("UserPercent", shares.user, 2);
    document.number("KernelPercent", shares.kernel, 2);
    document.number("IdlePercent", shares.idle, 2);
}

fn latency(total: &Figures, document: &mut Document) {
    let sides = [
        &total.read.latency,
        &total.write.latency,
        &total.total.latency,
    ];
    let names = ["ReadHistoBuckets", "WriteHistoBuckets", "TotalHistoBuckets"];
    let distinct = sides.map(|side| side.distinct.to_string());
    let attributes: Vec<(&str, String)> = names.into_iter().zip(distinct).collect();
    document.open("Latency", &attributes);
    let names = [
        ("AverageReadMilliseconds", "ReadLatencyStdev"),
        ("AverageWriteMilliseconds", "WriteLatencyStdev"),
        ("AverageTotalMilliseconds", "LatencyStdev"),
    ];
    averages(names, sides, document);
    for parts in LATENCY_POINTS {
        bucket(parts, sides, document);
    }
    document.close("Latency");
}

/// Mean and deviation of each direction that has samples.
fn averages(names: [(&str, &str); 3], sides: [&Latency; 3], document: &mut Document) {
    for ((mean, deviation), side) in names.into_iter().zip(sides) {
        if let Some(std_dev_ns) = side.std_dev_ns {
            document.number(mean, ms(side.mean_ns), 3);
            document.number(deviation, ms(std_dev_ns), 3);
        }
    }
}

fn bucket(parts: u64, sides: [&Latency; 3], document: &mut Document) {
    document.open("Bucket", &[]);
    document.leaf("Percentile", percent(parts));
    let names = ["ReadMilliseconds", "WriteMilliseconds", "TotalMilliseconds"];
    for (name, side) in names.into_iter().zip(sides) {
        if let Some(ns) = side.at(parts) {
            document.number(name, ms(ns as f64), 3);
        }
    }
    document.close("Bucket");
}

/// `50`, `99.9999999`: without zeros at the end.
fn percent(parts: u64) -> String {
    let unit = PARTS_OF_WHOLE / 100;
    let text = format!("{}.{:07}", parts / unit, parts % unit);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn target(row: &Row, asked: &TimeSpan, document: &mut Document) {
    let Figures {
        read,
        write,
        total,
        series,
    } = &row.figures;
    document.open("Target", &[]);
    document.leaf("Path", &row.path);
    document.leaf("BytesCount", total.bytes);
    document.leaf("FileSize", row.size_bytes);
    document.leaf("IOCount", total.ios);
    document.leaf("ReadBytes", read.bytes);
    document.leaf("ReadCount", read.ios);
    document.leaf("WriteBytes", write.bytes);
    document.leaf("WriteCount", write.ios);
    distribution(&row.ranges, document);
    if asked.measure_latency {
        let names = [
            ("AverageReadLatencyMilliseconds", "ReadLatencyStdev"),
            ("AverageWriteLatencyMilliseconds", "WriteLatencyStdev"),
            ("AverageLatencyMilliseconds", "LatencyStdev"),
        ];
        averages(
            names,
            [&read.latency, &write.latency, &total.latency],
            document,
        );
    }
    if asked.intervals.printed {
        series::write(series, document);
    }
    document.close("Target");
}

/// The ranges with the holes between them, which no I/O falls in; nothing where all places were equally likely.
fn distribution(of: &Effective, document: &mut Document) {
    if of.ranges.is_empty() {
        return;
    }
    document.open("Distribution", &[]);
    document.open("Absolute", &[]);
    let mut to = 0;
    for range in &of.ranges {
        if range.from > to {
            document.with("Range", &[("IO", "0".to_owned())], range.from - to);
        }
        document.with(
            "Range",
            &[("IO", range.io.to_string())],
            range.to - range.from,
        );
        to = range.to;
    }
    document.close("Absolute");
    document.close("Distribution");
}
