//! Faster than any device that is not memory: direct reads within a few microseconds, or more bytes per second than one
//! device's link carries.
//!
//! Needs no word of a person. Checks imported runs, whose devices are not known; of fathom's runs the device's counters show
//! more (`page-cache`, `unwritten-extents`).

use super::{Cause, Confidence, Finding, Group, Look, Rule, RuleId, Seen, Severity, finding};
use crate::LimitKind;
use crate::say;
use model::{CacheMode, ImportFormat, ImportedRun};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("answered-from-memory"),
    group: Group::Cache,
    cause: Cause::Cache,
    limit: Some(LimitKind::Cache),
    what: "The I/Os were faster than any storage device, so memory served them: a page cache, unwritten extents or a RAM disk.",
    method: "Direct reads of 100 or more I/Os: the 1st percentile of the latency, submission included, is below 3 µs (an error if the median is too). Reads of which it is unknown whether they were direct: the median is. Any run on one target that has not the name of an array: more than 16 GB/s. That is an error if the range is 4 GiB or less or the page cache was used. Otherwise it is a warning, because an array may reach it. Random reads with one in flight: a mean below 9 µs is a warning.",
    evidence: &["p1_ns", "p50_ns", "bytes_per_s", "mean_ns"],
    source: "PCI Express Base Specification 5.0 (4 lanes: 15.8 GB/s); the fastest NVMe devices answer in 5 to 10 µs.",
    advice: "Read a range that was written before and is larger than all caches, with direct I/O. `fathom run TARGET` compares with the device's own counters.",
    look: Look::Any(look),
};

const DEVICE_NS_MIN: f64 = 3_000.0;
/// Reads of flash take several times as long, those of the fastest other media as long as this.
const FLASH_NS_MIN: f64 = 9_000.0;
pub(super) const LINK_BYTES_PER_S: f64 = 16e9;
const SMALL_BYTES: u64 = 4 << 30;
const IOS_MIN: u64 = 100;
const ADVICE: &str = "fathom run TARGET compares with the device's own counters: lower counters mean that memory answered";

fn look(seen: &Seen<'_>) -> Option<Finding> {
    let run = seen.imported?;
    at_once(seen, run)
        .or_else(|| beyond_link(seen, run))
        .or_else(|| one_by_one(seen, run))
}

/// Random reads one at a time, each faster than flash.
fn one_by_one(seen: &Seen<'_>, run: &ImportedRun) -> Option<Finding> {
    let read = &seen.observed.read;
    let alone = run.workload.queue_depth == Some(1) && run.workload.threads.unwrap_or(1) == 1;
    let random =
        seen.observed.load.random_share == Some(1.0) || run.format == ImportFormat::IopingText;
    let mean = read.mean_ns.filter(|mean| *mean > 0.0);
    let mean = mean.or_else(|| read.iops.filter(|rate| *rate > 0.0).map(|rate| 1e9 / rate));
    let mean = mean.filter(|mean| alone && random && *mean < FLASH_NS_MIN)?;
    if read.ios.is_some_and(|ios| ios < 10) {
        return None;
    }
    let sentence = format!(
        "a random read took {} with one in flight, and flash takes 40 µs or more: memory answered, or a device of memory",
        say::time(mean)
    );
    let reported = finding(
        RULE.id,
        Severity::Warning,
        sentence,
        &[("mean_ns", mean)],
        ADVICE,
    );
    Some(reported.sure(Confidence::Medium))
}

fn at_once(seen: &Seen<'_>, run: &ImportedRun) -> Option<Finding> {
    let read = &seen.observed.read;
    let direct = run.workload.cache == Some(CacheMode::Unbuffered);
    let unknown = run.workload.cache.is_none();
    if !(direct || unknown) || read.ios.is_some_and(|ios| ios < IOS_MIN) {
        return None;
    }
    let submission = run.evidence.read.submission_mean;
    let submission_ns = submission.map_or(0.0, |mean| mean.0 as f64);
    let at = |quantile: f64| Some(read.latency_at(quantile)? + submission_ns);
    let first = at(0.01).filter(|ns| *ns > 0.0 && *ns < DEVICE_NS_MIN)?;
    let median = at(0.5);
    let most = median.is_some_and(|ns| ns < DEVICE_NS_MIN);
    if unknown && !most {
        return None;
    }
    let (share, shown) = if most {
        ("half", median?)
    } else {
        ("1%", first)
    };
    let sentence = format!(
        "{share} of the {}reads completed within {}: no device answers in less than 3 µs, so memory answered",
        if direct { "direct " } else { "" },
        say::time(shown)
    );
    let mut evidence = vec![("p1_ns", first)];
    evidence.extend(median.map(|median| ("p50_ns", median)));
    let severity = if most && direct {
        Severity::Error
    } else {
        Severity::Warning
    };
    let reported = finding(RULE.id, severity, sentence, &evidence, ADVICE);
    Some(if most && direct {
        reported.invalid_for("a disk result")
    } else {
        reported.sure(Confidence::Medium)
    })
}

