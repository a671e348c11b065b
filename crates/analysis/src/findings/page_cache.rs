//! The device transferred less than the tool requested: a layer above it served reads or absorbed writes.
//!
//! Below 90% of the tool's bytes, and by more than the bound of the comparison. Looked for whether the
//! page cache was asked or not: unbuffered I/O can be answered above the device too (a file system that
//! compresses or ignores the flag). Reads are judged over the measured phase first, because warming up
//! brings the data in; writes over the lifetime, because they reach the device late.

use super::commit_latency::{is_durable, slower_than_a_cache};
use super::fuse_server::server_of;
use super::storage_stack::{kernel_is_since, targets};
use super::uneven_disks::kind;
use super::{Cause, Confidence, Finding, Group, Look, Own, Rule, RuleId, Seen, Severity, finding};
use crate::LimitKind;
use crate::comparison::{CountComparison, OperationComparison};
use crate::say;
use model::imported_evidence::{ImportedDisk, ImportedFlush};
use model::{CacheMode, FileSystem, ImportFormat, ImportedRun};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("page-cache"),
    group: Group::Cache,
    cause: Cause::Cache,
    limit: Some(LimitKind::Cache),
    what: "The page cache or another layer above the device served reads or absorbed writes.",
    method: "Runs of fathom: the device transferred less than 90% of the tool's bytes, and the uncertainty at the window's edges does not explain it; reads over the measured phase, writes over the lifetime. Or devices read less than 90% of the bytes of buffered reads for fathom's process, regardless of what others read meanwhile. If no device was counted: before a buffered run the page cache contained 90% of a sample of the target's pages. Imported runs: the devices reported by fio had less than 90% of the I/Os, of direct or random reads. The list of devices is whole, and there are 1000 I/Os in 1 s or more; half a second of them is subtracted, because fio reads the counters late. Or no device was counted, and random I/Os were 50 times as many as context switches and I/Os in flight per thread. Then the engine does not poll, and threads with several in flight used less than 90% of a processor. Or half of the writes of fio completed within 3 µs, and whether they were direct is unknown. Otherwise it is a warning if the text reports buffered I/O and writes were not durable, individually or at the end; not for fewer than 100 I/Os of less than 64 MiB together. Nor for random reads of fio that take 500 µs and 1 ns per byte in the call: a copy from memory takes less. Nor for writes of dd that wait for the device (commit-latency), reads of dd after `drop_caches`. Nor for reads of dd below 40 MB/s in blocks of 64 KiB or more.",
    evidence: &[
        "not_on_device_share",
        "reads_not_from_device_share",
        "writes_not_on_device_share",
        "cached_share",
        "ios_per_switch",
    ],
    source: "The kernel's Documentation/block/stat.rst; open(2), O_DIRECT; cachestat(2); proc_pid_io(5).",
    advice: "Use direct I/O to measure the device.",
    look: Look::Any(look),
};

const SHARE_MIN: f64 = 0.90;

pub(super) fn look(seen: &Seen<'_>) -> Option<Finding> {
    match seen.own {
        Some(own) => of_own(own),
        None => of_others(seen),
    }
}

