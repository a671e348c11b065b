//! Each write waits until it is durable: then its figure is the latency of a commit, and the device's cache, its flush or
//! one rotation decides it.
//!
//! Omitted: caches that lose what they completed, which `write-cache` judges, and syncs after several writes, whose
//! latency is not that of one commit.

use super::storage_stack::{Below, targets};
use super::{
    Cause, Confidence, Evidence, Finding, Group, Look, Own, Rule, RuleId, Seen, Several, Severity,
    finding,
};
use crate::LimitKind;
use crate::device_classes::ROTATIONS;
use crate::known::Medium;
use crate::say;
use model::imported_evidence::ImportedFlush;
use model::{CacheMode, ImportFormat, ImportedRun, LatencyHistogram, PlannedTarget};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("commit-latency"),
    group: Group::Cache,
    cause: Cause::Alone,
    limit: Some(LimitKind::Service),
    what: "Each write waits until it is durable, so the latency is that of a commit, not of a write.",
    method: "A sync follows each write (fio: fsync=1, fdatasync=1), or each write is write-through with one in flight \
             per thread. Runs of fathom: also direct sequential writes with one in flight, where their mean and median \
             are one rotation. A warning, too, if a sync follows each write and takes longer than the write: the latency is that of the write alone. The device is not known to be a solid-state disk. A warning: \
             a commit takes one rotation of a disk (15000, 10000, 7200, 5400 per minute), or two, as a journal needs, within \
             3%. Its median is 70% of the mean or more. Then no write cache buffers the writes; not if another method of the same text took less than any rotation, or a person names a solid-state disk. Sessions of pg_test_fsync: a warning if fsync_writethrough takes 5 times as long as fsync, or fdatasync 10 times as long as open_datasync: the faster one does not reach the medium. Syncs that return within \
             1 µs are none. Where syncs are not printed, with one in flight, a commit takes the time from write to write. \
             dd: buffered writes of 2 ms and more below 512 KiB/s wait for the device too.",
    evidence: &[
        "commit_mean_ns",
        "commits_per_s",
        "commit_p99_ns",
        "rotations_per_minute",
    ],
    source: "fsync(2), fdatasync(2); one rotation of a disk is 60 s over its speed.",
    advice: "Compare with other commit latencies only. To measure write speed, omit the syncs. For more commits per second use a non-volatile write cache or group commits.",
    look: Look::Both(look, of_session),
};

/// Fewer commits do not show a mean.
const COMMITS_MIN: u64 = 20;
const ROTATION_APART_MAX: f64 = 0.03;
/// A system call that returns sooner waited for nothing.
const SYNC_NS_MIN: f64 = 1000.0;
/// Where each commit waits for a rotation, most take about one.
const MEDIAN_SHARE_MIN: f64 = 0.7;

fn look(seen: &Seen<'_>) -> Option<Finding> {
    let commit = match (seen.own, seen.imported) {
        (Some(own), _) => {
            if let Some(excluded) = synced_apart(seen, own) {
                return Some(excluded);
            }
            waited_for(seen).or_else(|| once_a_turn(seen, own))
        }
        (None, Some(run)) => synced(seen, run)
            .or_else(|| waited_for(seen))
            .or_else(|| slower_than_a_cache(seen)),
        (None, None) => None,
    };
    reported(&commit?, may_rotate(seen))
}

/// Returns whether the medium may be a rotating disk: no person names another, and no commit on the same file took less than
/// any rotation.
fn may_rotate(seen: &Seen<'_>) -> bool {
    let solid = matches!(seen.known.medium, Some(Medium::SataSsd | Medium::Nvme));
    let fastest = seen.imported.and_then(|run| run.evidence.commit_min);
    let turn_ns = ROTATIONS
        .iter()
        .map(|rotation| 60e9 / rotation.per_minute)
        .fold(f64::MAX, f64::min);
    let sooner = fastest.is_some_and(|ns| (ns.0 as f64) < (1.0 - ROTATION_APART_MAX) * turn_ns);
    !solid && !sooner
}

