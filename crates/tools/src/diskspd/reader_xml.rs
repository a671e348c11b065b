//! The results document of DISKSPD's `-Rxml`, indented or not; several may stand behind each other in a file.
//!
//! The profile inside is read by the names of its settings, so that older and newer documents are read in the same way.
//! Totals are not in the document: bytes and I/Os are added over its threads, and rates follow from the printed time, as
//! DISKSPD's own text has them. Deliberately absent: the time series, which stay in the text.

use crate::diskspd::{XmlElement, read_xml_results};
use crate::imports::number::{Cell, cell, nanos, quantile, utc};
use crate::imports::run::{common, unknown};
use crate::imports::section::{Found, Section, Start, rows_max, short};
use model::{
    Bytes, CacheMode, ImportFormat, ImportedCore, ImportedCpu, ImportedFigures, ImportedLatency,
    ImportedOperation, ImportedRow, ImportedRun, ImportedWorkload, Nanos, Ratio,
};
use std::collections::BTreeMap;

/// `<Results>`, at the front of a line or behind an XML declaration.
pub(crate) fn begins(line: &str, _text: &str) -> Start {
    let bare = match line.strip_prefix("<?xml") {
        Some(rest) => rest
            .split_once("?>")
            .map_or("", |(_, rest)| rest.trim_start()),
        None => line,
    };
    if bare.starts_with("<Results>") {
        Start::Here
    } else {
        Start::No
    }
}

/// One run a time span.
pub(crate) fn read(section: &Section, found: &mut Found) {
    let text = &section.text[section.head..];
    // What stands behind the document is not of it.
    let end = text
        .find("</Results>")
        .map_or(text.len(), |place| place + "</Results>".len());
    let (elements, error) = read_xml_results(&text[..end]);
    let find = |name: &str| elements.iter().find(|element| element.name() == name);
    let (system, profile) = (find("System"), find("Profile"));
    let asked: Vec<&XmlElement> = profile
        .and_then(|profile| profile.child("TimeSpans"))
        .map(|spans| spans.children().iter().collect())
        .unwrap_or_default();
    let spans = elements
        .iter()
        .filter(|element| element.name() == "TimeSpan");
    for (number, span) in spans.enumerate() {
        let at = section.head + span.at();
        match run(span, asked.get(number).copied(), text.len()) {
            Ok(mut run) => {
                machine(&mut run, system);
                if asked.len() > 1 {
                    run.name = Some(format!("time span {}", number + 1));
                }
                found.run(at, run);
            }
            Err(what) => found.fault_at(at, what),
        }
    }
    let head = || section.head_line();
    if let Some(error) = error {
        let what = format!(
            "DISKSPD's results document is damaged: {}",
            short(&error.what)
        );
        found.fault(head() + error.line - 1, what);
    } else if found.is_empty() {
        found.fault(head(), "a results document without any TimeSpan in it");
    }
}

fn machine(run: &mut ImportedRun, system: Option<&XmlElement>) {
    let Some(system) = system else { return };
    let text = |element: &XmlElement| Some(element.value()).filter(|text| !text.is_empty());
    run.host = system.child("ComputerName").and_then(text);
    run.tool_version = system
        .child("Tool")
        .and_then(|tool| tool.child("Version"))
        .and_then(text);
    run.started_utc = system.child("RunTime").and_then(|time| utc(&time.value()));
}

fn run(
    span: &XmlElement,
    asked: Option<&XmlElement>,
    length: usize,
) -> Result<ImportedRun, String> {
    if let Some(error) = span.child("Error") {
        return Err(format!(
            "this time span has no results: {}",
            short(&error.value())
        ));
    }
    let mut run = unknown(ImportFormat::DiskspdXml);
    let seconds = number(span, "TestTimeSeconds");
    run.measured = seconds.and_then(|value| nanos(value, Nanos::seconds(1)));
    run.rows = rows(span, rows_max(length), &mut run.notes);
    if run.rows.is_empty() || seconds.is_none() {
        return Err("this time span has no TestTimeSeconds, or no Thread with a Target".to_owned());
    }
    let threads = whole(span, "ThreadCount").and_then(|count| u32::try_from(count).ok());
    run.figures = sums(&run.rows, seconds.unwrap_or_default());
    if let Some(latency) = span.child("Latency") {
        lay_latency(&mut run.figures, latency);
    }
    if let Some(iops) = span.child("Iops") {
        run.figures.total.ios_per_s_sd = number(iops, "IopsStdDev");
        run.figures.read.ios_per_s_sd = number(iops, "ReadIopsStdDev");
        run.figures.write.ios_per_s_sd = number(iops, "WriteIopsStdDev");
    }
    run.cpu = span.child("CpuUtilization").and_then(|all| cpu(all, span));
    match asked {
        Some(asked) => {
            run.workload = workload(asked, threads);
            run.notes.extend(defaults(asked));
        }
        None => {
            run.workload.threads = threads;
            run.notes
                .push("the profile of this time span is not in the document".to_owned());
        }
    }
    run.workload.size = size(&run.rows);
    Ok(run)
}

