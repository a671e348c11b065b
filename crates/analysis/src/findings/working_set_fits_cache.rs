//! A range that fits where it should not: in main memory when I/O goes through the system's cache, in an array's cache when
//! a person specifies how large that is.
//!
//! Main memory: silent where the device counted the reads all the same, and where no device is below. Twice the memory is
//! the usual advice, because the system keeps the part that is used again; below the memory itself everything fits. An
//! exact multiple of an array's cache is a note: some caches walk a range of their own multiple in step.

use super::commit_latency::syncs_each;
use super::{Cause, Confidence, Finding, Group, Look, Rule, RuleId, Seen, Severity, finding};
use crate::say;
use model::{CacheMode, FileSystem, ImportFormat};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("working-set-fits-cache"),
    group: Group::Cache,
    cause: Cause::Cache,
    limit: None,
    what: "The range fits in a cache, so the result is that of the cache.",
    method: "Buffered runs of fathom: the range is smaller than main memory, or than what the control group allows, and the device did not count 90% of the \
             reads. Any run: the range is not larger than the specified array cache (--array-cache); an exact \
             multiple of it is a note. Imported runs: a note if a range of 1 GiB or less was used twice, or any range \
             a hundred times; a warning if a range of 256 MiB or less, which fits into the cache of a disk, was used ten times. CrystalDiskMark measures for five seconds: only this warning, by sequential I/Os, too; not hdparm, which reads one place on purpose. ioping on a folder reads a file of 1 MiB that it wrote just before: a note.",
    evidence: &[
        "range_bytes",
        "ram_bytes",
        "times_used",
        "array_cache_bytes",
    ],
    source: "The kernel's Documentation/admin-guide/mm/concepts.rst (page cache).",
    advice: "Use a range of at least twice the cache, and not an exact multiple of it.",
    look: Look::Any(look),
};

const DEVICE_SHARE: f64 = 0.90;

fn look(seen: &Seen<'_>) -> Option<Finding> {
    in_memory(seen)
        .or_else(|| in_array(seen))
        .or_else(|| of_others(seen))
        .or_else(|| of_folder(seen))
}

fn in_memory(seen: &Seen<'_>) -> Option<Finding> {
    let own = seen.own?;
    let record = own.record;
    let limit = record
        .host
        .limits
        .memory
        .as_ref()
        .map(|memory| memory.limit.0);
    let ram = limit.map_or(record.host.ram.0, |limit| limit.min(record.host.ram.0));
    let memory = match limit {
        Some(limit) if limit <= ram => format!("the memory of the {}", record.host.limited_set()),
        _ => "main memory".to_owned(),
    };
    let through_cache =
        record
            .plan
            .targets
            .iter()
            .zip(&record.targets)
            .filter(|(target, facts)| {
                let on = facts.file_system.as_ref();
                let memory = on.is_some_and(FileSystem::is_in_memory);
                let synced = target.writes_only() && syncs_each(target);
                target.cache == CacheMode::Cached && !memory && !synced
            });
    let sizes: Vec<u64> = through_cache.map(|(target, _)| target.length.0).collect();
    let size = sizes
        .iter()
        .fold(0u64, |sum, size| sum.saturating_add(*size));
    let counted = own
        .device_checks
        .iter()
        .filter_map(|check| check.measured.as_ref());
    let (tool, device) = counted.fold((0.0, 0.0), |sum, counts| {
        let read = counts.read;
        (
            sum.0 + read.tool_bytes as f64,
            sum.1 + read.device_bytes as f64,
        )
    });
    let from_device = tool > 0.0 && device >= DEVICE_SHARE * tool;
    if sizes.is_empty() || from_device || size >= ram {
        return None;
    }
    let sentence = format!(
        "the range of {} fits in {memory} ({}), and I/O was buffered",
        say::bytes(size),
        say::bytes(ram)
    );
    let reported = finding(
        RULE.id,
        Severity::Warning,
        sentence,
        &[("range_bytes", size as f64), ("ram_bytes", ram as f64)],
        "use direct I/O, or a range of at least twice the main memory",
    );
    Some(reported.sure(Confidence::Medium))
}

/// Of others the caches are not known: a range of 1 GiB, or one that was used a hundred times, fits many.
fn of_others(seen: &Seen<'_>) -> Option<Finding> {
    const SMALL: u64 = 1 << 30;
    const TIMES_MANY: f64 = 100.0;
    /// Disks are sold with caches up to this size, solid-state disks and controllers with more.
    const DISK_CACHE: u64 = 256 << 20;
    const TIMES_AGAIN: f64 = 10.0;
    let observed = seen.observed;
    // hdparm -T reads the same 2 MiB: that is its purpose, and a note of the run.
    let run = seen
        .imported
        .filter(|run| run.format != ImportFormat::HdparmText)?;
    let size = run.workload.size.filter(|size| size.0 > 0)?.0;
    // CrystalDiskMark measures each load for five seconds, unless a person chose less.
    let crystal = seen.imported?.format == ImportFormat::CrystalDiskMarkText;
    let measured_ns = observed.measured_ns.or(crystal.then_some(5e9))?;
    let moved = observed.total.bytes_per_s? * measured_ns / 1e9;
    let times = moved / size as f64;
    let of_a_disk = size <= DISK_CACHE && times >= TIMES_AGAIN;
    // A sequence comes back only where the range ends: of a disk's cache it shows as much as random I/Os do.
    let along = observed.load.random_share == Some(0.0);
    let again = times >= 2.0 && !along || times >= TIMES_MANY || of_a_disk;
    let again = if crystal { of_a_disk } else { again };
    if !again || (size > SMALL && times < TIMES_MANY) {
        return None;
    }
    // Where it is only possible, the result stays valid, and the sentence must not deny that.
    let what = match of_a_disk {
        true => "it fits in the cache of many hosts, controllers and arrays",
        false => "a cache of the host, controller or array may have served a part of it",
    };
    let sentence = format!(
        "the range of {} was used {} times: {what}",
        say::bytes(size),
        say::digits(times)
    );
    let evidence = [("range_bytes", size as f64), ("times_used", times)];
    let advice = "repeat over a range ten times as large: if it is slower, a cache had answered";
    let (severity, sure) = match of_a_disk {
        true => (Severity::Warning, Confidence::Medium),
        false => (Severity::Note, Confidence::Low),
    };
    Some(finding(RULE.id, severity, sentence, &evidence, advice).sure(sure))
}