/// Syncs of one file that return much sooner than others do not reach the medium.
fn of_session(several: &Several<'_>) -> Option<Finding> {
    /// So many times faster: a write-through that takes longer than a sync, and a direct write that takes less.
    const THROUGH_MIN: f64 = 5.0;
    const DIRECT_MIN: f64 = 10.0;
    let of = |name: &str| {
        let mut runs = several.runs.iter();
        let run = runs.find(|run| run.printed.name.as_deref() == Some(name))?;
        run.total.mean_ns.filter(|mean| *mean > 0.0)
    };
    let through = of("fsync_writethrough").zip(of("fsync"));
    let direct = of("fdatasync").zip(of("open_datasync"));
    let (slow, fast, words) = match (through, direct) {
        (Some((slow, fast)), _) if slow >= THROUGH_MIN * fast => {
            (slow, fast, ["fsync", "fsync_writethrough"])
        }
        (_, Some((slow, fast))) if slow >= DIRECT_MIN * fast => {
            (slow, fast, ["open_datasync", "fdatasync"])
        }
        _ => return None,
    };
    let sentence = format!(
        "{} does not reach the medium: it takes {}, and {} takes {}x as long ({})",
        words[0],
        say::time(fast),
        words[1],
        say::digits(slow / fast),
        say::time(slow)
    );
    let evidence = [("commit_mean_ns", slow), ("commits_per_s", 1e9 / slow)];
    let advice = "compare databases by the slower method: after a power failure, what the faster one completed may be lost";
    Some(finding(RULE.id, Severity::Warning, sentence, &evidence, advice).sure(Confidence::Medium))
}

/// How long a write took until it was durable, and why it is known to be.
pub(super) struct Commit {
    mean_ns: f64,
    median_ns: Option<f64>,
    p99_ns: Option<f64>,
    /// Of a thread.
    per_s: f64,
    how: &'static str,
}

/// Each write-through write, one in flight per thread.
fn waited_for(seen: &Seen<'_>) -> Option<Commit> {
    let through = seen.observed.load.write_through == Some(true);
    through.then(|| alone(seen, "each write is write-through"))?
}

/// Writes with one in flight per thread.
fn alone(seen: &Seen<'_>, how: &'static str) -> Option<Commit> {
    let write = &seen.observed.write;
    let alone = seen.observed.load.queue_depth == Some(1);
    if !alone || write.ios.is_some_and(|ios| ios < COMMITS_MIN) {
        return None;
    }
    let mean_ns = write.mean_ns.or_else(|| by_count(seen))?;
    Some(Commit {
        mean_ns,
        median_ns: write.latency_at(0.5),
        p99_ns: write.latency_at(0.99),
        per_s: 1e9 / mean_ns,
        how,
    })
}

/// dd prints no latencies: it issues one write at a time and does nothing else.
fn by_count(seen: &Seen<'_>) -> Option<f64> {
    let is_dd = seen.imported?.format == ImportFormat::DdText;
    let ios = seen.observed.write.ios.filter(|ios| *ios > 0 && is_dd)?;
    Some(seen.observed.measured_ns? / ios as f64)
}

/// Buffered writes that are slower than any device takes a sequence of them: the file system makes each durable. A writer
/// that waits for the page cache to shrink proceeds at the rate of the device, which writes the pages in order.
pub(super) fn slower_than_a_cache(seen: &Seen<'_>) -> Option<Commit> {
    const WRITE_NS_MIN: f64 = 2e6;
    const BYTES_PER_S_MAX: f64 = 524_288.0;
    let load = &seen.observed.load;
    let along = load.random_share == Some(0.0) && load.write_share == Some(1.0);
    let flushed = seen.imported?.evidence.flush.is_some();
    if !along || flushed || load.cache != Some(CacheMode::Cached) {
        return None;
    }
    let slow =
        by_count(seen)? >= WRITE_NS_MIN && seen.observed.write.bytes_per_s? < BYTES_PER_S_MAX;
    slow.then(|| {
        alone(
            seen,
            "each write waits for the device, as on a file system mounted with sync",
        )
    })?
}

/// Durable writes were not requested, but each waited for the next turn of the disk.
fn once_a_turn(seen: &Seen<'_>, own: &Own<'_>) -> Option<Commit> {
    let observed = seen.observed;
    let along = observed.load.random_share == Some(0.0) && observed.load.write_share == Some(1.0);
    let solid = |target: Below<'_>| {
        target
            .facts
            .chain
            .iter()
            .any(|one| one.rotational == Some(false))
    };
    if !along
        || observed.load.cache != Some(CacheMode::Unbuffered)
        || targets(own.record).any(solid)
    {
        return None;
    }
    let median = observed.write.latency_at(0.5)?;
    let commit = alone(seen, "no write cache completes the writes")?;
    (rotation(commit.mean_ns).is_some() && rotation(median).is_some()).then_some(commit)
}

/// Returns whether each write of a target is followed by a sync.
pub(super) fn syncs_each(target: &PlannedTarget) -> bool {
    target.writes() && target.fsync.every == 1
}

