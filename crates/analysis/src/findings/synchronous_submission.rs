//! An asynchronous engine whose submissions wait: then one I/O per thread is in flight, at any specified depth.
//!
//! Linux's libaio does so for buffered files, for file systems that complete direct I/O themselves (ZFS, some FUSE), and
//! where metadata or a full device queue is waited for. Omitted: engines that are synchronous by their nature, whose
//! depth is known to be 1 (`queue-depth-ignored`).

use super::{Cause, Confidence, Finding, Group, Look, Own, Rule, RuleId, Seen, Severity, finding};
use crate::say;
use crate::workers::WorkerShare;
use model::{CacheMode, ImportedRun, Nanos};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("synchronous-submission"),
    group: Group::Queue,
    cause: Cause::Alone,
    limit: None,
    what: "Submission took all the time of the threads: the engine was synchronous in effect, and the queue depth had no effect.",
    method: "IOPS × mean submission latency / threads is 0.9 to 1.05 (beyond, batches are submitted together); the queue depth is 2 or more per thread or unknown, and processors were not at 100% (if that is unknown: 1 ms or more, which is no work of a processor). Runs of fathom: 90% of the threads' idle time passed in submissions, all but the last of a full queue. Idle is the time in which they neither worked nor waited for a processor, a quarter of it or more. A device that was counted had fewer than 1.5 I/Os per thread (fio: `in_queue` by the time), else submissions waited for a place in its queue. High confidence where I/O was buffered.",
    evidence: &["submission_share", "submission_mean_ns", "queue_depth"],
    source: "io_submit(2), \"may block\"; the kernel's fs/aio.c; J. D. C. Little, Operations Research 9 (1961).",
    advice: "Use direct I/O or io_uring, or one thread per I/O in flight; compare with results of queue depth 1 only.",
    look: Look::Any(look),
};

const SHARE_MIN: f64 = 0.9;
/// Submitting that uses a processor is work; below this it is waiting.
const CPU_MAX_PERCENT: f64 = 90.0;

/// Where the load of processors is unknown, shorter submissions may be work.
const WORK_NS_MAX: f64 = 1e6;

/// A thread that works or waits for a processor longer is limited by that.
const WORKED_MAX: f64 = 0.75;
/// More in the device than this for each thread: submissions waited for a place in its queue. One that waits for its own
/// I/O has 1 in the device; with queue depth 2 there are never more than 2.
const IN_DEVICE_MAX: f64 = 1.5;

fn look(seen: &Seen<'_>) -> Option<Finding> {
    match seen.own {
        Some(own) => of_own(seen, own),
        None => of_imported(seen),
    }
}

/// A worker's issuing contains all submissions of a turn but the last, which counts as waiting.
fn of_own(seen: &Seen<'_>, own: &Own<'_>) -> Option<Finding> {
    let depth = seen.observed.load.queue_depth.filter(|depth| *depth > 1)?;
    let most = f64::from(depth - 1) / f64::from(depth);
    // Of the time in which a thread did not work, how much passed in submissions.
    let blocked = |worker: &WorkerShare| {
        let worked = worker.cpu.busy_share()? + worker.cpu.delayed_share.unwrap_or(0.0);
        let idle = most - worked;
        let busy = (worker.issuing_share? - worked) / idle;
        (worked <= WORKED_MAX && idle > 0.0).then_some(busy)
    };
    let blocked: Option<Vec<f64>> = own.workers.iter().map(blocked).collect();
    let blocked = blocked.filter(|all| !all.is_empty())?;
    let threads = blocked.len() as f64;
    let busy = blocked.iter().sum::<f64>() / threads;
    if busy < SHARE_MIN || in_device(own)? >= IN_DEVICE_MAX * threads {
        return None;
    }
    let rate = seen.observed.total.iops.filter(|rate| *rate > 0.0)?;
    let submission_ns = busy.min(1.0) * threads / rate * 1e9;
    let buffered = seen.observed.load.cache == Some(CacheMode::Cached);
    Some(reported(busy, submission_ns, Some(depth), buffered))
}

/// Mean number of requests in the devices at the bottom.
fn in_device(own: &Own<'_>) -> Option<f64> {
    let window = &own.record.window;
    let elapsed = window.elapsed().0;
    let checks = own.device_checks.iter();
    let counted = checks.filter_map(|check| window.device(check.device.as_deref()?));
    let times: Vec<u64> = counted
        .map(|counted| counted.read_time.plus(counted.write_time).0)
        .collect();
    let sum: u64 = times.iter().copied().fold(0, u64::saturating_add);
    (elapsed > 0 && !times.is_empty()).then(|| sum as f64 / elapsed as f64)
}

/// Mean number of requests in the device with the most, as another tool printed it.
fn in_other_device(seen: &Seen<'_>) -> Option<f64> {
    let disks = seen.imported?.evidence.disks.iter();
    let longest = disks.filter_map(|disk| Some(disk.queue_time?.0)).max()?;
    let elapsed = seen.observed.measured_ns.filter(|ns| *ns > 0.0)?;
    Some(longest as f64 / elapsed)
}