fn number(element: &XmlElement, name: &str) -> Option<f64> {
    let text = element.child(name)?.value();
    match cell(&text, 0) {
        Cell::Number(value, _) => Some(value),
        _ => None,
    }
}

fn whole(element: &XmlElement, name: &str) -> Option<u64> {
    element.child(name)?.value().parse().ok()
}

fn ms(element: &XmlElement, name: &str) -> Option<Nanos> {
    nanos(number(element, name)?, Nanos::millis(1))
}

fn rows(span: &XmlElement, most: usize, notes: &mut Vec<String>) -> Vec<ImportedRow> {
    let of = |name: &'static str| move |element: &&XmlElement| element.name() == name;
    let threads = || span.children().iter().filter(of("Thread"));
    let targets = threads().map(|thread| thread.children().iter().filter(of("Target")).count());
    let count: usize = targets.sum();
    if count > most {
        notes.push(format!(
            "of its {count} rows the first {most} are read; the text has all of them"
        ));
    }
    let mut rows = Vec::with_capacity(count.min(most));
    rows.extend(
        threads()
            .flat_map(|thread| {
                let id = whole(thread, "Id").and_then(|id| u32::try_from(id).ok());
                let targets = thread.children().iter().filter(of("Target"));
                targets.map(move |target| row(id, target))
            })
            .take(most),
    );
    rows
}

fn row(thread: Option<u32>, target: &XmlElement) -> ImportedRow {
    let iops = target.child("Iops");
    let side = |bytes: &str, ios: &str, words: &str, deviation: &str, sd: &str| {
        let mut one = ImportedOperation {
            bytes: whole(target, bytes).map(Bytes),
            ios: whole(target, ios),
            ios_per_s_sd: iops.and_then(|iops| number(iops, sd)),
            ..ImportedOperation::default()
        };
        one.latency.mean = ms(target, &format!("Average{words}LatencyMilliseconds"));
        one.latency.sd = ms(target, deviation);
        one.latency.resolution = one.latency.mean.map(|_| Nanos::micros(1));
        one
    };
    ImportedRow {
        thread,
        target: target
            .child("Path")
            .map(XmlElement::value)
            .unwrap_or_default(),
        size: whole(target, "FileSize").map(Bytes),
        figures: ImportedFigures {
            total: side("BytesCount", "IOCount", "", "LatencyStdev", "IopsStdDev"),
            read: side(
                "ReadBytes",
                "ReadCount",
                "Read",
                "ReadLatencyStdev",
                "ReadIopsStdDev",
            ),
            write: side(
                "WriteBytes",
                "WriteCount",
                "Write",
                "WriteLatencyStdev",
                "WriteIopsStdDev",
            ),
        },
    }
}

fn sum(mut values: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    values.try_fold(0u64, |sum, value| sum.checked_add(value?))
}

/// Counts over all threads, and rates over the printed time.
fn sums(rows: &[ImportedRow], seconds: f64) -> ImportedFigures {
    let side = |of: fn(&ImportedFigures) -> &ImportedOperation| {
        let ios = sum(rows.iter().map(|row| of(&row.figures).ios));
        let bytes = sum(rows.iter().map(|row| of(&row.figures).bytes.map(|b| b.0)));
        #[allow(
            clippy::cast_precision_loss,
            reason = "a rate has six digits that count"
        )]
        let rate = |count: Option<u64>| count.filter(|_| seconds > 0.0).map(|n| n as f64 / seconds);
        ImportedOperation {
            ios,
            bytes: bytes.map(Bytes),
            ios_per_s: rate(ios),
            bytes_per_s: rate(bytes),
            ..ImportedOperation::default()
        }
    };
    ImportedFigures {
        total: side(|figures| &figures.total),
        read: side(|figures| &figures.read),
        write: side(|figures| &figures.write),
    }
}

fn lay_latency(figures: &mut ImportedFigures, latency: &XmlElement) {
    let buckets: Vec<&XmlElement> = latency
        .children()
        .iter()
        .filter(|child| child.name() == "Bucket")
        .collect();
    let side = |words: &str, deviation: &str| {
        let mut one = ImportedLatency {
            mean: ms(latency, &format!("Average{words}Milliseconds")),
            sd: ms(latency, deviation),
            ..ImportedLatency::default()
        };
        let name = format!("{words}Milliseconds");
        for bucket in &buckets {
            let Some((percent, value)) = number(bucket, "Percentile").zip(ms(bucket, &name)) else {
                continue;
            };
            one.resolution = Some(Nanos::micros(1));
            if percent <= 0.0 {
                one.min = Some(value);
            } else if percent < 100.0 {
                one.percentiles.push((quantile(percent), value));
            } else {
                one.max = Some(value);
            }
        }
        one
    };
    figures.read.latency = side("Read", "ReadLatencyStdev");
    figures.write.latency = side("Write", "WriteLatencyStdev");
    figures.total.latency = side("Total", "LatencyStdev");
    if figures.total.ios == Some(0) {
        figures.total.latency = ImportedLatency::default();
    }
}