/// A sync after each write of fathom's, which the latency does not contain, where it takes longer than the write.
fn synced_apart(seen: &Seen<'_>, own: &Own<'_>) -> Option<Finding> {
    if !own.record.plan.targets.iter().all(syncs_each) {
        return None;
    }
    let mut syncs = LatencyHistogram::new();
    let workers = own.record.engine.workers.iter();
    for count in workers.flat_map(|worker| &worker.syncs) {
        syncs.merge(&count.latency);
    }
    let write_ns = seen.observed.write.mean_ns?;
    let sync_ns = syncs.mean_ns().filter(|sync| *sync > write_ns)?;
    if syncs.count() < COMMITS_MIN {
        return None;
    }
    let mean_ns = write_ns + sync_ns;
    let sentence = format!(
        "the latency excludes the sync after each write: a commit takes {}, of which the sync takes {}",
        say::time(mean_ns),
        say::time(sync_ns)
    );
    let evidence = [
        ("commit_mean_ns", mean_ns),
        ("commits_per_s", 1e9 / mean_ns),
    ];
    let advice = "compare IOPS, or use --write-through, whose latency is that of a commit";
    Some(finding(
        RULE.id,
        Severity::Warning,
        sentence,
        &evidence,
        advice,
    ))
}

/// A sync after each write. Where syncs were not printed, a thread does nothing else between two writes.
fn synced(seen: &Seen<'_>, run: &ImportedRun) -> Option<Commit> {
    const HOW: &str = "each write is followed by a sync";
    if run.evidence.flush != Some(ImportedFlush::EveryWrites(1)) {
        return None;
    }
    let write = &seen.observed.write;
    let of_thread = || Some(write.iops? / f64::from(seen.observed.load.threads?));
    let alone = seen.observed.load.queue_depth == Some(1);
    let Some(sync) = run.evidence.sync else {
        let some = write.ios.is_none_or(|ios| ios >= COMMITS_MIN);
        let writes_only = seen.observed.load.write_share == Some(1.0);
        let per_s = of_thread().filter(|rate| *rate > 0.0 && alone && some && writes_only)?;
        return Some(Commit {
            mean_ns: 1e9 / per_s,
            median_ns: None,
            p99_ns: None,
            per_s,
            how: HOW,
        });
    };
    let sync_ns = sync.mean?.0 as f64;
    if sync.count < COMMITS_MIN || sync_ns < SYNC_NS_MIN {
        return None;
    }
    let of_write = run
        .evidence
        .write
        .whole_mean
        .or(run.figures.write.latency.mean);
    let write_ns = of_write.map_or(0.0, |mean| mean.0 as f64);
    let mean_ns = sync_ns + write_ns;
    let by_latency = 1e9 / mean_ns;
    Some(Commit {
        mean_ns,
        median_ns: sync.p50.map(|p50| p50.0 as f64),
        p99_ns: sync.p99.map(|p99| p99.0 as f64),
        per_s: match alone {
            true => by_latency,
            false => of_thread().unwrap_or(by_latency),
        },
        how: HOW,
    })
}

fn reported(commit: &Commit, may_rotate: bool) -> Option<Finding> {
    let Commit {
        mean_ns,
        median_ns,
        p99_ns,
        per_s,
        how,
    } = *commit;
    if mean_ns <= 0.0 {
        return None;
    }
    let p99_ns = p99_ns.filter(|p99| *p99 >= mean_ns); // it is of the syncs alone
    let tail = p99_ns.map_or_else(String::new, |p99| format!(" (p99 {})", say::time(p99)));
    let mut sentence = format!(
        "{how}: the latency is that of a commit, {}{tail}, {} commits per second per thread",
        say::time(mean_ns),
        say::rate(per_s)
    );
    let mut evidence = vec![("commit_mean_ns", mean_ns), ("commits_per_s", per_s)];
    evidence.extend(p99_ns.map(|p99| ("commit_p99_ns", p99)));
    let advice = "compare with commit latencies only; the same writes without syncs show the device's write speed";
    let one = rotation(mean_ns).map(|speed| (speed, "one rotation"));
    let turns = one.or_else(|| Some((rotation(mean_ns / 2.0)?, "two rotations")));
    let usual = may_rotate && median_ns.is_none_or(|median| median >= MEDIAN_SHARE_MIN * mean_ns);
    let Some((speed, turns)) = turns.filter(|_| usual) else {
        return Some(finding(
            RULE.id,
            Severity::Note,
            sentence,
            &evidence,
            advice,
        ));
    };
    evidence.push(("rotations_per_minute", speed));
    sentence.push_str(&format!(
        "; that equals {turns} at {speed:.0} per minute ({} each), as on a disk without a write cache",
        say::time(60e9 / speed)
    ));
    let advice = "repeat with the disk's or controller's write cache on: ten times as many commits mean that the cache was off";
    let reported = finding(RULE.id, Severity::Warning, sentence, &evidence, advice);
    Some(reported.sure(Confidence::Medium))
}

