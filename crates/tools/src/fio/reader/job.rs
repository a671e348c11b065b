//! One job → a run.

use super::document::{Document, Merged, Options, few};
use super::evidence;
use super::options::{self, Threads};
use crate::imports::number::{bytes, nanos, quantile};
use crate::imports::run::{total, unknown};
use model::{
    ImportFormat, ImportedCpu, ImportedLatency, ImportedOperation, ImportedRow, ImportedRun, Nanos,
};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Job {
    #[serde(default)]
    jobname: String,
    hostname: Option<String>,
    error: Option<i64>,
    total_err: Option<u64>,
    #[serde(rename = "job options", default, deserialize_with = "few")]
    options: Option<Options>,
    job_start: Option<u64>,
    read: Option<Side>,
    write: Option<Side>,
    /// Instead of the two, with unified_rw_reporting.
    mixed: Option<Side>,
    usr_cpu: Option<f64>,
    sys_cpu: Option<f64>,
}

/// One direction.
#[derive(Deserialize)]
struct Side {
    io_bytes: Option<u64>,
    /// Since fio 3; before, `io_bytes` was in KiB.
    io_kbytes: Option<u64>,
    bw_bytes: Option<f64>,
    /// KiB/s.
    bw: Option<f64>,
    iops: Option<f64>,
    runtime: Option<u64>,
    total_ios: Option<u64>,
    iops_stddev: Option<f64>,
    clat_ns: Option<Spread>,
    lat_ns: Option<Spread>,
    /// Up to fio 2, in µs.
    clat: Option<Spread>,
    lat: Option<Spread>,
}

#[derive(Deserialize)]
struct Spread {
    min: Option<f64>,
    max: Option<f64>,
    mean: Option<f64>,
    stddev: Option<f64>,
    #[serde(default, deserialize_with = "few")]
    percentile: Option<BTreeMap<String, Option<f64>>>,
}

/// Reads a job. `together` counts the jobs of its document.
pub(in crate::fio) fn read(
    text: &str,
    document: &Document,
    together: usize,
) -> Result<ImportedRun, String> {
    let job: Job = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut run = unknown(ImportFormat::FioJson);
    let sides = match (&job.read, &job.write, &job.mixed) {
        (None, None, None) => return Err("it has neither reads nor writes".to_owned()),
        (read, write, mixed) => (read, write, mixed),
    };
    let (read, write) = (side(sides.0.as_ref()), side(sides.1.as_ref()));
    run.figures.total = match sides.2 {
        Some(mixed) => figures(mixed),
        None => total(&read, &write),
    };
    (run.figures.read, run.figures.write) = (read, write);
    let all = [sides.0, sides.1, sides.2];
    let longest = all.iter().filter_map(|side| side.as_ref()?.runtime).max();
    run.measured = longest
        .map(|ms| Nanos(ms.saturating_mul(1_000_000)))
        .filter(|time| time.0 > 0);
    let idle = |side: &ImportedOperation| side.ios == Some(0);
    let both = !idle(&run.figures.read) && !idle(&run.figures.write);
    if sides.2.is_none() && both {
        run.notes.push(
            "fio prints reads and writes apart: the total is their sum, its mean latency is weighted, its percentiles are unknown".to_owned(),
        );
    }
    run.figures.total.errors = job.total_err.filter(|_| job.total_err.is_some());
    if run.figures.total.latency.mean.is_some() {
        run.notes
            .push(KIND_OF_LATENCY[usize::from(is_of_all(&all))].to_owned());
    }
    if let Some(error) = job.error.filter(|error| *error != 0) {
        run.notes
            .push(format!("fio reports that the job ended with error {error}"));
    }
    run.host = job.hostname;
    run.started_utc = job.job_start.map(|ms| Nanos(ms.saturating_mul(1_000_000)));
    run.cpu = cpu(job.usr_cpu, job.sys_cpu);
    let threads = Threads {
        together,
        name: &job.jobname,
    };
    let all = Merged {
        own: job.options.as_ref(),
        global: document.options.as_ref(),
    };
    if !all.is_empty() {
        run.workload = options::workload(&all, &threads, &mut run.notes);
    }
    run.evidence = evidence::read(text, &all, document.disks.of(together));
    let failed = job.error.filter(|error| *error != 0);
    run.evidence.ended_by = failed.map(|error| format!("error {error}"));
    forget_what_does_not_fit(&mut run);
    if together > 1 {
        run.notes.push(format!(
            "one of {together} jobs of one fio run; jobs of a group ran at the same time"
        ));
    }
    run.name = Some(job.jobname).filter(|name| !name.is_empty());
    let target = run.workload.targets.join(":");
    if !target.is_empty() {
        run.rows = vec![ImportedRow {
            thread: None,
            target,
            size: run.workload.size,
            figures: run.figures.clone(),
        }];
    }
    Ok(run)
}

