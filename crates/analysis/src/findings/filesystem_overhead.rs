//! The same workload on a raw device and through a file system: the overhead of the file system.

use super::{Cause, Confidence, Finding, Group, Look, Rule, RuleId, Several, Severity, finding};
use crate::observed::Observed;
use crate::say;
use model::CacheMode;
use std::collections::HashMap;
use std::mem::Discriminant;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("filesystem-overhead"),
    group: Group::Limit,
    cause: Cause::Alone,
    limit: None,
    what: "The same workload ran on a raw device and on a file: the difference is the file system's overhead.",
    method: "Two runs of a session have equal size, share of writes, order, caching and depth. One is on a device (`/dev/…`, `\\\\\\\\.\\\\…`, `#N`) and one on a file; they are more than 2% apart, as a share of the raw figure. Through the system's cache part of it may be the cache and not the file system.",
    evidence: &["raw_bytes_per_s", "file_bytes_per_s", "difference_share"],
    source: "Arithmetic on both figures.",
    advice: "Repeat both runs several times with direct I/O on the same part of the disk: outer tracks are faster than inner ones.",
    look: Look::Several(look),
};

const APART_MIN: f64 = 0.02;

fn look(several: &Several<'_>) -> Option<Finding> {
    let files = fastest_and_slowest(several.runs);
    let raws = several.runs.iter().filter(|run| is_raw(run));
    let figures = raws.filter_map(|raw| {
        let on_raw = rate(raw)?;
        let ends = files.get(&work(raw)?)?;
        Some(ends.map(|on_file| (raw, on_raw, on_file)))
    });
    let shares = figures.flatten().map(|(raw, on_raw, on_file)| {
        let share = (on_raw - on_file) / on_raw;
        (share, raw, on_raw, on_file)
    });
    let (share, raw, on_raw, on_file) =
        shares.max_by(|(one, ..), (other, ..)| one.abs().total_cmp(&other.abs()))?;
    if share.abs() < APART_MIN {
        return None;
    }
    let (what, less) = (super::groups::name(raw, false), on_raw - on_file);
    let than = if less > 0.0 { "slower" } else { "faster" };
    let mut sentence = format!(
        "{what} through the file system is {} MB/s ({}) {than} than on the raw device: {} vs {} MB/s",
        mb(less.abs()),
        say::percent(share.abs()),
        mb(on_file),
        mb(on_raw)
    );
    let cached = raw.load.cache == Some(CacheMode::Cached);
    let writes = raw.load.write_share.is_some_and(|share| share > 0.0);
    let confidence = if cached {
        Confidence::Low
    } else {
        Confidence::Medium
    };
    if cached && writes {
        sentence.push_str("; without a final flush, part of the written data was still in memory");
    }
    Some(
        finding(
            RULE.id,
            Severity::Note,
            sentence,
            &[
                ("raw_bytes_per_s", on_raw),
                ("file_bytes_per_s", on_file),
                ("difference_share", share),
            ],
            "repeat both with direct I/O or a final flush, several times and on the same part of the disk",
        )
        .sure(confidence),
    )
}

/// In decimal megabytes, as the tools print them that are compared here.
fn mb(bytes_per_s: f64) -> String {
    say::digits(bytes_per_s / 1e6)
}

fn is_raw(run: &Observed) -> bool {
    let target = run.target.as_str();
    let device = target.starts_with("/dev/") && !target.starts_with("/dev/shm/");
    device || target.starts_with(r"\\.\") || target.starts_with('#')
}

fn is_file(run: &Observed) -> bool {
    !run.target.is_empty() && !is_raw(run)
}

/// Of the runs on files that did the same work, the rates that can be farthest from any raw one's: so each run is looked
/// at once.
fn fastest_and_slowest(runs: &[Observed]) -> HashMap<Work, [f64; 2]> {
    let mut all = HashMap::new();
    for run in runs.iter().filter(|run| is_file(run)) {
        if let Some((work, rate)) = work(run).zip(rate(run)) {
            let [slowest, fastest] = all.entry(work).or_insert([rate; 2]);
            *slowest = rate.min(*slowest);
            *fastest = rate.max(*fastest);
        }
    }
    all
}

fn rate(run: &Observed) -> Option<f64> {
    run.total.bytes_per_s.filter(|rate| *rate > 0.0)
}

/// What is the same where the same was asked; none where that is not known.
fn work(run: &Observed) -> Option<Work> {
    let bits = |value: Option<f64>| value.map(f64::to_bits);
    Some((
        run.load.block_bytes?,
        run.load.write_share?.to_bits(),
        bits(run.load.random_share),
        run.load.cache.map(|cache| std::mem::discriminant(&cache)),
        run.load.write_through,
        bits(run.load.requested_in_flight),
    ))
}

/// Block size, share of writes, share of random I/Os, cache, durable writes, I/Os in flight.
type Work = (
    u64,
    u64,
    Option<u64>,
    Option<Discriminant<CacheMode>>,
    Option<bool>,
    Option<u64>,
);

#[cfg(test)]
mod tests {
    use super::super::test::several;
    use crate::known::Known;
    use crate::observed::{Observed, ObservedLoad};
    use model::CacheMode;

    fn run(target: &str, write: f64, mb: f64) -> Observed {
        let mut run = Observed {
            target: target.to_owned(),
            load: ObservedLoad {
                block_bytes: Some(1 << 20),
                write_share: Some(write),
                random_share: Some(0.0),
                cache: Some(CacheMode::Cached),
                ..ObservedLoad::default()
            },

            ..Observed::default()
        };
        run.total.bytes_per_s = Some(mb * 1e6);
        run
    }

    #[test]
    fn the_same_work_raw_and_through_a_file_gives_the_difference() {
        let runs = [
            run("/dev/sda", 0.0, 78.1),
            run("/dev/sda", 1.0, 75.9),
            run("/mnt/sda/testfile", 1.0, 64.8),
            run("/mnt/sda/testfile", 0.0, 77.3),
        ];
        assert_eq!(
            several(&runs, &Known::default(), "filesystem-overhead")
                .unwrap()
                .sentence,
            "sequential write through the file system is 11.1 MB/s (14.6%) slower than on the raw device: 64.8 vs \
             75.9 MB/s; without a final flush, part of the written data was still in memory"
        );
        assert_eq!(
            several(&runs[..2], &Known::default(), "filesystem-overhead"),
            None
        );
        let same = [run("/dev/sda", 1.0, 75.9), run("/mnt/a", 1.0, 75.8)];
        assert_eq!(
            several(&same, &Known::default(), "filesystem-overhead"),
            None
        );
    }

    #[test]
    fn two_percent_are_reported_and_less_is_not() {
        for (mb, reported) in [(97.0, true), (103.0, true), (98.5, false), (101.5, false)] {
            let runs = [run("/dev/sda", 1.0, 100.0), run("/mnt/a", 1.0, mb)];
            let found = several(&runs, &Known::default(), "filesystem-overhead");
            assert_eq!(found.is_some(), reported, "{mb} against 100");
        }
    }
}