/// The latency of a commit, from the evidence of its finding, where it is not that of a write alone, whose mean is `mean_ns`:
/// then it is the answer. `commit 10.5 ms, p99 12.1 ms, 95 commits/s per thread`.
pub(crate) fn commit_answer(
    id: RuleId,
    evidence: &[Evidence],
    mean_ns: Option<f64>,
) -> Option<String> {
    /// Closer than this both are one figure: each write was durable by itself.
    const APART_MIN: f64 = 1.5;
    let value = |name: &str| {
        let mut evidence = evidence.iter();
        evidence.find(|one| one.name == name).map(|one| one.value)
    };
    let commit = value("commit_mean_ns").filter(|_| id == RULE.id)?;
    if mean_ns.is_some_and(|mean| commit < APART_MIN * mean) {
        return None;
    }
    let p99 = value("commit_p99_ns").map(|p99| format!(", p99 {}", say::time(p99)));
    Some(format!(
        "commit {}{}, {} commits/s per thread",
        say::time(commit),
        p99.unwrap_or_default(),
        say::rate(value("commits_per_s")?)
    ))
}

/// The same of all findings of a result.
pub(crate) fn commit_of(findings: &[Finding], mean_ns: Option<f64>) -> Option<String> {
    let mut findings = findings.iter();
    findings.find_map(|found| commit_answer(found.id, &found.evidence, mean_ns))
}

/// The speed of a disk of which this is one rotation.
fn rotation(mean_ns: f64) -> Option<f64> {
    let near = |speed: &f64| (mean_ns / (60e9 / speed) - 1.0).abs() <= ROTATION_APART_MAX;
    let mut speeds = ROTATIONS.iter().map(|rotation| rotation.per_minute);
    speeds.find(near)
}

/// Whether every write of an imported run is durable before the next.
pub(super) fn is_durable(run: &model::ImportedRun) -> bool {
    run.workload.write_through == Some(true)
        || run.evidence.flush == Some(ImportedFlush::EveryWrites(1))
}

#[cfg(test)]
mod tests {
    use crate::findings::Severity;
    use crate::findings::test::{found, imported, reported};
    use crate::sample::Sample;
    use model::imported_evidence::{ImportedFlush, SyncFigures};
    use model::{CacheMode, ImportedRun, Nanos, Ratio};

    /// etcd's check: sequential writes through the page cache, each with fdatasync.
    fn run(sync_us: u64) -> ImportedRun {
        let mut run = imported();
        run.format = model::ImportFormat::FioJson;
        run.workload.write_percent = Some(Ratio::ALL);
        run.workload.cache = Some(CacheMode::Cached);
        (run.workload.queue_depth, run.workload.threads) = (Some(1), Some(1));
        (run.figures.total.ios, run.figures.total.ios_per_s) = (Some(24_000), Some(200.0));
        run.figures.total.latency.mean = Some(Nanos::micros(20));
        run.figures.write = run.figures.total.clone();
        run.evidence.flush = Some(ImportedFlush::EveryWrites(1));
        run.evidence.sync = Some(SyncFigures {
            count: 23_999,
            p50: Some(Nanos::micros(sync_us)),
            mean: Some(Nanos::micros(sync_us)),
            p99: Some(Nanos::millis(9)),
            max: Some(Nanos::millis(30)),
        });
        run
    }

    #[test]
    fn a_sync_after_each_write_is_the_latency_of_a_commit_and_no_cache() {
        let reported_of = reported(&run(4900), "commit-latency").unwrap();
        assert_eq!(reported_of.severity, Severity::Note);
        assert_eq!(reported_of.evidence[0].value, 4_920_000.0);
        assert!(
            reported_of.sentence.contains("4.92 ms (p99 9 ms)"),
            "{}",
            reported_of.sentence
        );
        assert_eq!(
            reported(&run(4900), "page-cache"),
            None,
            "memory keeps nothing"
        );
    }

    #[test]
    fn a_commit_of_one_rotation_names_the_speed() {
        let all = [
            (8313, 7200.0),
            (11_091, 5400.0),
            (5980, 10_000.0),
            (16_650, 7200.0),
        ];
        for (sync_us, speed) in all {
            let reported = reported(&run(sync_us), "commit-latency").unwrap();
            assert_eq!(reported.severity, Severity::Warning, "{sync_us}");
            assert_eq!(reported.evidence.last().unwrap().value, speed);
        }
    }

