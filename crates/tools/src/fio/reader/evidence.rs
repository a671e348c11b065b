//! What a job has besides its figures: windows of the rate, submission, syncs, devices, what was written.

use super::document::{Merged, few};
use crate::imports::number::{nanos, size};
use crate::imports::run::weighted;
use model::imported_evidence::{
    ImportedContent, ImportedDisk, ImportedEvidence, ImportedFlush, ImportedPace, RequestedRate,
    SideEvidence, SyncFigures,
};
use model::{Nanos, Operation};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The part of a job that is read here.
#[derive(Deserialize)]
struct Job {
    read: Option<Side>,
    write: Option<Side>,
    mixed: Option<Side>,
    sync: Option<Syncs>,
    ctx: Option<u64>,
}

/// One direction.
#[derive(Deserialize)]
struct Side {
    total_ios: Option<u64>,
    iops_min: Option<f64>,
    iops_max: Option<f64>,
    iops_samples: Option<u64>,
    slat_ns: Option<Mean>,
    lat_ns: Option<Mean>,
    /// Up to fio 2, in µs.
    slat: Option<Mean>,
    lat: Option<Mean>,
}

#[derive(Deserialize)]
struct Mean {
    mean: Option<f64>,
}

#[derive(Deserialize)]
struct Syncs {
    lat_ns: Option<SyncSpread>,
}

#[derive(Deserialize)]
struct SyncSpread {
    #[serde(rename = "N")]
    count: Option<u64>,
    mean: Option<f64>,
    max: Option<f64>,
    #[serde(default, deserialize_with = "few")]
    percentile: Option<BTreeMap<String, Option<f64>>>,
}

/// Reads it once more: what is missing or damaged is omitted.
pub(super) fn read(text: &str, all: &Merged, disks: Vec<ImportedDisk>) -> ImportedEvidence {
    let Ok(job) = serde_json::from_str::<Job>(text) else {
        return ImportedEvidence::default();
    };
    let [read, write] = [&job.read, &job.write].map(|side| side.as_ref().and_then(Side::evidence));
    let total = match (&job.mixed, read, write) {
        (Some(mixed), ..) => mixed.evidence(),
        (None, Some(read), Some(write)) => Some(SideEvidence {
            whole_mean: weighted(
                [&job.read, &job.write].map(|side| side.as_ref()?.total_ios),
                [read.whole_mean, write.whole_mean],
            ),
            ..SideEvidence::default()
        }),
        (None, read, write) => read.or(write),
    };
    let mut evidence = ImportedEvidence {
        total: total.unwrap_or_default(),
        read: read.unwrap_or_default(),
        write: write.unwrap_or_default(),
        sync: job.sync.as_ref().and_then(Syncs::figures),
        context_switches: job.ctx,
        disks,
        ..ImportedEvidence::default()
    };
    asked(all, &mut evidence);
    let writes = job.write.as_ref().and_then(|side| side.total_ios);
    evidence.flush = evidence
        .flush
        .or_else(|| seen(writes?, evidence.sync?.count));
    evidence
}

/// Of writes that so many syncs were counted of: one sync in so many.
fn seen(writes: u64, syncs: u64) -> Option<ImportedFlush> {
    const SYNCS_MIN: u64 = 10;
    let every = writes.checked_add(syncs / 2)?.checked_div(syncs)?;
    let every = u32::try_from(every).ok().filter(|every| *every > 0)?;
    (syncs >= SYNCS_MIN).then_some(ImportedFlush::EveryWrites(every))
}

/// Engines that wait for each I/O; fio caps their queue depth at 1. Source: fio(1), "I/O engine"; `FIO_SYNCIO` in its
/// engines.
const SYNCHRONOUS: [&str; 11] = [
    "sync",
    "psync",
    "vsync",
    "pvsync",
    "pvsync2",
    "mmap",
    "splice",
    "ftruncate",
    "filecreate",
    "filestat",
    "falloc",
];

/// Whether iodepth has no effect. Without an engine fio takes psync, on Windows windowsaio.
pub(super) fn is_synchronous(engine: Option<&str>, names: Option<&str>) -> bool {
    match (engine, names) {
        (Some(engine), _) => SYNCHRONOUS.contains(&engine),
        (None, Some(names)) => !names.contains('\\'),
        (None, None) => false,
    }
}

impl Side {
    /// None where it did nothing.
    fn evidence(&self) -> Option<SideEvidence> {
        if self.total_ios == Some(0) {
            return None;
        }
        let mean = |ns: &Option<Mean>, us: &Option<Mean>| {
            let mean = |spread: &Option<Mean>, unit| {
                let mean = spread.as_ref()?.mean.filter(|mean| *mean > 0.0)?;
                nanos(mean, unit)
            };
            mean(ns, Nanos(1)).or_else(|| mean(us, Nanos::micros(1)))
        };
        let some = self.iops_samples > Some(0);
        let rate = |rate: Option<f64>| rate.filter(|rate| some && rate.is_finite() && *rate >= 0.0);
        Some(SideEvidence {
            windows: self.iops_samples,
            window_min_per_s: rate(self.iops_min),
            window_max_per_s: rate(self.iops_max),
            submission_mean: mean(&self.slat_ns, &self.slat),
            whole_mean: mean(&self.lat_ns, &self.lat),
        })
    }
}