/// What their text contains on the device, where it does: else only that memory may have answered is known.
fn of_others(seen: &Seen<'_>) -> Option<Finding> {
    let run = seen.imported?;
    let cached = seen.observed.load.cache == Some(CacheMode::Cached);
    if let Some(share) = missing_of_others(run) {
        let who = if cached {
            "the page cache served or absorbed"
        } else {
            "a layer above the device (page cache, file system, unwritten extents) served"
        };
        let device = &run.evidence.disks[0].name;
        let sentence = format!(
            "{who} {} of the I/Os; {device} served the rest",
            say::percent(share)
        );
        let reported = finding(
            RULE.id,
            Severity::Error,
            sentence,
            &[("not_on_device_share", share)],
            "repeat with direct I/O on a range that was written before: fathom run TARGET compares with the device's counters",
        );
        return Some(reported.invalid_for("a disk result"));
    }
    if run.format == ImportFormat::HdparmText && cached {
        let sentence =
            "hdparm -T reads from the page cache without the disk: this is the speed of memory";
        let advice = "use the timing of hdparm -t, or fathom run TARGET -b 1M --pattern sequential";
        let reported = finding(RULE.id, Severity::Error, sentence.to_owned(), &[], advice);
        return Some(reported.invalid_for("a disk result"));
    }
    if let Some(found) = without_waiting(seen, run).or_else(|| at_once(seen, run)) {
        return Some(found);
    }
    let flushed = run.evidence.flush == Some(ImportedFlush::AtEnd)
        && run.workload.write_percent == Some(model::Ratio::ALL);
    let few = is_small(seen);
    let slow = slow_for_memory(seen) || slower_than_a_cache(seen).is_some();
    let dropped = run.evidence.flush == Some(ImportedFlush::BeforeReads);
    let device = all_on_device(run) || few || slow || dropped;
    (cached && !is_durable(run) && !flushed && !device).then(|| {
        finding(
            RULE.id,
            Severity::Warning,
            "buffered I/O: the page cache may have answered instead of the disk".to_owned(),
            &[],
            "repeat with direct I/O (fathom run TARGET; dd: iflag=direct, oflag=direct): if it is slower, memory answered",
        )
        .sure(Confidence::Medium)
    })
}

/// I/Os for which no thread slept: a device makes a thread wait. Not where a processor is at 100% CPU, or where the
/// device was counted.
fn without_waiting(seen: &Seen<'_>, run: &ImportedRun) -> Option<Finding> {
    const IOS_MIN: u64 = 1000;
    const PER_SWITCH_MIN: f64 = 50.0;
    const BUSY_PERCENT: f64 = 90.0;
    const POLLED: [&str; 4] = ["spdk", "io_uring_cmd", "xnvme", "null"];
    let switches = run.evidence.context_switches? as f64;
    let ios = run.figures.total.ios.filter(|ios| *ios >= IOS_MIN)? as f64;
    let depth = f64::from(run.workload.queue_depth?);
    let engine = run.workload.engine.as_deref()?;
    let polls = POLLED.contains(&engine)
        || run
            .command
            .as_deref()
            .is_some_and(|line| line.contains("hipri"));
    let cpu = run.cpu?;
    let busy = cpu.user_percent? + cpu.kernel_percent?;
    // A thread with one I/O in flight sleeps for each; one with many wakes up once for as many, if it sleeps at all.
    let sleeps = depth <= 1.0 || busy < BUSY_PERCENT;
    let counted = !run.evidence.disks.is_empty();
    let per_switch = ios / switches.max(1.0);
    let may_merge = run.workload.random_percent == Some(model::Ratio::NONE);
    let durable = is_durable(run);
    if polls || !sleeps || counted || durable || may_merge || per_switch < PER_SWITCH_MIN * depth {
        return None;
    }
    let sentence = format!(
        "no device was waited for: {} I/Os per context switch, so memory (the page cache or the host) answered",
        say::digits(per_switch)
    );
    let evidence = [("ios_per_switch", per_switch)];
    let advice = "repeat with direct I/O on a range that was written before: fathom run TARGET compares with the device's counters";
    let severity = match seen.observed.load.cache {
        Some(CacheMode::Unbuffered) => Severity::Note,
        _ => Severity::Warning,
    };
    Some(finding(RULE.id, severity, sentence, &evidence, advice).sure(Confidence::Medium))
}