fn of_imported(seen: &Seen<'_>) -> Option<Finding> {
    let run = seen.imported?;
    let total = &seen.observed.total;
    let depth = run.workload.queue_depth;
    if depth.is_some_and(|depth| depth < 2) {
        return None;
    }
    let threads = run.workload.threads.filter(|threads| *threads > 0);
    let rate = total.iops.filter(|rate| *rate > 0.0)?;
    let submission_ns = submission_ns(seen, run, rate)?;
    let busy = submission_ns * rate / 1e9 / f64::from(threads.unwrap_or(1));
    // More than all the time of the threads: there were more of them, or I/Os of a batch were submitted together.
    let unknown = busy > 1.05;
    // A millisecond and more is no work of a processor, and less may be.
    let may_be_work = run.cpu.is_none() && submission_ns < WORK_NS_MAX;
    let cpu = run.cpu.map_or(0.0, |cpu| {
        cpu.user_percent.unwrap_or(0.0) + cpu.kernel_percent.unwrap_or(0.0)
    });
    let in_device = in_other_device(seen).unwrap_or(0.0);
    let queued = in_device >= IN_DEVICE_MAX * f64::from(threads.unwrap_or(1));
    if unknown || may_be_work || queued || busy < SHARE_MIN || cpu >= CPU_MAX_PERCENT {
        return None;
    }
    let buffered = run.workload.cache == Some(CacheMode::Cached);
    Some(reported(busy, submission_ns, depth, buffered))
}

/// Mean time that submitting one I/O took, of reads and writes together.
fn submission_ns(seen: &Seen<'_>, run: &ImportedRun, rate: f64) -> Option<f64> {
    if let Some(mean) = run.evidence.total.submission_mean {
        return Some(mean.0 as f64);
    }
    let of = |rate: Option<f64>, mean: Option<Nanos>| Some(rate? * mean?.0 as f64);
    let read = of(seen.observed.read.iops, run.evidence.read.submission_mean)?;
    let write = of(seen.observed.write.iops, run.evidence.write.submission_mean)?;
    Some((read + write) / rate)
}

fn reported(busy: f64, submission_ns: f64, depth: Option<u32>, buffered: bool) -> Finding {
    let (why, sure, advice) = if buffered {
        (
            ": buffered I/O blocks in the call",
            Confidence::High,
            "repeat with direct I/O: fathom run TARGET -o DEPTH (direct is the default); if IOPS rise with the depth, this was the cause",
        )
    } else {
        (
            "",
            Confidence::Medium,
            "repeat with one thread per I/O in flight (-t): if IOPS rise, the file system or driver submits synchronously",
        )
    };
    let number = depth.map_or_else(String::new, |depth| format!(" {depth}"));
    let sentence = format!(
        "submitting took {} of the threads' time ({} per I/O){why}: synchronous in effect, so queue depth{number} means nothing",
        say::percent(busy.min(1.0)),
        say::time(submission_ns)
    );
    let mut evidence = vec![
        ("submission_share", busy),
        ("submission_mean_ns", submission_ns),
    ];
    evidence.extend(depth.map(|depth| ("queue_depth", f64::from(depth))));
    finding(RULE.id, Severity::Warning, sentence, &evidence, advice).sure(sure)
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{imported, reported};
    use model::imported_evidence::ImportedDisk;
    use model::{ImportedCpu, ImportedRun, Nanos};

    /// ZFS: 32 asked, 5000 IOPS, 198 us in io_submit.
    fn run() -> ImportedRun {
        let mut run = imported();
        (run.workload.queue_depth, run.workload.threads) = (Some(32), Some(1));
        run.figures.total.ios_per_s = Some(5000.0);
        run.evidence.total.submission_mean = Some(Nanos::micros(198));
        run.figures.total.latency.mean = Some(Nanos::micros(6_200));
        run.cpu = Some(ImportedCpu {
            user_percent: Some(3.0),
            kernel_percent: Some(12.0),
            ..ImportedCpu::default()
        });
        run
    }

    #[test]
    fn a_thread_that_waits_in_submission_is_reported() {
        let reported_of = reported(&run(), "synchronous-submission").unwrap();
        assert_eq!(reported_of.evidence[0].value, 0.99);
        let mut quick = run();
        quick.evidence.total.submission_mean = Some(Nanos::micros(20));
        assert_eq!(reported(&quick, "synchronous-submission"), None);
        let mut unknown = run();
        unknown.cpu = None;
        assert_eq!(
            reported(&unknown, "synchronous-submission"),
            None,
            "it may be work"
        );
        let mut queued = run();
        queued.measured = Some(Nanos::seconds(10));
        for (in_queue_s, silent) in [(5, false), (11, false), (18, true), (310, true)] {
            queued.evidence.disks = vec![ImportedDisk {
                name: "sda".to_owned(),
                ios: 50_000,
                queue_time: Some(Nanos::seconds(in_queue_s)),
                ..ImportedDisk::default()
            }];
            let found = reported(&queued, "synchronous-submission");
            assert_eq!(found.is_none(), silent, "{in_queue_s}");
        }
        let mut working = run();
        working.cpu = Some(ImportedCpu {
            user_percent: Some(10.0),
            kernel_percent: Some(89.0),
            ..ImportedCpu::default()
        });
        assert_eq!(reported(&working, "synchronous-submission"), None);
    }
}