impl Syncs {
    fn figures(&self) -> Option<SyncFigures> {
        let lat = self.lat_ns.as_ref()?;
        let ns = |value: Option<f64>| nanos(value?, Nanos(1));
        let point = |wanted: f64| {
            let mut points = lat.percentile.iter().flatten();
            let found = points.find(|(percent, _)| percent.parse() == Ok(wanted));
            found.and_then(|(_, value)| ns(*value))
        };
        Some(SyncFigures {
            count: lat.count.filter(|count| *count > 0)?,
            mean: ns(lat.mean),
            p50: point(50.0),
            p99: point(99.0),
            max: ns(lat.max),
        })
    }
}

/// How many jobs go along one file from the same place: several sequential ones with the file's name and no offset.
fn same_place(all: &Merged) -> Option<u32> {
    let jobs: u32 = all.get("numjobs")?.parse().ok()?;
    let kind = all.get("rw").or_else(|| all.get("readwrite"))?;
    let along = matches!(kind, "read" | "write" | "rw" | "readwrite");
    let one_file = all.get("filename").is_some_and(|name| !name.contains(':'));
    let apart = ["offset_increment", "filename_format", "zonesize"].iter();
    let apart = apart.copied().any(|name| all.get(name).is_some());
    (jobs > 1 && along && one_file && !apart).then_some(jobs)
}

/// Whether a number, a size or a time is above 0; a text that is none of them may be.
fn is_more_than_0(text: &str) -> bool {
    size(text).is_none_or(|size| size.0 > 0)
}

/// Pauses, or the rate of one job times the jobs: of a mix that of reads and of writes together.
fn pace(all: &Merged) -> Option<ImportedPace> {
    let jobs = match all.get("numjobs") {
        Some(jobs) => jobs.parse().ok()?,
        None => 1.0,
    };
    if all.get("thinktime").is_some_and(is_more_than_0) {
        return Some(ImportedPace::Pauses);
    }
    let kind = all.get("rw").or_else(|| all.get("readwrite"))?;
    let of = match kind.split(':').next()? {
        "read" | "randread" => Some(Operation::Read),
        "write" | "randwrite" => Some(Operation::Write),
        "rw" | "readwrite" | "randrw" => None, // a rate of each
        _ => return None,
    };
    let requested = |name: &str| {
        let mut sides = all.get(name)?.split(',');
        let reads = size(sides.next()?)?.0 as f64;
        let writes = match sides.next() {
            Some(text) => size(text)?.0 as f64,
            None => reads,
        };
        let each = match of {
            Some(Operation::Read) => reads,
            Some(Operation::Write) => writes,
            None if reads > 0.0 && writes > 0.0 => reads + writes,
            None => return None, // one direction without a bound
        };
        let per_s = each * jobs;
        (per_s > 0.0 && per_s.is_finite()).then_some(RequestedRate { per_s, of })
    };
    let ios = requested("rate_iops").map(ImportedPace::Ios);
    ios.or_else(|| requested("rate").map(ImportedPace::Bytes))
}

/// What the options specify about it.
fn asked(all: &Merged, evidence: &mut ImportedEvidence) {
    let on = |name: &str| all.get(name).is_some_and(|value| value != "0");
    let every = ["fsync", "fdatasync"].iter().find_map(|name| {
        let every: u32 = all.get(name)?.parse().ok()?;
        (every > 0).then_some(ImportedFlush::EveryWrites(every))
    });
    let at_end = on("end_fsync") || on("fsync_on_close");
    evidence.flush = every.or(at_end.then_some(ImportedFlush::AtEnd));
    let share = |name: &str| {
        let share = all.get(name)?.parse().ok();
        share.filter(|share| (1..=100).contains(share))
    };
    evidence.content = if on("zero_buffers") {
        Some(ImportedContent::Zeros)
    } else if all.get("buffer_pattern").is_some() {
        Some(ImportedContent::Pattern)
    } else {
        let compressible = share("buffer_compress_percentage").map(ImportedContent::Compressible);
        compressible.or_else(|| share("dedupe_percentage").map(ImportedContent::Duplicate))
    };
    let paces = ["rate", "rate_iops", "thinktime"].iter();
    evidence.paced = paces.filter_map(|name| all.get(name)).any(is_more_than_0);
    evidence.pace = pace(all);
    evidence.same_place = same_place(all);
    let specified = all.get("iodepth").and_then(|depth| depth.parse().ok());
    let ignored = is_synchronous(all.get("ioengine"), all.get("filename"));
    evidence.ignored_queue_depth = specified.filter(|depth| *depth > 1 && ignored);
}