fn cpu(all: &XmlElement, span: &XmlElement) -> Option<ImportedCpu> {
    let average = all.child("Average")?;
    let counted = all
        .children()
        .iter()
        .filter(|child| child.name() == "CPU")
        .count();
    let cores = all.children().iter().filter(|child| child.name() == "CPU");
    let busiest = cores.map(core).fold(None, crate::diskspd::reader::busier);
    let processors = whole(span, "ProcCount").or(Some(counted as u64).filter(|count| *count > 0));
    Some(ImportedCpu {
        processors: processors.and_then(|count| u32::try_from(count).ok()),
        usage_percent: number(average, "UsagePercent"),
        user_percent: number(average, "UserPercent"),
        kernel_percent: number(average, "KernelPercent"),
        idle_percent: number(average, "IdlePercent"),
        busiest,
    })
}

fn core(row: &XmlElement) -> Option<ImportedCore> {
    Some(ImportedCore {
        cpu: u32::try_from(whole(row, "Id")?).ok()?,
        usage_percent: number(row, "UsagePercent")?,
        user_percent: number(row, "UserPercent")?,
        kernel_percent: number(row, "KernelPercent")?,
    })
}

fn workload(span: &XmlElement, threads: Option<u32>) -> ImportedWorkload {
    let targets: Vec<&XmlElement> = span
        .child("Targets")
        .map(|targets| targets.children().iter().collect())
        .unwrap_or_default();
    let seconds = |name| whole(span, name).map(|s| Nanos(s.saturating_mul(1_000_000_000)));
    let small = |value: Option<u64>| value.and_then(|value| u32::try_from(value).ok());
    let pool = small(whole(span, "RequestCount")).filter(|count| *count > 0);
    let ratio = |value: Option<u64>| Ratio::percent(u8::try_from(value?).ok()?);
    ImportedWorkload {
        targets: targets
            .iter()
            .filter_map(|t| Some(t.child("Path")?.value()))
            .collect(),
        block: common(targets.iter().map(|t| whole(t, "BlockSize").map(Bytes))),
        random_percent: common(targets.iter().map(|t| random(t))),
        write_percent: common(targets.iter().map(|t| ratio(whole(t, "WriteRatio")))),
        queue_depth: pool
            .or_else(|| common(targets.iter().map(|t| small(whole(t, "RequestCount"))))),
        threads,
        cache: common(targets.iter().map(|t| Some(cache(t)))),
        write_through: common(
            targets
                .iter()
                .map(|t| Some(on(t, "WriteThrough") || on(t, "DisableAllCache"))),
        ),
        duration: seconds("Duration"),
        warmup: seconds("Warmup"),
        size: None,
        engine: span.child("IoRing").map(|_| "IoRing".to_owned()),
    }
}

/// Names the order of processors and the place of buffers, which documents of 2.3 have.
fn defaults(span: &XmlElement) -> Option<String> {
    let order = span.child("AffinityTraversal").map(|order| {
        let with = |name: &str| order.attribute(name).map(|value| format!(", {value}"));
        let parts = ["Group", "Efficiency"].map(|name| with(name).unwrap_or_default());
        format!("{}{}", short(&order.value()), parts.concat())
    });
    let buffers = span
        .child("BufferSeparation")
        .map(|buffers| short(&buffers.value()));
    crate::diskspd::reader::defaults_of_2_3(order.as_deref(), buffers.as_deref())
}

fn on(target: &XmlElement, name: &str) -> bool {
    target
        .child(name)
        .is_some_and(|element| element.value().eq_ignore_ascii_case("true"))
}

fn cache(target: &XmlElement) -> CacheMode {
    if on(target, "DisableOSCache") || on(target, "DisableAllCache") {
        CacheMode::Unbuffered
    } else if on(target, "DisableLocalCache") {
        CacheMode::LocalOff
    } else {
        CacheMode::Cached
    }
}

fn random(target: &XmlElement) -> Option<Ratio> {
    match (target.child("RandomRatio"), target.child("Random")) {
        (Some(ratio), _) => Ratio::percent(ratio.value().parse().ok()?),
        (None, Some(_)) => Some(Ratio::ALL),
        (None, None) => Some(Ratio::NONE),
    }
}

/// Of all targets, each path once.
fn size(rows: &[ImportedRow]) -> Option<Bytes> {
    let each: BTreeMap<&str, Option<Bytes>> = rows
        .iter()
        .map(|row| (row.target.as_str(), row.size))
        .collect();
    let sum = each
        .values()
        .try_fold(0u64, |sum, size| sum.checked_add((*size)?.0));
    sum.filter(|_| !each.is_empty()).map(Bytes)
}