/// Writes of which the text does not have whether they were direct, and half of which completed sooner than in any device.
fn at_once(seen: &Seen<'_>, run: &ImportedRun) -> Option<Finding> {
    const DEVICE_NS_MIN: f64 = 3e3;
    const IOS_MIN: u64 = 1000;
    let write = &seen.observed.write;
    let median = write
        .latency_at(0.5)
        .filter(|ns| *ns > 0.0 && *ns < DEVICE_NS_MIN)?;
    let some = write.ios.is_none_or(|ios| ios >= IOS_MIN);
    if run.format.tool() != "fio" || run.workload.cache.is_some() || !some || is_durable(run) {
        return None;
    }
    let sentence = format!(
        "half of the writes completed within {}: no device takes a write in less than 3 µs, so the page cache took them",
        say::time(median)
    );
    let advice = "repeat with direct I/O (direct=1), or include the flush (end_fsync=1)";
    let reported = finding(RULE.id, Severity::Warning, sentence, &[], advice);
    Some(reported.sure(Confidence::Medium))
}

/// Returns whether a run is so small that it shows nothing of a cache either: that is a short run. A few I/Os of a gigabyte
/// each are no small run.
fn is_small(seen: &Seen<'_>) -> bool {
    const IOS_MIN: u64 = 100;
    const BYTES_MIN: f64 = 67_108_864.0;
    let (total, each) = (&seen.observed.total, seen.observed.bytes_an_io());
    let moved = |ios: u64| each.map_or(0.0, |bytes| bytes * ios as f64);
    total
        .ios
        .is_some_and(|ios| ios < IOS_MIN && moved(ios) < BYTES_MIN)
}

/// Returns whether random reads wait in the call for longer than a copy from memory takes: the device served them. A system
/// call and a page that is found take a few microseconds, also of a busy machine far below 500; memory copies more than a
/// gigabyte per second, so a block adds a nanosecond per byte. A read of 4 MiB in 520 µs came from memory.
fn slow_for_memory(seen: &Seen<'_>) -> bool {
    const CALL_NS: f64 = 500e3;
    const COPY_NS_PER_BYTE: f64 = 1.0;
    /// Memory answers many times as fast; if it answered a part, the rest came from an even slower disk.
    const DD_BYTES_PER_S: f64 = 40e6;
    let Some(run) = seen.imported else {
        return false;
    };
    let is_fio = run.format.tool() == "fio";
    let dd_reads = run.format == ImportFormat::DdText
        && run.workload.write_percent == Some(model::Ratio::NONE)
        && run.workload.block >= Some(model::Bytes::kib(64));
    if dd_reads {
        return seen
            .observed
            .total
            .bytes_per_s
            .is_some_and(|rate| rate < DD_BYTES_PER_S);
    }
    if !is_fio {
        return false;
    }
    let random = seen.observed.load.random_share == Some(1.0);
    let reads = seen.observed.load.write_share == Some(0.0);
    let one_at_a_time = seen.observed.load.queue_depth == Some(1);
    let submission = run.evidence.read.submission_mean;
    let waits_ns = submission.map(|mean| mean.0 as f64);
    let waits_ns = waits_ns.or(seen.observed.read.mean_ns.filter(|_| one_at_a_time));
    let Some(bytes) = seen.observed.bytes_an_io() else {
        return false;
    };
    let memory_ns = CALL_NS + COPY_NS_PER_BYTE * bytes;
    random && reads && waits_ns.is_some_and(|ns| ns >= memory_ns)
}

