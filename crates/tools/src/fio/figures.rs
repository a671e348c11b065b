//! A run as fio reports it, job by job: counts, rates, latencies and how their I/Os spread.
//!
//! What fio has and fathom does not count (submission latency, how many were in flight at each submission, page faults,
//! context switches) is not here. Times are nanoseconds and rates are over the time that was measured.

use super::reporting::{Reporting, Sides};
use model::trace::TraceOperation;
use model::{
    CounterWindow, LatencyHistogram, Nanos, Operation, Outcome, RunRecord, Tally, ThreadRecord,
};
use std::collections::BTreeMap;
use std::ops::Range;

/// Upper edges of fio's latency classes, which go on in steps of 2, 4, 10, 20, 50, 100, 250, 500, 750 and 1000 of a unit.
pub const CLASSES: [u64; 10] = [2, 4, 10, 20, 50, 100, 250, 500, 750, 1000];

/// One job, or several that report together.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Reads, writes and both together, as far as they have figures of their own.
    pub sides: Vec<Side>,
    /// When its threads began, in milliseconds since 1970 in UTC.
    pub started_utc_ms: u64,
    /// Measured, in nanoseconds.
    pub measured_ns: u64,
    /// From the first I/O to the last, in nanoseconds.
    pub lifetime_ns: u64,
    /// Share of one core that its threads used in programs, and in the kernel, in percent; none where it is not known.
    pub cpu_percent: Option<(f64, f64)>,
    /// Percent of the I/Os in each class of nanoseconds, of microseconds, and of milliseconds with two more: up to two
    /// seconds, and longer.
    pub classes: [Vec<f64>; 3],
    /// Its fsync and fdatasync calls; none without any.
    pub syncs: Option<Latency>,
    /// The errno of the first kind of error; 0 without.
    pub error: i32,
    /// Failed I/Os and corrupt blocks; none without `continue_on_error`. Where a run has several targets, at most the 64
    /// corrupt blocks that are described count.
    pub errors: Option<u64>,
}

/// One direction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Side {
    /// `read`, `write` or `mixed`.
    pub name: &'static str,
    /// Measured, in nanoseconds; 0 without I/Os.
    pub measured_ns: u64,
    /// Completed.
    pub ios: u64,
    /// Moved by them.
    pub bytes: u64,
    /// Moved less than asked.
    pub short_ios: u64,
    /// IOPS.
    pub ios_per_s: f64,
    /// Bytes a second.
    pub bytes_per_s: f64,
    /// None without I/Os.
    pub latency: Option<Latency>,
    /// Rates of the whole steps of the time series.
    pub ios_steps: Steps,
    /// The same in bytes per second.
    pub bytes_steps: Steps,
}

/// How long I/Os took.
#[derive(Clone, Debug, PartialEq)]
pub struct Latency {
    /// Exact.
    pub min_ns: u64,
    /// Exact.
    pub max_ns: u64,
    /// Exact.
    pub mean_ns: f64,
    /// Exact where the record has the squares; none where it has not.
    pub sd_ns: Option<f64>,
    /// How many.
    pub count: u64,
    /// Percent and latency.
    pub percentiles: Vec<(f64, u64)>,
    /// Latency in the middle of a bucket, and how many I/Os are in it; ascending.
    pub bins: Vec<(u64, u64)>,
}

/// How a rate moved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Steps {
    /// Smallest.
    pub min: f64,
    /// Largest.
    pub max: f64,
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub sd: f64,
    /// How many steps.
    pub count: u64,
}

/// The block layer's counts of one device over one or several runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Disk {
    /// Its name.
    pub name: String,
    /// Reads and writes.
    pub ios: [u64; 2],
    /// Reads and writes that were merged.
    pub merges: [u64; 2],
    /// Sum of their times, in nanoseconds.
    pub times_ns: [u64; 2],
    /// Percent of the time with at least one request in the device.
    pub busy_percent: f64,
}