/// Returns whether its names are those of an array, whose devices carry more together.
fn is_array(run: &ImportedRun) -> bool {
    const WORDS: [&str; 5] = ["md", "raid", "stripe", "array", "pool"];
    let names = run.workload.targets.iter().chain(&run.name);
    let is_one = |name: &String| {
        let name = name.to_ascii_lowercase();
        let mut words = name.split(|c: char| !c.is_ascii_alphabetic());
        words.any(|word| WORDS.contains(&word))
    };
    names.into_iter().any(is_one)
}

fn beyond_link(seen: &Seen<'_>, run: &ImportedRun) -> Option<Finding> {
    let moved = seen.observed.total.bytes_per_s?;
    if moved <= LINK_BYTES_PER_S || run.workload.targets.len() > 1 || is_array(run) {
        return None;
    }
    let small = run.workload.size.is_some_and(|size| size.0 <= SMALL_BYTES);
    let cached = run.workload.cache == Some(CacheMode::Cached);
    let range = match run.workload.size.filter(|_| small) {
        Some(size) => format!(" from a range of {}", say::bytes(size.0)),
        None => String::new(),
    };
    let sentence = format!(
        "{} MiB/s{range} exceeds the link of one device (16 GB/s): memory answered, or an array of several devices",
        say::mib_per_s(moved)
    );
    let evidence = [("bytes_per_s", moved)];
    Some(if small || cached {
        let reported = finding(RULE.id, Severity::Error, sentence, &evidence, ADVICE);
        reported.invalid_for("a disk result")
    } else {
        let reported = finding(RULE.id, Severity::Warning, sentence, &evidence, ADVICE);
        reported.sure(Confidence::Medium)
    })
}

#[cfg(test)]
mod tests {
    use crate::findings::Severity;
    use crate::findings::test::{imported, reported};
    use model::{Bytes, ImportedRun, Nanos};

    fn run(p1_ns: u64, p50_ns: u64) -> ImportedRun {
        let mut run = imported();
        let latency = &mut run.figures.total.latency;
        latency.percentiles = vec![(0.01, Nanos(p1_ns)), (0.5, Nanos(p50_ns))];
        run.figures.read = run.figures.total.clone();
        run
    }

    #[test]
    fn direct_reads_below_three_microseconds_are_memory() {
        let severity = |run: &ImportedRun| Some(reported(run, "answered-from-memory")?.severity);
        assert_eq!(severity(&run(900, 1200)), Some(Severity::Error));
        assert_eq!(severity(&run(900, 80_000)), Some(Severity::Warning));
        assert_eq!(severity(&run(8_000, 12_000)), None, "an Optane");
        let mut waits = run(900, 1200);
        waits.evidence.read.submission_mean = Some(Nanos::micros(60));
        assert_eq!(severity(&waits), None, "its time is in submission");
    }

    #[test]
    fn reads_that_may_be_buffered_are_memory_where_half_of_them_are_that_fast() {
        let severity = |p50_ns| {
            let mut run = run(700, p50_ns);
            run.workload.cache = None;
            Some(reported(&run, "answered-from-memory")?.severity)
        };
        assert_eq!(severity(844), Some(Severity::Warning));
        assert_eq!(severity(80_000), None);
    }

    #[test]
    fn more_than_a_link_carries_is_memory_where_the_range_is_small() {
        let mut run = imported();
        run.figures.total.bytes_per_s = Some(53.7e9);
        run.workload.size = Some(Bytes::gib(1));
        let reported_of = reported(&run, "answered-from-memory").unwrap();
        assert_eq!(reported_of.severity, Severity::Error);
        run.workload.size = Some(Bytes::gib(4096));
        let reported_of = reported(&run, "answered-from-memory").unwrap();
        assert_eq!(reported_of.severity, Severity::Warning);
        run.name = Some("socket1-md".to_owned());
        assert_eq!(reported(&run, "answered-from-memory"), None, "an array");
        run.name = None;
        run.figures.total.bytes_per_s = Some(14e9);
        assert_eq!(reported(&run, "answered-from-memory"), None);
    }
}