/// ioping on a folder writes a small file and reads it at once.
fn of_folder(seen: &Seen<'_>) -> Option<Finding> {
    const FILE: u64 = 1 << 20;
    let run = seen.imported?;
    let size = run.workload.size.filter(|size| size.0 <= FILE)?.0;
    let alone =
        run.format == ImportFormat::IopingText && seen.observed.load.write_share == Some(0.0);
    alone.then(|| {
        let sentence = format!(
            "ioping read a file of {} that it had just written: it fits in every cache of the disk and its controller",
            say::bytes(size)
        );
        let advice = "repeat on the device or on a large file that was written before (ioping FILE): longer times mean that a cache answered";
        let evidence = [("range_bytes", size as f64)];
        finding(RULE.id, Severity::Note, sentence, &evidence, advice).sure(Confidence::Low)
    })
}

fn in_array(seen: &Seen<'_>) -> Option<Finding> {
    let cache = seen.known.array_cache_bytes.filter(|cache| *cache > 0)?;
    let size = seen.observed.load.size_bytes.filter(|size| *size > 0)?;
    let evidence = [
        ("range_bytes", size as f64),
        ("array_cache_bytes", cache as f64),
    ];
    let (range, of) = (say::bytes(size), say::bytes(cache));
    if size <= cache {
        let sentence = format!(
            "the range of {range} fits in the array's cache of {of}: after warm-up the cache alone answers"
        );
        let reported = finding(
            RULE.id,
            Severity::Warning,
            sentence,
            &evidence,
            "use a range of at least twice the array's cache, and not an exact multiple of it",
        );
        return Some(reported.invalid_for("a disk result"));
    }
    size.is_multiple_of(cache).then(|| {
        let sentence = format!(
            "the range of {range} is exactly {} times the array's cache of {of}: the access pattern may synchronize with the cache",
            say::count(size / cache)
        );
        let advice = "use a range that is not an exact multiple of the cache";
        finding(RULE.id, Severity::Note, sentence, &evidence, advice).sure(Confidence::Low)
    })
}

#[cfg(test)]
mod tests {
    use crate::findings::Severity;
    use crate::findings::test::{found, found_knowing, imported, reported_knowing};
    use crate::known::Known;
    use crate::sample::Sample;
    use model::{Bytes, CacheMode};

    #[test]
    fn a_range_that_fits_in_memory_is_reported_when_nobody_counted_the_device() {
        let cached = Sample {
            cache: CacheMode::Cached,
            ..Sample::default()
        };
        let mut record = cached.build();
        record.host.ram = Bytes::gib(64);
        assert_eq!(
            found(&record, "working-set-fits-cache"),
            None,
            "the device was read"
        );
        record.targets[0].chain.clear();
        let reported = found(&record, "working-set-fits-cache").unwrap();
        assert_eq!(reported.severity, Severity::Warning);
        assert_eq!(
            reported.sentence,
            "the range of 8 GiB fits in main memory (64 GiB), and I/O was buffered"
        );
        record.host.ram = Bytes::gib(4);
        assert_eq!(found(&record, "working-set-fits-cache"), None);
        record.host.ram = Bytes::gib(64);
        record.targets[0].file_system.as_mut().unwrap().kind = "tmpfs".to_owned();
        assert_eq!(
            found(&record, "working-set-fits-cache"),
            None,
            "memory is what is measured"
        );
        assert_eq!(
            found(&Sample::default().build(), "working-set-fits-cache"),
            None
        );
    }

    #[test]
    fn an_array_s_cache_is_judged_as_a_person_states_it() {
        let known = |gib: u64| Known {
            array_cache_bytes: Some(gib << 30),
            ..Known::default()
        };
        let record = Sample::default().build();
        let reported = found_knowing(&record, &known(16), "working-set-fits-cache")
            .unwrap()
            .sentence;
        assert!(
            reported.starts_with("the range of 8 GiB fits in the array's cache of 16 GiB"),
            "{reported}"
        );
        let reported = found_knowing(&record, &known(4), "working-set-fits-cache").unwrap();
        assert_eq!(reported.severity, Severity::Note);
        assert!(
            reported.sentence.contains("exactly 2 times"),
            "{}",
            reported.sentence
        );
        assert_eq!(
            found_knowing(&record, &known(3), "working-set-fits-cache"),
            None
        );
        let mut run = imported();
        assert_eq!(
            reported_knowing(&run, &known(4), "working-set-fits-cache"),
            None,
            "no size is known"
        );
        run.workload.size = Some(Bytes::gib(4));
        assert!(reported_knowing(&run, &known(4), "working-set-fits-cache").is_some());
    }
}