impl Disk {
    /// Returns the counts that fio prints of a device, in its order: I/Os read and written, merged ones of both, and
    /// milliseconds of reads, of writes and of both.
    pub(super) fn counts(&self) -> [u64; 7] {
        let [read, write] = self.times_ns.map(|ns| ns / 1_000_000);
        let both = (self.times_ns[0] + self.times_ns[1]) / 1_000_000;
        let ([reads, writes], [merged, merged_writes]) = (self.ios, self.merges);
        [reads, writes, merged, merged_writes, read, write, both]
    }
}

/// The threads of a run that work on these targets, as one, or each by itself.
pub fn jobs(record: &RunRecord, targets: &[u32], grouped: bool, reporting: &Reporting) -> Vec<Job> {
    by_thread(record, targets, grouped)
        .values()
        .map(|threads| job(record, threads, reporting))
        .collect()
}

/// Returns the threads that work on these targets, or all of them under one number.
pub(super) fn by_thread<'r>(
    record: &'r RunRecord,
    targets: &[u32],
    grouped: bool,
) -> BTreeMap<u32, Vec<&'r ThreadRecord>> {
    let mut by_thread: BTreeMap<u32, Vec<&ThreadRecord>> = BTreeMap::new();
    let threads = record.threads.iter();
    for thread in threads.filter(|thread| targets.contains(&thread.target)) {
        let key = if grouped { 0 } else { thread.thread };
        by_thread.entry(key).or_default().push(thread);
    }
    by_thread
}

/// The errno of a job whose data is not what was written, as fio has it.
const EILSEQ: i32 = 84;

fn job(record: &RunRecord, threads: &[&ThreadRecord], reporting: &Reporting) -> Job {
    let of = |operation: Operation| {
        let mut sum = Tally::default();
        for thread in threads {
            sum.merge(&thread.measured[operation.index()]);
        }
        sum
    };
    let [read, write] = Operation::ALL.map(of);
    let mut all = read.clone();
    all.merge(&write);
    let tallies = match reporting.sides {
        Sides::Split => vec![("read", &read), ("write", &write)],
        Sides::Mixed => vec![("mixed", &all)],
        Sides::Both => vec![("read", &read), ("write", &write), ("mixed", &all)],
    };
    let (sides, within) = (tallies.iter(), measured(record, threads));
    let corrupt = corrupt_blocks(record, threads);
    let failed: u64 = all.errors.iter().map(|error| error.count).sum();
    let classed = LatencyHistogram::new();
    Job {
        sides: sides
            .map(|(name, tally)| side(record, &within, name, tally, reporting))
            .collect(),
        started_utc_ms: record.started_utc.0 / 1_000_000,
        measured_ns: within.end.minus(within.start).0,
        lifetime_ns: record.phases.drained.0,
        cpu_percent: cpu(record, threads),
        classes: classes(if reporting.clat {
            &all.latency
        } else {
            &classed
        }),
        syncs: syncs(record, threads, reporting),
        error: all
            .errors
            .first()
            .map(|error| error.errno)
            .or_else(|| unmet(record, threads))
            .unwrap_or(if corrupt > 0 { EILSEQ } else { 0 }),
        errors: reporting.errors.then_some(failed + corrupt),
    }
}

/// What a target of its threads did not reach.
fn unmet(record: &RunRecord, threads: &[&ThreadRecord]) -> Option<i32> {
    let Outcome::Failed(failure) = &record.outcome else {
        return None;
    };
    let is_here = threads.iter().any(|thread| thread.target == failure.target);
    (failure.is_of_the_target() && failure.errno > 0 && is_here).then_some(failure.errno)
}

/// Blocks of its targets that are not what was written, as far as they are described where there are other targets.
fn corrupt_blocks(record: &RunRecord, threads: &[&ThreadRecord]) -> u64 {
    let Some(found) = &record.engine.verification else {
        return 0;
    };
    if record.plan.targets.len() == 1 {
        return found.kinds.iter().map(|kind| kind.blocks).sum();
    }
    let is_here = |target: u32| threads.iter().any(|thread| thread.target == target);
    let cases = found.cases.iter().filter(|case| is_here(case.target));
    cases.count() as u64
}