/// The share of the I/Os that the devices of one kind did not have. They see more requests than a tool issues where these
/// are split, and merged ones are counted; of buffered I/O only random reads are neither merged nor read ahead.
fn missing_of_others(run: &ImportedRun) -> Option<f64> {
    const IOS_MIN: u64 = 1000;
    /// fio reads the counters every quarter of a second and not at the end; what came after the last reading is not in them.
    const UNREAD_NS: f64 = 500e6;
    const TIME_MIN_NS: f64 = 1e9;
    let work = &run.workload;
    let random_reads = work.random_percent == Some(model::Ratio::ALL)
        && work.write_percent == Some(model::Ratio::NONE);
    if work.cache != Some(CacheMode::Unbuffered) && !random_reads || run.evidence.disks_cut {
        return None;
    }
    let ios = run.figures.total.ios.filter(|ios| *ios >= IOS_MIN)?;
    let disks = &run.evidence.disks;
    let of_kind = |one: &ImportedDisk| -> u64 {
        let alike = disks
            .iter()
            .filter(|disk| kind(&disk.name) == kind(&one.name));
        alike.map(|disk| disk.ios).fold(0, u64::saturating_add)
    };
    let most = disks.iter().map(of_kind).max()? as f64;
    let time_ns = run
        .measured
        .map(|time| time.0 as f64)
        .filter(|ns| *ns >= TIME_MIN_NS)?;
    let expected = ios as f64 * (1.0 - UNREAD_NS / time_ns);
    (most < SHARE_MIN * expected).then(|| 1.0 - most / ios as f64)
}

/// Whether the device had as many I/Os as the tool, of a size that it does not merge: random ones.
fn all_on_device(run: &ImportedRun) -> bool {
    let random = run.workload.random_percent == Some(model::Ratio::ALL);
    let known = !run.evidence.disks.is_empty() && run.figures.total.ios >= Some(1000);
    let reads = run.workload.write_percent == Some(model::Ratio::NONE);
    random && reads && known && missing_of_others(run).is_none()
}

fn of_own(seen: &Own<'_>) -> Option<Finding> {
    let cached = seen
        .record
        .plan
        .targets
        .iter()
        .any(|target| target.cache == CacheMode::Cached);
    let missing = |of: fn(&CountComparison) -> OperationComparison| {
        seen.device_checks
            .iter()
            .flat_map(|check| [check.measured.as_ref(), check.lifetime.as_ref()])
            .flatten()
            .filter_map(|counts| missing_share(&of(counts), counts.bound_bytes))
            .max_by(f64::total_cmp)
    };
    let reads =
        missing(|counts| counts.read).or_else(|| cached.then(|| not_read_for_us(seen)).flatten());
    let kept = |counts: &CountComparison| missing_share(&counts.write, counts.bound_bytes);
    let writes = seen
        .device_checks
        .iter()
        .filter_map(|check| check.lifetime.as_ref().or(check.measured.as_ref()))
        .filter_map(kept)
        .max_by(f64::total_cmp);
    let who = server(seen, cached);
    let presses = targets(seen.record).find_map(|target| target.presses());
    let presses = presses.filter(|_| !cached);
    let sentence = match (reads, writes) {
        (None, None) => return resident(seen),
        (reads, writes) if let Some(who) = &presses => {
            let (share, what) = match (reads, writes) {
                (Some(share), _) => (share, "read"),
                (None, share) => (share.unwrap_or_default(), "written"),
            };
            let part = say::percent(share);
            format!("{who} compresses: the device transferred {part} less than was {what}")
        }
        (Some(reads), None) => format!(
            "{who} served {} of the reads{}",
            say::percent(reads),
            bounded(seen, cached)
        ),
        (None, Some(writes)) => {
            format!(
                "{who} still contained {} of the written bytes at the end",
                say::percent(writes)
            )
        }
        (Some(reads), Some(writes)) => format!(
            "{who} served {} of the reads and still contained {} of the writes",
            say::percent(reads),
            say::percent(writes)
        ),
    };
    let advice = if cached {
        "use direct I/O to measure the device"
    } else if presses.is_some() {
        "use incompressible data (fathom's default), or disable compression"
    } else {
        "measure the device itself, or a file system without compression and caching"
    };
    let evidence = [
        ("reads_not_from_device_share", reads.unwrap_or(f64::NAN)),
        ("writes_not_on_device_share", writes.unwrap_or(f64::NAN)),
    ];
    let reported = finding(RULE.id, Severity::Error, sentence, &evidence, advice);
    Some(reported.invalid_for("a disk result"))
}

