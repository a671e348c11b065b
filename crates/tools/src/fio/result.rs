//! fio's JSON, of its version 3, so that tools that read fio's results read these.
//!
//! What fathom does not count is omitted and not put at 0: submission latency, the distribution of depths above 1, page faults.
//! fathom's latency is fio's `lat`: from before an I/O is submitted until it is found complete; it stands under
//! `clat_ns` too, where most tools look, and a remark in the document states it.

use crate::fio::figures::{CLASSES, Disk, Job, Latency, Side, Steps};
use crate::fio::{FIO_VERSION, JobPart, Reporting, Sides};
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// Queue depths whose shares fio reports.
pub(super) const DEPTHS: [&str; 7] = ["1", "2", "4", "8", "16", "32", ">=64"];

/// The parts of the document.
#[derive(Clone, Copy, Debug)]
pub struct FioResults<'a> {
    /// Version of fathom.
    pub version: &'a str,
    /// When the last run ended, in nanoseconds since 1970 in UTC.
    pub ended_utc_ns: u64,
    /// The same as people write it.
    pub ended_text: &'a str,
    /// The options of all globals.
    pub globals: &'a [(String, String)],
    /// What is different from fio in this request.
    pub notes: &'a [String],
    /// Jobs in order, each with the results of its threads.
    pub parts: &'a [(&'a JobPart, Vec<Job>)],
    /// Devices over all runs.
    pub disks: &'a [Disk],
    /// Whether the text begins with the jobs and the version, as fio prints them once.
    pub head: bool,
    /// Whether the document has the histograms of the latencies too, as fio's `json+`.
    pub bins: bool,
}

impl FioResults<'_> {
    /// Returns what all jobs of a group did in this direction, where they did anything.
    pub(super) fn sides<'s>(&'s self, group: u32, name: &'s str) -> impl Iterator<Item = &'s Side> {
        let parts = self.parts.iter();
        let parts = parts.filter(move |(part, _)| part.group == group);
        let sides = parts.flat_map(|(_, jobs)| jobs).flat_map(|job| &job.sides);
        sides.filter(move |side| side.name == name && side.ios > 0)
    }

    /// Returns the mean of the steps in percent of what the whole group moved per second.
    pub(super) fn share(&self, group: u32, side: &Side) -> f64 {
        let whole: f64 = self
            .sides(group, side.name)
            .map(|side| side.bytes_per_s)
            .sum();
        match whole > 0.0 {
            true => (side.bytes_steps.mean / whole * 100.0).min(100.0),
            false => 0.0,
        }
    }
}

/// The document. Errors are those of `out`.
pub fn fio_json(results: &FioResults<'_>, out: &mut dyn Write) -> io::Result<()> {
    let parts = results.parts.iter();
    let jobs: Vec<Value> = parts
        .flat_map(|(part, jobs)| jobs.iter().map(|one| job(results, part, one)))
        .collect();
    let disks: Vec<Value> = results.disks.iter().map(disk).collect();
    const REMARKS: [&str; 2] = [
        "clat_ns is lat_ns: from before an I/O is submitted until its completion is found",
        "omitted, because fathom does not count it: slat_ns, iodepth_level above a depth of 1, iodepth_submit, \
         iodepth_complete, ctx, majf, minf",
    ];
    let notes = results.notes.iter().map(String::as_str);
    let remarks: Vec<&str> = REMARKS.into_iter().chain(notes).collect();
    let document = json!({
        "fio version": format!("fathom-{} (layout of {FIO_VERSION})", results.version),
        "timestamp": results.ended_utc_ns / 1_000_000_000,
        "timestamp_ms": results.ended_utc_ns / 1_000_000,
        "time": results.ended_text,
        "fathom": { "remarks": remarks },
        "global options": options(results.globals),
        "jobs": jobs,
        "disk_util": disks,
    });
    views::pretty_json(&document, out)
}

fn options(pairs: &[(String, String)]) -> Value {
    let all = pairs
        .iter()
        .map(|(name, value)| (name.clone(), Value::from(value.clone())));
    Value::Object(all.collect::<Map<String, Value>>())
}