fn syncs(record: &RunRecord, threads: &[&ThreadRecord], reporting: &Reporting) -> Option<Latency> {
    let mut all = LatencyHistogram::new();
    for worker in &record.engine.workers {
        let mine = |target: u32| {
            let mut threads = threads.iter();
            threads.any(|thread| thread.thread == worker.thread && thread.target == target)
        };
        let syncs = worker.syncs.iter().filter(|syncs| mine(syncs.target));
        syncs.for_each(|syncs| all.merge(&syncs.latency));
        let calls = worker.recorded.iter().flat_map(|recorded| &recorded.calls);
        let flushes = calls.filter(|call| call.operation == TraceOperation::Flush);
        let its = flushes.filter(|flushes| mine(flushes.target));
        its.for_each(|flushes| all.merge(&flushes.latency));
    }
    distribution(&all, None, reporting)
}

/// Returns the part of the measured phase in which these threads ran.
fn measured(record: &RunRecord, threads: &[&ThreadRecord]) -> Range<Nanos> {
    let targets = threads
        .iter()
        .filter_map(|thread| record.plan.targets.get(thread.target as usize));
    let times = targets.map(|target| target.measured(record.plan.phases.warmup, &record.phases));
    times
        .reduce(|all, one| all.start.min(one.start)..all.end.max(one.end))
        .unwrap_or(Nanos(0)..record.phases.measured())
}

fn side(
    record: &RunRecord,
    within: &Range<Nanos>,
    name: &'static str,
    tally: &Tally,
    reporting: &Reporting,
) -> Side {
    let measured = within.end.minus(within.start);
    let step = record.plan.interval;
    // The first and the last step may be cut short.
    let first = within.start.0.div_ceil(step.0.max(1)) as usize;
    let end = (within.end.0 / step.0.max(1)) as usize;
    let steps = || tally.intervals.iter().take(end).skip(first);
    let rates = |of: &dyn Fn(&model::Interval) -> u64| {
        steps()
            .map(|interval| step.rate_of(of(interval) as f64))
            .collect::<Vec<f64>>()
    };
    let any = tally.ios > 0;
    Side {
        name,
        measured_ns: if any { measured.0 } else { 0 },
        ios: tally.ios,
        bytes: tally.bytes.0,
        short_ios: tally.short_ios,
        ios_per_s: measured.rate_of(tally.ios as f64),
        bytes_per_s: measured.rate_of(tally.bytes.0 as f64),
        latency: latency(tally, reporting),
        ios_steps: if any {
            moved(&rates(&|interval| interval.ios))
        } else {
            Steps::default()
        },
        bytes_steps: if any {
            moved(&rates(&|interval| interval.bytes.0))
        } else {
            Steps::default()
        },
    }
}

fn moved(rates: &[f64]) -> Steps {
    if rates.is_empty() {
        return Steps::default();
    }
    let mean = rates.iter().sum::<f64>() / rates.len() as f64;
    let squares: f64 = rates.iter().map(|rate| (rate - mean).powi(2)).sum();
    let fewer = (rates.len() - 1).max(1) as f64;
    Steps {
        min: rates.iter().copied().fold(f64::INFINITY, f64::min),
        max: rates.iter().copied().fold(0.0, f64::max),
        mean,
        sd: (squares / fewer).sqrt(),
        count: rates.len() as u64,
    }
}

fn latency(tally: &Tally, reporting: &Reporting) -> Option<Latency> {
    let count = tally.latency.count();
    let squares = tally.intervals.iter().filter(|interval| interval.ios > 0);
    let squares: Option<f64> = squares
        .map(|interval| {
            interval
                .latency_spread
                .map(|spread| spread.squares_ns2 as f64)
        })
        .sum();
    let mean = tally.latency.mean_ns()?;
    let sd = squares.map(|squares: f64| (squares / count as f64 - mean * mean).max(0.0).sqrt());
    distribution(&tally.latency, sd, reporting)
}