/// Names what answered in place of the device.
fn server(seen: &Own<'_>, cached: bool) -> String {
    let fuse = targets(seen.record).find_map(|target| server_of(&target));
    match (cached, fuse) {
        (true, _) => "the page cache".to_owned(),
        (false, Some(kind)) => {
            let kind = model::printable(kind);
            format!("the server of {kind} (FUSE), or a cache below it,")
        }
        (false, None) => "a layer above the device".to_owned(),
    }
}

/// Names the memory limit of the control group, where it is why the page cache contained only a part of the range.
fn bounded(seen: &Own<'_>, cached: bool) -> String {
    let targets = seen.record.plan.targets.iter();
    let range = targets.fold(0u64, |sum, target| sum.saturating_add(target.length.0));
    let host = &seen.record.host;
    let limit = host.limits.memory.as_ref().map(|memory| memory.limit.0);
    let limit = limit.filter(|limit| cached && *limit < range && *limit < host.ram.0);
    limit.map_or_else(String::new, |limit| {
        format!(
            "; the {} allows {} of memory, less than the range of {}",
            host.limited_set(),
            say::bytes(limit),
            say::bytes(range)
        )
    })
}

/// The share of the reads that no device did for this process, which others on the device do not hide. Only where a device
/// was counted: what a server or another process reads for us is not ours.
fn not_read_for_us(seen: &Own<'_>) -> Option<f64> {
    if !counts_workers(&seen.record.host.kernel) {
        return None;
    }
    let counted = seen
        .device_checks
        .iter()
        .find_map(|check| check.lifetime.as_ref())?;
    let (before, after) = (&seen.record.lifetime.before, &seen.record.lifetime.after);
    let own = after
        .own_read_bytes?
        .0
        .checked_sub(before.own_read_bytes?.0)?;
    let by_us = OperationComparison {
        device_bytes: own,
        ..counted.read
    };
    missing_share(&by_us, counted.bound_bytes)
}

/// Whether a kernel counts what the workers of io_uring read as read for its process: they are its threads since 5.12.
/// Source: the kernel's io_uring/io-wq.c.
fn counts_workers(kernel: &str) -> bool {
    kernel_is_since(kernel, 5, 12)
}

/// Where no device was counted: what the page cache contained before a run that was to go through it. The share that is asked
/// for is high, because what is not there at first is brought in by the first read.
fn resident(seen: &Own<'_>) -> Option<Finding> {
    const RESIDENT_MIN: f64 = 0.90;
    let nobody_counted = seen
        .device_checks
        .iter()
        .all(|check| check.device.is_none());
    let target = targets(seen.record).find(|target| {
        let on = target.facts.file_system.as_ref();
        let memory = on.is_some_and(FileSystem::is_in_memory);
        target.planned.cache == CacheMode::Cached && target.reads() && !memory
    })?;
    let share = target.facts.layout.cached?.share()?;
    if !nobody_counted || share < RESIDENT_MIN {
        return None;
    }
    let sentence = format!(
        "before the run the page cache contained {} of {}, and reads were buffered",
        say::percent(share),
        target.path()
    );
    let reported = finding(
        RULE.id,
        Severity::Error,
        sentence,
        &[("cached_share", share)],
        "use direct I/O to measure the device",
    );
    Some(
        reported
            .invalid_for("a disk result")
            .sure(Confidence::Medium),
    )
}

/// The share of the tool's bytes that the device did not see, where it is too much for chance.
fn missing_share(counts: &OperationComparison, bound_bytes: u64) -> Option<f64> {
    let missing = counts.tool_bytes.saturating_sub(counts.device_bytes);
    let enough = (counts.device_bytes as f64) < SHARE_MIN * counts.tool_bytes as f64;
    (enough && missing > bound_bytes).then(|| missing as f64 / counts.tool_bytes as f64)
}