fn forget_what_does_not_fit(run: &mut ImportedRun) {
    if !fits(run) {
        run.workload = model::ImportedWorkload {
            targets: std::mem::take(&mut run.workload.targets),
            ..model::ImportedWorkload::default()
        };
        run.notes.push(
            "the options are of one job of a group and do not fit the figures: what was asked is unknown"
                .to_owned(),
        );
    }
}

/// Whether the options can be those of all that was counted. For a group, fio prints the options of its last job.
fn fits(run: &ImportedRun) -> bool {
    let (read, write) = (&run.figures.read, &run.figures.write);
    let some = |side: &ImportedOperation| side.ios.is_some_and(|ios| ios > 0);
    let mix = match run.workload.write_percent.map(model::Ratio::as_percent) {
        Some(0) => !some(write),
        Some(100) => !some(read),
        _ => true,
    };
    let total = &run.figures.total;
    let size = match (run.workload.block, total.ios, total.bytes) {
        (Some(block), Some(ios), Some(bytes)) => {
            // The last I/O of a file may be shorter than the others.
            let whole = u128::from(block.0) * u128::from(ios);
            u128::from(bytes.0).abs_diff(whole) <= whole / 50
        }
        _ => true,
    };
    mix && size
}

/// Which of fio's latencies are taken: those that its percentiles are of.
const KIND_OF_LATENCY: [&str; 2] = [
    "latencies are fio's clat: from submission to completion, without the time of submission",
    "latencies are fio's lat: handing over included",
];

/// Whether the percentiles are of `lat`.
fn is_of_all(sides: &[&Option<Side>; 3]) -> bool {
    let has = |spread: &Option<Spread>| spread.as_ref().is_some_and(|s| s.percentile.is_some());
    let of_all = |side: &&Side| {
        (has(&side.lat_ns) || has(&side.lat)) && !has(&side.clat_ns) && !has(&side.clat)
    };
    sides.iter().copied().flatten().any(|side| of_all(&side))
}

fn cpu(user: Option<f64>, kernel: Option<f64>) -> Option<ImportedCpu> {
    (user.is_some() || kernel.is_some()).then(|| ImportedCpu {
        user_percent: user,
        kernel_percent: kernel,
        ..ImportedCpu::default()
    })
}

fn side(side: Option<&Side>) -> ImportedOperation {
    side.map_or_else(ImportedOperation::default, figures)
}

fn figures(side: &Side) -> ImportedOperation {
    let amount = match side.io_kbytes {
        Some(_) => side.io_bytes,
        None => side.io_bytes.and_then(|kib| kib.checked_mul(1024)),
    };
    let rate = side.bw_bytes.or(side.bw.map(|kib| kib * 1024.0));
    let percentiles = |spread: &&Spread| spread.percentile.is_some();
    let in_ns = [&side.clat_ns, &side.lat_ns].map(Option::as_ref);
    let in_us = [&side.clat, &side.lat].map(Option::as_ref);
    let chosen = |two: [Option<&Spread>; 2], unit: Nanos| {
        let [clat, lat] = two.map(|one| one.map(|spread| latency(spread, unit)));
        let of_lat = two[1].filter(percentiles).is_some() && two[0].filter(percentiles).is_none();
        if of_lat { lat.or(clat) } else { clat.or(lat) }
    };
    let latency = chosen(in_ns, Nanos(1)).or_else(|| chosen(in_us, Nanos::micros(1)));
    let none = side.total_ios == Some(0);
    ImportedOperation {
        ios: side.total_ios,
        bytes: amount.map(model::Bytes),
        ios_per_s: side.iops,
        bytes_per_s: rate.filter(|rate| bytes(*rate, 1).is_some()),
        ios_per_s_sd: side.iops_stddev.filter(|_| !none),
        errors: None,
        // Where it was reported not to take times, all of them are 0: no I/O takes no time.
        latency: latency
            .filter(|latency| !none && latency.max != Some(Nanos(0)))
            .unwrap_or_default(),
    }
}

fn latency(spread: &Spread, unit: Nanos) -> ImportedLatency {
    let value = |value: Option<f64>| value.and_then(|value| nanos(value, unit));
    let mut percentiles: Vec<(f64, Nanos)> = spread
        .percentile
        .iter()
        .flatten()
        .filter_map(|(percent, latency)| {
            let percent: f64 = percent.parse().ok()?;
            let within = percent > 0.0 && percent < 100.0;
            within.then_some((quantile(percent), value(*latency)?))
        })
        .collect();
    percentiles.sort_by(|a, b| a.0.total_cmp(&b.0));
    ImportedLatency {
        mean: value(spread.mean),
        sd: value(spread.stddev),
        min: value(spread.min),
        max: value(spread.max),
        percentiles,
        resolution: Some(unit),
        histogram: Vec::new(),
    }
}