    /// Two public results of fio, the second with 48 jobs at depth 64.
    #[test]
    fn a_mean_of_a_few_stalls_is_no_rotation_and_a_call_that_returns_at_once_no_sync() {
        let mut stalls = run(16_650);
        let sync = stalls.evidence.sync.as_mut().unwrap();
        (sync.p50, sync.p99) = (Some(Nanos::micros(2150)), Some(Nanos::millis(300)));
        let reported_of = reported(&stalls, "commit-latency").unwrap();
        assert_eq!(reported_of.severity, Severity::Note);
        assert!(!reported_of.sentence.contains("rotation"));
        let mut at_once = run(4900);
        let sync = at_once.evidence.sync.as_mut().unwrap();
        (sync.mean, sync.p99) = (Some(Nanos(104)), Some(Nanos(221)));
        assert_eq!(reported(&at_once, "commit-latency"), None);
    }

    #[test]
    fn without_printed_syncs_a_commit_takes_the_time_between_writes() {
        let mut run = run(4900);
        run.evidence.sync = None;
        run.figures.write.ios_per_s = Some(391.0);
        let reported = reported(&run, "commit-latency").unwrap();
        assert_eq!(reported.evidence[1].value, 391.0);
        let found = std::slice::from_ref(&reported);
        let answer = super::commit_of(found, Some(20_000.0)).unwrap();
        assert!(answer.contains("391 commits/s"), "{answer}");
        let durable = reported.evidence[0].value;
        assert_eq!(super::commit_of(found, Some(durable)), None, "one figure");
    }

    /// A public result of dd on a file system mounted with sync; and writers that wait for the page cache to shrink.
    #[test]
    fn buffered_writes_slower_than_any_device_takes_a_sequence_are_commits() {
        let dd = |ms_each: u64, block: u64| {
            let mut run = run(4900);
            run.format = model::ImportFormat::DdText;
            (run.evidence.flush, run.evidence.sync) = (None, None);
            run.workload.random_percent = Some(Ratio::NONE);
            run.measured = Some(Nanos::millis(1000 * ms_each));
            let write = &mut run.figures.write;
            (write.ios, write.latency.mean) = (Some(1000), None);
            write.bytes_per_s = Some(block as f64 * 1000.0 / ms_each as f64);
            run.figures.total = write.clone();
            run
        };
        let slow = reported(&dd(83, 8192), "commit-latency").unwrap();
        assert_eq!(slow.evidence[0].value, 83e6);
        assert_eq!(reported(&dd(83, 8192), "page-cache"), None);
        for throttled in [dd(83, 1 << 20), dd(1, 512)] {
            assert_eq!(reported(&throttled, "commit-latency"), None);
            assert!(reported(&throttled, "page-cache").is_some());
        }
    }

    #[test]
    fn a_sync_after_many_writes_is_none() {
        let mut run = run(4900);
        run.evidence.flush = Some(ImportedFlush::EveryWrites(32));
        assert_eq!(reported(&run, "commit-latency"), None);
        assert!(reported(&run, "page-cache").is_some());
    }

    /// E8: 33 µs, "fits in memory".
    #[test]
    fn a_sync_that_the_latency_excludes_is_named() {
        let sample = Sample {
            write: Ratio::ALL,
            reads: 0,
            writes: 2000,
            cache: CacheMode::Cached,
            latency: Some(Nanos::micros(33)),
            ..Sample::default()
        };
        let of = |every, sync| {
            let mut record = sample.build();
            record.plan.targets[0].fsync.every = every;
            record.host.ram = model::Bytes::gib(64);
            let mut latency = model::LatencyHistogram::new();
            (0..2000).for_each(|_| latency.record(sync));
            record.engine.workers = vec![model::WorkerRecord {
                syncs: vec![model::SyncCount {
                    latency,
                    ..model::SyncCount::default()
                }],
                ..model::WorkerRecord::default()
            }];
            record
        };
        let record = of(1, Nanos::micros(400));
        let sentence = found(&record, "commit-latency").unwrap().sentence;
        assert!(
            sentence.starts_with("the latency excludes the sync after each write"),
            "{sentence}"
        );
        assert_eq!(found(&record, "working-set-fits-cache"), None);
        assert_eq!(found(&of(1, Nanos::micros(3)), "commit-latency"), None);
        let seldom = of(32, Nanos::micros(400));
        assert_eq!(found(&seldom, "commit-latency"), None);
        assert!(found(&seldom, "working-set-fits-cache").is_some());
    }
}