fn job(results: &FioResults<'_>, part: &JobPart, job: &Job) -> Value {
    let bins = results.bins;
    let mut map = Map::new();
    let mut put = |name: &str, value: Value| map.insert(name.to_owned(), value);
    put("jobname", part.name.clone().into());
    put("groupid", part.group.into());
    put("job_start", job.started_utc_ms.into());
    put("error", job.error.into());
    put("eta", 0.into());
    put("elapsed", job.lifetime_ns.div_ceil(1_000_000_000).into());
    put("job options", options(&part.options));
    if let Some(description) = &part.reporting.description {
        put("desc", description.clone().into());
    }
    let reporting = &part.reporting;
    for one in &job.sides {
        let share = results.share(part.group, one);
        put(one.name, side(one, share, reporting, bins));
    }
    if reporting.sides != Sides::Mixed {
        put("trim", side(&Side::default(), 0.0, reporting, bins));
    }
    put("job_runtime", (job.measured_ns / 1_000_000).into());
    if let Some((user, kernel)) = job.cpu_percent {
        put("usr_cpu", user.into());
        put("sys_cpu", kernel.into());
    }
    if part.depth == 1 {
        let share = |level: &str| {
            (
                level.to_owned(),
                Value::from(100.0 * f64::from(level == "1")),
            )
        };
        let levels = DEPTHS.iter().copied().map(share);
        put("iodepth_level", Value::Object(levels.collect()));
    }
    for (name, shares) in ["latency_ns", "latency_us", "latency_ms"]
        .into_iter()
        .zip(&job.classes)
    {
        put(name, classes(shares));
    }
    let syncs = job.syncs.as_ref();
    let calls = syncs.map_or(0, |syncs| syncs.count);
    let percentiles = reporting.clat_percentiles() || reporting.lat_percentiles();
    put(
        "sync",
        json!({ "total_ios": calls, "lat_ns": latency(syncs, percentiles, bins) }),
    );
    if let Some(errors) = job.errors {
        put("total_err", errors.into());
        put("first_error", job.error.into());
    }
    // fathom ends no job by its latency; jobs that ask for that are refused.
    put("latency_depth", part.depth.into());
    put("latency_target", 0.into());
    put("latency_target_ns", 0.into());
    put("latency_percentile", 100.0.into());
    put("latency_window", 0.into());
    put("latency_window_us", 0.into());
    Value::Object(map)
}

fn classes(shares: &[f64]) -> Value {
    let edges = CLASSES.iter().map(ToString::to_string);
    let names = edges.chain(["2000".to_owned(), ">=2000".to_owned()]);
    let all = names
        .zip(shares)
        .map(|(name, share)| (name, Value::from(*share)));
    Value::Object(all.collect::<Map<String, Value>>())
}

/// KiB are what fio counts in, and milliseconds for the time.
fn side(side: &Side, share: f64, reporting: &Reporting, bins: bool) -> Value {
    const KIB: u64 = 1024;
    let kib = |steps: &Steps| Steps {
        min: steps.min / KIB as f64,
        max: steps.max / KIB as f64,
        mean: steps.mean / KIB as f64,
        sd: steps.sd / KIB as f64,
        count: steps.count,
    };
    let bandwidth = kib(&side.bytes_steps);
    let rate = side.ios_steps;
    let times = |shown: bool, percentiles: bool| {
        latency(side.latency.as_ref().filter(|_| shown), percentiles, bins)
    };
    json!({
        "io_bytes": side.bytes,
        "io_kbytes": side.bytes / KIB,
        "bw_bytes": side.bytes_per_s as u64,
        "bw": side.bytes_per_s as u64 / KIB,
        "iops": side.ios_per_s,
        "runtime": side.measured_ns / 1_000_000,
        "total_ios": side.ios,
        "short_ios": side.short_ios,
        "drop_ios": 0,
        "clat_ns": times(reporting.clat, reporting.clat_percentiles()),
        "lat_ns": times(reporting.lat, reporting.lat_percentiles()),
        "bw_min": bandwidth.min as u64,
        "bw_max": bandwidth.max as u64,
        "bw_agg": share,
        "bw_mean": bandwidth.mean,
        "bw_dev": bandwidth.sd,
        "bw_samples": bandwidth.count,
        "iops_min": rate.min as u64,
        "iops_max": rate.max as u64,
        "iops_mean": rate.mean,
        "iops_stddev": rate.sd,
        "iops_samples": rate.count,
    })
}

/// Without I/Os, or where the job turned them off, all are 0, as fio has them: readers check the count.
fn latency(latency: Option<&Latency>, percentiles: bool, bins: bool) -> Value {
    let Some(latency) = latency else {
        return json!({ "min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0 });
    };
    let mut value = json!({
        "min": latency.min_ns,
        "max": latency.max_ns,
        "mean": latency.mean_ns,
        "stddev": latency.sd_ns,
        "N": latency.count,
    });
    if !percentiles {
        return value;
    }
    let at = latency.percentiles.iter();
    let at = at.map(|(percent, ns)| (format!("{percent:.6}"), Value::from(*ns)));
    value["percentile"] = Value::Object(at.collect::<Map<String, Value>>());
    if bins {
        let bins = latency.bins.iter();
        let bins = bins.map(|(ns, count)| (ns.to_string(), Value::from(*count)));
        value["bins"] = Value::Object(bins.collect::<Map<String, Value>>());
    }
    value
}

fn disk(disk: &Disk) -> Value {
    let [
        reads,
        writes,
        merged,
        merged_writes,
        read_ms,
        write_ms,
        both_ms,
    ] = disk.counts();
    json!({
        "name": disk.name,
        "read_ios": reads,
        "write_ios": writes,
        "read_merges": merged,
        "write_merges": merged_writes,
        "read_ticks": read_ms,
        "write_ticks": write_ms,
        "in_queue": both_ms,
        "util": disk.busy_percent,
    })
}