fn distribution(
    histogram: &LatencyHistogram,
    sd_ns: Option<f64>,
    reporting: &Reporting,
) -> Option<Latency> {
    let at = |percent: f64| Some((percent, histogram.quantile(percent / 100.0)?.0));
    let bin = |(low, high, count): (Nanos, Nanos, u64)| (low.0 + (high.0 - low.0) / 2, count);
    Some(Latency {
        min_ns: histogram.min()?.0,
        max_ns: histogram.max()?.0,
        mean_ns: histogram.mean_ns()?,
        sd_ns,
        count: histogram.count(),
        percentiles: reporting.percentiles().filter_map(at).collect(),
        bins: histogram.buckets().map(bin).collect(),
    })
}

/// Of the threads' whole lives, which is what they know of themselves.
fn cpu(record: &RunRecord, threads: &[&ThreadRecord]) -> Option<(f64, f64)> {
    let mut numbers: Vec<u32> = threads.iter().map(|thread| thread.thread).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let mut sum = (0.0, 0.0, 0.0);
    for worker in record
        .engine
        .workers
        .iter()
        .filter(|worker| numbers.contains(&worker.thread))
    {
        let account = worker.account.as_ref()?;
        let cpu = account.cpu?;
        sum.0 += cpu.user.0 as f64;
        sum.1 += cpu.kernel.0 as f64;
        sum.2 += account.elapsed.0 as f64;
    }
    (sum.2 > 0.0).then(|| (sum.0 / sum.2 * 100.0, sum.1 / sum.2 * 100.0))
}

/// A bucket that lies across an edge counts where its middle is: it is at most 0.4 % wide.
fn classes(histogram: &LatencyHistogram) -> [Vec<f64>; 3] {
    let mut counts = [vec![0u64; 10], vec![0; 10], vec![0; 12]];
    for (low, high, count) in histogram.buckets() {
        let middle = low.0 + (high.0 - low.0) / 2;
        let (unit, scale) = match middle {
            0..1_000 => (0, 1),
            1_000..1_000_000 => (1, 1_000),
            _ => (2, 1_000_000),
        };
        let value = middle / scale;
        let class = CLASSES.iter().position(|edge| value < *edge);
        let class = class
            .unwrap_or(if value < 2000 { 10 } else { 11 })
            .min(counts[unit].len() - 1);
        counts[unit][class] += count;
    }
    let all = histogram.count().max(1) as f64;
    counts.map(|class| {
        class
            .into_iter()
            .map(|count| count as f64 / all * 100.0)
            .collect()
    })
}

/// The devices of these runs, in the order of their names.
pub fn disks(windows: &[&CounterWindow]) -> Vec<Disk> {
    let mut names: Vec<&str> = windows
        .iter()
        .flat_map(|window| {
            window
                .after
                .devices
                .iter()
                .map(|device| device.name.as_str())
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    names
        .into_iter()
        .map(|name| {
            let mut disk = Disk {
                name: name.to_owned(),
                ..Disk::default()
            };
            let (mut busy, mut elapsed) = (0u64, 0u64);
            for window in windows {
                let Some(did) = window.device(name) else {
                    continue;
                };
                disk.ios = [disk.ios[0] + did.reads, disk.ios[1] + did.writes];
                disk.merges = [
                    disk.merges[0] + did.reads_merged,
                    disk.merges[1] + did.writes_merged,
                ];
                disk.times_ns = [
                    disk.times_ns[0] + did.read_time.0,
                    disk.times_ns[1] + did.write_time.0,
                ];
                busy += did.busy.0;
                elapsed += window.elapsed().0;
            }
            disk.busy_percent = (busy as f64 / elapsed.max(1) as f64 * 100.0).min(100.0);
            disk
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::sample::Sample;

    #[test]
    fn a_job_has_the_counts_of_its_threads_and_its_classes_are_all_of_them() {
        let record = Sample {
            reads: 3000,
            writes: 1000,
            ..Sample::default()
        }
        .build();
        let [job] = jobs(&record, &[0], true, &Reporting::default())
            .try_into()
            .unwrap();
        assert_eq!((job.sides[0].ios, job.sides[1].ios), (3000, 1000));
        let all: f64 = job.classes.iter().flatten().sum();
        assert!((all - 100.0).abs() < 1e-6, "{all}");
        assert!(jobs(&record, &[7], true, &Reporting::default()).is_empty());
    }
}