#[cfg(test)]
mod tests {
    use crate::findings::found;
    use crate::run_report;
    use crate::sample::Sample;
    use model::{Bytes, CacheMode, Ratio, RunRecord};

    #[test]
    fn a_cached_run_is_called_what_it_is_in_the_first_line() {
        let cached = Sample {
            cache: CacheMode::Cached,
            device_percent: 0,
            ..Sample::default()
        };
        assert_eq!(
            run_report(&cached.build()).verdict.sentence(),
            "INVALID as a disk result: the page cache served 100% of the reads"
        );
    }

    #[test]
    fn a_memory_limit_below_the_range_is_named_and_one_above_it_is_not() {
        let half = Sample {
            cache: CacheMode::Cached,
            device_percent: 50,
            ..Sample::default()
        };
        let mut record = half.build();
        for (mib, is_named) in [(256, true), (1 << 20, false)] {
            record.host.limits.memory = Some(model::MemoryLimit {
                limit: Bytes::mib(mib),
                ..model::MemoryLimit::default()
            });
            let sentence = found(&record, "page-cache").unwrap().sentence;
            let named = sentence.contains("the control group allows 256 MiB of memory");
            assert_eq!(named, is_named, "{sentence}");
        }
    }

    #[test]
    fn cached_writes_that_never_reached_the_device_are_reported() {
        let cached = Sample {
            cache: CacheMode::Cached,
            write: Ratio::ALL,
            reads: 0,
            writes: 20_000,
            device_percent: 25,
            ..Sample::default()
        };
        let reported = found(&cached.build(), "page-cache").unwrap().sentence;
        assert_eq!(
            reported,
            "the page cache still contained 75% of the written bytes at the end"
        );
    }

    #[test]
    fn unbuffered_reads_that_missed_the_device_are_not_blamed_on_the_page_cache() {
        let odd = Sample {
            device_percent: 50,
            ..Sample::default()
        };
        let reported = found(&odd.build(), "page-cache").unwrap().sentence;
        assert_eq!(reported, "a layer above the device served 50% of the reads");
        let mut record = odd.build();
        let on = record.targets[0].file_system.as_mut().unwrap();
        on.kind = "btrfs".to_owned();
        on.options = "rw,compress-force=zstd:3".to_owned();
        let reported = found(&record, "page-cache").unwrap().sentence;
        assert_eq!(
            reported,
            "btrfs compresses: the device transferred 50% less than was read"
        );
    }

    /// Others read as much of the device as fathom was answered from memory, so that the counters agree.
    #[test]
    fn others_on_the_device_do_not_hide_that_memory_answered() {
        let cached = Sample {
            cache: CacheMode::Cached,
            device_percent: 100,
            ..Sample::default()
        };
        let read_for_us = |kernel: &str, percent: u64| {
            let mut record = cached.build();
            let bytes = cached.reads * cached.block.0 * percent / 100;
            record.host.kernel = kernel.to_owned();
            record.lifetime.before.own_read_bytes = Some(Bytes(4096));
            record.lifetime.after.own_read_bytes = Some(Bytes(4096 + bytes));
            found(&record, "page-cache").map(|finding| finding.sentence)
        };
        let said = "the page cache served 100% of the reads";
        assert_eq!(read_for_us("6.1.0-9-amd64", 0).as_deref(), Some(said));
        assert_eq!(read_for_us("6.1.0-9-amd64", 100), None);
        assert_eq!(read_for_us("5.4.0-150-generic", 0), None);
        assert_eq!(read_for_us("5.12", 0).as_deref(), Some(said));
    }

    #[test]
    fn what_the_processes_of_other_ranks_read_is_not_missing() {
        let cached = Sample {
            cache: CacheMode::Cached,
            device_percent: 200, // the device counts both
            ..Sample::default()
        };
        let mut record = cached.build();
        record.host.kernel = "6.1.0".to_owned();
        record.lifetime.before.own_read_bytes = Some(Bytes(0));
        record.lifetime.after.own_read_bytes = Some(Bytes(cached.reads * cached.block.0));
        let both = RunRecord::of_ranks(&[record.clone(), record]).unwrap();
        assert_eq!(found(&both, "page-cache"), None);
    }

    #[test]
    fn a_cached_run_that_the_device_served_is_a_disk_result() {
        let cold = Sample {
            cache: CacheMode::Cached,
            device_percent: 99,
            ..Sample::default()
        };
        assert_eq!(found(&cold.build(), "page-cache"), None);
    }

    #[test]
    fn without_counters_of_a_device_the_page_cache_itself_is_the_witness() {
        let cached = Sample {
            cache: CacheMode::Cached,
            ..Sample::default()
        };
        let mut record = cached.build();
        record.targets[0].chain.clear();
        record.host.ram = model::Bytes::gib(4);
        let held = |held| Some(model::CachedPages { asked: 1024, held });
        record.targets[0].layout.cached = held(1024);
        assert_eq!(
            found(&record, "page-cache").unwrap().sentence,
            "before the run the page cache contained 100% of /data/fathom.dat, and reads were buffered"
        );
        record.targets[0].layout.cached = held(500);
        assert_eq!(found(&record, "page-cache"), None);
        record.targets[0].layout.cached = held(1024);
        record.targets[0].file_system.as_mut().unwrap().kind = "tmpfs".to_owned();
        assert_eq!(found(&record, "page-cache"), None, "memory was asked for");
    }

    #[test]
    fn a_run_so_short_that_the_edges_explain_it_raises_no_alarm() {
        let mut short = Sample {
            reads: 40,
            depth: 32,
            ..Sample::default()
        }
        .build();
        for window in [&mut short.window, &mut short.lifetime] {
            let device = &mut window.after.devices[0];
            (device.reads, device.read_bytes.0) = (20, 20 * 4096);
        }
        short.lifetime.after.devices.clear();
        assert_eq!(found(&short, "page-cache"), None);
    }

    #[test]
    fn a_tenth_of_the_bytes_has_to_be_missing() {
        for (device_percent, reported) in [(88, true), (92, false)] {
            let sample = Sample {
                cache: CacheMode::Cached,
                device_percent,
                ..Sample::default()
            };
            let found = found(&sample.build(), "page-cache");
            assert_eq!(found.is_some(), reported, "{device_percent}%");
        }
    }

    #[test]
    fn what_fio_saw_of_the_device_decides_for_imported_runs() {
        use crate::findings::Severity;
        use crate::findings::test::{imported, reported};
        let of = |disk_ios: u64, seconds: u64| {
            let mut run = imported();
            (run.figures.total.ios, run.measured) =
                (Some(100_000), Some(model::Nanos::seconds(seconds)));
            run.figures.total.ios_per_s = Some(100_000.0 / seconds as f64);
            run.evidence.disks = vec![model::imported_evidence::ImportedDisk {
                name: "sda".to_owned(),
                ios: disk_ios,
                util_percent: Some(99.0),
                queue_time: None,
            }];
            reported(&run, "page-cache")
        };
        let missing = of(40_000, 60).unwrap();
        assert_eq!(
            (missing.severity, missing.evidence[0].value),
            (Severity::Error, 0.6)
        );
        assert_eq!(of(100_300, 60), None);
        assert_eq!(
            of(86_000, 5),
            None,
            "fio read the counters half a second before the end"
        );
        let mut cached = imported();
        cached.workload.cache = Some(CacheMode::Cached);
        assert!(reported(&cached, "page-cache").is_some());
        cached.workload.write_percent = Some(Ratio::ALL);
        cached.evidence.flush = Some(model::imported_evidence::ImportedFlush::AtEnd);
        assert_eq!(
            reported(&cached, "page-cache"),
            None,
            "flushed within the time"
        );
    }
}
